// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/allgather/allgather.h"

#include <algorithm>
#include <memory>
#include <set>

#include "hw/input_error.h"
#include "hw/traffic/random.h"
#include "hw/workloads/allgather/allgather_part.h"

namespace polycast::hw::system {

using collectives::coding_level;
using collectives::coding_step;
using collectives::parcel;
using collectives::transfer;

namespace {

constexpr std::size_t most_problems = 20;

}  // namespace

allgather::allgather(const allgather_options& options)
    : options_(options), coding_(options.plan), nodes_(coding_.nodes()), spreads_(coding_.nodes()) {
    for (const std::vector<std::uint32_t>& members : coding_.levels().front().sources)
        sources_.insert(sources_.end(), members.begin(), members.end());
    number_chains();
    find_sends();
}

void allgather::number_chains() {
    for (unsigned level = 0; level < coding_.levels().size(); ++level) {
        const coding_level& at = coding_.levels()[level];
        for (std::uint32_t group = 0; group < at.sources.size(); ++group) {
            const std::vector<std::uint32_t>& members = at.sources[group];
            const auto first = static_cast<std::uint32_t>(chains_.size());
            for (std::size_t i = 1; i < members.size(); ++i) {
                chain_number_.emplace(std::pair{level, chain{members[i - 1], members[i]}},
                                      static_cast<std::uint32_t>(chains_.size()));
                chains_.emplace_back(members[i - 1], members[i]);
                chain_group_.emplace_back(level, group);
                first_chain_.push_back(first);
            }
        }
    }
}

std::uint32_t allgather::tag_of(unsigned level, const parcel& what) const {
    switch (what.kind) {
        case parcel::sort::datum: return what.first;
        case parcel::sort::chain: return chain_tag + chain_number_.at({level, {what.first, what.second}});
        case parcel::sort::message: break;
    }
    return message_tag + (what.second << 20) + what.first;
}

std::vector<std::uint32_t> allgather::contents_of_message(std::uint32_t tag) const {
    const std::uint32_t number = tag - message_tag;
    return coding_.contents({parcel::sort::message, number & 0xfffff, number >> 20});
}

allgather::chain_maker& allgather::maker_of(node& at, std::uint32_t chain_number) {
    const std::uint32_t first = first_chain_[chain_number];
    for (chain_maker& each : at.makers)
        if (each.first_chain == first) return each;
    const auto& [level, group] = chain_group_[chain_number];
    return at.makers.emplace_back(chain_maker{first, coding_.levels()[level].sources[group], {}, 0});
}

/// A chain packet or a message that nobody sends to a node is made by it.
void allgather::find_sends() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> received;  // node, tag
    const auto for_each = [this](auto visit) {
        for (const coding_step& step : coding_.steps())
            coding_.for_each_transfer(step, collectives::accounting::delivered,
                                      [&](const transfer& one) { visit(step, one); });
    };
    const std::vector<coding_step> steps = coding_.steps();
    step_ends_.resize(steps.size(), options_.start);
    for_each([&](const coding_step& step, const transfer& one) {
        if (one.what.kind != parcel::sort::datum) received.emplace(one.to, tag_of(step.level, one.what));
    });
    for_each([&](const coding_step& step, const transfer& one) {
        const std::uint32_t tag = tag_of(step.level, one.what);
        const bool made_here = one.what.kind != parcel::sort::datum && !received.contains({one.from, tag});
        node& from = nodes_[one.from];
        ++nodes_[one.to].expected;
        nodes_[one.to].arrivals[tag].push_back(
            static_cast<std::size_t>(std::ranges::find(steps, step) - steps.begin()));
        if (made_here && one.what.kind == parcel::sort::chain) {
            chain_maker& maker = maker_of(from, tag - chain_tag);
            maker.vc_class = collectives::class_of_step(step.letter);
            // The plan sends every chain packet of a group to the same nodes.
            if (chains_[maker.first_chain] == chains_[tag - chain_tag]) maker.destinations.push_back(one.to);
            return;
        }
        if (made_here && std::ranges::find(from.messages, tag) == from.messages.end()) from.messages.push_back(tag);
        from.sends[tag].push_back({one.to, collectives::class_of_step(step.letter)});
    });
}

bool allgather::needs_units() const {
    return !options_.coded_by_hosts && std::ranges::any_of(nodes_, [](const node& one) { return !one.makers.empty(); });
}

void allgather::equip(system_plan& plan) const {
    if (!plan.has_routers() || plan.network.hosts.size() != nodes_.size())
        throw input_error("an allgather of " + std::to_string(nodes_.size()) +
                          " nodes needs as many routers and hosts");
    const unsigned payload = plan.host.interface.payload_bytes;
    if (!chains_.empty() && options_.bytes > payload)
        throw input_error("a datum of " + std::to_string(options_.bytes) +
                              " bytes does not fit a packet, which carries " + std::to_string(payload),
                          "coded data travel in one packet each");
    constexpr std::uint32_t fewest_buffers = 64;
    constexpr std::uint32_t most_buffers = 1024;
    std::uint32_t expected = fewest_buffers;
    std::size_t longest = 1;
    for (const node& each : nodes_) {
        expected = std::max(expected, each.expected);
        for (const std::uint32_t tag : each.messages) longest = std::max(longest, contents_of_message(tag).size());
    }
    if (expected > most_buffers)
        throw input_error("a node gets " + std::to_string(expected) + " messages, but an interface has " +
                          std::to_string(most_buffers) + " receive buffers");
    plan.host.receive_buffers = expected;
    plan.host.message_bytes = static_cast<std::uint32_t>(longest * options_.bytes);
    if (needs_units()) add_units(plan);
}

