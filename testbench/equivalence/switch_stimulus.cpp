// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/switch_stimulus.h"

#include <algorithm>

#include "hw/format/header.h"
#include "testbench/equivalence/door_run.h"

namespace polycast::testbench::equivalence {

using hw::chips::switch_params;
using hw::format::packet_kind;

namespace {

constexpr std::uint64_t stimulus_stream = 4;

bool host_in(const hw::chips::bit_string& string, unsigned host) {
    return (string[host / 64] >> (host % 64) & 1) != 0;
}

}  // namespace

switch_stimulus::switch_stimulus(const switch_run& run)
    : link_stimulus({run.params.pin_shape(), run.params.chunk_flits, run.tables.buffer_chunks, run.tables.packet_limit},
                    run.traffic, dice(run.seed, stimulus_stream)),
      run_(run) {
    const hw::chips::switch_tables& tables = run.tables;
    for (unsigned chip = 0; chip < tables.switch_up.size(); ++chip) {
        if (tables.switch_up[chip] != 0) reachable_[1].push_back(chip);
    }
    for (unsigned chip = 0; chip < tables.switch_down.size(); ++chip) {
        if (tables.switch_down[chip] != 0) reachable_[0].push_back(chip);
    }
}

/// Flits that carry a header.
unsigned switch_stimulus::flits_of_header(std::size_t bytes) const {
    return run_.params.header_free ? 1 : hw::format::header_flits(static_cast<unsigned>(bytes), run_.params.flit_bytes);
}

/// A header of some kind, as long as its kind is, on random ground.
std::vector<std::uint8_t> switch_stimulus::make_header(unsigned port) {
    const switch_params& params = run_.params;
    std::vector<std::uint8_t> header(hw::format::common_header_bytes);
    for (std::uint8_t& byte : header) byte = static_cast<std::uint8_t>(random_.word());
    put_source(header, run_.params.max_sources, random_);
    const packet_kind kind = random_.chance(run_.traffic.stops)
                                 ? (random_.chance(run_.traffic.paths) ? packet_kind::path : packet_kind::ssr)
                                 : (random_.chance(run_.traffic.trees) ? packet_kind::tree : packet_kind::unicast);
    const bool up = random_.chance(run_.traffic.may_go_up);
    header[0] = static_cast<std::uint8_t>((header[0] & 0xe0) | static_cast<unsigned>(kind));
    hw::format::set_up(header.data(), up);
    switch (kind) {
        case packet_kind::unicast:
            header.resize(hw::format::unicast_header_bytes);
            hw::format::write_field<hw::format::destination_field>(header.data(), random_.below(params.max_hosts));
            break;
        case packet_kind::tree: fill_string(header); break;
        case packet_kind::ssr:
            put_stop(header, random_.chance(run_.traffic.wild) ? hw::format::stop{random_.below(65536), random_.word()}
                                                               : draw_stop(up, random_.chance(run_.traffic.here)));
            break;
        case packet_kind::path: fill_path(header, port); break;
        case packet_kind::broadcast:
        case packet_kind::pipelined:
        case packet_kind::lid: break;  // not drawn: a bad kind to a switch
    }
    return header;
}

void switch_stimulus::fill_string(std::vector<std::uint8_t>& header) {
    const unsigned hosts = run_.params.max_hosts;
    const bool covered = random_.chance(run_.traffic.covered);
    header.resize(hw::format::tree_header_bytes(hosts));
    for (unsigned host = 0; host < hosts; ++host) {
        if (!random_.chance(run_.traffic.density) || (covered && !host_in(run_.tables.reach_total, host))) continue;
        std::uint8_t& byte = header[hw::format::common_header_bytes + host / 8];
        byte = static_cast<std::uint8_t>(byte | 1u << (host % 8));
    }
    if (hosts % 8 != 0 && random_.chance(300)) {  // bits that stand for no host
        header.back() = static_cast<std::uint8_t>(header.back() | random_.below(256) << (hosts % 8));
    }
}

void switch_stimulus::put_stop(std::vector<std::uint8_t>& header, const hw::format::stop& where) const {
    for (unsigned byte = 0; byte < 2; ++byte) header.push_back(static_cast<std::uint8_t>(where.chip >> (8 * byte)));
    for (unsigned byte = 0; byte < run_.params.header_ports / 8; ++byte)
        header.push_back(static_cast<std::uint8_t>(where.ports >> (8 * byte)));
}

/// This switch and some of its down ports, or another one and some ports.
hw::format::stop switch_stimulus::draw_stop(bool up, bool here) {
    hw::format::stop drawn{random_.below(run_.params.max_switches), random_.word() & random_.word()};
    if (here) {
        drawn.chip = run_.tables.switch_number;
        std::uint64_t down = 0;
        for (unsigned port = 0; port < run_.params.ports; ++port) {
            if (run_.tables.port_direction[port] == hw::format::direction::down) down |= std::uint64_t{1} << port;
        }
        if (!random_.chance(150)) drawn.ports &= down;
        if (drawn.ports == 0 && !random_.chance(50)) drawn.ports = down;
    } else if (const auto& known = reachable_[up ? 1 : 0]; !known.empty() && random_.chance(run_.traffic.reachable)) {
        drawn.chip = known[random_.below(known.size())];
    }
    return drawn;
}

/// A list of stops, of which one is next. Mostly its header fits into the buffer: a longer one stays there for ever.
void switch_stimulus::fill_path(std::vector<std::uint8_t>& header, unsigned port) {
    const switch_params& params = run_.params;
    const bool wild = random_.chance(run_.traffic.wild);
    const bool up = hw::format::up_of(header.data());
    const unsigned room = std::min(run_.tables.packet_limit, run_.tables.buffer_chunks[port] * params.chunk_flits);
    unsigned most = params.header_stops;
    while (most > 1 && flits_of_header(hw::format::path_header_bytes(params.header_shape(), most)) > room) --most;
    unsigned stops = random_.between(1, most);
    unsigned next = random_.chance(300) ? stops - 1 : random_.below(stops);
    unsigned listed = stops;
    if (wild) {
        stops = random_.chance(200) ? random_.below(256) : random_.between(0, params.header_stops + 2);
        next = random_.chance(500) ? random_.between(0, stops + 1) % 256 : random_.below(256);
        stops = std::min(stops, 255u);
        listed = stops <= params.header_stops ? stops : random_.below(3);
    }
    header.push_back(static_cast<std::uint8_t>(stops));
    header.push_back(static_cast<std::uint8_t>(next));
    for (unsigned index = 0; index < listed; ++index) {
        const bool here = index == next && random_.chance(run_.traffic.here);
        put_stop(header, wild && random_.chance(500) ? hw::format::stop{random_.below(65536), random_.word()}
                                                     : draw_stop(up, here || random_.chance(50)));
    }
}

unsigned switch_stimulus::header_flits(const std::vector<std::uint8_t>& header) const {
    const bool tree = (header[0] & 0xfu) == static_cast<unsigned>(packet_kind::tree);
    return tree ? run_.tables.tree_header_flits : flits_of_header(header.size());
}

void switch_stimulus::spoil_kind(std::uint8_t* header) {
    header[0] = static_cast<std::uint8_t>(header[0] | 1u << random_.between(2, 3));
}

/// In a worm just other bits, numbers or lengths.
void switch_stimulus::spoil_destination(std::uint8_t* header, std::size_t bytes) {
    if (bytes < hw::format::unicast_header_bytes) return;
    const std::uint32_t beyond = run_.params.max_hosts + random_.below(random_.pick({1, 300, 1u << 23}));
    hw::format::write_field<hw::format::destination_field>(header, beyond);
}

}  // namespace polycast::testbench::equivalence
