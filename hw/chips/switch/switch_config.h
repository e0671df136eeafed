// SPDX-License-Identifier: Apache-2.0
/// \file Values derived from the parameters of the replicating switch, and its tables (written before traffic starts),
/// the same for every fidelity. hw/chips/switch/switch.md describes each.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/chip_params.h"
#include "hw/chips/source_door.h"
#include "hw/chips/switch/shared_tables.h"
#include "hw/engine/chip.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

inline format::header_shape switch_params::header_shape() const {
    return {max_hosts, header_ports, header_stops};
}

inline unsigned switch_params::header_bytes() const {
    return format::switch_header_bytes(header_shape());
}

inline engine::pin_shape switch_params::pin_shape() const {
    return {ports, flit_bytes, header_free ? format::free_header_bytes(header_shape()) : 0};
}

/// The configuration registers and memories of the RTL.
struct switch_tables {
    unsigned route_delay = 1;  ///< cycles, 1..15
    format::arbitration arbitration = format::arbitration::round_robin;
    format::selection selection = format::selection::least_loaded;     ///< among minimal next ports
    format::selection up_selection = format::selection::least_loaded;  ///< of the up port of a tree worm
    bool rewrite = true;                            ///< copies of a tree worm keep only the hosts behind their port
    unsigned packet_limit = 640;                    ///< longest packet in flits, header and trailer included
    unsigned tree_header_flits = 1;                 ///< flits of a tree worm's header; 1 if the header is free
    std::uint32_t switch_number = 0;                ///< of this switch in headers of worms
    std::uint64_t tree_up = ~std::uint64_t{0};      ///< up ports that tree worms may take
    std::vector<format::direction> port_direction;  ///< [port]
    std::vector<unsigned> buffer_chunks;            ///< [port] usable chunks of the input buffer
    std::vector<unsigned> credits;                  ///< [port] chunks of the buffer at the other end
    port_sets unicast_up;                           ///< [destination] minimal next ports while up links are allowed
    port_sets unicast_down;                         ///< [destination] the same once the packet goes down
    port_sets switch_up;                            ///< [switch] minimal next ports to it while up links are allowed
    port_sets switch_down;                          ///< [switch] the same once the packet goes down
    shared_string reach_total;                      ///< hosts that can be reached going down
    std::vector<shared_string> reach_port;          ///< [port] restricted: every host behind exactly one port
    source_doors doors;                             ///< where `max_sources` is not 0
};

}  // namespace polycast::hw::chips
