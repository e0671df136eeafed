// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lane_network.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hw/collectives/lane_trees.h"
#include "hw/fabric/fabric_config.h"
#include "hw/format/header.h"
#include "hw/input_error.h"
#include "hw/system/fat_tree_plan.h"
#include "hw/topology/fat_tree.h"
#include "hw/workloads/lanes/lane_switches.h"

namespace polycast::hw::lanes {

namespace {

constexpr unsigned most_router_nodes = 16;  ///< of 32 ports a fat tree's router has half below
constexpr unsigned router_vcs = 2;
/// As deep as there are: where packets meet, little waits behind what it does not have to.
constexpr unsigned router_buffer = 4096;

void check(const lane_network_params& params) {
    if (params.lanes == 0 || params.lanes > collectives::broadcast_lanes)
        throw input_error("nodes with " + std::to_string(params.lanes) + " interfaces for two lanes", "1 or 2");
    if (params.sites.empty()) throw input_error("a network without sites", "one site or more, of 1 or more nodes each");
    if (std::ranges::find(params.sites, 0u) != params.sites.end())
        throw input_error("a site without nodes", "every site has 1 or more");
    if (params.nodes() < 2) throw input_error("a network of one node", "2 nodes or more");
    if (!params.events && params.sites.size() > 1)
        throw input_error("flit by flit there is one site", "fidelity event, or one site");
    if (!params.events && params.nodes() > most_router_nodes)
        throw input_error("flit by flit a site has at most " + std::to_string(most_router_nodes) + " nodes, not " +
                              std::to_string(params.nodes()),
                          "fidelity event, or fewer nodes");
}

/// One router of a fat tree with a single level.
system::system_plan make_router_plan(const lane_network_params& params, const host::host_params& host) {
    const unsigned header = format::header_flits(format::unicast_header_bytes, 1);
    fabric::fabric_params routers;
    routers.router.vcs = router_vcs;
    routers.router.flit_bytes = 1;
    routers.tables.packet_limit = packet_bytes(params.payload_bytes);
    routers.tables.vc_sets = fabric::class_sets(router_vcs, 1, 0, false);
    const unsigned least = routers.tables.route_delay + 1 + header - 1;
    // Buffers cover a round trip.
    if (params.latency < least + 2 || params.latency > router_buffer / 2)
        throw input_error("flit by flit the latency of a site is " + std::to_string(least + 2) + " to " +
                              std::to_string(router_buffer / 2) + " cycles, not " + std::to_string(params.latency),
                          "fidelity event, or another latency");
    routers.tables.route_delay += static_cast<unsigned>((params.latency - least) % 2);
    routers.link_delay = static_cast<unsigned>((params.latency - least) / 2);
    routers.router.vc_flits = router_buffer;
    system::system_params all;
    all.host = host;
    all.firmware_times = params.firmware_times;
    return system::make_plan(
        topology::fat_tree({.arity = std::max(2u, params.nodes()), .nodes = params.nodes(), .levels = 1}), routers,
        all);
}

}  // namespace

ni::native_params lane_network_params::default_times() {
    ni::native_params times;
    times.cycles = {0, 8, 8, 8, 8};
    return times;
}

std::uint32_t lane_network_params::nodes() const {
    return std::accumulate(sites.begin(), sites.end(), 0u);
}

std::uint32_t packet_bytes(std::uint32_t payload) {
    return static_cast<std::uint32_t>(format::unicast_header_bytes + format::transport_bytes + format::check_bytes) +
           payload;
}

system::system_plan make_sites(const lane_network_params& params) {
    check(params);
    host::host_params host;
    host.interfaces = params.lanes;
    host.send_overhead = params.send_overhead;
    host.receive_overhead = 0;
    host.message_bytes = params.payload_bytes;
    host.receive_buffers = params.receive_buffers;
    host.interface.hosts = params.nodes();
    host.interface.header_stops = 0;
    host.interface.payload_bytes = params.payload_bytes;
    host.interface.processes = params.processes;
    host.interface.bus_cycles_per_byte = params.bus_cycles_per_byte;
    host.interface.duplex = true;
    system::system_plan plan;
    if (!params.events) {
        plan = make_router_plan(params, host);
        const system::router_chip router = plan.router_at(0);
        plan.chips.clear();
        plan.cables.clear();
        plan.hosts.clear();
        for (unsigned lane = 0; lane < params.lanes; ++lane) {
            const engine::chip_id chip = plan.add_network({}, lane);
            plan.chips[chip] = {"lane" + std::to_string(lane), router};
        }
        return plan;
    }
    plan.host = host;
    plan.host.interface.whole_packets = true;
    plan.params.firmware_times = params.firmware_times;
    for (std::uint32_t node = 0; node < params.nodes(); ++node) {
        plan.network.hosts.push_back({.name = "host" + std::to_string(node)});
        plan.add_host(plan.network.hosts.back().name);
    }
    for (unsigned lane = 0; lane < params.lanes; ++lane) add_switches(plan, params, lane);
    return plan;
}

system::run_limits lane_limits(cycle patience) {
    constexpr cycle slice = 1u << 20;
    return {.patience = patience, .slice = slice};
}

}  // namespace polycast::hw::lanes
