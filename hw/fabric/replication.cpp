// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/replication.h"

#include <algorithm>

namespace polycast::hw::fabric {

std::vector<std::pair<engine::cycle, std::uint32_t>> replication_schedule(std::uint32_t nodes, unsigned radix,
                                                                          engine::cycle gap) {
    std::vector<std::pair<engine::cycle, std::uint32_t>> schedule;
    schedule.reserve(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        // Multiples that have no factor in common with most radices spread a row's nodes, and neighbouring rows' turns.
        const std::uint32_t turn = (node % radix * 11 + node / radix * 17) % radix;
        schedule.emplace_back(gap * (turn - std::min(turn, radix / 4)), node);
    }
    std::ranges::sort(schedule);
    return schedule;
}

}  // namespace polycast::hw::fabric
