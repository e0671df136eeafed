// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/allgather/interface_allgather.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "hw/engine/packing.h"
#include "hw/fabric/allgather.h"
#include "hw/input_error.h"
#include "hw/system/source_doors.h"
#include "hw/workloads/allgather/allgather.h"
#include "tlm/workloads/allgather/allgather_run.h"
#include "tlm/workloads/run_chips.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::system::allgather;
using hw::system::system_plan;
using scenario::loaded;

namespace {

/// First cycle with a message: more receive buffers take firmware longer, and a node gets fewer than two messages for
/// each node.
cycle start_of(const scenario::settings& s, std::uint64_t nodes) {
    constexpr std::uint64_t buffers_by_then = 256;
    const cycle usual = first_message(s);
    return usual == 1 ? usual : usual * ((2 * nodes + buffers_by_then - 1) / buffers_by_then);
}

std::unique_ptr<allgather> made(const loaded& scenario, std::size_t workload, std::uint64_t seed) {
    const scenario::workload_settings& w = scenario.values.workloads[workload];
    hw::system::allgather_options options;
    options.plan = allgather_options_of(scenario, workload).plan;
    const std::uint64_t nodes = hw::topology::describe(mesh_params_of(scenario.values)).routers;
    if (w.message_bytes * nodes > std::numeric_limits<std::uint32_t>::max())
        scenario.fail(scenario::workload_path(workload, "message"),
                      "the data of all " + std::to_string(nodes) + " nodes are more than 4 GiB", "take shorter ones");
    options.bytes = static_cast<std::uint32_t>(w.message_bytes);
    options.payload_seed = seed;
    options.start = start_of(scenario.values, nodes);
    options.coded_by_hosts = w.coding == hw::collectives::allgather_coder::host;
    options.host_coding = w.coding_overhead;
    options.xor_latency = w.xor_latency;
    // A lost operand has a name when its unit gives up: that comes before the watchdog.
    options.patience = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(scenario.values.patience / 2, std::numeric_limits<std::uint32_t>::max()));
    try {
        return std::make_unique<allgather>(options);
    } catch (const hw::input_error& refused) {
        scenario.fail(scenario::workload_path(workload), refused.what());
    }
}

system_plan equipped(const loaded& scenario, const instance& on, std::size_t workload, const allgather& run) {
    system_plan plan = on.plan;
    try {
        run.equip(plan);
        // Units have come, who are sources, too.
        if (scenario.values.host.check_source) hw::system::add_doors(plan, false);
    } catch (const hw::input_error& refused) {
        scenario.fail(scenario::workload_path(workload), refused.what());
    }
    return plan;
}

/// What units did, counted.
struct unit_counts {
    std::uint64_t packets = 0;
    std::vector<std::uint64_t> xors;  ///< [node]
};

/// Units in the core count their XORs. Of others the packets are counted: as many XORs as the plan has for so many.
unit_counts count_units(const allgather& run, const system_plan& plan, const hw::system::system_network& network) {
    unit_counts counts{0, std::vector<std::uint64_t>(run.coding().nodes())};
    const std::vector<allgather::unit_task> tasks = run.unit_tasks();
    for (std::uint32_t unit = 0; unit < plan.units.size(); ++unit) {
        const allgather::unit_task& task = tasks[unit];
        const std::uint64_t packets = network.network().statistics(plan.unit_port(unit)).packets;
        const std::string counted = network.network().report(plan.units[unit]).counts;
        counts.packets += packets;
        counts.xors[task.node] =
            counted.empty() ? packets * task.xors / task.packets : hw::engine::unpacked<std::uint64_t>(counted);
    }
    return counts;
}

