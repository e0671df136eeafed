// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/broadcast/broadcast_cycles.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "hw/traffic/random.h"
#include "hw/workloads/broadcast/broadcast_network.h"
#include "tlm/sim/networks/instance_parts.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/workloads/broadcast/broadcast_rules.h"
#include "tlm/workloads/broadcast/broadcast_watch.h"
#include "tlm/workloads/run_traces.h"

namespace polycast::tlm::sim {

using hw::topology::bypass_torus;
using hw::topology::graph;
using scenario::loaded;

graph broadcast_graph(const loaded& scenario, const bypass_torus& network) {
    if (network.nodes() > hw::topology::max_hosts) {
        scenario.fail("network.topology.radix",
                      std::to_string(network.nodes()) + " routers are more than the " +
                          std::to_string(hw::topology::max_hosts) + " that are simulated cycle by cycle",
                      "lower the radix, or take 'router.broadcast.timing: step'");
    }
    return hw::broadcast::broadcast_graph(network);
}

namespace {

using hw::broadcast::broadcast_job;
using hw::broadcast::broadcast_network;
using hw::broadcast::router_network_params;
using hw::engine::cycle;

/// Flits of a packet: its payload is filled up to whole flits.
unsigned flits_of(const scenario::settings& s, const scenario::broadcast_workload& w) {
    return (hw::format::pipelined_header_bytes + w.bytes + s.router.flit_bytes - 1) / s.router.flit_bytes;
}

unsigned longest_flits(const scenario::settings& s) {
    unsigned longest = 1;
    for (const scenario::workload_settings& w : s.workloads)
        if (w.kind == scenario::traffic_kind::broadcast) longest = std::max(longest, flits_of(s, w.broadcast));
    return longest;
}

/// What the routers carry besides.
router_needs needs_of_unicasts(const scenario::broadcast_workload& w, std::size_t workload) {
    router_needs needs;
    needs.longest_unicast = w.unicast_flits;
    needs.place = scenario::workload_path(workload, "broadcast.unicast_flits");
    return needs;
}

/// A run, watched.
class cycle_point {
public:
    cycle_point(const loaded& scenario, const instance& on, std::size_t workload, const network_factory& factory,
                const std::function<bool()>& stop, const instrumentation& instruments)
        : scenario_(scenario),
          on_(on),
          w_(scenario.values.workloads[workload].broadcast),
          params_(broadcast_routers_of(scenario, workload)),
          flits_(flits_of(scenario.values, w_)),
          sources_(scenario::sources_of(scenario, workload, scenario::rings_of(scenario))),
          stop_(stop),
          wishes_(instruments),
          jobs_(std::size_t{w_.rounds} * sources_.size()),
          factory_(factory) {}

