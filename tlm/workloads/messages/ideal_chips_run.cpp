// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/ideal_chips_run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/workloads/messages/ideal_unicasts.h"
#include "tlm/sim/agreement.h"
#include "tlm/workloads/ideal_chips.h"
#include "tlm/workloads/messages/ideal_unicasts_run.h"

namespace polycast::tlm::sim {

using hw::traffic::ideal_traffic;
using hw::traffic::ideal_unicasts;

namespace {

ideal_traffic traffic_of(const ideal_unicasts_run& what) {
    ideal_traffic traffic;
    if (what.each_to_each()) {
        traffic.each_to_each = what.flits();
    } else if (const auto load = what.load()) {
        traffic.load.emplace(what.where(), *load);
    } else {
        traffic.orders = what.orders({0, what.params().router.nodes()});
    }
    return traffic;
}

/// Payload bytes are a family of random numbers of their own.
std::uint64_t payload_seed(const ideal_unicasts_run& what) {
    return hw::traffic::random_stream(what.seed(), hw::engine::never)();
}

/// Packets far apart: before the next one is born, the network is as it was.
std::vector<hw::fabric::send_order> far_apart(const ideal_unicasts_run& what,
                                              const std::vector<ideal_unicasts_run::lone_packet>& packets) {
    // Where buffers are shorter than a packet it takes longer than the formula says: at most a credit's way for each
    // flit.
    const hw::fabric::fabric_params& params = what.params();
    const cycle way = 2 * (1 + params.link_delay) + params.router.xbar_stages + params.tables.route_delay;
    cycle birth = 0;
    std::vector<hw::fabric::send_order> orders;
    for (const ideal_unicasts_run::lone_packet& packet : packets) {
        orders.push_back({packet.from, packet.to, birth, packet.flits, 0});
        birth += packet.expected + 2 * (packet.flits + 1) * way;
    }
    return orders;
}

/// Latencies of packets one at a time.
std::vector<cycle> lone_latencies(const ideal_unicasts_run& what,
                                  const std::vector<ideal_unicasts_run::lone_packet>& packets, const instance& on,
                                  const network_factory& factory, const std::function<bool()>& stop) {
    ideal_traffic traffic;
    traffic.orders = far_apart(what, packets);
    std::vector<cycle> births, latencies(packets.size());
    for (const hw::fabric::send_order& order : traffic.orders) births.push_back(order.birth);
    ideal_unicasts hosts(what.params(), std::move(traffic), 0, hw::engine::never, payload_seed(what));
    hosts.on_arrival = [&](cycle birth, cycle when) {
        latencies[static_cast<std::size_t>(std::ranges::lower_bound(births, birth) - births.begin())] = when - birth;
    };
    const ideal_job job{what.params(), {}, hosts, hosts};
    run_ideal_chips(on, job, factory, stop, {});
    return latencies;
}

run_result run_lone_packets(const ideal_unicasts_run& what, const instance& on, const network_factory& factory,
                            const std::function<bool()>& stop) {
    run_result result;
    result.fabric.emplace();
    const auto packets = what.lone_packets();
    what.judge_zero_load(result, packets, lone_latencies(what, packets, on, factory, stop));
    return result;
}

ideal_unicasts_run::seen seen_of(const ideal_unicasts_run& what, const ideal_unicasts& hosts, const watcher& packets) {
    ideal_unicasts_run::seen all{packets, hosts.statistics()};
    all.missing = hosts.missing();
    hosts.for_each_missing([&](cycle birth) { what.note_missing(all, birth); });
    all.missing_names = hosts.missing_packets(8);
    all.faults = hosts.faults();
    all.fault_count = hosts.fault_count();
    all.backlog_begin = hosts.cuts()[0].missing();
    all.backlog_end = hosts.cuts()[1].missing();
    return all;
}

run_result run_traffic(const ideal_unicasts_run& what, const instance& on, const ideal_job& job,
                       const ideal_unicasts& hosts, const watcher& packets, const network_factory& factory,
                       const std::function<bool()>& stop, const instrumentation& instruments) {
    ideal_outcome outcome = run_ideal_chips(on, job, factory, stop, instruments);
    ideal_unicasts_run::seen all = seen_of(what, hosts, packets);
    all.at_end = outcome.at_end;
    // As a fabric counts: behind the last cycle in which something happens, which nothing does in cycle 0.
    const cycle last = std::max(outcome.last_move, hosts.last_birth().value_or(0));
    const bool saturated = outcome.result.ended == hw::system::run_outcome::kind::saturated;
    all.cycles = all.at_end ? job.end : saturated ? job.review : last == 0 && !hosts.last_birth() ? 0 : last + 1;
    all.flit_hops = outcome.counted.flit_hops;
    all.router_steps = outcome.counted.router_steps;
    what.count(outcome.result, all);
    if (outcome.counted.links) outcome.result.links = loads_of(on.plan, *outcome.counted.links);
    return std::move(outcome.result);
}

}  // namespace

run_result run_unicasts_on_chips(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                 const network_factory& factory, const std::function<bool()>& stop,
                                 const instrumentation& instruments) {
    const ideal_unicasts_run what(scenario, on, workload);
    const auto lone = [&] { return run_lone_packets(what, on, factory, stop); };
    const run_result alone = one_of_several(factory, lone);
    ideal_unicasts hosts(what.params(), traffic_of(what), what.from(), what.to(), payload_seed(what));
    watcher packets = what.make_watcher();
    hosts.on_arrival = [&packets](cycle birth, cycle when) { packets.note(birth, when); };
    if (what.load()) {
        const cycle late = hw::system::ideal_watch::crossing(what.params());
        hosts.count({what.from(), what.from() + late}, {what.to(), what.to() + late});
    }
    ideal_job job{what.params(), {}, hosts, hosts};
    job.end = what.end();
    if (what.reviewed()) {
        job.review = what.to();
        job.give_up = [&] { return what.gives_up(seen_of(what, hosts, packets)); };
    }
    job.patience = scenario.values.patience;
    job.links = what.counts_links();
    run_result result = run_traffic(what, on, job, hosts, packets, factory, stop, instruments);
    result.fabric->zero_load = alone.fabric->zero_load;
    if (alone.broken) {
        result.broken = true;
        result.diagnosis = alone.diagnosis;
    }
    return result;
}

}  // namespace polycast::tlm::sim
