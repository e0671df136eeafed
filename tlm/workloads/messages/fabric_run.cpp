// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/fabric_run.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "hw/engine/packing.h"
#include "hw/fabric/each_to_each.h"
#include "hw/fabric/router_fabric.h"
#include "hw/fabric/terminals.h"
#include "tlm/workloads/messages/ideal_unicasts_run.h"

namespace polycast::tlm::sim {

namespace {

using hw::fabric::finding;

/// What was seen on a rank. The words of all partitions are put in order before they are results.
struct rank_seen {
    ideal_unicasts_run::seen all;
    std::vector<finding> faults = {}, oldest = {};
    std::uint64_t bytes = 0;  ///< that went to other ranks

    void add(const rank_seen& others) {
        all += others.all;
        faults.insert(faults.end(), others.faults.begin(), others.faults.end());
        oldest.insert(oldest.end(), others.oldest.begin(), others.oldest.end());
        bytes += others.bytes;
    }
    template <typename archive>
    void serialize(archive& each) {
        each(all, faults, oldest, bytes);
    }
};

std::vector<std::string> first_of(std::vector<finding> all, std::size_t most) {
    std::ranges::sort(all);
    all.resize(std::min(most, all.size()));
    std::vector<std::string> words;
    for (finding& one : all) words.push_back(std::move(one.text));
    return words;
}

/// One workload of unicasts on one fabric, or on the part of it that a rank has.
class unicast_run {
public:
    unicast_run(const ideal_unicasts_run& what, unsigned threads, const rank_pointer& ranks,
                const std::function<bool()>& stop)
        : what_(what),
          ranks_(ranks),
          stop_(stop),
          fabric_(what.params(), threads, false, ranks),
          watchers_(fabric_.partitions(), what.make_watcher()) {
        for (std::size_t part = 0; part < fabric_.partitions(); ++part)
            ends_.emplace_back(fabric_, what.from(), what.to(), part);
        if (what.counts_links()) links_.assign(fabric_.partitions(), hw::fabric::link_counts(what.params()));
    }

    /// Where nothing is left inside, as good as a new one.
    router_fabric* idle_fabric() { return !ranks_ && fabric_.partitions() == 1 && fabric_.idle() ? &fabric_ : nullptr; }

    /// \throws hw::engine::simulated_elsewhere on all ranks but the first
    run_result run() {
        run_result result;
        ideal_unicasts_run::seen all{what_.make_watcher(), {}};
        if (what_.each_to_each()) {
            std::vector<hw::fabric::each_to_each> traffic;
            on_all(ranks_, [&] {
                for (std::size_t part = 0; part < ends_.size(); ++part)
                    traffic.emplace_back(ends_[part], fabric_.nodes(), static_cast<std::uint16_t>(what_.flits()),
                                         fabric_.nodes_of(part));
            });
            all.at_end = advance(traffic, what_.end());
        } else if (const auto load = what_.load()) {
            std::vector<hw::fabric::open_loop> traffic;
            on_all(ranks_, [&] {
                for (std::size_t part = 0; part < ends_.size(); ++part)
                    traffic.emplace_back(ends_[part], fabric_.nodes_of(part), what_.where(), *load);
            });
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
            on_all(ranks_, [&] {
                for (std::size_t part = 0; part < ends_.size(); ++part) {
                    traffic.emplace_back(ends_[part]);
                    for (const hw::fabric::send_order& order : what_.orders(fabric_.nodes_of(part)))
                        ends_[part].queue(order);
                }
            });
            all.at_end = advance(traffic, what_.end());
        }
        if (stopped()) result.ended = hw::system::run_outcome::kind::stopped;
        rank_seen found = seen_by_all(all);
        found.all.at_end = all.at_end;
        collect_links();
        if (ranks_ && !ranks_->first()) throw hw::engine::simulated_elsewhere();
        found.all.cycles = fabric_.now();
        found.all.faults = first_of(std::move(found.faults), hw::delivery::fault_list::most);
        found.all.missing_names = first_of(std::move(found.oldest), most_missing);
        what_.count(result, found.all);
        if (ranks_) {
            result.ranks = fabric_.costs();
            result.ranks->bytes = found.bytes;
        }
        return result;
    }