/// What hosts, units and links counted.
run_result counted(const allgather& run, const system_plan& plan, const unit_counts& units, run_result result,
                   cycle start, std::uint32_t bytes) {
    const std::uint64_t nodes = run.coding().nodes();
    hw::traffic::delivery_counts& counts = result.counts;
    counts.expected = run.sources().size() * (nodes - 1);
    counts.delivered = run.verified();
    counts.corrupted = run.wrong();
    counts.missing = counts.expected - counts.delivered - counts.corrupted;
    counts.messages = counts;
    for (const std::uint32_t source : run.sources()) {
        const allgather::spread& spread = run.spreads()[source];
        result.transfers.push_back(
            {result.transfers.size(), source, start, spread.nodes == nodes ? spread.until : transfer::unfinished});
    }
    allgather_part& found = result.own.emplace<allgather_part>();
    found.group = run.coding().options().group;
    found.missing = counts.missing;
    found.packets = run.host_messages() + units.packets;
    const std::vector<std::uint64_t> by_hosts = run.host_coding_xors();
    for (std::uint32_t node = 0; node < nodes; ++node) {
        const std::uint64_t count = by_hosts[node] + units.xors[node];
        found.xors += count;
        found.most_xors = std::max(found.most_xors, count);
        found.coders += count != 0 ? 1 : 0;
    }
    found.decode_xors = run.decoding_xors();
    found.verified_bytes = counts.delivered * bytes;
    for (const link_load& link : result.links)
        if (plan.forwards(link.from.chip) && plan.forwards(link.to.chip)) found.flit_hops += link.flits;
    const std::vector<hw::collectives::coding_step> steps = run.coding().steps();
    for (std::size_t index = 0; index < steps.size(); ++index) {
        const hw::collectives::coding_count count = run.coding().count(steps[index]);
        found.steps.push_back({std::string(1, steps[index].letter), steps[index].level, steps[index].rounds,
                               run.step_ends()[index] - start, count.unicasts, count.hops});
    }
    return result;
}

}  // namespace

void add_allgather_needs(router_needs& needs, const loaded& scenario, std::size_t workload) {
    const scenario::allgather_algorithm how = scenario.values.workloads[workload].algorithm;
    const bool steps = how >= scenario::allgather_algorithm::coded && how <= scenario::allgather_algorithm::uncoded;
    if (steps) needs.classes = 4;
    if (made(scenario, workload, 0)->needs_units()) needs.hosts = 2;
}

system_plan plan_of_allgather(const loaded& scenario, const instance& on, std::size_t workload) {
    return equipped(scenario, on, workload, *made(scenario, workload, 0));
}

run_result run_interface_allgather(const loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                                   const network_factory& factory, const std::function<bool()>& stop,
                                   const instrumentation& instruments) {
    const std::unique_ptr<allgather> run = made(scenario, workload, seed);
    const system_plan plan = equipped(scenario, on, workload, *run);
    const auto hosts = [&run](hw::system::processor_factory processors, hw::ni::observer* watcher) {
        return hw::system::program_hosts(
            std::move(processors),
            [&run](std::uint32_t host) { return std::vector<hw::host::application_factory>{run->program(host)}; },
            watcher);
    };
    hw::system::run_limits limits;
    limits.patience = scenario.values.patience;
    const cycle start = start_of(scenario.values, run->coding().nodes());
    unit_counts units;
    const auto look = [&](const hw::system::system_network& network) { units = count_units(*run, plan, network); };
    run_result result = run_chips(
        on, plan, {*run, hosts}, limits, start, factory, [&stop](cycle) { return stop(); }, instruments, look);
    result.faults.insert(result.faults.end(), run->problems().begin(), run->problems().end());
    result.host_failures += run->problems().size();
    std::uint64_t planned = 0;
    for (const allgather::unit_task& task : run->unit_tasks()) planned += task.packets;
    if (result.ended == hw::system::run_outcome::kind::complete && units.packets != planned) {
        ++result.host_failures;
        result.faults.push_back("coding units sent " + std::to_string(units.packets) + " packets, and " +
                                std::to_string(planned) + " are planned");
    }
    return counted(*run, plan, units, std::move(result), start,
                   static_cast<std::uint32_t>(scenario.values.workloads[workload].message_bytes));
}

}  // namespace polycast::tlm::sim
