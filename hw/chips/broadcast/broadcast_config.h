// SPDX-License-Identifier: Apache-2.0
/// \file Values derived from the parameters of the broadcast router, and its registers (written before traffic starts),
/// the same for every fidelity. hw/chips/broadcast/broadcast_unit.md describes each.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/chip_params.h"
#include "hw/chips/router/router_config.h"
#include "hw/engine/chip.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

/// Packets of a message, at most: sets of packets are bits of one word.
inline constexpr unsigned most_slots = broadcast_ranges::slots.most;
inline constexpr unsigned most_broadcast_ports = broadcast_ranges::ports.most;
/// Broadcasts are numbered modulo this.
inline constexpr unsigned round_count = 16;
/// Number of rounds that side wires distinguish.
inline constexpr unsigned side_rounds = 4;

using format::broadcast_algorithm;
using format::broadcast_event;

inline unsigned broadcast_params::unit_vc() const {
    return router.vcs;
}

inline unsigned broadcast_params::host_port() const {
    return router.first_host_port();
}

/// The configuration registers of the RTL.
struct broadcast_registers {
    router_tables router;
    unsigned dims = 1;  ///< bit d: dimension d is part of the community
    broadcast_algorithm algorithm = broadcast_algorithm::colours;
    bool maps = true;                  ///< packets that a neighbour has are not sent to it
    std::uint32_t reverse = 0;         ///< bit p: at the source port p sends the last packet first
    std::uint32_t relay_reverse = 0;   ///< bit p: it does so at all other nodes
    std::uint32_t open = 0;            ///< bit p: port p has a neighbour
    std::vector<unsigned> dimension;   ///< [port] in which the neighbour differs from this node
    std::vector<std::uint32_t> there;  ///< [port] its coordinate in it
    unsigned host_credits = 8;         ///< flits of the host's buffer; 0: packets are not given to the host
};

/// \throws input_error if a register is outside its range
broadcast_registers checked(const broadcast_params& params, broadcast_registers registers);

}  // namespace polycast::hw::chips
