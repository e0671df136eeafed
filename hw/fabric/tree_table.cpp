// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/tree_table.h"

namespace polycast::hw::fabric {

tree_table::tree_table(const chips::route_rules& rules) {
    chips::route_place place(rules, 0, {});
    place.connected = ~0u;     // trees end where a mesh does
    place.node = rules.nodes;  // no source: each branch is beside one to the host
    std::uint32_t stride = 1;
    for (unsigned d = 0; d < rules.dimensions; ++d, stride *= rules.radix) {
        for (unsigned own = 0; own < rules.radix; ++own) {
            place.own[d] = static_cast<std::uint16_t>(own);
            for (unsigned source = 0; source < rules.radix; ++source) {
                // In by the port that leads down it goes on upwards, and the other way round.
                const auto on = [&](unsigned port) {
                    const chips::branch_set all =
                        chips::route_broadcast(rules, place, source * stride, 0, 0, port ^ 1).branches;
                    return (all.outputs >> port & 1) | (all.sides >> port & 1) << 2;
                };
                steps_.push_back(static_cast<std::uint8_t>(on(2 * d) | on(2 * d + 1) << 1));
            }
        }
        place.own[d] = 0;
    }
    rows_.reserve(std::size_t{rules.nodes} * rules.dimensions);
    for (std::uint32_t node = 0; node < rules.nodes; ++node) {
        const chips::coordinates own = chips::coordinates_of(node, rules.dimensions, rules.radix);
        for (unsigned d = 0; d < rules.dimensions; ++d) rows_.push_back((d * rules.radix + own[d]) * rules.radix);
    }
}

}  // namespace polycast::hw::fabric
