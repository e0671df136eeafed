// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/curves.h"

#include <algorithm>

namespace polycast::tlm::sim {

std::string common_name(const std::string& a, const std::string& b) {
    const auto end = std::ranges::mismatch(a, b).in1;
    const std::string same(a.begin(), end);
    const std::size_t last = same.find_last_not_of("0123456789.-_");
    return last == std::string::npos ? a : same.substr(0, last + 1);
}

std::vector<point_group> groups_of(const std::vector<finished_run>& points,
                                   const std::function<bool(const run_result&)>& wanted,
                                   const std::function<bool(const finished_run&, const finished_run&)>& alike) {
    std::vector<point_group> groups;
    for (const finished_run& point : points) {
        if (!wanted(point.result)) continue;
        const auto group = std::ranges::find_if(groups, [&](const point_group& g) { return alike(*g.front(), point); });
        if (group == groups.end()) {
            groups.push_back({&point});
        } else {
            group->push_back(&point);
        }
    }
    return groups;
}

}  // namespace polycast::tlm::sim
