// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/messages_run.h"

#include <algorithm>
#include <utility>

#include "hw/format/packet_format.h"
#include "hw/traffic/random.h"
#include "tlm/workloads/messages/messages_params.h"

namespace polycast::tlm::sim {

namespace {

/// A planner that takes down what its plans look like; nothing for unicasts.
hw::traffic::planner noting(const instance& on, const hw::traffic::workload_params& params,
                            const hw::system::multicast_choice& choice, plan_totals& totals) {
    if (params.kind != hw::traffic::workload_kind::multicast) return {};
    return [planner = hw::system::make_planner(on.plan, choice, params.bytes), &totals](
               std::uint32_t source, std::span<const std::uint32_t> destinations) {
        hw::collectives::multicast_plan made = planner(source, destinations);
        totals.add(made);
        return made;
    };
}

hw::system::run_limits limits_of(const scenario::settings& s, const hw::traffic::workload_params& params) {
    hw::system::run_limits limits;
    limits.patience = s.patience;
    if (params.gap != 0) limits.cycles = params.end + s.measurement.drain_limit;
    return limits;
}

hw::traffic::measurement_window window_of(const scenario::settings& s, const hw::traffic::workload_params& params) {
    if (params.gap == 0) return {};
    return {params.start + s.measurement.warmup, params.end};
}

hw::traffic::network_facts facts_of(const scenario::settings& s, const instance& on, bool reliable, unsigned process) {
    hw::traffic::network_facts facts = hw::system::facts_of(on.plan);
    facts.waits_for_lost = !s.faults.told;
    facts.reliable = reliable;
    facts.process = process;
    facts.lost = on.lost;
    facts.count_duplicates = s.measurement.duplicates == scenario::duplicates_rule::count;
    return facts;
}

}  // namespace

std::uint64_t seed_of(std::uint64_t scenario_seed, std::uint64_t instance, std::uint64_t message) {
    return hw::traffic::random_stream(hw::traffic::random_stream(scenario_seed, instance)(), message)();
}

hw::traffic::workload_params params_of_run(const scenario::loaded& scenario, const instance& on, std::size_t workload) {
    const scenario::settings& s = scenario.values;
    hw::traffic::workload_params params =
        workload_params_of(scenario, workload, on.plan.network, on.plan.host.interface.lids.get());
    params.start = first_message(s);
    if (s.workloads[workload].rate) params.end = params.start + s.measurement.warmup + s.measurement.window;
    params.seed = seed_of(s.seed, on.index, 0);
    return params;
}

std::string error_text(const hw::system::system_plan& plan, const hw::engine::error_event& event) {
    std::string names;
    for (unsigned bit = 0; bit < hw::format::chip_error_count; ++bit) {
        if ((event.errors >> bit & 1) != 0)
            names += (names.empty() ? "" : ", ") + std::string(hw::format::error_name(bit));
    }
    return "cycle " + std::to_string(event.when) + ": " + plan.port_text(event.where) + " raises " + names;
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

workload_run::workload_run(const scenario::loaded& scenario, const instance& on,
                           const hw::traffic::workload_params& params, const hw::system::multicast_choice& choice,
                           unsigned process)
    : limits(limits_of(scenario.values, params)),
      plan(on.plan),
      traffic(params, noting(on, params, choice, plans)),
      board(params.seed, window_of(scenario.values, params), params.payload_bytes,
            facts_of(scenario.values, on, params.reliable, process)) {
    hw::system::fit(plan, params);
}

}  // namespace polycast::tlm::sim
