// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/run_chips.h"

#include <algorithm>
#include <stdexcept>

#include "hw/engine/packing.h"
#include "hw/system/chip_upsets.h"
#include "hw/system/link_layer.h"
#include "hw/system/packet_places.h"
#include "tlm/verilated/compared_chip.h"
#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/port_counter.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::system::run_outcome;
using hw::system::system_plan;

namespace {

void add_errors(run_result& result, const system_plan& plan, const hw::engine::chip_network& network) {
    result.chip_errors += network.error_count();
    constexpr std::size_t shown = 20;
    for (const hw::engine::error_event& event : network.errors()) {
        if (result.faults.size() >= shown) return;
        result.faults.push_back(error_text(plan, event));
    }
}

/// Events of coding units are failures.
void add_events(run_result& result, const system_plan& plan, const hw::engine::chip_network& network) {
    result.host_failures += network.event_count();
    constexpr std::size_t shown = 20;
    for (const hw::engine::event_record& event : network.events()) {
        if (result.faults.size() >= shown) return;
        result.faults.push_back(hw::system::event_text(plan, event));
    }
}

/// Adds up what interfaces did, what went wrong in hosts, and what firmware called.
void add_hosts(run_result& result, activity_recorder& activity, const system_plan& plan,
               const hw::engine::chip_network& network) {
    constexpr std::size_t shown = 20;
    for (const hw::engine::chip_id id : plan.hosts) {
        hw::engine::chip_report said = network.report(id);
        for (std::string& failure : said.failures) {
            ++result.host_failures;
            if (result.faults.size() < shown) result.faults.push_back(std::move(failure));
        }
        const auto host = hw::host::host_report::of(said);
        if (!host) continue;
        result.hosts.add(*host);
        for (const std::string& found : host->findings) {
            if (found.empty()) continue;
            for (function_span& span : hw::engine::unpacked<std::vector<function_span>>(found))
                activity.called(std::move(span));
        }
    }
}

}  // namespace

run_result run_recorded(hw::system::system_network& network, const hw::system::run_limits& limits,
                        const std::function<bool(cycle)>& stop, hw::engine::observer* observer, run_traces& traces) {
    hw::engine::chip_network& chips = network.network();
    if (observer != nullptr) chips.observe(observer);
    run_result result;
    cycle end = 0;  // that the first difference is in
    try {
        const run_outcome outcome = network.run(limits, stop);
        result.ended = outcome.ended;
        result.diagnosis = outcome.diagnosis;
        result.quiet = outcome.quiet;
        result.cycles = outcome.cycles;
    } catch (const hw::engine::comparison_error& differs) {
        result.broken = true;
        result.suspect = differs.chip();
        result.diagnosis = differs.what();
        result.cycles = differs.when();
        end = differs.when() + 1 + compared_chip::aftermath;
    } catch (const std::logic_error& assertion) {
        result.broken = true;
        result.diagnosis = assertion.what();
        result.cycles = chips.now();
    }
    chips.observe(nullptr);
    result.ranks = chips.costs_of_ranks();
    result.traces = traces.finish(end != 0 ? end : std::max(chips.now(), result.cycles));
    return result;
}

run_result run_chips(const instance& on, const system_plan& plan, endpoints ends, const hw::system::run_limits& limits,
                     cycle start, const network_factory& factory, const std::function<bool(cycle)>& stop,
                     const instrumentation& instruments,
                     const std::function<void(const hw::system::system_network&)>& look) {
    activity_recorder activity(start);
    const std::optional<wave_request>& waves = instruments.waves;
    if (instruments.activity) ends.activity = &activity;
    ends.tools = instruments.tools;
    if (waves) {
        ends.in_step = [&chosen = waves->config.chips](const std::string& host) {
            return chosen.empty() || std::ranges::find(chosen, host) != chosen.end();
        };
    }
    std::unique_ptr<hw::system::system_network> made = factory.make(plan, ends);
    hw::engine::chip_network& network = made->network();
    if (ends.give_counts) network.count_beside(ends.give_counts, ends.take_counts);
    run_traces traces(instruments, on, plan, network, factory);
    std::optional<port_counter> ports;
    std::optional<hw::system::packet_places> places;
    trace::observers all;
    if (traces.observer() != nullptr) all.add(*traces.observer());
    if (plan.has_lids()) {
        all.add(ports.emplace(plan));
        all.add(places.emplace(plan));
    }
    run_result result = run_recorded(*made, limits, stop, all.empty() ? nullptr : &all, traces);
    if (ports) result.ports = ports->finish(std::max(network.now(), result.cycles));
    if (places && result.ended == run_outcome::kind::stuck) {
        result.diagnosis = lane_diagnosis(plan, ends.goal, network, *places);
        for (const std::string& failure : hw::system::host_failures(plan, network)) result.diagnosis += "; " + failure;
    }
    result.links = all_links(plan);
    add_errors(result, plan, network);
    add_events(result, plan, network);
    add_hosts(result, activity, plan, network);
    for (link_load& link : result.links) {
        const hw::engine::link_statistics seen = network.statistics(link.to);
        link.flits = seen.flits;
        link.packets = seen.packets;
        link.occupied_cycles = seen.occupied_cycles;
        link.occupied_max = seen.occupied_max;
    }
    for (auto id = static_cast<hw::engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        const hw::system::planned_cable& cable = plan.cable_at(id);
        result.cables.push_back({plan.name_of(id),
                                 {plan.port_text(cable.a), plan.port_text(cable.b)},
                                 cable.layer ? cable.layer->layer : hw::chips::link_layer::none,
                                 hw::system::report_of(network, id)});
    }
    for (hw::engine::chip_id id = 0; id < plan.chips.size(); ++id)
        if (hw::system::has_upsets(plan, id))
            result.upsets.push_back({plan.chips[id].name, hw::chips::cable_report::of(network.report(id))});
    result.hangs = hangs_before(plan, network.now());
    result.flips = flips_before(plan, network.now());
    if (look) look(*made);
    made.reset();  // tools write what they found
    result.activity = activity.take();
    return result;
}

}  // namespace polycast::tlm::sim
