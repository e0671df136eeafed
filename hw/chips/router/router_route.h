// SPDX-License-Identifier: Apache-2.0
/// \file Where a packet goes from a router: step 2 of hw/chips/router/router.md and its section on broadcasts, as
/// functions of the header, the input and the registers alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/chips/router/router_config.h"
#include "hw/chips/router/router_unit.h"

namespace polycast::hw::chips {

/// Most dimensions of a mesh or torus.
inline constexpr unsigned most_dimensions = 4;

/// Place of a node in every dimension; zero behind the last one.
using coordinates = std::array<std::uint16_t, most_dimensions>;

coordinates coordinates_of(std::uint32_t node, unsigned dimensions, unsigned radix);

/// Routing data that all routers of a network share.
struct route_rules {
    route_rules(const router_params& params, const router_tables& tables);

    unsigned ports, dimensions, radix, first_host_port;
    std::uint32_t nodes;
    unsigned wrap;
    bool table, copies;
    bool chooses;  ///< packets choose among the ports of the table
    std::array<std::array<vc_set, 2>, 8> vc_sets;

    bool is_ring(unsigned dimension) const { return (wrap >> dimension & 1) != 0; }
    /// VCs that a branch may take.
    vc_set vcs_of(unsigned port, unsigned service_class, bool side) const {
        const auto& sides = vc_sets[service_class];
        return port >= first_host_port ? static_cast<vc_set>(sides[0] | sides[1]) : sides[side ? 1 : 0];
    }
};

/// Routing data of one router.
struct route_place {
    route_place(const route_rules& rules, std::uint32_t number, std::span<const unsigned> credits);

    std::uint32_t node;
    coordinates own;
    bool even;                ///< sum of the coordinates
    std::uint32_t connected;  ///< ports that are not open
};

/// Where a packet goes.
struct route_decision {
    std::uint16_t info = flit_info::drop;  ///< flit_info: one output, flit_info::copied, ::chooses or ::drop
    std::uint16_t errors = 0;              ///< format::chip_error bits
    branch_set branches;                   ///< where it is copied, or may go

    bool operator==(const route_decision&) const = default;
};

/// Port that leads to a node in dimension order, and whether the path in its dimension does not cross the end of a
/// ring. `port`: rules.first_host_port where the node is this one.
struct route_hop {
    unsigned port;
    bool side;

    bool operator==(const route_hop&) const = default;
};
route_hop dimension_order(const route_rules& rules, const route_place& place, const coordinates& destination);

/// Flits' outputs for a unicast. `table`: the route table, empty in dimension order.
route_decision route_unicast(const route_rules& rules, const route_place& place, std::span<const std::uint32_t> table,
                             std::uint32_t destination, unsigned service_class);

/// The branches of a broadcast that arrived at port `input`; `host`: which of a node's host ports gets it.
route_decision route_broadcast(const route_rules& rules, const route_place& place, std::uint32_t source, unsigned host,
                               unsigned service_class, unsigned input);

/// The decision for a packet whose complete header begins with `header`.
route_decision route_packet(const route_rules& rules, const route_place& place, std::span<const std::uint32_t> table,
                            const std::uint8_t* header, unsigned input);

}  // namespace polycast::hw::chips
