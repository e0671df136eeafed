// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/ideal_chips.h"

#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/run_chips.h"
#include "tlm/workloads/run_traces.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::engine::never;
using hw::system::ideal_watch;
using hw::system::run_outcome;
using hw::system::system_plan;

ideal_outcome run_ideal_chips(const instance& on, const ideal_job& job, const network_factory& factory,
                              const std::function<bool()>& stop, const instrumentation& instruments) {
    instance made = on;
    made.plan = hw::system::make_ideal_plan(job.mesh, job.units);
    const system_plan& plan = made.plan;
    hw::system::system_network network(plan, factory.chips, hw::system::ideal_hosts(job.mesh, job.work), job.goal,
                                       factory.stepper);
    ideal_watch watch(plan, job.mesh, job.end, job.links, job.review);
    if (job.watch_units != nullptr) watch.show_units(*job.watch_units);
    run_traces traces(instruments, made, plan, network.network(), factory);
    watch.show_all(traces.observer());
    const auto late = [&job](cycle at) { return at == never ? never : at + ideal_watch::crossing(job.mesh); };
    hw::system::run_limits limits{.cycles = late(job.end), .patience = job.patience, .settle = never};
    limits.review = late(job.review);
    limits.give_up = job.give_up;
    ideal_outcome outcome;
    run_result& result = outcome.result;
    result = run_recorded(
        network, limits, [&stop](cycle) { return stop(); }, &watch, traces);
    const bool saturated = result.ended == run_outcome::kind::saturated;
    outcome.at_end = job.end != never && !result.broken && !result.stopped() && !saturated &&
                     (result.ended == run_outcome::kind::limit || watch.last_move() + 1 >= job.end);
    result.chip_errors = watch.error_count();
    for (const hw::engine::error_event& event : watch.errors()) result.faults.push_back(error_text(plan, event));
    outcome.last_move = watch.last_move();
    outcome.counted = watch.counted(saturated);
    return outcome;
}

}  // namespace polycast::tlm::sim
