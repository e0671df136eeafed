// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/lanes/lanes_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hw/input_error.h"
#include "hw/workloads/lanes/lane_streams.h"
#include "hw/workloads/lanes/lanes.h"
#include "tlm/sim/networks/instance_parts.h"
#include "tlm/sim/usage.h"
#include "tlm/workloads/lanes/lanes_rules.h"
#include "tlm/workloads/run_chips.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
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
    params.events = s.network.all == scenario::fidelity::event;
    params.latency = rounded(s.lanes.latency);
    params.wide_latency = rounded(s.lanes.wan_latency);
    if (s.lanes.wan_bandwidth) params.wide_cycles_per_byte = s.lanes.bandwidth / *s.lanes.wan_bandwidth;
    params.payload_bytes = s.packet.payload_bytes;
    params.bus_cycles_per_byte = 1 / s.host.bus;
    params.send_overhead = s.host.send_overhead;
    params.firmware_times = hw::system::paper_costs(s.host.ni_send, s.host.ni_receive, s.host.overlapped);
    return params;
}

/// What runs have in common.
struct lane_run {
    const loaded& scenario;
    const instance& on;
    std::size_t workload;
    std::uint64_t seed;
    const network_factory& factory;
    const std::function<bool()>& stop;
    const instrumentation& instruments;
    std::uint64_t packet_hops = 0, flit_hops = 0;
    cycle end = 0;

    const settings& values() const { return scenario.values; }
    const workload_settings& asked() const { return values().workloads[workload]; }
    double seconds() const { return boost::rational_cast<double>(values().host.cycle_ns) * 1e-9; }

    /// For a run of about `expected` cycles.
    run_result run(const hw::system::system_plan& plan, const hw::traffic::goal& goal,
                   const decltype(endpoints::hosts)& hosts, double expected) {
        const auto look = [&](cycle now) {
            if (instruments.progress) instruments.progress(std::min(1.0, static_cast<double>(now) / expected));
            return stop();
        };
        const auto count = [this](const hw::system::system_network& network) {
            packet_hops = network.network().packet_hops();
            flit_hops = network.network().flit_hops();
            end = network.network().now();
        };
        const double before = thread_cpu_seconds();
        run_result result = run_chips(on, plan, {goal, hosts}, hw::lanes::lane_limits(values().patience), 0, factory,
                                      look, instruments, count);
        result.links.clear();
        result.own.emplace<lanes_part>().cpu_seconds = thread_cpu_seconds() - before;
        return result;
    }

    static void finish(run_result& result, std::vector<std::string> faults) {
        hw::traffic::delivery_counts& counts = result.counts;
        counts.missing = counts.expected - counts.delivered;
        // One of the faults says what is missing.
        counts.corrupted = faults.size() - (counts.missing != 0 && !faults.empty() ? 1 : 0);
        result.faults.insert(result.faults.end(), std::make_move_iterator(faults.begin()),
                             std::make_move_iterator(faults.end()));
        counts.messages = counts;
        if (result.broken) return;
        result.diagnosis.clear();
        if (result.ended == hw::system::run_outcome::kind::stuck && counts.missing != 0)
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
        times.derived = derived_cost(params.algorithm, sites, network, w.message_bytes);
        times.piecewise = time_plan(plan, network, w.message_bytes, w.lanes.piece).seconds;
        times.model = time_plan(plan, with_interfaces(network, params), w.message_bytes, w.lanes.piece).seconds;
        for (const hw::collectives::lane_edge& edge : plan.edges) {
            if (!edge.wide) continue;
            for (std::uint32_t part = 0; part < edge.parts; ++part)
                times.wide_bytes += hw::collectives::part_of(w.message_bytes, plan.parts, edge.first_part + part).bytes;
        }
    }

    hw::lanes::lane_stream_params stream_params() const {
        hw::lanes::lane_stream_params params;
        params.network = network_of(values());
        params.streams = asked().lanes.streams;
        params.window = *values().lanes.window;
        params.rounds = asked().lanes.round_trips;
        params.payload_seed = seed;
        return params;
    }

