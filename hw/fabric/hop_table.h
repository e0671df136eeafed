// SPDX-License-Identifier: Apache-2.0
/// \file Dimension order as look-ups: made by the router's own function, one square of coordinates per dimension.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/router_route.h"
#include "hw/fabric/packet_pool.h"

namespace polycast::hw::fabric {

class hop_table {
public:
    explicit hop_table(const chips::route_rules& rules);

    /// flit_info of the route of a packet at a node, apart from the ends of the packet. `dimensions`: of the table,
    /// which callers may know when they are compiled.
    std::uint16_t route(unsigned dimensions, std::uint32_t node, const packet_target& target) const {
        const std::uint32_t* rows = rows_.data() + std::size_t{node} * dimensions;
        const std::uint16_t* hops = hops_.data();
        for (unsigned d = 0; d < dimensions; ++d) {
            const std::uint16_t hop = hops[rows[d] + target.to[d]];
            if (hop != here) return hop | target.class_bits;
        }
        return target.local;
    }

    /// [port] nodes at the other ends of a node's links, on rings where they cross the end.
    const std::uint32_t* neighbours(unsigned dimensions, std::uint32_t node) const {
        return neighbours_.data() + std::size_t{node} * 2 * dimensions;
    }

    std::size_t memory_bytes() const {
        return hops_.capacity() * sizeof(std::uint16_t) +
               (rows_.capacity() + neighbours_.capacity()) * sizeof(std::uint32_t);
    }

private:
    static constexpr std::uint16_t here = 0xffff;

    std::vector<std::uint16_t> hops_;  ///< [dimension][parity of the node, rings only][own][to] flit_info, or here
    std::vector<std::uint32_t> rows_;  ///< [node][dimension] where its row begins
    std::vector<std::uint32_t> neighbours_;  ///< [node][port]
};

}  // namespace polycast::hw::fabric
