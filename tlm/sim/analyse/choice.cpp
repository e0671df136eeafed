// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/analyse/choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hw/input_error.h"
#include "hw/topology/nearest_name.h"

namespace polycast::tlm::sim {

std::size_t index_of_choice(const char* option, const std::string& typed, const std::vector<std::string>& known) {
    const bool dashes =
        std::ranges::any_of(known, [](const std::string& name) { return name.find('-') != std::string::npos; });
    std::string name = typed;
    std::ranges::replace(name, dashes ? '_' : '-', dashes ? '-' : '_');
    const auto found = std::ranges::find(known, name);
    if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
    std::string proposal = hw::topology::propose_name(name, known);
    if (proposal.empty()) proposal = fmt::format("one of {}", fmt::join(known, ", "));
    throw hw::input_error(fmt::format("{} {}: there is no such choice", option, typed), proposal);
}

}  // namespace polycast::tlm::sim
