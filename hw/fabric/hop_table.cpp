// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/hop_table.h"

#include <array>

namespace polycast::hw::fabric {

hop_table::hop_table(const chips::route_rules& rules) {
    const unsigned dimensions = rules.dimensions;
    const unsigned radix = rules.radix;
    std::array<std::uint32_t, chips::most_dimensions> base = {};
    chips::route_place place(rules, 0, {});
    for (unsigned d = 0; d < dimensions; ++d) {
        base[d] = static_cast<std::uint32_t>(hops_.size());
        for (const bool even : {true, false}) {
            if (!even && !rules.is_ring(d)) continue;
            place.even = even;
            for (unsigned own = 0; own < radix; ++own) {
                place.own[d] = static_cast<std::uint16_t>(own);
                chips::coordinates destination = {};
                for (unsigned to = 0; to < radix; ++to) {
                    destination[d] = static_cast<std::uint16_t>(to);
                    const chips::route_hop hop = chips::dimension_order(rules, place, destination);
                    const unsigned rank = chips::most_dimensions - d;
                    const std::uint16_t route = chips::route_info(hop.port, 0, hop.side ? 1 : 0);
                    hops_.push_back(to == own ? 0 : static_cast<std::uint16_t>(rank << rank_bit | route));
                }
            }
        }
        place.own[d] = 0;
    }
    rows_.reserve(std::size_t{rules.nodes} * dimensions);
    coordinates_.reserve(rules.nodes);
    neighbours_.reserve(std::size_t{rules.nodes} * rules.ports);
    for (std::uint32_t node = 0; node < rules.nodes; ++node) {
        const chips::route_place at(rules, node, {});
        coordinates_.push_back(at.own);
        std::uint32_t stride = 1;
        for (unsigned d = 0; d < dimensions; ++d, stride *= radix) {
            const std::uint32_t own = at.own[d];
            const std::uint32_t half = rules.is_ring(d) && !at.even ? radix * radix : 0;
            rows_.push_back(base[d] + half + own * radix);
            neighbours_.push_back(own + 1 < radix ? node + stride : node - own * stride);
            neighbours_.push_back(own > 0 ? node - stride : node + (radix - 1) * stride);
        }
        neighbours_.insert(neighbours_.end(), rules.ports - rules.first_host_port, node);
    }
}

}  // namespace polycast::hw::fabric
