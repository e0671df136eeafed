// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/points/point.h"

#include <algorithm>
#include <stdexcept>

#include "hw/fabric/link_counts.h"
#include "tlm/scenario/lanes_rules.h"
#include "tlm/sim/points/broadcast_point.h"
#include "tlm/sim/points/fabric_point.h"
#include "tlm/sim/points/interface_allgather.h"
#include "tlm/sim/points/lanes_point.h"
#include "tlm/sim/points/point_bytes.h"
#include "tlm/sim/points/rails_point.h"
#include "tlm/sim/points/run_traces.h"
#include "tlm/sim/points/workload_run.h"
#include "tlm/verilated/compared_chip.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::engine::port_id;
using hw::system::run_outcome;
using hw::system::system_plan;

namespace {

void add_errors(point_result& result, const system_plan& plan, const runnable& network) {
    result.chip_errors += network.error_count();
    constexpr std::size_t shown = 20;
    for (const hw::engine::error_event& event : network.errors()) {
        if (result.faults.size() >= shown) return;
        result.faults.push_back(error_text(plan, event));
    }
}

/// Events of coding units are failures.
void add_events(point_result& result, const system_plan& plan, const runnable& network) {
    result.host_failures += network.event_count();
    constexpr std::size_t shown = 20;
    for (const hw::engine::event_record& event : network.events()) {
        if (result.faults.size() >= shown) return;
        result.faults.push_back(hw::system::event_text(plan, event));
    }
}

/// Adds up what interfaces did, and what went wrong in hosts.
void add_hosts(point_result& result, const system_plan& plan, const runnable& network) {
    constexpr std::size_t shown = 20;
    const auto switches = static_cast<std::uint32_t>(plan.network.switches.size());
    for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host) {
        const auto& chip = dynamic_cast<const hw::host::host_chip&>(network.chip(switches + host));
        result.hosts.add(chip);
        for (std::string& failure : chip.failures()) {
            ++result.host_failures;
            if (result.faults.size() < shown) result.faults.push_back(std::move(failure));
        }
    }
}

std::vector<transfer> transfers_of(const hw::traffic::scoreboard& board) {
    std::vector<hw::traffic::transfer_record> records = board.transfers();
    for (hw::traffic::transfer_record open : board.unfinished()) {
        open.completed = transfer::unfinished;
        records.push_back(open);
    }
    std::ranges::sort(records, {},
                      [](const hw::traffic::transfer_record& r) { return std::pair(r.created, r.transfer); });
    std::vector<transfer> all;
    for (const hw::traffic::transfer_record& r : records) all.push_back({all.size(), r.source, r.created, r.completed});
    return all;
}

/// Runs a workload on one network.
point_result run_network(const scenario::loaded& scenario, const instance& on,
                         const hw::traffic::workload_params& params, const hw::system::multicast_choice& choice,
                         const network_factory& factory, const std::function<bool()>& stop,
                         const point_wishes& wishes) {
    const scenario::settings& s = scenario.values;
    workload_run work(scenario, on, params, choice);
    const auto hosts = [&](hw::system::processor_factory processors, hw::ni::observer* watcher) {
        return hw::system::workload_hosts(std::move(processors), work.traffic, work.board, params.seed, watcher);
    };
    point_result result =
        run_chips(on, work.plan, {work.board, hosts}, work.limits, params.start, factory, stop, wishes);
    if (result.ended == run_outcome::kind::limit) {
        result.diagnosis = "not all was delivered within the drain limit of " +
                           std::to_string(s.measurement.drain_limit) + " cycles after the window";
    }
    result.counts = work.board.counts();
    result.plans = work.plans;
    result.duplicates_counted = s.measurement.duplicates == scenario::duplicates_rule::count;
    result.volume = work.board.volume();
    result.faults.insert(result.faults.end(), work.board.faults().begin(), work.board.faults().end());
    result.transfers = transfers_of(work.board);
    return result;
}

