// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/fabric_run.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "hw/fabric/each_to_each.h"
#include "hw/fabric/router_fabric.h"
#include "hw/fabric/terminals.h"
#include "tlm/workloads/messages/ideal_unicasts_run.h"

namespace polycast::tlm::sim {

namespace {

/// One workload of unicasts on one fabric.
class unicast_run {
public:
    unicast_run(const ideal_unicasts_run& what, unsigned threads, const std::function<bool()>& stop)
        : what_(what),
          stop_(stop),
          fabric_(what.params(), threads),
          watchers_(fabric_.partitions(), what.make_watcher()) {
        for (std::size_t part = 0; part < fabric_.partitions(); ++part)
            ends_.emplace_back(fabric_, what.from(), what.to(), part);
        if (what.counts_links()) links_.assign(fabric_.partitions(), hw::fabric::link_counts(what.params()));
    }

    /// Where nothing is left inside, as good as a new one.
    router_fabric* idle_fabric() { return fabric_.partitions() == 1 && fabric_.idle() ? &fabric_ : nullptr; }

    run_result run() {
        run_result result;
        ideal_unicasts_run::seen all{watchers_.front(), {}};
        if (what_.each_to_each()) {
            std::vector<hw::fabric::each_to_each> traffic;
            for (std::size_t part = 0; part < ends_.size(); ++part)
                traffic.emplace_back(ends_[part], fabric_.nodes(), static_cast<std::uint16_t>(what_.flits()),
                                     fabric_.nodes_of(part));
            all.at_end = advance(traffic, what_.end());
        } else if (const auto load = what_.load()) {
            std::vector<hw::fabric::open_loop> traffic;
            for (std::size_t part = 0; part < ends_.size(); ++part)
                traffic.emplace_back(ends_[part], fabric_.nodes_of(part), what_.where(), *load);
            advance(traffic, what_.from());
            all.backlog_begin = ends_.front().missing();
            advance(traffic, what_.to());
            all.backlog_end = ends_.front().missing();
            if (gives_up(all)) {
                result.ended = hw::system::run_outcome::kind::saturated;
            } else {
                all.at_end = advance(traffic, what_.end());
            }
        } else {
            std::vector<queued> traffic;
            for (std::size_t part = 0; part < ends_.size(); ++part) {
                traffic.emplace_back(ends_[part]);
                for (const hw::fabric::send_order& order : what_.orders(fabric_.nodes_of(part)))
                    ends_[part].queue(order);
            }
            all.at_end = advance(traffic, what_.end());
        }
        if (stop_()) result.ended = hw::system::run_outcome::kind::stopped;
        collect(all);
        what_.count(result, all);
        return result;
    }

    /// What came over the links, where they are counted.
    std::optional<hw::fabric::link_counts> take_links() {
        if (links_.empty()) return std::nullopt;
        for (std::size_t part = 1; part < links_.size(); ++part) links_.front() += links_[part];
        return std::move(links_.front());
    }

private:
    /// \returns whether there is more to do
    template <typename traffic>
    bool advance(std::vector<traffic>& inner, cycle end) {
        constexpr cycle slice = 1u << 16;
        std::vector<watched<traffic>> outside;
        for (std::size_t part = 0; part < inner.size(); ++part)
            outside.emplace_back(inner[part], fabric_, watchers_[part], links_.empty() ? nullptr : &links_[part]);
        while (fabric_.now() < end) {
            if (stop_()) return true;
            const cycle until = std::min(end, fabric_.now() + slice);
            fabric_.run(until, outside);
            if (fabric_.now() < until) return false;
        }
        return true;
    }

    bool gives_up(const ideal_unicasts_run::seen& all) const {
        if (stop_()) return false;
        ideal_unicasts_run::seen now = all;
        collect(now);
        return what_.gives_up(now);
    }

    void collect(ideal_unicasts_run::seen& all) const {
        all.packets = watchers_.front();
        for (std::size_t part = 1; part < watchers_.size(); ++part) all.packets += watchers_[part];
        for (const terminals& part : ends_) {
            all.statistics += part.statistics();
            all.fault_count += part.fault_count();
            all.faults.insert(all.faults.end(), part.faults().begin(), part.faults().end());
        }
        all.missing = ends_.front().missing();
        all.missing_names = ends_.front().missing_packets(8);
        const hw::fabric::packet_pool& packets = fabric_.packets();
        for (packet_id id = hw::fabric::packet_pool::first_handle; id < packets.end(); ++id)
            if (packets[id].flits != 0) all.missing_births.push_back(packets[id].birth);
        all.cycles = fabric_.now();
        all.flit_hops = fabric_.flit_hops();
        all.router_steps = fabric_.router_steps();
    }

    const ideal_unicasts_run& what_;
    const std::function<bool()>& stop_;
    router_fabric fabric_;
    std::vector<terminals> ends_;
    std::vector<watcher> watchers_;
    std::vector<hw::fabric::link_counts> links_;  ///< of a partition each; empty: not counted
};

/// Latencies of packets one at a time.
std::vector<cycle> lone_latencies(router_fabric& fabric, const std::vector<ideal_unicasts_run::lone_packet>& packets) {
    terminals ends(fabric, 0, hw::engine::never);
    queued traffic(ends);
    std::vector<cycle> latencies;
    for (const ideal_unicasts_run::lone_packet& packet : packets) {
        watcher seen{0, hw::engine::never, {0, 1, 1}, {0, 1, 1}};
        watched<queued> outside(traffic, fabric, seen);
        ends.queue({packet.from, packet.to, fabric.now(), packet.flits, 0});
        fabric.run(hw::engine::never, outside);
        latencies.push_back(seen.most);
    }
    return latencies;
}

}  // namespace

run_result run_unicasts_on_fabric(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                  const std::function<bool()>& stop) {
    const ideal_unicasts_run what(scenario, on, workload);
    std::optional<unicast_run> run(std::in_place, what, scenario.values.network.threads.value_or(1), stop);
    run_result result = run->run();
    const std::optional<hw::fabric::link_counts> links = run->take_links();
    const auto packets = what.lone_packets();
    if (router_fabric* const idle = run->idle_fabric(); idle != nullptr) {
        what.judge_zero_load(result, packets, lone_latencies(*idle, packets));
        run.reset();
    } else {
        run.reset();
        router_fabric fresh(what.params());
        what.judge_zero_load(result, packets, lone_latencies(fresh, packets));
    }
    // Without the fabric beside them.
    if (links) result.links = loads_of(on.plan, *links);
    return result;
}

}  // namespace polycast::tlm::sim
