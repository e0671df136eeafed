// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/point.h"

#include <algorithm>

#include "hw/traffic/random.h"
#include "tlm/trace/wave_recorder.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::engine::port_id;
using hw::system::run_outcome;
using hw::system::system_plan;

namespace {

/// Sources and destinations depend on network and message only, so that all workloads of equal degree get the same
/// ones.
std::uint64_t seed_of(std::uint64_t scenario_seed, std::uint64_t instance, std::uint64_t message) {
    return hw::traffic::random_stream(hw::traffic::random_stream(scenario_seed, instance)(), message)();
}

/// Every direction of every cable, switches' ports first.
std::vector<link_load> all_links(const system_plan& plan) {
    std::vector<link_load> links;
    const auto switches = static_cast<std::uint32_t>(plan.switches.size());
    for (const hw::topology::link& l : plan.network.links()) {
        links.push_back({{l.a.chip, l.a.port}, {l.b.chip, l.b.port}});
        links.push_back({{l.b.chip, l.b.port}, {l.a.chip, l.a.port}});
    }
    for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host) {
        const hw::topology::host_node& node = plan.network.hosts[host];
        links.push_back({{switches + host, 0}, {node.chip, node.port}});
        links.push_back({{node.chip, node.port}, {switches + host, 0}});
    }
    return links;
}

void add_counts(hw::traffic::delivery_counts& sum, const hw::traffic::delivery_counts& more) {
    sum.expected += more.expected;
    sum.delivered += more.delivered;
    sum.missing += more.missing;
    sum.duplicated += more.duplicated;
    sum.corrupted += more.corrupted;
    sum.misdelivered += more.misdelivered;
    sum.misordered += more.misordered;
}

void add_errors(point_result& result, const system_plan& plan, const hw::engine::network& network) {
    result.chip_errors += network.error_count();
    constexpr std::size_t shown = 20;
    for (const hw::engine::error_event& event : network.errors()) {
        if (result.faults.size() >= shown) return;
        std::string names;
        for (unsigned bit = 0; bit < hw::format::chip_error_count; ++bit) {
            if ((event.errors >> bit & 1) != 0)
                names += (names.empty() ? "" : ", ") + std::string(hw::format::error_name(bit));
        }
        result.faults.push_back("cycle " + std::to_string(event.when) + ": " + port_text(plan, event.where) +
                                " raises " + names);
    }
}

/// Runs one network to its end and adds what it saw to `result`.
void run_network(point_result& result, const scenario::loaded& scenario, const instance& on,
                 const hw::traffic::workload_params& params, const network_factory& make,
                 const std::function<bool()>& stop, const std::optional<wave_wish>& waves) {
    const scenario::settings& s = scenario.values;
    const bool load = params.gap != 0;
    hw::traffic::measurement_window window;
    hw::system::run_limits limits;
    limits.patience = s.patience;
    if (load) {
        window = {params.start + s.measurement.warmup, params.end};
        limits.cycles = params.end + s.measurement.drain_limit;
    }
    hw::traffic::workload traffic(params);
    hw::traffic::scoreboard board(params.seed, window);
    hw::system::system_plan plan = on.plan;
    plan.host.payload_seed = params.seed;
    const std::unique_ptr<runnable> network = make(plan, traffic, board);
    std::unique_ptr<trace::wave_recorder> recorder;
    if (waves) {
        recorder = std::make_unique<trace::wave_recorder>(waves->config, on.name, params.hosts,
                                                          trace::chips_of(network->network()));
        network->network().observe(recorder.get());
    }
    const run_outcome outcome = network->run(limits, [&](cycle) { return stop(); });
    if (recorder) {
        network->network().observe(nullptr);
        recorder->finish(std::max(network->network().now(), outcome.cycles));
    }

    result.ended = outcome.ended;
    result.diagnosis = outcome.diagnosis;
    if (outcome.ended == run_outcome::kind::limit) {
        result.diagnosis = "not all was delivered within the drain limit of " +
                           std::to_string(s.measurement.drain_limit) + " cycles after the window";
    }
    result.cycles += outcome.cycles;
    add_counts(result.counts, board.counts());
    result.volume.generated += board.volume().generated;
    result.volume.wanted += board.volume().wanted;
    result.volume.accepted += board.volume().accepted;
    add_errors(result, plan, network->network());
    result.faults.insert(result.faults.end(), board.faults().begin(), board.faults().end());
    std::vector<hw::traffic::transfer_record> records = board.transfers();
    std::ranges::sort(records, {},
                      [](const hw::traffic::transfer_record& r) { return std::pair(r.created, r.transfer); });
    for (const hw::traffic::transfer_record& r : records)
        result.transfers.push_back({result.transfers.size(), r.source, r.created, r.completed});
    for (link_load& link : result.links) {
        const hw::engine::link_statistics seen = network->network().statistics(link.to);
        link.flits += seen.flits;
        link.packets += seen.packets;
        link.occupied_cycles += seen.occupied_cycles;
        link.occupied_max = std::max(link.occupied_max, seen.occupied_max);
    }
}

}  // namespace

std::string port_text(const system_plan& plan, port_id port) {
    const auto switches = static_cast<std::uint32_t>(plan.network.switches.size());
    return port.chip < switches ? plan.network.port_text(port.chip, port.port)
                                : plan.network.hosts[port.chip - switches].name;
}

point_result run_point(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                       const network_factory& make, const std::function<bool()>& stop,
                       const std::optional<wave_wish>& waves) {
    const scenario::settings& s = scenario.values;
    const scenario::workload_settings& w = s.workloads[workload];
    hw::traffic::workload_params params = workload_params_of(scenario, workload, on.plan.network);
    point_result result;
    result.links = all_links(on.plan);
    result.order_guaranteed = s.network.selection == hw::format::selection::deterministic;
    // Single multicasts get an empty network each; everything else happens in one.
    const bool alone = w.kind == scenario::traffic_kind::multicast && !w.rate;
    const std::uint64_t networks = alone ? w.messages : 1;
    if (alone) params.messages = 1;
    if (w.rate) params.end = params.start + s.measurement.warmup + s.measurement.window;
    for (std::uint64_t message = 0; message < networks; ++message) {
        params.seed = seed_of(s.seed, on.index, message);
        const bool watched = waves && waves->message == message;
        run_network(result, scenario, on, params, make, stop, watched ? waves : std::nullopt);
        if (!result.passed()) {
            result.failing_message = message;
            break;
        }
    }
    return result;
}

}  // namespace polycast::tlm::sim
