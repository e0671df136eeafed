// SPDX-License-Identifier: Apache-2.0
/// \file Parameters (fixed when the chip is built) and tables (written before traffic starts) of the virtual-channel
/// router, the same for every fidelity. hw/chips/router.md says what each does.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/format/header.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

/// Most virtual channels of a port, and of all ports of a router together.
inline constexpr unsigned most_vcs = engine::max_vcs;
inline constexpr unsigned most_input_vcs = 64;
/// Most ports of a router that copies packets.
inline constexpr unsigned most_copy_ports = 16;

/// What the RTL has as parameters.
struct router_params {
    unsigned ports = 5;        ///< full-duplex ports, 2..32; ports x vcs <= 64
    unsigned vcs = 4;          ///< virtual channels of every port, 1..16
    unsigned vc_flits = 8;     ///< flits of the buffer of an input VC, 1..4096
    unsigned flit_bytes = 16;  ///< bytes of a flit, 1..64
    bool header_free = false;  ///< header beside the head flit instead of in the first flits
    unsigned dimensions = 2;   ///< of the mesh or torus, 1..4; ports 2d and 2d + 1 lead up and down dimension d
    unsigned radix = 8;        ///< nodes of a dimension, 2..1024
    unsigned max_nodes = 0;    ///< entries of the route table; 0: dimension order only
    unsigned xbar_stages = 0;  ///< pipeline registers in the crossbar, 0..15
    bool copies = true;        ///< broadcasts are copied; at most most_copy_ports ports
    bool adaptive = false;     ///< packets may choose among the ports of their route; needs a route table

    bool operator==(const router_params&) const = default;

    unsigned first_host_port() const { return 2 * dimensions; }
    unsigned nodes() const {
        unsigned count = 1;
        for (unsigned d = 0; d < dimensions; ++d) count *= radix;
        return count;
    }
    engine::pin_shape pin_shape() const {
        return {ports, flit_bytes, header_free ? format::free_header_bytes({}) : 0, vcs};
    }
};

using format::route_select;
using format::router_allocator;
using format::vc_policy;

/// Set of virtual channels: bit v.
using vc_set = std::uint16_t;

/// What the RTL has as configuration registers and memories.
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
};

}  // namespace polycast::hw::chips