    /// What came over the links, where they are counted.
    std::optional<hw::fabric::link_counts> take_links() {
        if (links_.empty()) return std::nullopt;
        return std::move(links_.front());
    }

private:
    /// \returns whether there is more to do
    template <typename traffic>
    bool advance(std::vector<traffic>& inner, cycle end) {
        // Large fabrics need longer for a cycle, and nobody wants to wait until they notice that they shall end.
        const cycle slice = std::max<cycle>((cycle{1} << 22) / fabric_.nodes(), 16);
        std::vector<watched<traffic>> outside;
        for (std::size_t part = 0; part < inner.size(); ++part)
            outside.emplace_back(inner[part], fabric_, watchers_[part], links_.empty() ? nullptr : &links_[part]);
        while (fabric_.now() < end) {
            if (stopped()) return true;
            const cycle until = std::min(end, fabric_.now() + slice);
            fabric_.run(until, outside);
            if (fabric_.now() < until) return false;
        }
        return true;
    }

    bool stopped() const { return as_first(ranks_, stop_()); }

    bool gives_up(const ideal_unicasts_run::seen& all) const {
        if (!what_.reviewed() || stopped()) return false;
        const rank_seen now = seen_by_all(all);
        return as_first(ranks_, (!ranks_ || ranks_->first()) && what_.gives_up(now.all));
    }

    /// `all`: with the backlogs of this rank. \returns on the first rank what all have seen
    rank_seen seen_by_all(const ideal_unicasts_run::seen& all) const {
        rank_seen found{all};
        if (!ranks_) {
            collect(found);
            return found;
        }
        std::string own;
        on_all(ranks_, [&] {
            collect(found);
            own = hw::engine::packed(found);
        });
        const std::vector<std::string> others = ranks_->gather(own);
        on_all(ranks_, [&] {
            for (std::size_t rank = 1; rank < others.size(); ++rank) {
                rank_seen one{{what_.make_watcher(), {}}};
                hw::engine::unpack(others[rank], one);
                found.add(one);
            }
        });
        return found;
    }

    /// Of the partitions here.
    void collect(rank_seen& found) const {
        ideal_unicasts_run::seen& all = found.all;
        for (const watcher& part : watchers_) all.packets += part;
        for (const terminals& part : ends_) {
            all.statistics += part.statistics();
            all.fault_count += part.fault_count();
            const std::vector<finding> faults = part.placed_faults();
            found.faults.insert(found.faults.end(), faults.begin(), faults.end());
        }
        all.missing = ends_.front().missing();
        found.oldest = ends_.front().oldest_missing(most_missing);
        const hw::fabric::packet_pool& packets = fabric_.packets();
        for (packet_id id = hw::fabric::packet_pool::first_handle; id < packets.end(); ++id)
            if (packets[id].flits != 0) what_.note_missing(all, packets[id].birth);
        all.flit_hops = fabric_.flit_hops();
        all.router_steps = fabric_.router_steps();
        if (ranks_) found.bytes = fabric_.costs().bytes;
    }

    /// Puts all that was counted into the first object, on the first rank.
    void collect_links() {
        if (links_.empty()) return;
        hw::fabric::link_counts& all = links_.front();
        for (std::size_t part = 1; part < links_.size(); ++part) all += links_[part];
        if (!ranks_) return;
        const std::uint32_t first = fabric_.nodes_of(0).first;
        std::uint32_t nodes = 0;
        for (std::size_t part = 0; part < links_.size(); ++part) nodes += fabric_.nodes_of(part).count;
        std::string own(reinterpret_cast<const char*>(&first), sizeof first);
        own.append(reinterpret_cast<const char*>(&nodes), sizeof nodes);
        for (const auto& counts : all.of_nodes(first, nodes))
            own.append(reinterpret_cast<const char*>(counts.data()), counts.size_bytes());
        const std::vector<std::string> others = ranks_->gather(own);
        for (std::size_t rank = 1; rank < others.size(); ++rank) {
            const char* from = others[rank].data();
            const auto take = [&](void* to, std::size_t bytes) {
                std::memcpy(to, from, bytes);
                from += bytes;
            };
            std::uint32_t their_first = 0, theirs = 0;
            take(&their_first, sizeof their_first);
            take(&theirs, sizeof theirs);
            for (const auto& counts : all.of_nodes(their_first, theirs)) take(counts.data(), counts.size_bytes());
        }
    }

    static constexpr std::size_t most_missing = 8;

    const ideal_unicasts_run& what_;
    const rank_pointer& ranks_;  ///< null: alone
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
                                  const rank_pointer& ranks, const std::function<bool()>& stop) {
    const ideal_unicasts_run what(scenario, on, workload);
    std::optional<unicast_run> run;
    on_all(ranks, [&] { run.emplace(what, scenario.values.network.threads.value_or(1), ranks, stop); });
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
