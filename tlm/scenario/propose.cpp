// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/propose.h"

#include "hw/topology/nearest_name.h"

namespace polycast::tlm::scenario {

std::string propose(std::string_view wrong, const std::vector<std::string>& names) {
    constexpr std::size_t longest = 64;  // nobody mistypes a name of more letters; keeps hostile input cheap
    if (names.empty()) return {};
    if (wrong.size() <= longest) {
        if (const std::string near = hw::topology::propose_name(wrong, names); !near.empty()) return near;
    }
    constexpr std::size_t shown = 12;
    if (names.size() <= shown) return "known: " + join(names);
    return "known: " + join({names.begin(), names.begin() + shown}) + ", ... (" + std::to_string(names.size()) +
           " in all)";
}

std::string join(const std::vector<std::string>& names, std::string_view separator) {
    std::string text;
    for (const std::string& name : names) {
        if (!text.empty()) text += separator;
        text += name;
    }
    return text;
}

}  // namespace polycast::tlm::scenario