    run_result run() {
        std::vector<broadcast_job> jobs(jobs_);
        for (std::size_t job = 0; job < jobs_; ++job)
            jobs[job] = {sources_[job % sources_.size()], split_of(scenario_.values, w_), flits_};
        hw::broadcast::broadcast_traffic_params traffic;
        traffic.seed = hw::traffic::random_stream(scenario_.values.seed)();
        traffic.unicasts = {boost::rational_cast<double>(w_.unicasts) / w_.unicast_flits, w_.unicast_flits,
                            scenario_.values.seed};
        traffic.limits = {.cycles = scenario_.values.measurement.drain_limit, .patience = scenario_.values.patience};
        traffic.watch = [this](const broadcast_network& network) { return look(network); };
        broadcast_network network(params_, std::move(jobs), traffic, factory_.chips, factory_.stepper);
        members_ = 1;
        for (std::size_t i = 0; i < params_.dimensions.size(); ++i) members_ *= params_.topology.radix;
        watch_.emplace(params_.topology.radix, static_cast<unsigned>(params_.dimensions.size()),
                       network.rank_of(sources_[0]), w_.packets);
        held_.resize(members_);
        run_traces traces(wishes_, on_, network.plan(), network.network(), factory_);
        network.observe(traces.observer());
        try {
            network.run();
        } catch (const hw::broadcast::delivery_error& wrong) {
            if (!result_.stopped()) {
                result_.broken = true;
                result_.diagnosis = wrong.what();
            }
        }
        network.observe(nullptr);
        result_.ranks = network.network().costs_of_ranks();
        result_.traces = traces.finish(end_of(network));
        count(network);
        return std::move(result_);
    }

private:
    /// Behind every cycle in which something happened. \returns whether to end the run
    bool look(const broadcast_network& network) {
        if (stop_()) {
            result_.ended = hw::system::run_outcome::kind::stopped;
            return true;
        }
        if (wishes_.progress) {
            const double all = static_cast<double>(jobs_) * static_cast<double>(members_ - 1) * w_.packets;
            wishes_.progress(static_cast<double>(network.delivered()) / all);
        }
        const cycle begun = network.times(0).begun;
        if (done_ || begun == 0) return false;
        const cycle time = network.network().now() - begun;
        const std::uint64_t flits = network.so_far().sent_flits;
        if (!watch_->wants(time)) return false;
        network.held(0, held_);
        done_ = std::ranges::all_of(held_, [this](std::uint8_t held) { return held == w_.packets; });
        watch_->note(time, flits - sent_flits_, held_);
        sent_flits_ = flits;
        return false;
    }

    /// Chips may be stepped on when nothing moves any more: that is no part of the run.
    static cycle end_of(const broadcast_network& network) {
        const cycle end = network.so_far().end;
        return end != 0 ? end : network.network().now();
    }

    void count(const broadcast_network& network) {
        const hw::broadcast::broadcast_network_result& seen = network.so_far();
        broadcast_part& found = result_.own.emplace<broadcast_part>();
        found.nodes = members_;
        found.links = directions(network.topology(), params_.dimensions, members_);
        found.sends = seen.sends;
        found.duplicates = seen.duplicates;
        found.stale = seen.stale;
        found.most_sends = *std::ranges::max_element(seen.link_sends);
        result_.cycles = end_of(network);
        for (std::size_t job = 0; job < jobs_; ++job) {
            const hw::broadcast::broadcast_times times = network.times(job);
            const bool all = !result_.broken && !result_.stopped();
            const std::uint32_t source = sources_[job % sources_.size()];
            found.rounds.push_back({source, times.begun, {}, {}});
            result_.transfers.push_back({job, source, times.begun, transfer::unfinished});
            if (!all) continue;
            found.rounds.back().units = times.cycles();
            found.rounds.back().hosts = times.at_hosts + 1 - times.begun;
            result_.transfers.back().completed = times.at_hosts + 1;
        }
        if (!found.rounds.empty() && found.rounds[0].units) watch_->finish(*found.rounds[0].units);
        found.wave = watch_->wave();
        hw::traffic::delivery_counts& counts = result_.counts;
        counts.expected = jobs_ * (members_ - 1) * w_.packets;
        counts.delivered = std::min(network.delivered(), counts.expected);
        counts.missing = counts.expected - counts.delivered;
        if (result_.broken && counts.missing == 0) {
            ++counts.corrupted;
            --counts.delivered;
        }
        counts.messages = counts;
        found.verified_bytes =
            counts.delivered * (flits_ * scenario_.values.router.flit_bytes - hw::format::pipelined_header_bytes);
        if (scenario_.values.measurement.links) {
            result_.links = all_links(on_.plan);
            for (link_load& link : result_.links) {
                const hw::engine::link_statistics came = network.network().statistics(link.to);
                link.flits = came.flits;
                link.packets = came.packets;
            }
        }
        result_.chip_errors = network.network().error_count();
    }

