// SPDX-License-Identifier: Apache-2.0
// Checks of the chips' parameters, written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
#include "hw/chips/chip_params.h"

#include <string>

namespace polycast::hw::chips {

const switch_params& checked(const switch_params& p) {
    const limits check("switch", "hw/chips/switch/switch.md");
    check.within(p.ports, switch_ranges::ports, "ports");
    check.within(p.flit_bytes, switch_ranges::flit_bytes, "bytes of a flit");
    check.within(p.chunk_flits, switch_ranges::chunk_flits, "flits of a chunk");
    check.within(p.chunks, switch_ranges::chunks, "chunks of a buffer");
    check.within(p.max_hosts, switch_ranges::max_hosts, "hosts");
    check.within(p.read_ports, switch_ranges::read_ports, "read ports");
    check.within(p.xbar_stages, switch_ranges::xbar_stages, "pipeline stages of the crossbar");
    check.within(p.max_switches, switch_ranges::max_switches, "switches");
    check.within(p.header_ports, switch_ranges::header_ports, "ports in the string of a stop");
    check.within(p.header_stops, switch_ranges::header_stops, "stops of a path worm");
    check.within(p.protect_buffers, switch_ranges::protect_buffers, "the protection of buffers");
    check.within(p.protect_routes, switch_ranges::protect_routes, "the protection of routes");
    check.within(p.protect_credits, switch_ranges::protect_credits, "the protection of credits");
    check.within(p.max_sources, switch_ranges::max_sources, "max_sources");
    check.that(p.read_ports <= p.ports,
               "read ports must be 1..ports, not " + std::to_string(p.read_ports));
    check.that(p.header_ports % 8 == 0,
               "a stop has a string of 8, 16, .. 64 ports, not " + std::to_string(p.header_ports));
    return p;
}

const router_params& checked(const router_params& p) {
    const limits check("router", "hw/chips/router/router.md");
    check.within(p.ports, router_ranges::ports, "ports");
    check.within(p.vcs, router_ranges::vcs, "virtual channels");
    check.within(p.vc_flits, router_ranges::vc_flits, "flits of a buffer");
    check.within(p.flit_bytes, router_ranges::flit_bytes, "bytes of a flit");
    check.within(p.dimensions, router_ranges::dimensions, "dimensions");
    check.within(p.radix, router_ranges::radix, "the radix");
    check.within(p.max_nodes, router_ranges::max_nodes, "max_nodes");
    check.within(p.xbar_stages, router_ranges::xbar_stages, "pipeline stages of the crossbar");
    check.within(p.protect_buffers, router_ranges::protect_buffers, "the protection of buffers");
    check.within(p.protect_routes, router_ranges::protect_routes, "the protection of routes");
    check.within(p.protect_credits, router_ranges::protect_credits, "the protection of credits");
    check.within(p.max_sources, router_ranges::max_sources, "max_sources");
    check.that(p.ports * p.vcs <= 64,
               "ports times virtual channels must be 2..64, not " + std::to_string(p.ports * p.vcs));
    check.that(power(p.radix, p.dimensions) <= 16777216,
               "there may be 16777216 nodes, not " + std::to_string(power(p.radix, p.dimensions)));
    check.that(p.header_free || p.vc_flits * p.flit_bytes >= 13,
               "a buffer of " + std::to_string(p.vc_flits) + " flits does not hold a header of " +
                   std::to_string((12 + p.flit_bytes) / p.flit_bytes));
    check.that(!p.adaptive || p.max_nodes > 0,
               "the choice among the ports of a route needs a route table: max_nodes is 0");
    check.that(!p.copies || p.ports <= 16,
               "one that copies has at most 16 ports, not " + std::to_string(p.ports));
    check.that(p.protect_routes == 0 || p.max_nodes > 0,
               "a code of routes needs a route table: max_nodes is 0");
    return p;
}

const vl_switch_params& checked(const vl_switch_params& p) {
    const limits check("vl_switch", "hw/chips/vl_switch/vl_switch.md");
    check.within(p.ports, vl_switch_ranges::ports, "ports");
    check.within(p.vls, vl_switch_ranges::vls, "vls");
    check.within(p.flit_bytes, vl_switch_ranges::flit_bytes, "bytes of a flit");
    check.within(p.chunk_flits, vl_switch_ranges::chunk_flits, "flits of a chunk");
    check.within(p.chunks, vl_switch_ranges::chunks, "chunks of a buffer");
    check.within(p.max_lids, vl_switch_ranges::max_lids, "LIDs");
    check.within(p.max_groups, vl_switch_ranges::max_groups, "groups");
    check.within(p.read_ports, vl_switch_ranges::read_ports, "read ports");
    check.within(p.xbar_stages, vl_switch_ranges::xbar_stages, "pipeline stages of the crossbar");
    check.within(p.max_sources, vl_switch_ranges::max_sources, "max_sources");
    check.that(p.read_ports <= p.ports,
               "read ports must be 1..ports, not " + std::to_string(p.read_ports));
    return p;
}

const coding_params& checked(const coding_params& p) {
    const limits check("coding unit", "hw/chips/coding/coding_unit.md");
    check.within(p.vcs, coding_ranges::vcs, "virtual channels");
    check.within(p.vc_flits, coding_ranges::vc_flits, "flits of a buffer");
    check.within(p.flit_bytes, coding_ranges::flit_bytes, "bytes of a flit");
    check.within(p.contexts, coding_ranges::contexts, "contexts");
    check.within(p.slots, coding_ranges::slots, "slots");
    check.within(p.slot_flits, coding_ranges::slot_flits, "flits of a slot");
    check.within(p.indices, coding_ranges::indices, "indices");
    check.within(p.destinations, coding_ranges::destinations, "destinations");
    check.within(p.max_latency, coding_ranges::max_latency, "the longest latency");
    check.that(p.header_free || p.vc_flits * p.flit_bytes >= 13,
               "a buffer of " + std::to_string(p.vc_flits) + " flits does not hold a header of " +
                   std::to_string((12 + p.flit_bytes) / p.flit_bytes));
    return p;
}

const broadcast_params& checked(const broadcast_params& p) {
    const limits check("broadcast unit", "hw/chips/broadcast/broadcast_unit.md");
    check.within(p.router.ports, broadcast_ranges::ports, "ports");
    check.within(p.router.vcs, broadcast_ranges::vcs, "virtual channels");
    check.within(p.router.vc_flits, broadcast_ranges::vc_flits, "flits of a buffer");
    check.within(p.router.flit_bytes, broadcast_ranges::flit_bytes, "bytes of a flit");
    check.within(p.router.dimensions, broadcast_ranges::dimensions, "dimensions");
    check.within(p.router.radix, broadcast_ranges::radix, "the radix");
    check.within(p.router.max_nodes, broadcast_ranges::max_nodes, "max_nodes");
    check.within(p.router.xbar_stages, broadcast_ranges::xbar_stages, "pipeline stages of the crossbar");
    check.within(p.slots, broadcast_ranges::slots, "slots");
    check.within(p.slot_flits, broadcast_ranges::slot_flits, "flits of a slot");
    check.within(p.inject_flits, broadcast_ranges::inject_flits, "flits of the injection buffer");
    check.that(p.router.ports > 2 * p.router.dimensions,
               "it needs a host port: more than 2 x dimensions ports, not " + std::to_string(p.router.ports));
    check.that(p.router.header_free || p.router.flit_bytes >= 13,
               "a header of 13 bytes does not fit a flit of " + std::to_string(p.router.flit_bytes));
    check.that(!p.router.adaptive,
               "its router does not choose among the ports of a route");
    check.that((p.router.protect_buffers | p.router.protect_routes | p.router.protect_credits) == 0,
               "memories of its router have no codes");
    check.that(p.router.max_sources == 0,
               "its router has no table of sources");
    return p;
}

const link_end_params& checked(const link_end_params& p) {
    const limits check("link end", "hw/chips/link/link.md");
    check.within(p.vcs, link_end_ranges::vcs, "virtual channels");
    check.within(p.flit_bytes, link_end_ranges::flit_bytes, "bytes of a flit");
    check.within(p.header_bytes, link_end_ranges::header_bytes, "bytes of a free header");
    check.within(p.frame, link_end_ranges::frame, "flits of a frame");
    check.within(p.ring, link_end_ranges::ring, "flits of the ring");
    check.within(p.window, link_end_ranges::window, "frames of the window");
    check.within(p.sequence_bits, link_end_ranges::sequence_bits, "sequence bits");
    check.within(p.protect_rings, link_end_ranges::protect_rings, "the protection of the ring");
    check.within(p.protect_counters, link_end_ranges::protect_counters, "the protection of the counters");
    check.that(!p.beside || p.flit_bytes >= 4,
               "a trailer beside the flits needs flits of 4 bytes or more, not " + std::to_string(p.flit_bytes));
    check.that(2 * p.window <= power(2, p.sequence_bits),
               "the window is at most half the sequence numbers, not " + std::to_string(p.window));
    return p;
}

}  // namespace polycast::hw::chips
