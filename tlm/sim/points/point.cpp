// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/points/point.h"

#include <algorithm>

#include "tlm/scenario/lanes_rules.h"
#include "tlm/sim/points/broadcast_point.h"
#include "tlm/sim/points/fabric_point.h"
#include "tlm/sim/points/interface_allgather.h"
#include "tlm/sim/points/lanes_point.h"
#include "tlm/sim/points/point_bytes.h"
#include "tlm/sim/points/rails_point.h"
#include "tlm/sim/points/run_chips.h"
#include "tlm/sim/points/workload_run.h"

namespace polycast::tlm::sim {

using hw::system::run_outcome;

namespace {

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

}  // namespace

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
            result += one;
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