    run_result broadcast() {
        const hw::lanes::lane_broadcast_params params = broadcast_params();
        lane_times_result times;
        add_formulas(times, params);
        hw::lanes::lane_broadcast what(params);
        const auto hosts = [&what](hw::system::processor_factory processors, hw::ni::observer*) {
            return what.hosts(std::move(processors));
        };
        run_result result = run(what.plan(), what, hosts, times.model / seconds());
        times.packet_hops = packet_hops;
        times.flit_hops = flit_hops;
        const std::vector<cycle> nodes = what.nodes();
        result.counts.expected = nodes.size() - 1;
        for (std::size_t node = 0; node < nodes.size(); ++node) {
            const bool has_all = nodes[node] != hw::engine::never;
            times.nodes.push_back(has_all ? std::optional(nodes[node]) : std::nullopt);
            if (node != 0 && has_all) ++result.counts.delivered;
        }
        const bool finished = what.complete();
        if (!result.broken) result.cycles = finished ? std::ranges::max(nodes) : 0;
        result.transfers.push_back({0, 0, 0, finished ? result.cycles : transfer::unfinished});
        auto& part = std::get<lanes_part>(result.own);
        part.checked_bytes = what.checked();
        part.broadcast = std::move(times);
        finish(result, what.faults());
        return result;
    }

    run_result streams() {
        const hw::lanes::lane_stream_params params = stream_params();
        const double round_trip = 2 * static_cast<double>(params.network.wide_latency);
        hw::lanes::lane_stream_run what(params);
        const auto hosts = [&what](hw::system::processor_factory processors, hw::ni::observer*) {
            return what.hosts(std::move(processors));
        };
        run_result result = run(what.plan(), what, hosts, (params.rounds + 2) * round_trip);
        if (!result.broken) result.cycles = end;
        auto& part = std::get<lanes_part>(result.own);
        part.checked_bytes = what.bytes();
        streams_result& found = part.streams.emplace();
        found.bandwidth = what.bytes_per_cycle() / seconds();
        found.line = boost::rational_cast<double>(values().lanes.bandwidth);
        found.formula =
            hw::collectives::stream_bandwidth(params.window, round_trip * seconds(), params.streams, found.line);
        result.counts.expected = params.streams;
        result.counts.delivered = what.complete() ? params.streams : 0;
        finish(result, what.faults());
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

hw::system::system_plan sites_plan_of(const loaded& scenario) {
    try {
        return make_sites(network_of(scenario.values));
    } catch (const hw::input_error& refused) {
        scenario.fail("network", refused.what());
    }
}

hw::topology::graph names_at_sites(const loaded& scenario) {
    const hw::system::system_plan plan = sites_plan_of(scenario);
    hw::topology::graph names;
    names.hosts = plan.network.hosts;
    for (hw::engine::chip_id id = 0; id < plan.chips.size(); ++id)
        if (plan.forwards(id)) names.switches.push_back({plan.chips[id].name, 0, {}});
    return names;
}

instance plan_sites(const loaded& scenario) {
    const std::vector<std::uint32_t>& sites = scenario.values.network.topology.sites;
    const unsigned lanes = scenario.values.lanes.interfaces;
    const std::uint64_t nodes = std::accumulate(sites.begin(), sites.end(), std::uint64_t{0});
    instance made{file_name_of(sites), 0, {}};
    made.unlisted = network_size{sites.size() * lanes, nodes, lanes * (nodes + sites.size() * (sites.size() - 1) / 2)};
    for (std::uint64_t node = 0; node < nodes; ++node)
        made.plan.network.hosts.push_back({.name = "host" + std::to_string(node)});
    const scenario::settings& s = scenario.values;
    const bool names = !s.network.chips.empty() || !s.ni.hosts.empty() || s.trace.trigger.chip ||
                       s.trace.trigger.packet || (s.trace.chips && !s.trace.chips->empty());
    if (names) check_names(scenario, names_at_sites(scenario));
    return made;
}

run_result run_lanes(const loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                     const network_factory& factory, const std::function<bool()>& stop,
                     const instrumentation& instruments) {
    lane_run run{scenario, on, workload, seed, factory, stop, instruments};
    try {
        return run.asked().kind == scenario::traffic_kind::lanes ? run.broadcast() : run.streams();
    } catch (const hw::input_error& refused) {
        scenario.fail(scenario::workload_path(workload), refused.what());
    }
}

}  // namespace polycast::tlm::sim
