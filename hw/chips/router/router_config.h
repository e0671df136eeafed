// SPDX-License-Identifier: Apache-2.0
/// \file Values derived from the parameters of the virtual-channel router, and its tables (written before traffic
/// starts), the same for every fidelity. hw/chips/router/router.md describes each.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/chips/chip_params.h"
#include "hw/chips/source_door.h"
#include "hw/engine/chip.h"
#include "hw/format/header.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

/// Most virtual channels of a port, and of all ports of a router together.
inline constexpr unsigned most_vcs = engine::max_vcs;
inline constexpr unsigned most_input_vcs = 64;
/// Most ports of a router that copies packets.
inline constexpr unsigned most_copy_ports = 16;

inline unsigned router_params::first_host_port() const {
    return 2 * dimensions;
}

inline unsigned router_params::nodes() const {
    return static_cast<unsigned>(power(radix, dimensions));
}

inline engine::pin_shape router_params::pin_shape() const {
    return {ports, flit_bytes, header_free ? format::free_header_bytes({}) : 0, vcs};
}

using format::route_select;
using format::router_allocator;
using format::vc_policy;

/// Set of virtual channels: bit v.
using vc_set = std::uint16_t;

/// The configuration registers and memories of the RTL.
struct router_tables {
    std::uint32_t node = 0;    ///< own number
    unsigned wrap = 0;         ///< bit d: dimension d is a ring
    bool table = false;        ///< routes come from `route`, not from dimension order
    unsigned route_delay = 1;  ///< cycles, 1..15
    router_allocator allocator = router_allocator::separable;
    unsigned iterations = 1;     ///< of allocation, 1..4
    unsigned reserve = 1;        ///< credits that a VC must have to be assigned
    unsigned packet_limit = 64;  ///< longest packet in flits
    vc_policy policy = vc_policy::any;
    route_select select = route_select::lowest;         ///< others need `adaptive`
    std::uint16_t seed = 0;                             ///< of the random numbers of the choice
    std::vector<unsigned> credits;                      ///< [port] flits of each VC's buffer at the other end
    std::array<std::array<vc_set, 2>, 8> vc_sets = {};  ///< [class][side]
    std::vector<std::uint32_t> route;                   ///< [node] port mask; `select` says which is taken
    source_doors doors;                                 ///< where `max_sources` is not 0
};

}  // namespace polycast::hw::chips