/// A unit at every node that makes chain packets.
void allgather::add_units(system_plan& plan) const {
    const chips::router_params& router = plan.router_at(0).params;
    const unsigned port = router.first_host_port() + 1;
    if (router.ports <= port)
        throw input_error("coding units need a second host port", "take routers with " + std::to_string(port + 1));
    chips::coding_params coding;
    std::vector<chips::coding_registers> units;
    coding.vcs = router.vcs;
    coding.vc_flits = router.vc_flits;
    coding.flit_bytes = router.flit_bytes;
    coding.header_free = router.header_free;
    coding.check_route = plan.host.interface.check == format::check_cover::route;
    coding.slot_flits = coding.body_flits(options_.bytes);
    coding.slots = coding.indices = 2;
    coding.contexts = coding.destinations = 1;
    for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
        const node& at = nodes_[number];
        if (at.makers.empty()) continue;
        chips::router_tables& tables = plan.router_at(number).tables;
        tables.credits[port] = plan.host.interface.credits;
        chips::coding_registers unit;
        unit.number = static_cast<std::uint32_t>(nodes_.size()) + number;
        unit.latency = options_.xor_latency;
        unit.patience = options_.patience;
        unit.credits = plan.host.interface.credits;
        unit.reserve = tables.reserve;
        unit.packet_limit = tables.packet_limit;
        for (std::size_t index = 0; index < unit.vc_sets.size(); ++index)
            unit.vc_sets[index] = static_cast<chips::vc_set>(tables.vc_sets[index][0] | tables.vc_sets[index][1]);
        unsigned operands = 0;
        for (const chain_maker& maker : at.makers) {
            chips::coding_context context;
            context.mode = chips::coding_mode::encode;
            context.count = static_cast<std::uint16_t>(maker.sources.size());
            context.first_destination = static_cast<std::uint16_t>(unit.destinations.size());
            context.destination_count = static_cast<std::uint16_t>(maker.destinations.size());
            context.vc_class = maker.vc_class;
            context.message = maker.first_chain;
            context.tag = chain_tag + maker.first_chain;
            unit.contexts.push_back(context);
            unit.destinations.insert(unit.destinations.end(), maker.destinations.begin(), maker.destinations.end());
            operands += context.count;
            coding.indices = std::max<unsigned>(coding.indices, context.count);
        }
        coding.slots = std::max(coding.slots, operands);
        coding.contexts = std::max(coding.contexts, static_cast<unsigned>(unit.contexts.size()));
        coding.destinations = std::max(coding.destinations, static_cast<unsigned>(unit.destinations.size()));
        units.push_back(std::move(unit));
    }
    chips::checked(coding);
    for (const chips::coding_registers& unit : units) chips::checked(coding, unit);
    for (chips::coding_registers& unit : units) plan.add_unit(coding, std::move(unit));
}

allgather::bytes allgather::datum_of(std::uint32_t source) const {
    bytes made(options_.bytes);
    traffic::fill_payload(options_.payload_seed, source, made);
    return made;
}

void allgather::learnt(std::uint32_t datum, engine::cycle when) {
    spread& of = spreads_[datum];
    ++of.nodes;
    of.until = std::max(of.until, when);
}

void allgather::arrived(std::uint32_t host, std::uint32_t tag, engine::cycle when) {
    std::vector<std::size_t>& steps = nodes_[host].arrivals.at(tag);
    if (steps.empty()) return problem("host " + std::to_string(host) + " gets a message twice");
    step_ends_[steps.front()] = std::max(step_ends_[steps.front()], when);
    steps.erase(steps.begin());
}

void allgather::problem(const std::string& what) {
    if (problems_.size() < most_problems) problems_.push_back(what);
}

void allgather::finished(engine::cycle when, std::uint32_t host, const std::vector<bytes>& data) {
    if (std::exchange(nodes_[host].finished, true)) return problem("host " + std::to_string(host) + " ends twice");
    ++finished_;
    delivered_until_ = std::max(delivered_until_, when + 1);
    for (const std::uint32_t source : sources_) {
        if (data[source].empty()) {
            problem("host " + std::to_string(host) + " has no datum of node " + std::to_string(source));
        } else if (data[source] != datum_of(source)) {
            ++wrong_;
            problem("host " + std::to_string(host) + " has other bytes than node " + std::to_string(source) + " sent");
        } else if (source != host) {
            ++verified_;
        }
    }
}

std::string allgather::oldest_missing() const {
    for (std::uint32_t host = 0; host < nodes_.size(); ++host)
        if (!nodes_[host].finished) return "one for host " + std::to_string(host) + ", which waits for data";
    return {};
}

std::vector<allgather::unit_task> allgather::unit_tasks() const {
    std::vector<unit_task> tasks;
    if (options_.coded_by_hosts) return tasks;
    for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
        if (nodes_[number].makers.empty()) continue;
        unit_task& task = tasks.emplace_back(unit_task{.node = number});
        for (const chain_maker& maker : nodes_[number].makers) {
            task.xors += maker.sources.size() - 1;
            task.packets += (maker.sources.size() - 1) * maker.destinations.size();
        }
    }
    return tasks;
}

std::vector<std::uint64_t> allgather::host_coding_xors() const {
    std::vector<std::uint64_t> counts;
    for (const node& each : nodes_) counts.push_back(each.coding_xors);
    return counts;
}

host::application_factory allgather::program(std::uint32_t host) {
    return [this, host](const host::host_context& context) {
        const auto state = std::make_shared<part>(*this, host);
        return host::run_program([state](host::endpoint& self) { return state->main(self); })(context);
    };
}

}  // namespace polycast::hw::system
