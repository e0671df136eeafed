// SPDX-License-Identifier: Apache-2.0
/// \file Values with their names: an enum has its table beside it. Keys of scenarios, their page, results and command
/// lines read the table.
#pragma once

#include <algorithm>
#include <string_view>

namespace polycast::hw {

template <class type>
struct named {
    type value;
    std::string_view name;
    std::string_view doc = {};  ///< one sentence
};

/// The name of a value that is in the table.
template <class table, class type>
constexpr std::string_view name_in(const table& names, type value) {
    return std::ranges::find(names, value, [](const auto& each) { return each.value; })->name;
}

}  // namespace polycast::hw