    const loaded& scenario_;
    const instance& on_;
    const scenario::broadcast_workload& w_;
    const router_network_params params_;
    const unsigned flits_;
    const std::vector<std::uint32_t> sources_;
    const std::function<bool()>& stop_;
    const instrumentation& wishes_;
    const std::size_t jobs_;
    const network_factory& factory_;
    std::uint64_t members_ = 0;
    std::optional<broadcast_watch> watch_;
    std::vector<std::uint8_t> held_;
    std::uint64_t sent_flits_ = 0;
    bool done_ = false;
    run_result result_;
};

}  // namespace

router_network_params broadcast_routers_of(const loaded& scenario, std::size_t workload) {
    const scenario::settings& s = scenario.values;
    const scenario::broadcast_workload& w = s.workloads[workload].broadcast;
    if (s.router.flit_bytes < hw::format::pipelined_header_bytes) {
        scenario.fail("router.flit",
                      "a header of " + std::to_string(hw::format::pipelined_header_bytes) +
                          " bytes does not fit a flit of " + std::to_string(s.router.flit_bytes) +
                          ": broadcast units read it from the first one",
                      "take " + std::to_string(hw::format::pipelined_header_bytes) + " B or more");
    }
    const unsigned flits = flits_of(s, w);
    const unsigned slot = s.broadcast.slot_flits.value_or(longest_flits(s));
    if (flits > slot || slot > hw::chips::most_slots) {
        scenario.fail(s.broadcast.slot_flits ? "router.broadcast.slot_flits"
                                             : scenario::workload_path(workload, "broadcast.bytes"),
                      "a packet of " + std::to_string(flits) + " flits (" +
                          std::to_string(hw::format::pipelined_header_bytes) + " B header, " + std::to_string(w.bytes) +
                          " B payload) does not fit a slot, which has " +
                          (s.broadcast.slot_flits ? std::to_string(slot) : "at most 64") + " flits",
                      "send smaller packets, or widen 'router.flit'");
    }
    const hw::fabric::fabric_params fabric = fabric_params_of(scenario, needs_of_unicasts(w, workload));
    router_network_params params;
    params.topology = scenario::rings_of(scenario).params();
    params.chip.router = fabric.router;
    params.chip.router.header_free = false;
    params.chip.slots = s.broadcast.slots;
    params.chip.slot_flits = slot;
    params.chip.inject_flits = s.broadcast.inject_flits;
    params.tables = fabric.tables;
    params.link_delay = fabric.link_delay;
    params.how = w.algorithm == hw::format::broadcast_algorithm::trees ? hw::broadcast::algorithm::trees
                                                                       : hw::broadcast::algorithm::colours;
    params.dimensions = dimensions_of(s, w);
    params.patterns = patterns_of(s, w);
    params.maps = s.broadcast.neighbours == scenario::neighbour_state::maps;
    try {
        params.chip = hw::chips::checked(routers_of(bypass_torus(params.topology), params));
    } catch (const hw::input_error& refused) {
        scenario.fail("router", refused.what());
    }
    return params;
}

void check_broadcast_cycles(const loaded& scenario, const instance& on, std::size_t workload) {
    check_names(scenario, on.plan.network);
    broadcast_routers_of(scenario, workload);
}

std::uint64_t directions(const bypass_torus& network, const std::vector<unsigned>& used, std::uint64_t nodes) {
    std::uint64_t count = 2 * used.size() * nodes;
    for (std::uint32_t t = 0; network.has_bypasses() && t < network.classes(); ++t) {
        const auto [dimension, length] = network.bypass_of(t);
        if (std::ranges::find(used, dimension) == used.end()) continue;
        count += nodes / network.classes() * (2 * length == network.radix() ? 1 : 2);
    }
    return count;
}

run_result run_broadcast_cycles(const loaded& scenario, const instance& on, std::size_t workload,
                                const network_factory& factory, const std::function<bool()>& stop,
                                const instrumentation& instruments) {
    return cycle_point(scenario, on, workload, factory, stop, instruments).run();
}

}  // namespace polycast::tlm::sim
