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

/// A network of chips as traces see it.
class traced_chips_network final : public runnable {
public:
    traced_chips_network(const hw::engine::chip_network& chips, ideal_watch& watch) : chips_(chips), watch_(watch) {}

    const hw::engine::chip& chip(hw::engine::chip_id id) const override { return chips_.at(id); }
    void observe(hw::engine::observer* observer) override { watch_.show_all(observer); }
    run_outcome run(const hw::system::run_limits&, const std::function<bool(cycle)>&) override {
        throw std::logic_error("this network is run by run_ideal_chips()");
    }
    cycle now() const override { return chips_.now(); }
    hw::engine::link_statistics statistics(hw::engine::port_id port) const override { return chips_.statistics(port); }
    std::vector<hw::engine::error_event> errors() const override { return watch_.errors(); }
    std::uint64_t error_count() const override { return watch_.error_count(); }
    std::vector<hw::engine::event_record> events() const override { return {}; }
    std::uint64_t event_count() const override { return 0; }

private:
    const hw::engine::chip_network& chips_;
    ideal_watch& watch_;
};

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
    const std::unique_ptr<hw::engine::chip_network> chips =
        factory.ideal_network ? factory.ideal_network(plan) : std::make_unique<hw::engine::network>();
    ideal_watch watch(plan, job.mesh, job.end, job.links);
    if (job.watch_units != nullptr) watch.show_units(*job.watch_units);
    chips->observe(&watch);
    hw::system::build_ideal(*chips, plan, job.mesh, job.work, factory.routers, factory.units);
    traced_chips_network traced(*chips, watch);
    run_traces traces(instruments, made, plan, traced, factory);
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
