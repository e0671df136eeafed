// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/ideal_unicasts_run.h"

#include <algorithm>
#include <cmath>

#include "hw/chips/router/router_route.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/workloads/messages/messages_params.h"

namespace polycast::tlm::sim {

using hw::fabric::send_order;
using hw::traffic::draws;
using hw::traffic::random_stream;

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

/// By means over short stretches of time, in thousandths of a cycle.
void find_warmup(load_results& load, const stretches& whole) {
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

}  // namespace

ideal_unicasts_run::ideal_unicasts_run(const scenario::loaded& scenario, const instance& on, std::size_t workload)
    : s_(scenario.values),
      w_(s_.workloads[workload]),
      params_(fabric_params_of(scenario, needs_of(scenario, workload))),
      from_(w_.rate ? s_.measurement.warmup : 0),
      to_(w_.rate ? from_ + s_.measurement.window : hw::engine::never),
      seed_(random_stream(s_.seed, on.index)()),
      where_(hw::fabric::pattern_on(params_.router, pattern_params_of(scenario, workload, on.plan.network), seed_)) {}

std::optional<hw::fabric::open_loop_params> ideal_unicasts_run::load() const {
    if (!w_.rate || each_to_each()) return {};
    hw::fabric::open_loop_params load;
    load.load = boost::rational_cast<double>(*w_.rate);
    load.flits_min = w_.flits;
    load.flits_max = longest();
    load.seed = seed_;
    load.until = to_;
    return load;
}

std::vector<send_order> ideal_unicasts_run::orders(router_fabric::node_range senders) const {
    std::vector<send_order> all;
    for (std::uint32_t node = senders.first; node < senders.first + senders.count; ++node) {
        random_stream random(seed_, node);
        for (unsigned message = 0; message < w_.messages && !where_->silent(node); ++message) {
            const std::uint32_t to = where_->destination(node, message, {random, true});
            if (to != node) all.push_back({node, to, 0, draw_flits(random), 0});
        }
    }
    return all;
}

std::uint16_t ideal_unicasts_run::draw_flits(random_stream& random) const {
    return static_cast<std::uint16_t>(w_.flits + draws{random, true}.below(longest() - w_.flits + 1));
}

watcher ideal_unicasts_run::make_watcher() const {
    constexpr std::size_t fine = 2000;
    return {from_, to_, {from_, to_, s_.measurement.batches}, {0, to_, fine}};
}

void ideal_unicasts_run::count(run_result& result, const seen& all) const {
    using kind = hw::system::run_outcome::kind;
    if (result.ended != kind::stopped && result.ended != kind::saturated)
        result.ended = all.missing == 0 && !all.at_end ? kind::complete : all.at_end ? kind::limit : kind::stuck;
    result.cycles = all.cycles;
    result.faults.insert(result.faults.end(), all.faults.begin(), all.faults.end());
    hw::traffic::delivery_counts& counts = result.counts;
    counts.missing = all.missing;
    counts.corrupted = std::min(all.fault_count, all.statistics.packets);
    counts.delivered = all.statistics.packets - counts.corrupted;
    counts.expected = all.statistics.packets + counts.missing;
    if (result.ended == kind::saturated) counts.forgo_missing();
    counts.messages = counts;
    if (result.ended == kind::limit) {
        result.diagnosis = "not all was delivered within the drain limit of " +
                           std::to_string(s_.measurement.drain_limit) + " cycles after the window";
    } else if (result.ended == kind::stuck && !result.broken) {
        result.diagnosis = std::to_string(counts.missing) + " packets did not arrive, and nothing moves any more";
        for (const std::string& name : all.missing_names) result.diagnosis += "; " + name;
    }
    fabric_result& found = result.fabric.emplace();
    found.flit_hops = all.flit_hops;
    found.router_steps = all.router_steps;
    found.latency = summarise(all.statistics.latency, all.packets.least, all.packets.most);
    if (!w_.rate) return;
    const double cell = static_cast<double>(params_.router.nodes()) * static_cast<double>(to_ - from_);
    found.generated = static_cast<double>(all.statistics.born) / cell;
    found.accepted = static_cast<double>(all.statistics.accepted) / cell;
    found.load = load_of(all);
    std::vector<double> means;
    for (const load_batch& batch : found.load->batches)
        if (batch.finished != 0) means.push_back(batch.mean);
    found.latency.ci95 = confidence(means);
}

void ideal_unicasts_run::note_missing(seen& all, cycle birth) const {
    if (!w_.rate || birth < from_ || birth >= to_) return;
    const std::size_t batches = s_.measurement.batches;
    all.missing_in.resize(batches);
    ++all.missing_in[(birth - from_) * batches / (to_ - from_)];
}

ideal_unicasts_run::seen& ideal_unicasts_run::seen::operator+=(const seen& others) {
    packets += others.packets;
    statistics += others.statistics;
    missing += others.missing;
    missing_in.resize(std::max(missing_in.size(), others.missing_in.size()));
    for (std::size_t place = 0; place < others.missing_in.size(); ++place)
        missing_in[place] += others.missing_in[place];
    fault_count += others.fault_count;
    backlog_begin += others.backlog_begin;
    backlog_end += others.backlog_end;
    flit_hops += others.flit_hops;
    router_steps += others.router_steps;
    return *this;
}

bool ideal_unicasts_run::gives_up(const seen& all) const {
    return reviewed() && !load_of(all).kept_up;
}

load_results ideal_unicasts_run::load_of(const seen& all) const {
    load_results load;
    const stretches& batches = all.packets.batches;
    std::uint64_t finished = 0;
    for (std::size_t place = 0; place < batches.size(); ++place) {
        load_batch& batch = load.batches.emplace_back();
        batch.from = batches.begin(place);
        batch.to = batches.begin(place + 1);
        batch.created = batch.finished = batches.count(place);
        if (batch.finished != 0) batch.mean = batches.mean(place);
        finished += batch.finished;
    }
    load.created = finished;
    for (std::size_t place = 0; place < all.missing_in.size(); ++place) {
        load.created += all.missing_in[place];
        load.batches[place].created += all.missing_in[place];
    }
    load.completed = all.packets.completed;
    load.backlog_begin = all.backlog_begin;
    load.backlog_end = all.backlog_end;
    load.warmup = from_;
    find_warmup(load, all.packets.whole);
    judge(load, finished >= fewest_for_warmup);
    return load;
}

std::vector<ideal_unicasts_run::lone_packet> ideal_unicasts_run::lone_packets() const {
    std::vector<lone_packet> all;
    constexpr std::uint64_t most = 4096;
    const std::uint64_t nodes = params_.router.nodes();
    random_stream random(seed_, nodes);
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
        const std::uint16_t flits = draw_flits(random);
        const unsigned hops = distance(params_.router, params_.tables.wrap != 0, from, to);
        all.push_back({from, to, flits, lone_latency(params_, hops, flits)});
    };
    if (where_->spread() && nodes * (nodes - 1) <= most) {
        for (std::uint32_t from = 0; from < nodes; ++from)
            for (std::uint32_t to = 0; to < nodes; ++to)
                if (from != to) add(from, to);
        return all;
    }
    for (std::uint64_t turn = 0; turn < (where_->fixed() ? std::min(nodes, most) : most); ++turn) {
        const auto from = static_cast<std::uint32_t>(turn % nodes);
        if (where_->silent(from)) continue;
        const std::uint32_t to =
            where_->spread() ? where_->uniform(from, {random, true}) : where_->destination(from, 0, {random, true});
        if (to != from) add(from, to);
    }
    return all;
}

