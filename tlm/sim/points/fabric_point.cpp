// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/points/fabric_point.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "hw/chips/router_route.h"
#include "hw/fabric/each_to_each.h"
#include "hw/fabric/open_loop.h"
#include "hw/fabric/pattern.h"
#include "hw/fabric/router_fabric.h"
#include "hw/fabric/terminals.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/sim/points/allgather_point.h"
#include "tlm/sim/points/fabric_watch.h"

namespace polycast::tlm::sim {

using hw::fabric::fabric_params;
using hw::fabric::pattern;
using hw::fabric::send_order;
using hw::traffic::random_stream;
using scenario::unicast_pattern;

namespace {

unsigned distance(const hw::chips::router_params& router, bool torus, std::uint32_t from, std::uint32_t to) {
    const hw::chips::coordinates a = hw::chips::coordinates_of(from, router.dimensions, router.radix);
    const hw::chips::coordinates b = hw::chips::coordinates_of(to, router.dimensions, router.radix);
    unsigned hops = 0;
    for (unsigned d = 0; d < router.dimensions; ++d) {
        const unsigned apart = a[d] < b[d] ? b[d] - a[d] : a[d] - b[d];
        hops += torus ? std::min(apart, router.radix - apart) : apart;
    }
    return hops;
}

/// One workload of unicasts on one network.
class unicast_run {
public:
    unicast_run(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                const std::function<bool()>& stop)
        : s_(scenario.values),
          w_(s_.workloads[workload]),
          stop_(stop),
          params_(fabric_params_of(scenario, needs_of(scenario, workload))),
          hotspots_(hotspots_of(scenario, workload, on.plan.network)),
          from_(w_.rate ? s_.measurement.warmup : 0),
          to_(w_.rate ? from_ + s_.measurement.window : hw::engine::never),
          seed_(random_stream(s_.seed, on.index)()),
          network_(on.plan) {}

    point_result run() {
        router_fabric fabric(params_, s_.network.threads);
        std::vector<terminals> ends;
        constexpr std::size_t fine = 2000;
        watcher one{from_, to_, {from_, to_, s_.measurement.batches}, {0, to_, fine}};
        if (s_.measurement.links) one.links.emplace(params_);
        std::vector<watcher> seen(fabric.partitions(), one);
        for (std::size_t part = 0; part < fabric.partitions(); ++part) ends.emplace_back(fabric, from_, to_, part);
        if (w_.pattern == unicast_pattern::each_to_each) {
            std::vector<hw::fabric::each_to_each> traffic;
            for (std::size_t part = 0; part < ends.size(); ++part)
                traffic.emplace_back(ends[part], fabric.nodes(), static_cast<std::uint16_t>(w_.flits),
                                     fabric.nodes_of(part));
            finish(fabric, ends, traffic, seen, hw::engine::never);
        } else if (w_.rate) {
            hw::fabric::open_loop_params load;
            load.load = boost::rational_cast<double>(*w_.rate);
            load.flits_min = w_.flits;
            load.flits_max = longest();
            load.seed = seed_;
            load.until = to_;
            std::vector<hw::fabric::open_loop> traffic;
            for (std::size_t part = 0; part < ends.size(); ++part)
                traffic.emplace_back(ends[part], fabric.nodes_of(part), make_pattern(), load);
            advance(fabric, traffic, seen, from_);
            backlog_begin_ = ends.front().missing();
            advance(fabric, traffic, seen, to_);
            backlog_end_ = ends.front().missing();
            finish(fabric, ends, traffic, seen, to_ + s_.measurement.drain_limit);
        } else {
            std::vector<queued> traffic;
            for (std::size_t part = 0; part < ends.size(); ++part) {
                traffic.emplace_back(ends[part]);
                queue_all(fabric.nodes_of(part), ends[part]);
            }
            finish(fabric, ends, traffic, seen, hw::engine::never);
        }
        for (std::size_t part = 1; part < seen.size(); ++part) seen.front() += seen[part];
        result_.fabric = measured(fabric, seen.front());
        if (seen.front().links) result_.links = loads_of(network_, *seen.front().links);
        judge_zero_load();
        return std::move(result_);
    }

private:
    unsigned longest() const { return w_.most_flits.value_or(w_.flits); }

    pattern make_pattern() const {
        using hw::fabric::pattern_kind;
        const auto kind = [&] {
            switch (w_.pattern) {
                case unicast_pattern::transpose: return pattern_kind::transpose;
                case unicast_pattern::bit_complement: return pattern_kind::bit_complement;
                case unicast_pattern::tornado: return pattern_kind::tornado;
                case unicast_pattern::hotspot: return pattern_kind::hotspot;
                case unicast_pattern::uniform:
                case unicast_pattern::permutation:
                case unicast_pattern::each_to_each: break;
            }
            return pattern_kind::uniform;
        };
        return {kind(), params_.router, hotspots_, boost::rational_cast<double>(w_.hotspot_fraction)};
    }

