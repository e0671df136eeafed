// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/lanes/lanes_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hw/input_error.h"
#include "hw/workloads/lanes/lane_streams.h"
#include "hw/workloads/lanes/lanes.h"
#include "tlm/sim/cpu_time.h"
#include "tlm/workloads/lanes/lanes_rules.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::lanes::lane_outcome;
using scenario::loaded;
using scenario::settings;
using scenario::workload_settings;

namespace {

cycle rounded(const scenario::ratio& cycles) {
    return static_cast<cycle>(std::llround(boost::rational_cast<double>(cycles)));
}

hw::lanes::lane_network_params network_of(const settings& s) {
    hw::lanes::lane_network_params params;
    params.sites = s.network.topology.sites;
    params.lanes = s.lanes.interfaces;
    params.fidelity =
        s.network.all == scenario::fidelity::event ? hw::lanes::lane_fidelity::events : hw::lanes::lane_fidelity::flits;
    params.latency = rounded(s.lanes.latency);
    params.wide_latency = rounded(s.lanes.wan_latency);
    if (s.lanes.wan_bandwidth) params.wide_cycles_per_byte = s.lanes.bandwidth / *s.lanes.wan_bandwidth;
    params.payload_bytes = s.packet.payload_bytes;
    params.bus_cycles_per_byte = 1 / s.host.bus;
    params.send_overhead = s.host.send_overhead;
    params.firmware_times = hw::system::paper_costs(s.host.ni_send, s.host.ni_receive, s.host.overlapped);
    return params;
}

/// Processors by the names of this scenario's nodes.
hw::system::processor_factory processors_of(const instance& on, const network_factory& factory,
                                            const hw::lanes::lane_network_params& params) {
    hw::system::system_plan named;
    named.network.hosts = on.plan.network.hosts;
    named.params.firmware_times = params.firmware_times;
    return [named = std::move(named), make = factory.processors](
               const hw::system::system_plan&, const hw::ni::ni_params& interface, hw::ni::processor_bus& bus,
               hw::ni::observer* watcher) { return make(named, interface, bus, watcher); };
}

/// What runs have in common.
struct lane_run {
    const loaded& scenario;
    std::size_t workload;
    std::uint64_t seed;
    hw::system::processor_factory processors;
    const std::function<bool()>& stop;
    const std::function<void(double)>& progress;
    bool stopped = false;

    const settings& values() const { return scenario.values; }
    const workload_settings& asked() const { return values().workloads[workload]; }
    hw::lanes::lane_run_limits limits() const { return {.patience = values().patience}; }
    double seconds() const { return boost::rational_cast<double>(values().host.cycle_ns) * 1e-9; }

    /// For a run of about `expected` cycles.
    std::function<bool(cycle)> look(double expected) {
        return [this, expected](cycle now) {
            stopped = stopped || stop();
            if (progress) progress(std::min(1.0, static_cast<double>(now) / expected));
            return stopped;
        };
    }

    void finish(run_result& result, lane_outcome outcome, std::vector<std::string> faults,
                std::vector<std::string> failures) const {
        using kind = hw::system::run_outcome::kind;
        result.ended = stopped                             ? kind::stopped
                       : outcome == lane_outcome::stuck    ? kind::stuck
                       : outcome == lane_outcome::complete ? kind::complete
                                                           : kind::limit;
        result.host_failures = failures.size();
        result.faults = std::move(failures);
        hw::traffic::delivery_counts& counts = result.counts;
        counts.missing = counts.expected - counts.delivered;
        // One of the faults says what is missing.
        counts.corrupted = faults.size() - (counts.missing != 0 && !faults.empty() ? 1 : 0);
        result.faults.insert(result.faults.end(), std::make_move_iterator(faults.begin()),
                             std::make_move_iterator(faults.end()));
        counts.messages = counts;
        if (result.ended == kind::stuck && counts.missing != 0)
            result.diagnosis = std::to_string(counts.missing) + " of " + std::to_string(counts.expected) +
                               " have not got everything, and nothing moves any more";
    }

    hw::lanes::lane_broadcast_params broadcast_params() const {
        const workload_settings& w = asked();
        hw::lanes::lane_broadcast_params params;
        params.network = network_of(values());
        params.algorithm = w.lanes.algorithm;
        params.driver.bytes = w.message_bytes;
        params.driver.piece = w.lanes.piece;
        params.driver.window = values().lanes.window.value_or(0);
        params.driver.streams = w.lanes.streams;
        params.driver.payload_seed = seed;
        return params;
    }

    /// A packet takes its framing on the line, and at each hop crosses the buses of two interfaces, whose firmware
    /// looks at it.
    hw::collectives::lane_network with_interfaces(hw::collectives::lane_network network,
                                                  const hw::lanes::lane_broadcast_params& params) const {
        const auto longest =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(params.network.payload_bytes, params.driver.piece));
        network.bandwidth *= static_cast<double>(longest) / hw::lanes::packet_bytes(longest);
        const double bus = 2 * longest * boost::rational_cast<double>(params.network.bus_cycles_per_byte);
        const double hop = bus + static_cast<double>(values().host.ni_send + values().host.ni_receive);
        network.latency += hop * seconds();
        network.wide_latency += hop * seconds();
        return network;
    }

