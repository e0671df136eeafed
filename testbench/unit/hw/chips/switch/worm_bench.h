// SPDX-License-Identifier: Apache-2.0
/// \file A switch with routes to other switches, headers of SSR and path worms byte by byte, and their copies.
#pragma once

#include <string>
#include <vector>

#include "testbench/unit/hw/chips/switch/switch_bench.h"

namespace polycast::testbench::unit {

/// Where a worm is copied, as in a header.
struct stop {
    std::uint32_t chip;
    std::uint64_t ports;
};

/// Model under test and where headers are.
struct worm_case {
    model which;
    bool free;
    unsigned flit_bytes;
};

/// Widths that end inside a stop, between stops, inside and behind the counts of a list; and one for the whole header.
inline std::vector<worm_case> worm_cases() {
    std::vector<worm_case> cases;
    for (const model which : {model::core, model::golden}) {
        for (const unsigned flit_bytes : {1u, 2u, 3u, 5u, 8u, 11u, 12u, 32u})
            cases.push_back({which, false, flit_bytes});
        for (const unsigned flit_bytes : {1u, 8u}) cases.push_back({which, true, flit_bytes});
    }
    return cases;
}

inline std::string worm_case_name(const testing::TestParamInfo<worm_case>& info) {
    return std::string(info.param.which == model::core ? "core" : "golden") +
           (info.param.free ? "_free_" : "_inline_") + std::to_string(info.param.flit_bytes);
}

inline switch_params worm_params(const worm_case& which) {
    switch_params params;
    params.ports = 6;
    params.flit_bytes = which.flit_bytes;
    params.chunk_flits = 8;
    params.chunks = 20;
    params.max_hosts = 8;
    params.header_free = which.free;
    params.read_ports = 6;
    params.max_switches = 300;
    params.header_ports = 8;
    params.header_stops = 4;
    return params;
}

/// Switch 2. Ports 0 and 1 go down to hosts, 2 down to switch 5, 3 and 4 up, 5 is open. Switch 3 is as near by 3 as by
/// 4, switch 4 by 2 and 3; 7 only by the open port, 8 by none.
inline switch_tables worm_tables() {
    using hw::format::direction;
    switch_tables tables;
    tables.packet_limit = 160;
    tables.tree_header_flits = 11;
    tables.switch_number = 2;
    tables.port_direction = {direction::down, direction::down, direction::down,
                             direction::up,   direction::up,   direction::open};
    tables.buffer_chunks.assign(6, 20);
    tables.credits.assign(6, 40);
    tables.unicast_up.edit().assign(8, 0b000001);
    tables.unicast_down.edit().assign(8, 0b000001);
    tables.switch_up = {0b001000, 0b010000, 0, 0b011000, 0b001100, 0b000100, 0b001000, 0b100000, 0, 0b100100};
    tables.switch_up.edit().resize(300);
    tables.switch_up.edit()[260] = 0b010000;
    tables.switch_down = {0, 0, 0, 0, 0b001100, 0b000100, 0b001000, 0b100000, 0, 0b100100};
    tables.reach_total = {0b0111};
    tables.reach_port = {{0b0001}, {0b0010}, {0b0100}, {0}, {0}, {0}};
    return tables;
}

inline byte_list common_bytes(unsigned kind, bool up) {
    return {static_cast<std::uint8_t>(kind | (up ? 0x10u : 0u)), 9, 8, 7, 6, 5, 4, 3, 2, 1};
}

inline void append_stop(byte_list& header, const stop& where, unsigned header_ports) {
    header.push_back(static_cast<std::uint8_t>(where.chip));
    header.push_back(static_cast<std::uint8_t>(where.chip >> 8));
    for (unsigned byte = 0; byte < header_ports / 8; ++byte)
        header.push_back(static_cast<std::uint8_t>(where.ports >> (8 * byte)));
}

inline byte_list ssr_header(const stop& where, bool up = true, unsigned header_ports = 8) {
    byte_list header = common_bytes(2, up);
    append_stop(header, where, header_ports);
    return header;
}

inline byte_list path_header(const std::vector<stop>& stops, unsigned next, bool up = true, unsigned header_ports = 8) {
    byte_list header = common_bytes(3, up);
    header.push_back(static_cast<std::uint8_t>(stops.size()));
    header.push_back(static_cast<std::uint8_t>(next));
    for (const stop& where : stops) append_stop(header, where, header_ports);
    return header;
}

/// A copy that is expected: where it leaves, with which up bit and, of a path worm, on its way to which stop.
struct seen_copy {
    unsigned port;
    bool up;
    unsigned next = 0;
};

/// The header as a copy carries it.
inline byte_list rewritten(byte_list header, const seen_copy& copy) {
    header[0] = static_cast<std::uint8_t>((header[0] & 0xefu) | (copy.up ? 0x10u : 0u));
    if ((header[0] & 0xfu) == 3) header[11] = static_cast<std::uint8_t>(copy.next);
    return header;
}

/// All bytes of a packet on a link, its free header first.
inline byte_list bytes_of(const std::vector<seen_flit>& flits) {
    byte_list bytes;
    for (const seen_flit& flit : flits) {
        bytes.insert(bytes.end(), flit.header.begin(), flit.header.end());
        bytes.insert(bytes.end(), flit.data.begin(), flit.data.end());
    }
    return bytes;
}

/// The bytes of `sent` if its header were `header`.
inline byte_list bytes_of(const byte_list& header, const link_packet& sent, const switch_bench& bench) {
    const link_packet changed = bench.assemble(header, 0);
    byte_list bytes = changed.header;
    for (std::size_t index = 0; index < sent.flits.size(); ++index) {
        const byte_list& flit = index < changed.flits.size() ? changed.flits[index] : sent.flits[index];
        bytes.insert(bytes.end(), flit.begin(), flit.end());
    }
    return bytes;
}

}  // namespace polycast::testbench::unit