    /// Every host its messages at once.
    void queue_all(router_fabric::node_range senders, terminals& ends) const {
        const pattern where = make_pattern();
        for (std::uint32_t node = senders.first; node < senders.first + senders.count; ++node) {
            random_stream random(seed_, node);
            for (unsigned message = 0; message < w_.messages && !where.silent(node); ++message) {
                const std::uint32_t to = where.destination(node, random);
                if (to != node) ends.queue({node, to, 0, draw_flits(random), 0});
            }
        }
    }

    std::uint16_t draw_flits(random_stream& random) const {
        return static_cast<std::uint16_t>(w_.flits + pattern::below(longest() - w_.flits + 1, random));
    }

    /// \returns whether there is more to do
    template <typename traffic>
    bool advance(router_fabric& fabric, std::vector<traffic>& inner, std::vector<watcher>& seen, cycle end) const {
        constexpr cycle slice = 1u << 16;
        std::vector<watched<traffic>> outside;
        for (std::size_t part = 0; part < inner.size(); ++part) outside.emplace_back(inner[part], fabric, seen[part]);
        while (fabric.now() < end) {
            if (stop_()) return true;
            const cycle until = std::min(end, fabric.now() + slice);
            fabric.run(until, outside);
            if (fabric.now() < until) return false;
        }
        return true;
    }

    template <typename traffic>
    void finish(router_fabric& fabric, const std::vector<terminals>& ends, std::vector<traffic>& inner,
                std::vector<watcher>& seen, cycle end) {
        using kind = hw::system::run_outcome::kind;
        const bool more = advance(fabric, inner, seen, end);
        const std::uint64_t missing = ends.front().missing();
        std::uint64_t faults = 0;
        for (const terminals& part : ends) {
            statistics_ += part.statistics();
            faults += part.fault_count();
            result_.faults.insert(result_.faults.end(), part.faults().begin(), part.faults().end());
        }
        result_.ended = missing == 0 && !more ? kind::complete : more ? kind::limit : kind::stuck;
        if (stop_()) result_.ended = kind::stopped;
        result_.cycles = fabric.now();
        hw::traffic::delivery_counts& counts = result_.counts;
        counts.missing = missing;
        counts.corrupted = std::min(faults, statistics_.packets);
        counts.delivered = statistics_.packets - counts.corrupted;
        counts.expected = statistics_.packets + counts.missing;
        counts.messages = counts;
        if (result_.ended == kind::limit) {
            result_.diagnosis = "not all was delivered within the drain limit of " +
                                std::to_string(s_.measurement.drain_limit) + " cycles after the window";
        } else if (result_.ended == kind::stuck) {
            result_.diagnosis = std::to_string(counts.missing) + " packets did not arrive, and nothing moves any more";
            for (const std::string& name : ends.front().missing_packets(8)) result_.diagnosis += "; " + name;
        }
    }

    fabric_result measured(const router_fabric& fabric, const watcher& seen) const {
        fabric_result found;
        found.flit_hops = fabric.flit_hops();
        found.router_steps = fabric.router_steps();
        found.latency = summarise(statistics_.latency, seen.least, seen.most);
        if (!w_.rate) return found;
        const double cell = static_cast<double>(fabric.nodes()) * static_cast<double>(to_ - from_);
        found.generated = static_cast<double>(statistics_.born) / cell;
        found.accepted = static_cast<double>(statistics_.accepted) / cell;
        found.load = load_of(fabric, seen);
        std::vector<double> means;
        for (const load_batch& batch : found.load->batches)
            if (batch.finished != 0) means.push_back(batch.mean);
        found.latency.ci95 = confidence(means);
        return found;
    }

    load_results load_of(const router_fabric& fabric, const watcher& seen) const {
        load_results load;
        std::uint64_t finished = 0;
        for (std::size_t place = 0; place < seen.batches.size(); ++place) {
            load_batch& batch = load.batches.emplace_back();
            batch.from = seen.batches.begin(place);
            batch.to = seen.batches.begin(place + 1);
            batch.created = batch.finished = seen.batches.count(place);
            if (batch.finished != 0) batch.mean = seen.batches.mean(place);
            finished += batch.finished;
        }
        load.created = finished;
        const hw::fabric::packet_pool& packets = fabric.packets();
        for (packet_id id = hw::fabric::packet_pool::first_handle; id < packets.end(); ++id) {
            const hw::fabric::packet& left = packets[id];
            if (left.flits == 0 || left.birth < from_ || left.birth >= to_) continue;
            ++load.created;
            ++load.batches[(left.birth - from_) * load.batches.size() / (to_ - from_)].created;
        }
        load.completed = seen.completed;
        load.backlog_begin = backlog_begin_;
        load.backlog_end = backlog_end_;
        load.warmup = from_;
        find_warmup(load, seen.whole);
        judge(load, finished >= fewest_for_warmup);
        return load;
    }

