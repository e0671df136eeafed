// SPDX-License-Identifier: Apache-2.0
/// \file Options whose value is one of several names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace polycast::tlm::sim {

/// The index of `typed` in `known`; - equals _. \throws hw::input_error that suggests the nearest name
std::size_t index_of_choice(const char* option, const std::string& typed, const std::vector<std::string>& known);

/// The value beside the name, in a table of hw::named.
template <typename table>
auto choice(const char* option, const std::string& typed, const table& known) {
    std::vector<std::string> names;
    for (const auto& each : known) names.emplace_back(each.name);
    return known[index_of_choice(option, typed, names)].value;
}

}  // namespace polycast::tlm::sim