/// Adds the run of another network for the same point. How it ended is the last one's.
void add(point_result& sum, const point_result& more) {
    sum.ended = more.ended;
    sum.diagnosis = more.diagnosis;
    sum.broken = more.broken;
    sum.suspect = more.suspect;
    sum.cycles += more.cycles;
    sum.counts += more.counts;
    sum.volume.generated += more.volume.generated;
    sum.volume.wanted += more.volume.wanted;
    sum.volume.accepted += more.volume.accepted;
    sum.chip_errors += more.chip_errors;
    sum.host_failures += more.host_failures;
    sum.hosts += more.hosts;
    sum.plans += more.plans;
    sum.faults.insert(sum.faults.end(), more.faults.begin(), more.faults.end());
    for (transfer t : more.transfers) {
        t.message = sum.transfers.size();
        sum.transfers.push_back(t);
    }
    sum.traces.insert(sum.traces.end(), more.traces.begin(), more.traces.end());
    for (std::size_t i = 0; i < sum.links.size(); ++i) {
        sum.links[i].flits += more.links[i].flits;
        sum.links[i].packets += more.links[i].packets;
        sum.links[i].occupied_cycles += more.links[i].occupied_cycles;
        sum.links[i].occupied_max = std::max(sum.links[i].occupied_max, more.links[i].occupied_max);
    }
}

}  // namespace

void plan_totals::add(const hw::collectives::multicast_plan& plan) {
    std::uint64_t sent = 0;
    std::uint64_t sending = 0;
    for (const hw::collectives::participant& each : plan.participants) {
        sent += each.sends.size();
        sending += each.sends.empty() ? 0 : 1;
    }
    *this += {1, plan.steps, plan.steps, sent, sent, sending, sending};
}

plan_totals& plan_totals::operator+=(const plan_totals& more) {
    multicasts += more.multicasts;
    steps += more.steps;
    steps_max = std::max(steps_max, more.steps_max);
    sends += more.sends;
    sends_max = std::max(sends_max, more.sends_max);
    senders += more.senders;
    senders_max = std::max(senders_max, more.senders_max);
    return *this;
}

point_result run_chips(const instance& on, const system_plan& plan, run_ends ends, const hw::system::run_limits& limits,
                       cycle start, const network_factory& factory, const std::function<bool()>& stop,
                       const point_wishes& wishes, const std::function<void(const runnable&)>& look) {
    activity_recorder activity(start);
    const std::optional<wave_wish>& waves = wishes.waves;
    if (wishes.activity) ends.activity = &activity;
    ends.tools = wishes.tools;
    if (waves) {
        ends.in_step = [&chosen = waves->config.chips](const std::string& host) {
            return chosen.empty() || std::ranges::find(chosen, host) != chosen.end();
        };
    }
    std::unique_ptr<runnable> network = factory.make(plan, ends);
    run_traces traces(wishes, on, plan, *network, factory);
    point_result result;
    result.links = all_links(plan);
    cycle end = 0;  // that the first difference is in
    try {
        const run_outcome outcome = network->run(limits, [&](cycle) { return stop(); });
        result.ended = outcome.ended;
        result.diagnosis = outcome.diagnosis;
        result.cycles = outcome.cycles;
    } catch (const comparison_error& differs) {
        result.broken = true;
        result.suspect = differs.chip();
        result.diagnosis = differs.what();
        result.cycles = differs.when();
        end = differs.when() + 1 + compared_chip::aftermath;
    } catch (const std::logic_error& assertion) {
        result.broken = true;
        result.diagnosis = assertion.what();
        result.cycles = network->now();
    }
    network->observe(nullptr);
    result.traces = traces.finish(end != 0 ? end : std::max(network->now(), result.cycles));
    add_errors(result, plan, *network);
    add_events(result, plan, *network);
    add_hosts(result, plan, *network);
    for (link_load& link : result.links) {
        const hw::engine::link_statistics seen = network->statistics(link.to);
        link.flits = seen.flits;
        link.packets = seen.packets;
        link.occupied_cycles = seen.occupied_cycles;
        link.occupied_max = seen.occupied_max;
    }
    if (look) look(*network);
    network.reset();  // tools write what they found
    result.activity = activity.take();
    return result;
}

