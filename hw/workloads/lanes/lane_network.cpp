// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lane_network.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hw/chips/event/event_switch.h"
#include "hw/chips/router/router_core.h"
#include "hw/collectives/lane_trees.h"
#include "hw/fabric/fabric_config.h"
#include "hw/format/header.h"
#include "hw/input_error.h"
#include "hw/system/fat_tree_plan.h"
#include "hw/topology/fat_tree.h"
#include "hw/workloads/lanes/lane_switches.h"

namespace polycast::hw::lanes {

namespace {

/// Cycles between two looks at the watchdog. It is no part of any result.
constexpr cycle slice = 1u << 20;

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
    if (params.fidelity == lane_fidelity::flits && params.sites.size() > 1)
        throw input_error("flit by flit there is one site", "fidelity event, or one site");
    if (params.fidelity == lane_fidelity::flits && params.nodes() > most_router_nodes)
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

lane_network::lane_network(const lane_network_params& params, const system::processor_factory& processors,
                           const node_programs& programs, ni::observer* watcher)
    : params_(params) {
    check(params_);
    host::host_params host;
    host.interfaces = params_.lanes;
    host.send_overhead = params_.send_overhead;
    host.receive_overhead = 0;
    host.message_bytes = params_.payload_bytes;
    host.receive_buffers = params_.receive_buffers;
    host.interface.hosts = nodes();
    host.interface.header_stops = 0;
    host.interface.payload_bytes = params_.payload_bytes;
    host.interface.processes = params_.processes;
    host.interface.bus_cycles_per_byte = params_.bus_cycles_per_byte;
    host.interface.duplex = true;
    system::system_plan plan;
    if (params_.fidelity == lane_fidelity::flits) {
        plan = make_router_plan(params_, host);
    } else {
        host.interface.whole_packets = true;
        plan.host = host;
        plan.params.firmware_times = params_.firmware_times;
    }

    const ni::processor_factory make_processor = [&](const ni::ni_params& own, ni::processor_bus& bus) {
        return processors(plan, own, bus, watcher);
    };
    for (std::uint32_t node = 0; node < params_.nodes(); ++node) {
        auto chip =
            std::make_unique<host::host_chip>(system::params_of(plan, node), programs(node), make_processor, watcher);
        hosts_.push_back(chip.get());
        network_.add(std::move(chip), "node" + std::to_string(node));
    }
    for (unsigned lane = 0; lane < params_.lanes; ++lane) {
        if (params_.fidelity == lane_fidelity::events)
            add_switches(network_, params_, lane);
        else
            add_router(lane, plan);
    }
}

void lane_network::add_router(unsigned lane, const system::system_plan& plan) {
    const engine::chip_id router =
        network_.add(std::make_unique<chips::router_core>(plan.routers.front(), plan.router_tables.front()),
                     "lane" + std::to_string(lane));
    for (std::uint32_t node = 0; node < nodes(); ++node)
        network_.connect({node, lane}, {router, plan.network.hosts[node].port}, plan.link());
}

lane_outcome lane_network::run(const lane_run_limits& limits, const std::function<bool()>& complete,
                               const std::function<bool(cycle)>& stop) {
    const auto done = [&] {
        return complete() && std::ranges::all_of(hosts_, [](const host::host_chip* each) { return each->finished(); });
    };
    cycle quiet_since = network_.now();
    std::uint64_t seen = 0;
    while (true) {
        const bool over = network_.run(std::min(limits.cycles, network_.now() + slice), {});
        if (done()) return lane_outcome::complete;
        if (over) return lane_outcome::stuck;
        if (network_.now() >= limits.cycles) return lane_outcome::limit;
        if (stop && stop(network_.now())) return lane_outcome::limit;
        const std::uint64_t moved = network_.flit_hops() + network_.packet_hops();
        if (moved != seen) {
            seen = moved;
            quiet_since = network_.now();
        } else if (network_.now() - quiet_since > limits.patience) {
            return lane_outcome::stuck;
        }
    }
}

system::interface_totals lane_network::totals() const {
    system::interface_totals totals;
    for (const host::host_chip* each : hosts_) totals.add(*each);
    return totals;
}

std::vector<std::string> lane_network::failures() const {
    std::vector<std::string> all;
    for (const host::host_chip* each : hosts_)
        for (std::string& text : each->failures()) all.push_back(std::move(text));
    if (network_.error_count() != 0) all.push_back(std::to_string(network_.error_count()) + " errors of switches");
    return all;
}

std::size_t lane_network::memory_bytes() const {
    std::size_t bytes = network_.memory_bytes();
    for (const host::host_chip* each : hosts_) bytes += each->memory_bytes();
    return bytes;
}

}  // namespace polycast::hw::lanes