void ideal_unicasts_run::judge_zero_load(run_result& result, const std::vector<lone_packet>& packets,
                                         const std::vector<cycle>& measured) const {
    zero_load_result& found = result.fabric->zero_load.emplace();
    found.exact = longest() <= params_.router.vc_flits;
    found.packets = packets.size();
    for (std::size_t index = 0; index < packets.size(); ++index) {
        found.measured += static_cast<double>(measured[index]);
        found.formula += static_cast<double>(packets[index].expected);
        found.different += measured[index] != packets[index].expected ? 1 : 0;
    }
    found.measured /= static_cast<double>(std::max<std::uint64_t>(found.packets, 1));
    found.formula /= static_cast<double>(std::max<std::uint64_t>(found.packets, 1));
    if (!found.exact || found.different == 0) return;
    result.broken = true;
    result.diagnosis = std::to_string(found.different) + " of " + std::to_string(found.packets) +
                       " packets that were alone in the network took another time than the formula says";
}

std::uint64_t lone_latency(const hw::fabric::fabric_params& params, unsigned hops, unsigned flits) {
    const std::uint64_t hop = params.tables.route_delay + 1 + params.router.xbar_stages + params.link_delay;
    return 1 + params.link_delay + (hops + 1) * hop + flits - 1;
}

}  // namespace polycast::tlm::sim
