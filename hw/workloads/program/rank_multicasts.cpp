// SPDX-License-Identifier: Apache-2.0
// Multicasts of a rank: what it sends to several, and what it passes on.
#include <algorithm>
#include <utility>

#include "hw/workloads/messages/workload_program.h"
#include "hw/workloads/program/program_check.h"
#include "hw/workloads/program/program_run.h"
#include "hw/workloads/program/rank.h"

namespace polycast::hw::programs {

/// Interfaces know groups before the first message.
void rank::join_groups() {
    const std::uint32_t host = rules_.host_of[number_];
    for (const known_group& each : rules_.multicasts->groups_of(host)) {
        host::process& own = *queues_[each.route->queue].own;
        const format::header_shape shape = own.params().header_shape();
        host::group_order order;
        order.root = each.root;
        order.group = each.group;
        order.member = host != order.root;
        if (each.forwards) {
            order.fcfs = each.route->how == traffic::forwarding::fcfs;
            for (const collectives::transmission& send : each.route->at(host)->sends)
                order.worms.push_back(traffic::route_of(shape, send.kind, send.hosts, send.stops));
        }
        if (rules_.reliable) order.receipts = {each.receipts.parent, each.receipts.below, each.receipts.members};
        own.set_group(order);
    }
}

void rank::group_set(ni_status status) {
    if (status != NI_STATUS_OK) fail("the interface did not take a group: " + std::string(traffic::words_of(status)));
}

/// One of its sends could be sent, and has its credit; when all could be, it is.
void rank::begin_multicast(std::uint32_t index) {
    const std::uint32_t number = rules_.of->multicast_of({number_, index});
    const multicast& all = rules_.of->multicasts()[number];
    std::uint32_t& left = multicast_left_.try_emplace(number, all.count).first->second;
    if (--left != 0) return;
    multicast_left_.erase(number);
    const std::uint64_t bytes = bytes_on_wire(operations_[all.first]);
    for (std::uint32_t call = 0; call < rules_.multicasts->of(number).calls(); ++call) {
        const cycle end = pay_send(processor_of(all.first), bytes, all.first);
        schedule(end, step::multicast_paid, multicast_call{number, call}.tag());
        if (call != 0) continue;
        const cycle begin = end - overhead(rules_.send_overhead, bytes);
        if (begin == time_.now()) {
            multicast_started(number);
        } else {
            schedule(begin, step::multicast_started, number);
        }
    }
}

void rank::multicast_started(std::uint32_t number) {
    const multicast& all = rules_.of->multicasts()[number];
    for (std::uint32_t i = all.first; i < all.first + all.count; ++i) started(i);
}

void rank::multicast_paid(multicast_call of) {
    const multicast& all = rules_.of->multicasts()[of.multicast];
    const multicast_route& route = rules_.multicasts->of(of.multicast);
    for (std::uint32_t i = 0; i < all.count; ++i) {
        if (of.call == 0) told_sent_(number_, all.first + i);
        if (operation_times* const times = times_of(all.first + i); times != nullptr && route.call_of[i] == of.call)
            times->handed = time_.now();
    }
    std::vector<std::uint8_t> content = taken(all.first);
    if (content.empty()) {
        content.resize(bytes_on_wire(operations_[all.first]));
        traffic::fill_payload(rules_.payload_seed, content_of({number_, all.first}), content);
    }
    give(route.queue, {.content = std::move(content), .part = of});
    if (of.call + 1 != route.calls()) return;
    for (std::uint32_t i = all.first; i < all.first + all.count; ++i) ended(i);
}

/// The number of a message of the root is that of a send that it leads to; of what is passed on any that is free. The
/// tag says which multicast it is.
host::send_order rank::order_of(const outgoing& next) {
    const multicast& all = rules_.of->multicasts()[next.part->multicast];
    const multicast_route& route = rules_.multicasts->of(next.part->multicast);
    host::send_order made;
    made.process = route.queue;
    made.context = ~std::uint64_t{0};
    made.tag = rules_.of->number({all.rank, all.first});
    made.number = all.first;
    if (route.by_interfaces()) {
        made.kind = host::send_kind::group;
        made.group = route.group;
        made.hops = route.hops;
        if (rules_.reliable) make_reliable(next, made);
        return made;
    }
    const collectives::transmission& send = route.at(rules_.host_of[number_])->sends[next.part->call];
    if (send.kind == format::packet_kind::unicast) {
        made.to = send.hosts.front();
    } else {
        made.kind = host::send_kind::worm;
        made.route =
            traffic::route_of(queues_[route.queue].own->params().header_shape(), send.kind, send.hosts, send.stops);
    }
    if (all.rank == number_) {
        made.number = rules_.of->send_to(all, rules_.rank_of[send.hosts.front()])->index;
    } else {
        made.number = new_control_number();
    }
    if (!rules_.reliable) return made;
    const auto groups = route.acknowledged_by.find(rules_.host_of[number_]);
    if (groups != route.acknowledged_by.end()) made.group = groups->second[next.part->call];
    make_reliable(next, made);
    return made;
}

/// Whom a send call of this rank reaches: sends of the multicast.
std::vector<std::uint32_t> rank::sends_of(multicast_call of) const {
    const multicast& all = rules_.of->multicasts()[of.multicast];
    const multicast_route& route = rules_.multicasts->of(of.multicast);
    std::vector<std::uint32_t> found;
    if (route.by_interfaces()) {
        for (std::uint32_t i = 0; i < all.count; ++i) found.push_back(all.first + i);
    } else {
        for (const std::uint32_t host : route.at(rules_.host_of[number_])->sends[of.call].hosts)
            found.push_back(rules_.of->send_to(all, rules_.rank_of[host])->index);
    }
    return found;
}

/// Which send of the program a message is, if it belongs to a multicast.
std::optional<operation_id> rank::multicast_send(std::uint32_t source, const host::delivery& message) const {
    const program& of = *rules_.of;
    const bool passed_on = message.number >= first_control_number;
    const std::span<const operation> theirs = of.of_rank(source);
    if (!passed_on && (message.number >= theirs.size() || !theirs[message.number].multicast)) return std::nullopt;
    if (message.tag >= of.operations()) return std::nullopt;
    const operation_id first = of.id_of(message.tag);
    if (!of.at(first).multicast || (!passed_on && first.rank != source)) return std::nullopt;
    const multicast& all = of.multicasts()[of.multicast_of(first)];
    return all.first == first.index ? of.send_to(all, number_) : std::nullopt;
}

/// A host sends on what it has got whole, whether its rank wants it by now or not: others do.
void rank::pass_on(std::uint32_t slot) {
    const arrival& of = slots_[slot];
    const std::uint32_t number = rules_.of->multicast_of(of.send);
    const multicast_route& route = rules_.multicasts->of(number);
    if (route.how != traffic::forwarding::programs) return;
    const std::span<const std::uint8_t> bytes = queues_[of.queue].own->bytes(*of.buffer, content_);
    const auto calls = static_cast<std::uint32_t>(route.at(rules_.host_of[number_])->sends.size());
    for (std::uint32_t call = 0; call < calls; ++call) {
        const cycle paid = pay_send(of.receive ? processor_of(*of.receive) : 0, bytes.size(), of.send.index);
        outgoing copy{.content = {bytes.begin(), bytes.end()}, .part = multicast_call{number, call}};
        passing_.emplace(next_passing_, std::pair(of.queue, std::move(copy)));
        schedule(paid, step::passed_on, next_passing_++);
    }
}

}  // namespace polycast::hw::programs
