// SPDX-License-Identifier: Apache-2.0
/// \file Parameters (fixed when the chip is built) and tables (written before traffic starts) of the replicating
/// switch, the same for every fidelity. hw/chips/switch.md says what each does.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

/// What the RTL has as parameters.
struct switch_params {
    unsigned ports = 8;          ///< full-duplex ports, 2..64
    unsigned flit_bytes = 1;     ///< bytes of a flit, 1..64
    unsigned chunk_flits = 8;    ///< flits of a buffer chunk, 1..256
    unsigned chunks = 80;        ///< chunks of each input buffer, 2..4096
    unsigned max_hosts = 32;     ///< longest bit string and size of the tables, 1..16384
    bool header_free = false;    ///< header beside the head flit instead of in the first flits
    unsigned read_ports = 8;     ///< outputs that may read one input buffer in the same cycle, 1..ports
    unsigned xbar_stages = 0;    ///< pipeline registers in the crossbar, 0..15
    unsigned max_switches = 32;  ///< size of the tables of switches, 1..65536
    unsigned header_ports = 8;   ///< bits of a stop's string in headers: a multiple of 8, 8..64
    unsigned header_stops = 8;   ///< longest list of a path worm, 1..255

    bool operator==(const switch_params&) const = default;

    format::header_shape header_shape() const { return {max_hosts, header_ports, header_stops}; }

    /// Bytes of the longest header that a switch reads.
    unsigned header_bytes() const { return format::switch_header_bytes(header_shape()); }

    engine::pin_shape pin_shape() const {
        return {ports, flit_bytes, header_free ? format::free_header_bytes(header_shape()) : 0};
    }
};

/// Bit string over hosts: bit h is bit h % 64 of word h / 64.
using bit_string = std::vector<std::uint64_t>;

/// What the RTL has as configuration registers and memories.
struct switch_tables {
    unsigned route_delay = 1;  ///< cycles, 1..15
    format::arbitration arbitration = format::arbitration::round_robin;
    format::selection selection = format::selection::least_loaded;     ///< among minimal next ports
    format::selection up_selection = format::selection::least_loaded;  ///< of the up port of a tree worm
    bool rewrite = true;                            ///< copies of a tree worm keep only the hosts behind their port
    unsigned packet_limit = 640;                    ///< longest packet in flits, header and trailer included
    unsigned tree_header_flits = 1;                 ///< flits of a tree worm's header; 1 where the header is free
    std::uint32_t switch_number = 0;                ///< of this switch in headers of worms
    std::uint64_t tree_up = ~std::uint64_t{0};      ///< up ports that tree worms may take
    std::vector<format::direction> port_direction;  ///< [port]
    std::vector<unsigned> buffer_chunks;            ///< [port] usable chunks of the input buffer
    std::vector<unsigned> credits;                  ///< [port] chunks of the buffer at the other end
    std::vector<std::uint64_t> unicast_up;          ///< [destination] minimal next ports while up links are allowed
    std::vector<std::uint64_t> unicast_down;        ///< [destination] the same once the packet goes down
    std::vector<std::uint64_t> switch_up;           ///< [switch] minimal next ports to it while up links are allowed
    std::vector<std::uint64_t> switch_down;         ///< [switch] the same once the packet goes down
    bit_string reach_total;                         ///< hosts that can be reached going down
    std::vector<bit_string> reach_port;             ///< [port] restricted: every host behind exactly one port
};

}  // namespace polycast::hw::chips
