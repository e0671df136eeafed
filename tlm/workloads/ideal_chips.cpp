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
    ideal_watch watch(plan, job.mesh, job.end, job.links);
    if (job.watch_units != nullptr) watch.show_units(*job.watch_units);
    run_traces traces(instruments, made, plan, network.network(), factory);
    watch.show_all(traces.observer());
    const cycle until = job.end == never ? never : job.end + ideal_watch::crossing(job.mesh);
    ideal_outcome outcome;
    run_result& result = outcome.result;
    result = run_recorded(
        network, {.cycles = until, .patience = job.patience, .settle = never}, [&stop](cycle) { return stop(); },
        &watch, traces);
    outcome.at_end = job.end != never && !result.broken && !result.stopped() &&
                     (result.ended == run_outcome::kind::limit || watch.last_move() + 1 >= job.end);
    result.chip_errors = watch.error_count();
    for (const hw::engine::error_event& event : watch.errors()) result.faults.push_back(error_text(plan, event));
    outcome.last_move = watch.last_move();
    outcome.flit_hops = watch.flit_hops();
    outcome.router_steps = watch.router_steps();
    outcome.links = watch.links();
    return outcome;
}

}  // namespace polycast::tlm::sim
