// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/router_stimulus.h"

#include <algorithm>

#include "hw/format/header.h"
#include "testbench/equivalence/door_run.h"

namespace polycast::testbench::equivalence {

using hw::chips::router_params;
using hw::format::packet_kind;

namespace {
constexpr std::uint64_t stimulus_stream = 14;
}

router_stimulus::router_stimulus(const router_run& run)
    : link_stimulus({run.params.pin_shape(), 1, std::vector<unsigned>(run.params.ports, run.params.vc_flits),
                     run.tables.packet_limit},
                    run.traffic, dice(run.seed, stimulus_stream)),
      run_(run) {
    std::vector<std::uint32_t> targets;
    for (unsigned count = 0; count < run.traffic.targets; ++count) targets.push_back(draw_destination());
    targets_ = std::move(targets);
}

std::vector<std::uint8_t> router_stimulus::make_header(unsigned port) {
    std::vector<std::uint8_t> header(hw::format::common_header_bytes);
    for (std::uint8_t& byte : header) byte = static_cast<std::uint8_t>(random_.word());
    put_source(header, run_.params.max_sources, random_);
    const bool broadcast = random_.chance(run_.traffic.broadcasts);
    const packet_kind kind = broadcast ? packet_kind::broadcast : packet_kind::unicast;
    header[0] =
        static_cast<std::uint8_t>(random_.below(run_.traffic.classes) << hw::format::vc_class_field.offset |
                                  random_.below(2) << hw::format::up_field.offset | static_cast<unsigned>(kind));
    if (broadcast) {
        header.resize(hw::format::broadcast_header_bytes);
        const unsigned first_host = run_.params.first_host_port();
        const unsigned hosts = run_.params.ports > first_host ? run_.params.ports - first_host : 0;
        const std::uint32_t host =
            hosts == 0 || random_.chance(20) ? hosts + random_.below(256 - hosts) : random_.below(hosts);
        hw::format::write_field<hw::format::broadcast_port_field>(header.data(), host);
        hw::format::write_field<hw::format::source_field>(header.data(), draw_source(port));
    } else {
        header.resize(hw::format::unicast_header_bytes);
        const std::uint32_t destination =
            targets_.empty() ? draw_destination() : targets_[random_.below(targets_.size())];
        hw::format::write_field<hw::format::destination_field>(header.data(), destination);
    }
    return header;
}

std::uint32_t router_stimulus::draw_destination() {
    const router_params& params = run_.params;
    const std::uint32_t nodes = params.nodes();
    if (run_.tables.table) {
        const auto known = static_cast<std::uint32_t>(run_.tables.route.size());
        return known == 0 || random_.chance(30) ? random_.below(1u << 24) : random_.below(known);
    }
    std::uint32_t node = random_.chance(run_.traffic.local) ? run_.tables.node : random_.below(nodes);
    if (random_.chance(200)) {  // near by: half a ring away, or at its end
        std::uint32_t step = 1;
        for (unsigned d = random_.below(params.dimensions); d != 0; --d) step *= params.radix;
        const std::uint32_t own = run_.tables.node / step % params.radix;
        const std::uint32_t there = (own + (random_.chance(700) ? params.radix / 2 : random_.below(3))) % params.radix;
        node = run_.tables.node - own * step + there * step;
    }
    const unsigned hosts = params.ports - params.first_host_port();
    const unsigned unit = random_.chance(run_.traffic.second) ? random_.below(hosts + 1) : 0;
    return static_cast<std::uint32_t>((node + std::uint64_t{unit} * nodes) % (1u << 24));
}

/// A node from which a broadcast comes in by `port`, mostly.
std::uint32_t router_stimulus::draw_source(unsigned port) {
    const router_params& params = run_.params;
    if (!random_.chance(run_.traffic.on_tree)) return random_.below(1u << 24);
    std::uint32_t source = run_.tables.node;
    if (port >= params.first_host_port()) return source;
    // Any coordinates in the dimensions before, another in this one, the same behind.
    std::uint32_t step = 1;
    for (unsigned d = 0; d <= port / 2; ++d) {
        const std::uint32_t own = run_.tables.node / step % params.radix;
        std::uint32_t there = random_.below(params.radix);
        if (d == port / 2) {
            const unsigned apart = random_.between(1, std::max(1u, params.radix / 2));
            const bool came_up = port % 2 == 1;
            there = (own + (came_up ? params.radix - apart : apart)) % params.radix;
        }
        source = source - own * step + there * step;
        step *= params.radix;
    }
    return source;
}

unsigned router_stimulus::header_flits(const std::vector<std::uint8_t>& header) const {
    return hw::format::header_flits(static_cast<unsigned>(header.size()), run_.params.flit_bytes);
}

/// Also the kinds that switches know.
void router_stimulus::spoil_kind(std::uint8_t* header) {
    unsigned kind = random_.between(1, 15);
    if (kind == static_cast<unsigned>(packet_kind::broadcast)) kind = 1;
    header[0] = static_cast<std::uint8_t>((header[0] & 0xf0) | kind);
}

void router_stimulus::spoil_destination(std::uint8_t* header, std::size_t bytes) {
    if (bytes < hw::format::unicast_header_bytes) return;
    const std::uint64_t beyond = std::uint64_t{run_.params.nodes()} * (run_.params.ports - 1) + random_.below(1u << 20);
    hw::format::write_field<hw::format::destination_field>(header, static_cast<std::uint32_t>(beyond % (1u << 24)));
}

}  // namespace polycast::testbench::equivalence