    /// By means over short stretches of time, in thousandths of a cycle.
    static void find_warmup(load_results& load, const stretches& whole) {
        std::vector<std::uint64_t> means;
        std::vector<std::size_t> places;
        for (std::size_t place = 0; place < whole.size(); ++place) {
            if (whole.count(place) == 0) continue;
            means.push_back(static_cast<std::uint64_t>(std::llround(1000 * whole.mean(place))));
            places.push_back(place);
        }
        const auto cut = warmup_of(means);
        if (!cut) return;
        load.warmup_detected = *cut == 0 ? 0 : whole.begin(places[*cut]);
        const auto inside = std::ranges::find_if(places, [&](std::size_t p) { return whole.begin(p) >= load.warmup; });
        const double rest = whole.mean_from(places[*cut]);
        if (inside != places.end() && rest != 0) load.warmup_bias = whole.mean_from(*inside) / rest - 1;
    }

    /// Packets one at a time: all pairs, or where they are many some.
    zero_load_result zero_load() const {
        router_fabric fabric(params_);
        terminals ends(fabric, 0, hw::engine::never);
        queued traffic(ends);
        zero_load_result found;
        found.exact = longest() <= params_.router.vc_flits;
        double measured = 0, formula = 0;
        const auto send = [&](std::uint32_t from, std::uint32_t to, unsigned flits) {
            const cycle birth = fabric.now();
            watcher seen{0, hw::engine::never, {0, 1, 1}, {0, 1, 1}};
            watched<queued> outside(traffic, fabric, seen);
            ends.queue({from, to, birth, static_cast<std::uint16_t>(flits), 0});
            fabric.run(hw::engine::never, outside);
            const std::uint64_t expected =
                lone_latency(params_, distance(params_.router, params_.tables.wrap != 0, from, to), flits);
            ++found.packets;
            measured += static_cast<double>(seen.most);
            formula += static_cast<double>(expected);
            found.different += seen.most != expected ? 1 : 0;
        };
        constexpr std::uint64_t most = 4096;
        const std::uint64_t nodes = fabric.nodes();
        const pattern where = make_pattern();
        random_stream random(seed_, nodes);
        const bool spread = w_.pattern == unicast_pattern::uniform || w_.pattern == unicast_pattern::each_to_each;
        if (spread && nodes * (nodes - 1) <= most) {
            for (std::uint32_t from = 0; from < nodes; ++from)
                for (std::uint32_t to = 0; to < nodes; ++to)
                    if (from != to) send(from, to, draw_flits(random));
        } else {
            const bool fixed = !spread && w_.pattern != unicast_pattern::hotspot;
            for (std::uint64_t turn = 0; turn < (fixed ? std::min(nodes, most) : most); ++turn) {
                const auto from = static_cast<std::uint32_t>(turn % nodes);
                if (where.silent(from)) continue;
                const std::uint32_t to = where.destination(from, random);
                if (to != from) send(from, to, draw_flits(random));
            }
        }
        found.measured = measured / static_cast<double>(std::max<std::uint64_t>(found.packets, 1));
        found.formula = formula / static_cast<double>(std::max<std::uint64_t>(found.packets, 1));
        return found;
    }

    /// What the formula does not give, where it must, is a fault of the model.
    void judge_zero_load() {
        const zero_load_result found = zero_load();
        result_.fabric->zero_load = found;
        if (!found.exact || found.different == 0) return;
        result_.broken = true;
        result_.diagnosis = std::to_string(found.different) + " of " + std::to_string(found.packets) +
                            " packets that were alone in the network took another time than the formula says";
    }

    const scenario::settings& s_;
    const scenario::workload_settings& w_;
    const std::function<bool()>& stop_;
    fabric_params params_;
    std::vector<std::uint32_t> hotspots_;
    cycle from_, to_;
    std::uint64_t seed_;
    const hw::system::system_plan& network_;
    hw::fabric::terminal_statistics statistics_;  ///< of all partitions
    std::uint64_t backlog_begin_ = 0, backlog_end_ = 0;
    point_result result_;
};

}  // namespace

void check_fabric_point(const scenario::loaded& scenario, const hw::topology::graph& network, std::size_t workload) {
    if (scenario.values.workloads[workload].kind == scenario::traffic_kind::allgather)
        return check_allgather(scenario, workload);
    const fabric_params params = fabric_params_of(scenario, needs_of(scenario, workload));
    if (scenario.values.network.threads > params.router.nodes())
        scenario.fail("network.threads",
                      "'network.threads' of " + std::to_string(scenario.values.network.threads) +
                          " is more than the network has routers",
                      "take at most " + std::to_string(params.router.nodes()));
    hotspots_of(scenario, workload, network);
}

point_result run_fabric_point(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                              const std::function<bool()>& stop) {
    if (scenario.values.workloads[workload].kind == scenario::traffic_kind::allgather)
        return run_allgather(scenario, on, workload, random_stream(scenario.values.seed, on.index)(), stop);
    return unicast_run(scenario, on, workload, stop).run();
}

std::uint64_t lone_latency(const fabric_params& params, unsigned hops, unsigned flits) {
    const std::uint64_t hop = params.tables.route_delay + 1 + params.router.xbar_stages + params.link_delay;
    return 1 + params.link_delay + (hops + 1) * hop + flits - 1;
}

}  // namespace polycast::tlm::sim
