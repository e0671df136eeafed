// SPDX-License-Identifier: Apache-2.0
// How an allgather begins, goes on and ends.
#include <algorithm>
#include <array>

#include "hw/collectives/network_coding_check.h"
#include "hw/fabric/allgather_nodes.h"
#include "hw/fabric/replication.h"
#include "hw/traffic/random.h"

namespace polycast::hw::fabric {

using collectives::coding_method;
using collectives::coding_step;
using collectives::parcel;
using collectives::transfer;
using engine::cycle;

namespace {

std::vector<std::uint32_t> all_sources(const collectives::network_coding& plan) {
    std::vector<std::uint32_t> all;
    for (const std::vector<std::uint32_t>& group : plan.levels().front().sources)
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

std::vector<coding_step> steps_of(const allgather_options& options, const collectives::network_coding& plan) {
    if (options.method == allgather_method::replication) return {{'B', 0, 1}};
    return plan.steps();
}

}  // namespace

allgather_nodes::allgather_nodes(const allgather_options& options, const collectives::network_coding& plan)
    : options_(options),
      plan_(plan),
      numbers_(plan),
      nodes_(plan.nodes()),
      payloads_(datum_bytes(options)),
      units_(nodes_, payloads_, *this),
      check_(nodes_, datum_bytes(options), options.seed, all_sources(plan)),
      steps_(steps_of(options, plan)),
      coders_(nodes_),
      data_per_packet_(std::max(1u, 64 / options.flits)),
      sources_(all_sources(plan)),
      have_(std::size_t{nodes_} * numbers_.count(), nothing),
      sends_of_(nodes_ + 1),
      hosts_(nodes_),
      host_xors_(nodes_),
      drop_(options.drop),
      shorten_(options.shorten),
      step_cycles_(steps_.size()),
      latency_(steps_.size()) {
    for (const coding_step& step : steps_) result_.steps.push_back({step, 0, 0, 0, 0});
    if (options.links) result_.links.emplace(options.fabric);
    if (replicates()) return;
    find_coders();
    if (options.coder != allgather_coder::unit) return;
    plan_units();
    for (const unit_setup& each : setups_) units_.add(each.node, each.params, each.registers);
}

void allgather_nodes::find_coders() {
    const bool every_node = options_.plan.method == coding_method::every_node;
    if (options_.plan.method != coding_method::coded && !every_node) return;
    for (const coding_step& step : steps_) {
        if (step.letter != 'D' || step.rounds == 0) continue;
        const collectives::coding_level& level = plan_.levels()[step.level];
        for (std::uint32_t group = 0; group < level.sources.size(); ++group) {
            if (level.sources[group].size() < 2) continue;
            const auto first = level.nodes.begin() + static_cast<std::ptrdiff_t>(std::size_t{group} * level.members);
            for (auto node = first; node != first + level.members; ++node)
                if (every_node || *node == plan_.intermediate_node(step.level, group))
                    coders_[*node].push_back({step.level, group});
        }
    }
}

/// A context per level. Where steps wait for each other, units send the packets of the first round, and a copy to their
/// own hosts, which send those of later rounds.
void allgather_nodes::plan_units() {
    std::map<std::pair<std::uint32_t, unsigned>, std::vector<std::uint32_t>> destinations;  // of (node, level)
    for (const coding_step& step : steps_) {
        if (step.letter != 'D') continue;
        plan_.for_each_transfer(step, options_.accounting, [&](const transfer& one) {
            if (one.what.kind != parcel::sort::chain) return;
            if (!codes(one.from, numbers_.number(one.what, step.level))) return;
            if (numbers_.previous(step.level, one.what.first) != parcel_numbers::none) return;  // alike for all
            if (options_.pace == allgather_pace::steps && one.round != 0) return;
            std::vector<std::uint32_t>& to = destinations[{one.from, step.level}];
            to.push_back(one.to);
            if (options_.pace == allgather_pace::steps && step.rounds > 1) to.push_back(one.from);
        });
    }
    const chips::router_params& router = options_.fabric.router;
    const chips::router_tables& tables = options_.fabric.tables;
    for (std::uint32_t node = 0; node < nodes_; ++node) {
        if (coders_[node].empty()) continue;
        chips::coding_registers registers;
        registers.number = nodes_ + node;
        registers.latency = options_.xor_latency;
        registers.credits = router.vc_flits;
        registers.reserve = tables.reserve;
        registers.packet_limit = tables.packet_limit;
        for (std::size_t c = 0; c < registers.vc_sets.size(); ++c)
            registers.vc_sets[c] = static_cast<chips::vc_set>(tables.vc_sets[c][0] | tables.vc_sets[c][1]);
        registers.contexts.resize(numbers_.levels());
        unsigned operands = 0, longest = 2;
        for (const coder& each : coders_[node]) {
            chips::coding_context& context = registers.contexts[each.level];
            const std::vector<std::uint32_t>& to = destinations[{node, each.level}];
            context.mode = chips::coding_mode::encode;
            context.count = static_cast<std::uint16_t>(plan_.levels()[each.level].sources[each.group].size());
            context.first_destination = static_cast<std::uint16_t>(registers.destinations.size());
            context.destination_count = static_cast<std::uint16_t>(to.size());
            context.vc_class = 1;
            context.group = static_cast<std::uint16_t>(each.level);
            registers.destinations.insert(registers.destinations.end(), to.begin(), to.end());
            operands += context.count;
            longest = std::max<unsigned>(longest, context.count);
        }
        chips::coding_params params;
        params.vcs = router.vcs;
        params.vc_flits = router.vc_flits;
        params.flit_bytes = router.flit_bytes;
        params.header_free = router.header_free;
        params.contexts = numbers_.levels();
        params.slots = options_.unit_flits == 0 ? operands : options_.unit_flits / options_.flits;
        params.slot_flits = options_.flits;
        params.indices = longest;
        params.destinations = static_cast<unsigned>(registers.destinations.size());
        setups_.push_back({node, params, registers});
    }
}

void allgather_nodes::make_data() {
    for (const std::uint32_t source : sources_) {
        const payload_id payload = payloads_.take();
        traffic::fill_payload(options_.seed, source, payloads_[payload]);
        learn(source, source, payload);
    }
}

/// Makes sends_ of one round of a step, or of all of them.
void allgather_nodes::activate(std::optional<std::pair<std::uint32_t, unsigned>> step_and_round) {
    sends_.clear();
    std::vector<std::uint32_t> senders;
    const bool by_unit = options_.coder == allgather_coder::unit;
    for (std::uint32_t step = 0; step < steps_.size(); ++step) {
        if (step_and_round && step_and_round->first != step) continue;
        plan_.for_each_transfer(steps_[step], options_.accounting, [&](const transfer& one) {
            if (step_and_round && step_and_round->second != one.round) return;
            const std::uint32_t number = numbers_.number(one.what, steps_[step].level);
            if (by_unit && codes(one.from, number) && (!step_and_round || one.round == 0)) return;
            sends_.push_back({number, one.to, step});
            senders.push_back(one.from);
        });
    }
    std::vector<std::uint32_t> order(sends_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return std::pair(senders[i], sends_[i].number); });
    std::vector<outgoing> sorted;
    sorted.reserve(order.size());
    std::ranges::fill(sends_of_, 0);
    for (const std::uint32_t i : order) {
        sorted.push_back(sends_[i]);
        ++sends_of_[senders[i] + 1];
    }
    for (std::uint32_t node = 0; node < nodes_; ++node) sends_of_[node + 1] += sends_of_[node];
    sends_ = std::move(sorted);
}

void allgather_nodes::begin_freely() {
    activate({});
    make_data();
}

void allgather_nodes::begin_replication() {
    make_data();
    for (const auto& turn : replication_schedule(nodes_, options_.plan.radix, options_.replication_gap))
        if (held(turn.second, turn.second)) broadcasts_.push_back(turn);
}

bool allgather_nodes::begin_round(cycle begin) {
    for (; step_ < steps_.size() && round_ == steps_[step_].rounds; round_ = 0) ++step_;
    if (step_ == steps_.size()) return false;
    running_step_ = step_;
    round_begin_ = now_ = last_arrival_ = begin;
    activate(std::pair(step_, round_));
    offer_round(step_, round_++);
    return true;
}

void allgather_nodes::end_round() {
    step_cycles_[running_step_] += last_arrival_ - round_begin_;
}

/// In the order in which the plan lists them, so each sender begins with its first one.
void allgather_nodes::offer_round(std::uint32_t step, unsigned round) {
    for (std::uint32_t node = 0; node < nodes_; ++node) {
        for (std::size_t i = sends_of_[node]; i < sends_of_[node + 1]; ++i) {
            const std::uint32_t number = sends_[i].number;
            if (i != sends_of_[node] && number == sends_[i - 1].number) continue;
            if (known(node, number)) {
                offer(node, number);
            } else if (!codes(node, number)) {
                if (++unsent_ <= 5)
                    problem(std::string("step ") + steps_[step].letter + ": node " + std::to_string(node) +
                            " has to send " + numbers_.text(number) + ", and has not got it");
            }
        }
        if (steps_[step].letter != 'D' || round != 0) continue;
        for (const coder& which : coders_[node]) {
            if (which.level != steps_[step].level) continue;
            const bool software = options_.coder == allgather_coder::host;
            for (const std::uint32_t source : plan_.levels()[which.level].sources[which.group]) {
                if (software) {
                    begin_job(node, which, source);
                } else if (held(node, source)) {
                    offer_to_coder(node, which, source);
                }
            }
        }
    }
    if (steps_[step].letter != 'D' || round != 0) return;
    for (const unit_setup& unit : setups_) {
        const chips::coding_context& context = unit.registers.contexts[steps_[step].level];
        if (context.mode != chips::coding_mode::off)
            open_ += std::uint64_t{context.count - 1u} * context.destination_count;
    }
}

/// Operands that did not come to units.
void allgather_nodes::diagnose_coders() {
    for (std::uint32_t node = 0; node < nodes_; ++node) {
        for (const coder& which : coders_[node]) {
            const std::vector<std::uint32_t>& data = plan_.levels()[which.level].sources[which.group];
            for (unsigned index = 0; index < data.size(); ++index) {
                if (units_.accepted(node, which.level, index)) continue;
                problem("coding unit of node " + std::to_string(node) + ", context " + std::to_string(which.level) +
                        ": operand " + std::to_string(index) + " (datum of node " + std::to_string(data[index]) +
                        ") never came");
            }
        }
    }
}

void allgather_nodes::diagnose(const ending& end) {
    const bool ended = !result_.gave_up && !result_.stopped;
    if (result_.gave_up) problem("the run has been given up in cycle " + std::to_string(options_.limit));
    for (const auto* faults : {&drop_, &shorten_})
        for (const packet_name& name : *faults)
            problem(std::string("no packet was there to inject a fault: step ") + name.step + ", node " +
                    std::to_string(name.from) + " to node " + std::to_string(name.to));
    for (const std::string& fault : end.faults) problem(fault);
    if (result_.stopped) problem("the run has been stopped in cycle " + std::to_string(end.now));
    if (end.missing != 0 && ended) {
        problem("the network has come to a stop with " + std::to_string(end.missing) + " packets inside");
        for (const std::string& name : end.stuck) problem("stuck: " + name);
    }
    if (unsent_ > 5) problem("in all " + std::to_string(unsent_) + " parcels that nodes had to send and did not get");
    if (options_.accounting == collectives::accounting::as_published && !replicates()) {
        const bool late = options_.pace == allgather_pace::free_running;
        const std::vector<bool> can = collectives::recoverable(plan_, options_.accounting, late);
        for (std::uint32_t node = 0; node < nodes_; ++node)
            for (const std::uint32_t source : sources_)
                result_.left_out += can[std::size_t{node} * nodes_ + source] ? 0 : 1;
        check_.leave_out(can);
    }
    for (const std::string& fault : check_.faults()) problem(fault);
    if (check_.missing() == 0) return;
    if (options_.coder == allgather_coder::unit) diagnose_coders();
    for (const std::string& name : check_.missing_data(20)) problem(name);
}

allgather_result allgather_nodes::finish(const ending& end) {
    result_.cycles = last_learnt_;
    if (in_steps()) {
        result_.cycles = 0;
        for (std::size_t step = 0; step < steps_.size(); ++step) {
            result_.steps[step].cycles = step_cycles_[step];
            result_.cycles += step_cycles_[step];
        }
    }
    diagnose(end);
    for (std::size_t step = 0; step < steps_.size(); ++step) {
        allgather_step& each = result_.steps[step];
        if (each.packets != 0) each.latency = static_cast<double>(latency_[step]) / static_cast<double>(each.packets);
    }
    result_.flit_hops = end.flit_hops;
    result_.xors = host_xors_;
    for (std::uint32_t node = 0; node < nodes_; ++node) result_.xors[node] += units_.xors(node);
    result_.most_operand_flits = units_.most_operand_flits();
    result_.missing = check_.missing();
    result_.memory_bytes = end.memory_bytes + memory_bytes();
    return std::move(result_);
}

std::size_t allgather_nodes::memory_bytes() const {
    std::size_t bytes = units_.memory_bytes() + payloads_.memory_bytes() + check_.memory_bytes() +
                        numbers_.memory_bytes() + have_.capacity() * sizeof(payload_id) +
                        sends_.capacity() * sizeof(outgoing) + hosts_.capacity() * sizeof(host_state);
    for (const host_state& host : hosts_)
        for (const lane& each : host.lanes) bytes += each.entries.capacity() * sizeof(queued);
    return bytes;
}

}  // namespace polycast::hw::fabric
