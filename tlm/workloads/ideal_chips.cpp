// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/ideal_chips.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "tlm/verilated/compared_chip.h"
#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/run_traces.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::engine::never;
using hw::system::ideal_watch;
using hw::system::run_outcome;
using hw::system::system_plan;

namespace {

/// Runs the chips, and says how it ended.
void run_chips(hw::engine::chip_network& chips, const ideal_watch& watch, const ideal_job& job, cycle until,
               const std::function<bool()>& stop, ideal_outcome& outcome) {
    constexpr unsigned between_questions = 1024;  // cycles
    unsigned turn = 0;
    const auto asked = [&] {
        if (++turn % between_questions != 0) return false;
        if (stop()) {
            outcome.result.ended = run_outcome::kind::stopped;
            return true;
        }
        const bool waits = chips.now() > watch.last_move() + job.patience && job.missing() != 0;
        if (!waits || (job.computes && job.computes())) return false;
        outcome.result.ended = run_outcome::kind::stuck;
        return true;
    };
    const bool early = chips.run(until, asked);
    if (outcome.result.ended != run_outcome::kind::complete) return;
    outcome.at_end = job.end != never && (!early || watch.last_move() + 1 >= job.end);
    if (early && job.missing() != 0) outcome.result.ended = run_outcome::kind::stuck;
}

}  // namespace

ideal_outcome run_ideal_chips(const instance& on, const ideal_job& job, const network_factory& factory,
                              const std::function<bool()>& stop, const instrumentation& instruments) {
    instance made = on;
    made.plan = hw::system::make_ideal_plan(job.mesh, job.units);
    const system_plan& plan = made.plan;
    const std::unique_ptr<hw::engine::chip_network> chips = factory.stepper(plan);
    ideal_watch watch(plan, job.mesh, job.end, job.links);
    if (job.watch_units != nullptr) watch.show_units(*job.watch_units);
    chips->observe(&watch);
    hw::system::build(*chips, plan, factory.chips, hw::system::ideal_hosts(job.mesh, job.work));
    run_traces traces(instruments, made, plan, *chips, factory);
    watch.show_all(traces.observer());
    ideal_outcome outcome;
    run_result& result = outcome.result;
    const cycle until = job.end == never ? never : job.end + ideal_watch::crossing(job.mesh);
    cycle end = 0;  // that the first difference is in
    try {
        run_chips(*chips, watch, job, until, stop, outcome);
    } catch (const comparison_error& differs) {
        result.broken = true;
        result.suspect = differs.chip();
        result.diagnosis = differs.what();
        end = differs.when() + 1 + compared_chip::aftermath;
    } catch (const std::logic_error& assertion) {
        result.broken = true;
        result.diagnosis = assertion.what();
    }
    chips->observe(nullptr);
    result.traces = traces.finish(end != 0 ? end : chips->now());
    result.cycles = chips->now();
    result.chip_errors = watch.error_count();
    for (const hw::engine::error_event& event : watch.errors()) result.faults.push_back(error_text(plan, event));
    outcome.last_move = watch.last_move();
    outcome.flit_hops = watch.flit_hops();
    outcome.router_steps = watch.router_steps();
    outcome.links = watch.links();
    return outcome;
}

}  // namespace polycast::tlm::sim
