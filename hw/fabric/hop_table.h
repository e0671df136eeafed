// SPDX-License-Identifier: Apache-2.0
/// \file Dimension order as look-ups: made by the router's own function, one square of coordinates per dimension.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/chips/router/router_route.h"
#include "hw/fabric/packet_pool.h"

namespace polycast::hw::fabric {

class hop_table {
public:
    explicit hop_table(const chips::route_rules& rules);

    /// flit_info of the route of a packet at a node, apart from the ends of the packet. `dimensions`: of the table,
    /// which callers may know when they are compiled.
    std::uint16_t route(unsigned dimensions, std::uint32_t node, const packet_target& target) const {
        const std::uint32_t* rows = rows_.data() + std::size_t{node} * dimensions;
        // The dimension in which a packet goes on is hard to foretell, so all are looked up, and the highest rank wins.
        std::uint16_t best = target.local;
        for (unsigned d = 0; d < dimensions; ++d) best = std::max(best, hops_[rows[d] + target.to[d]]);
        return static_cast<std::uint16_t>((best & unranked) | target.class_bits);
    }
    packet_target target(std::uint32_t node, unsigned port, unsigned service_class) const {
        const std::uint16_t class_bits = chips::route_info(0, service_class, 0);
        return {coordinates_[node], chips::route_info(port, 0, 1), class_bits};
    }

    /// [port] nodes at the other ends of a node's links, on rings where they cross the end; the node itself at host
    /// ports. `ports`: of a node.
    const std::uint32_t* neighbours(unsigned ports, std::uint32_t node) const {
        return neighbours_.data() + std::size_t{node} * ports;
    }

    std::size_t memory_bytes() const {
        return hops_.capacity() * sizeof(std::uint16_t) +
               (rows_.capacity() + neighbours_.capacity()) * sizeof(std::uint32_t) +
               coordinates_.capacity() * sizeof(chips::coordinates);
    }

private:
    static constexpr unsigned rank_bit = 12;  ///< of the lowest dimension's hops 4, of the next one's 3 ...
    static constexpr unsigned unranked = (1u << rank_bit) - 1;

    /// [dimension][parity of the node, rings only][own][to] flit_info and rank, 0 where own = to
    std::vector<std::uint16_t> hops_;
    std::vector<std::uint32_t> rows_;              ///< [node][dimension] where its row begins
    std::vector<std::uint32_t> neighbours_;        ///< [node][port]
    std::vector<chips::coordinates> coordinates_;  ///< [node]
};

}  // namespace polycast::hw::fabric