hw::engine::cycle first_message(const scenario::settings& s) {
    const auto native = [](scenario::processor_kind kind) { return kind == scenario::processor_kind::native; };
    const bool at_once = s.ni.costs == scenario::operation_costs::papers && native(s.ni.all) &&
                         std::ranges::all_of(s.ni.hosts, [&native](const auto& host) { return native(host.second); });
    return at_once ? 1 : firmware_ready;
}

std::vector<link_load> all_links(const system_plan& plan) {
    std::vector<link_load> links;
    const std::uint32_t switches = plan.chips();
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

std::vector<link_load> loads_of(const system_plan& plan, const hw::fabric::link_counts& counts) {
    std::vector<link_load> links = all_links(plan);
    for (link_load& link : links) {
        const hw::fabric::link_counts::count& seen = link.to.chip < plan.chips()
                                                         ? counts.of_router(link.to.chip, link.to.port)
                                                         : counts.of_terminal(link.to.chip - plan.host_chip(0));
        link.flits = seen.flits;
        link.packets = seen.packets;
    }
    return links;
}

std::string port_text(const system_plan& plan, port_id port) {
    const auto switches = static_cast<std::uint32_t>(plan.network.switches.size());
    if (port.chip >= plan.unit_chip(0)) return plan.unit_name(port.chip - plan.unit_chip(0));
    return port.chip < switches ? plan.network.port_text(port.chip, port.port)
                                : plan.network.hosts[port.chip - switches].name;
}

point_result run_point(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                       const network_factory& factory, const std::function<bool()>& stop, const point_wishes& wishes) {
    const scenario::settings& s = scenario.values;
    const scenario::workload_settings& w = s.workloads[workload];
    if (w.kind == scenario::traffic_kind::broadcast)
        return run_broadcasts(scenario, on, workload, factory, stop, wishes);
    if (scenario::has_lanes(s))
        return run_lanes(scenario, on, workload, seed_of(s.seed, on.index, 0), factory, stop, wishes);
    if (w.kind == scenario::traffic_kind::rails)
        return run_rails(scenario, on, workload, seed_of(s.seed, on.index, 0), factory, stop, wishes);
    if (s.host.model == scenario::host_model::ideal) return run_fabric_point(scenario, on, workload, stop);
    if (w.kind == scenario::traffic_kind::allgather)
        return run_interface_allgather(scenario, on, workload, seed_of(s.seed, on.index, 0), factory, stop, wishes);
    hw::traffic::workload_params params = params_of_point(scenario, on, workload);
    const hw::system::multicast_choice choice = multicast_choice_of(w);
    // Single multicasts get an empty network each; everything else happens in one.
    const bool alone = w.kind == scenario::traffic_kind::multicast && !w.rate;
    const std::uint64_t networks = alone ? w.messages : 1;
    if (alone) params.messages = 1;
    point_result result;
    for (std::uint64_t message = 0; message < networks; ++message) {
        params.seed = seed_of(s.seed, on.index, message);
        point_wishes now;
        if (message == 0) now = wishes;
        now.waves = wishes.waves && wishes.waves->message == message ? wishes.waves : std::nullopt;
        const auto run_this = [&] { return run_network(scenario, on, params, choice, factory, stop, now); };
        point_result one = factory.one_per_process && networks > 1 ? in_child(run_this) : run_this();
        if (message == 0) {
            result = std::move(one);
        } else {
            add(result, one);
        }
        result.order_guaranteed = on.plan.keeps_order();
        if (!result.passed()) {
            result.failing_message = message;
            break;
        }
    }
    return result;
}

}  // namespace polycast::tlm::sim