    void add_formulas(lane_times_result& times, const hw::lanes::lane_broadcast_params& params) const {
        const workload_settings& w = asked();
        const std::vector<std::uint32_t>& sites = params.network.sites;
        const hw::collectives::lane_network network = scenario::lane_network_of(values(), w);
        const hw::collectives::lane_plan plan = make_lane_plan(params.algorithm, sites);
        times.closed = corrected_cost(params.algorithm, sites, network, w.message_bytes);
        times.printed = printed_cost(params.algorithm, sites, network, w.message_bytes);
        times.piecewise = time_plan(plan, network, w.message_bytes, w.lanes.piece).seconds;
        times.model = time_plan(plan, with_interfaces(network, params), w.message_bytes, w.lanes.piece).seconds;
        for (const hw::collectives::lane_edge& edge : plan.edges) {
            if (!edge.wide) continue;
            for (std::uint32_t part = 0; part < edge.parts; ++part)
                times.wide_bytes += hw::collectives::part_of(w.message_bytes, plan.parts, edge.first_part + part).bytes;
        }
    }

    run_result broadcast() {
        const hw::lanes::lane_broadcast_params params = broadcast_params();
        run_result result;
        lane_times_result& times = result.lanes.emplace().broadcast.emplace();
        add_formulas(times, params);
        const double before = thread_cpu_seconds();
        hw::lanes::lane_broadcast_result run =
            run_broadcast(params, processors, limits(), look(times.model / seconds()));
        result.lanes->cpu_seconds = thread_cpu_seconds() - before;
        result.lanes->checked_bytes = run.checked;
        times.packet_hops = run.packet_hops;
        times.flit_hops = run.flit_hops;
        result.counts.expected = run.nodes.size() - 1;
        for (std::size_t node = 0; node < run.nodes.size(); ++node) {
            const bool has_all = run.nodes[node] != hw::engine::never;
            times.nodes.push_back(has_all ? std::optional(run.nodes[node]) : std::nullopt);
            if (node != 0 && has_all) ++result.counts.delivered;
        }
        result.hosts = run.totals;
        result.cycles = run.completed;
        const bool finished = result.counts.delivered == result.counts.expected;
        result.transfers.push_back({0, 0, 0, finished ? run.completed : transfer::unfinished});
        finish(result, run.outcome, std::move(run.faults), std::move(run.failures));
        return result;
    }

    run_result streams() {
        const workload_settings& w = asked();
        hw::lanes::lane_stream_params params;
        params.network = network_of(values());
        params.streams = w.lanes.streams;
        params.window = *values().lanes.window;
        params.rounds = w.lanes.round_trips;
        params.payload_seed = seed;
        const double round_trip = 2 * static_cast<double>(params.network.wide_latency);
        run_result result;
        streams_result& found = result.lanes.emplace().streams.emplace();
        const double before = thread_cpu_seconds();
        hw::lanes::lane_stream_result run =
            run_streams(params, processors, limits(), look((params.rounds + 2) * round_trip));
        result.lanes->cpu_seconds = thread_cpu_seconds() - before;
        result.lanes->checked_bytes = run.bytes;
        found.bandwidth = run.bytes_per_cycle / seconds();
        found.line = boost::rational_cast<double>(values().lanes.bandwidth);
        found.formula =
            hw::collectives::stream_bandwidth(params.window, round_trip * seconds(), params.streams, found.line);
        result.cycles = run.cycles;
        result.hosts = run.totals;
        result.counts.expected = params.streams;
        result.counts.delivered = run.outcome == lane_outcome::complete ? params.streams : 0;
        finish(result, run.outcome, std::move(run.faults), std::move(run.failures));
        return result;
    }
};

std::string file_name_of(const std::vector<std::uint32_t>& sites) {
    std::string name = "sites";
    constexpr std::size_t most_named = 8;
    for (std::size_t i = 0; i < std::min(sites.size(), most_named); ++i) name += "-" + std::to_string(sites[i]);
    return sites.size() > most_named ? name + "-and-" + std::to_string(sites.size() - most_named) : name;
}

}  // namespace

instance plan_sites(const loaded& scenario) {
    const std::vector<std::uint32_t>& sites = scenario.values.network.topology.sites;
    const unsigned lanes = scenario.values.lanes.interfaces;
    const std::uint64_t nodes = std::accumulate(sites.begin(), sites.end(), std::uint64_t{0});
    instance made{file_name_of(sites), 0, {}};
    made.unlisted = network_size{sites.size() * lanes, nodes, lanes * (nodes + sites.size() * (sites.size() - 1) / 2)};
    for (std::uint64_t node = 0; node < nodes; ++node)
        made.plan.network.hosts.push_back({.name = "host" + std::to_string(node)});
    return made;
}

run_result run_lanes(const loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                     const network_factory& factory, const std::function<bool()>& stop,
                     const instrumentation& instruments) {
    const std::string path = scenario::workload_path(workload);
    lane_run run{
        scenario, workload, seed, processors_of(on, factory, network_of(scenario.values)), stop, instruments.progress};
    try {
        return run.asked().kind == scenario::traffic_kind::lanes ? run.broadcast() : run.streams();
    } catch (const hw::input_error& refused) {
        scenario.fail(path, refused.what());
    }
}

}  // namespace polycast::tlm::sim
