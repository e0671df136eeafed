// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/allgather/allgather_run.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "hw/collectives/network_coding.h"
#include "hw/fabric/allgather.h"
#include "hw/input_error.h"
#include "hw/traffic/random.h"
#include "hw/workloads/allgather/ideal_allgather.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/workloads/allgather/allgather_rules.h"
#include "tlm/workloads/ideal_chips.h"

namespace polycast::tlm::sim {

using hw::collectives::coding_options;
using hw::collectives::network_coding;
using hw::fabric::allgather_options;
using scenario::allgather_algorithm;
using scenario::has_groups;
using scenario::loaded;

namespace {

/// Calls `work`; what it refuses is said at `place`.
template <typename function>
auto placed(const loaded& scenario, const std::string& place, function&& work) {
    try {
        return work();
    } catch (const hw::input_error& refused) {
        scenario.fail(place, refused.what());
    }
}
template <typename function>
auto placed(const loaded& scenario, std::size_t workload, function&& work) {
    return placed(scenario, scenario::workload_path(workload), std::forward<function>(work));
}

/// The size of groups with the fewest hops, all packets counted.
std::uint32_t best_group(const coding_options& options) {
    std::uint32_t best = 0;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (const std::uint32_t size : hw::collectives::group_sizes(options)) {
        coding_options one = options;
        one.group = size;
        const std::uint64_t hops = network_coding(one).total().hops;
        if (hops >= fewest) continue;
        fewest = hops;
        best = size;
    }
    return best;
}

/// The groups over which sources are dealt, so that workloads with and without groups can have the same sources. 0: the
/// workload's own, or none.
std::uint32_t dealt_over(const loaded& scenario, std::size_t workload) {
    const std::vector<scenario::workload_settings>& all = scenario.values.workloads;
    const scenario::workload_settings& w = all[workload];
    if (!w.sources || has_groups(w)) return 0;
    if (w.group) return *w.group;
    const auto first = static_cast<std::size_t>(std::ranges::find_if(all, has_groups) - all.begin());
    if (first == all.size()) return 0;
    const coding_options plan = allgather_options_of(scenario, first).plan;
    placed(scenario, first, [&plan] { network_coding{plan}; });
    return plan.group;
}

}  // namespace

allgather_options allgather_options_of(const loaded& scenario, std::size_t workload) {
    const scenario::settings& s = scenario.values;
    const scenario::workload_settings& w = s.workloads[workload];
    const hw::topology::mesh_params shape = mesh_params_of(s);
    allgather_options options;
    options.flits = w.flits;
    options.pace = w.mode;
    options.limit = s.measurement.drain_limit;
    options.accounting = w.accounting;
    options.coder = w.coding;
    options.xor_latency = w.xor_latency;
    options.unit_flits = w.operand_flits.value_or(0);
    options.host_overhead = options.host_gap = w.coding_overhead;
    coding_options& plan = options.plan;
    plan.radix = shape.radix;
    plan.dimensions = shape.dimensions;
    plan.torus = shape.torus;
    plan.sources = w.sources.value_or(0);
    plan.inner_groups.assign(w.inner_groups.begin(), w.inner_groups.end());
    plan.placement = w.placement;
    const auto nodes = static_cast<std::uint32_t>(hw::topology::describe(shape).routers);
    if (plan.sources > nodes) {
        scenario.fail(scenario::workload_path(workload, "sources"),
                      std::to_string(plan.sources) + " nodes with data are more than the " + std::to_string(nodes) +
                          " of the network",
                      "take 'all'");
    }
    plan.base = w.base;
    plan.group = nodes;  // the base algorithm alone
    switch (w.algorithm) {
        case allgather_algorithm::all_at_once: plan.base = hw::collectives::coding_base::all_at_once; break;
        case allgather_algorithm::tree: plan.base = hw::collectives::coding_base::tree; break;
        case allgather_algorithm::replication: options.method = hw::fabric::allgather_method::replication; break;
        case allgather_algorithm::coded: plan.method = hw::collectives::coding_method::coded; break;
        case allgather_algorithm::every_node: plan.method = hw::collectives::coding_method::every_node; break;
        case allgather_algorithm::combining: plan.method = hw::collectives::coding_method::combining; break;
        case allgather_algorithm::uncoded: plan.method = hw::collectives::coding_method::uncoded; break;
    }
    const bool grouped = has_groups(w);
    if (grouped) {
        plan.group = w.group ? *w.group : placed(scenario, workload, [&] { return best_group(plan); });
    }
    if (grouped && plan.group == 0) {
        scenario.fail(scenario::workload_path(workload, "algorithm"),
                      "no groups divide a network of " + std::to_string(nodes) + " nodes", "take another radix");
    }
    plan.dealt_over = dealt_over(scenario, workload);
    return options;
}

allgather_options checked_allgather_options(const loaded& scenario, std::size_t workload) {
    allgather_options options = allgather_options_of(scenario, workload);
    options.fabric = fabric_params_of(scenario, needs_of_allgather(scenario, workload));
    const unsigned store = std::exchange(options.unit_flits, 0);
    placed(scenario, workload, [&] { hw::fabric::check(options); });
    options.unit_flits = store;
    if (store != 0)
        placed(scenario, scenario::workload_path(workload, "operands"), [&] { hw::fabric::check(options); });
    return options;
}

namespace {

allgather_part counted(const allgather_options& options, const hw::fabric::allgather_result& found) {
    allgather_part made;
    made.group = options.plan.group;
    made.packets = found.packets;
    made.missing = found.missing + found.left_out;
    made.left_out = found.left_out;
    made.flit_hops = found.flit_hops;
    for (const std::uint64_t count : found.xors) {
        made.xors += count;
        made.most_xors = std::max(made.most_xors, count);
        made.coders += count != 0 ? 1 : 0;
    }
    made.decode_xors = found.decode_xors;
    made.longest_queue = found.longest_queue;
    made.most_operand_flits = found.most_operand_flits;
    for (const hw::fabric::allgather_step& one : found.steps) {
        made.steps.push_back({std::string(1, one.step.letter), one.step.level, one.step.rounds, one.cycles, one.packets,
                              one.hops, one.latency});
    }
    // A plan would count a way to each node; here a datum goes over a link once.
    if (options.method == hw::fabric::allgather_method::replication)
        for (allgather_part::step& one : made.steps) one.hops = found.flit_hops / options.flits;
    return made;
}

}  // namespace

router_needs needs_of_allgather(const loaded& scenario, std::size_t workload) {
    const allgather_options options = allgather_options_of(scenario, workload);
    const hw::fabric::fabric_params usual = placed(scenario, workload, [&] { return allgather_fabric(options); });
    router_needs needs;
    const bool copies = options.method == hw::fabric::allgather_method::replication;
    (copies ? needs.longest_broadcast : needs.longest_unicast) = hw::fabric::longest_packet(options);
    needs.classes = usual.tables.vc_sets[0] == usual.tables.vc_sets[1] ? 1 : 4;
    needs.hosts = usual.host_ports();
    needs.vcs = usual.router.vcs;
    needs.buffer = usual.router.vc_flits;
    needs.place = scenario::workload_path(workload, "flits");
    return needs;
}

namespace {

/// Results of hosts and units that are chips, and what only chips have.
std::pair<hw::fabric::allgather_result, run_result> run_on_chips(const loaded& scenario, const instance& on,
                                                                 const allgather_options& options,
                                                                 const network_factory& factory,
                                                                 const std::function<bool()>& stop,
                                                                 const instrumentation& instruments) {
    const network_coding plan = hw::fabric::plan_of(options);
    hw::fabric::ideal_allgather hosts(options, plan);
    ideal_job job{options.fabric, hosts.units(), hosts, hosts};
    job.watch_units = &hosts;
    job.end = options.limit;
    // Nothing may move while the software of a host makes a chain packet.
    job.patience = scenario.values.patience + options.host_overhead;
    job.links = options.links;
    ideal_outcome outcome = run_ideal_chips(on, job, factory, stop, instruments);
    const bool stopped = outcome.result.ended == hw::system::run_outcome::kind::stopped;
    const hw::engine::cycle end = outcome.at_end ? options.limit : outcome.last_move + 1;
    return {hosts.finish(end, stopped, outcome.counted.flit_hops, outcome.counted.links), std::move(outcome.result)};
}

}  // namespace

run_result run_allgather(const loaded& scenario, const instance& on, std::size_t workload, ideal_engine engine,
                         const network_factory& factory, const std::function<bool()>& stop,
                         const instrumentation& instruments) {
    using kind = hw::system::run_outcome::kind;
    allgather_options options = checked_allgather_options(scenario, workload);
    options.seed = hw::traffic::random_stream(scenario.values.seed, on.index)();
    options.stop = stop;
    options.links = scenario.values.measurement.links;
    run_result result;
    hw::fabric::allgather_result found;
    if (engine == ideal_engine::fabric) {
        found = hw::fabric::run_allgather(options);
    } else {
        std::tie(found, result) = run_on_chips(scenario, on, options, factory, stop, instruments);
    }
    const std::uint64_t nodes = options.fabric.router.nodes();
    const std::uint64_t sources = options.plan.sources == 0 ? nodes : options.plan.sources;
    hw::traffic::delivery_counts& counts = result.counts;
    counts.expected = sources * (nodes - 1);
    // What the paper does not count is not sent, so nobody waits for it.
    counts.expected -= found.left_out;
    counts.missing = std::min(found.missing, counts.expected);
    counts.delivered = counts.expected - counts.missing;
    std::vector<std::string> problems = found.problems;
    const bool ended = !found.gave_up && !found.stopped && counts.missing == 0;
    if (ended && options.method == hw::fabric::allgather_method::plan)
        if (const auto differs = hop_difference(options, found)) problems.push_back(*differs);
    if (counts.missing == 0 && !problems.empty()) {
        counts.corrupted = std::min<std::uint64_t>(problems.size(), counts.delivered);
        counts.delivered -= counts.corrupted;
    }
    counts.messages = counts;
    result.ended = found.stopped         ? kind::stopped
                   : found.gave_up       ? kind::limit
                   : counts.missing == 0 ? kind::complete
                                         : kind::stuck;
    if (counts.missing != 0 && !result.broken)
        result.diagnosis = std::to_string(counts.missing) + " data did not reach all nodes";
    result.faults.insert(result.faults.end(), problems.begin(), problems.end());
    result.cycles = found.cycles;
    fabric_result& fabric = result.fabric.emplace();
    fabric.latency = summarise(found.latency, found.latency_min, found.latency_max);
    fabric.flit_hops = found.flit_hops;
    if (found.links) result.links = loads_of(on.plan, *found.links);
    result.own = counted(options, found);
    return result;
}

}  // namespace polycast::tlm::sim
