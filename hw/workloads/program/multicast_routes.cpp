// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/multicast_routes.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>

#include "hw/format/header.h"
#include "hw/host/process.h"
#include "hw/input_error.h"

namespace polycast::hw::programs {

namespace {

/// Which send call of the source leads to each host: its own, or that of the host that sends there.
std::unordered_map<std::uint32_t, std::uint32_t> calls_of(const multicast_route& of) {
    std::unordered_map<std::uint32_t, std::uint32_t> calls;
    for (const collectives::participant& each : of.plan.participants)  // senders come before those whom they send to
        for (std::uint32_t i = 0; i < each.sends.size(); ++i)
            for (const std::uint32_t host : each.sends[i].hosts)
                calls[host] = of.by_interfaces() ? 0 : each.host == of.plan.source() ? i : calls.at(each.host);
    return calls;
}

}  // namespace

const collectives::participant* multicast_route::at(std::uint32_t host) const {
    const auto host_of = [this](std::uint32_t place) { return plan.participants[place].host; };
    const auto found = std::ranges::lower_bound(participants, host, {}, host_of);
    return found == participants.end() || host_of(*found) != host ? nullptr : &plan.participants[*found];
}

multicast_routes::multicast_routes(const program& of, std::span<const std::uint32_t> host_of, unsigned queues,
                                   const multicast_planner& plan, bool reliable) {
    using key = std::tuple<std::string_view, std::uint32_t, std::uint64_t, unsigned, std::vector<std::uint32_t>>;
    std::map<key, const multicast_route*> known;
    for (const multicast& each : of.multicasts()) {
        const std::span<const operation> sends = of.of_rank(each.rank).subspan(each.first, each.count);
        const std::uint32_t source = host_of[each.rank];
        const unsigned queue = sends.front().channel % queues;
        std::vector<std::uint32_t> to;
        for (const operation& one : sends) to.push_back(host_of[one.peer]);
        const auto [found, fresh] = known.try_emplace({each.scheme, source, sends.front().length, queue, to}, nullptr);
        if (fresh) {
            std::vector<std::uint32_t> sorted = to;
            std::ranges::sort(sorted);
            const auto bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(sends.front().length, 1));
            planned_multicast planned = plan(each.scheme, source, sorted, bytes);
            auto made = std::make_unique<multicast_route>();
            made->plan = std::move(planned.plan);
            made->how = planned.how;
            made->queue = static_cast<std::uint16_t>(queue);
            made->hops = traffic::hops_of(made->plan);
            made->participants.resize(made->plan.participants.size());
            std::iota(made->participants.begin(), made->participants.end(), 0);
            std::ranges::sort(made->participants, {},
                              [&](std::uint32_t place) { return made->plan.participants[place].host; });
            const auto calls = calls_of(*made);
            for (const std::uint32_t host : to) made->call_of.push_back(calls.at(host));
            if (made->by_interfaces())
                add_groups(*made, reliable);
            else if (reliable)
                add_acknowledging(*made);
            found->second = made.get();
            all_.push_back(std::move(made));
        }
        routes_.push_back(found->second);
    }
}

std::uint16_t multicast_routes::new_group(std::uint32_t root) {
    std::uint16_t& next = next_group_[root];
    if (next == format::no_group)
        throw input_error("more than 65,535 groups of which host " + std::to_string(root) + " is the root");
    return next++;
}

/// All hosts of the plan know the group along which interfaces forward.
void multicast_routes::add_groups(multicast_route& of, bool reliable) {
    of.group = new_group(of.plan.source());
    std::vector<collectives::receipt_place> receipts(of.plan.participants.size());
    if (reliable) receipts = collectives::receipts_of(of.plan, host::most_receipt_children);
    for (std::size_t i = 0; i < receipts.size(); ++i)
        grouped_[of.plan.participants[i].host].push_back(
            {of.plan.source(), of.group, &of, true, std::move(receipts[i])});
}

/// Each worm of a host has a group whose members acknowledge it to that host. Unicasts need none.
void multicast_routes::add_acknowledging(multicast_route& of) {
    for (const collectives::participant& each : of.plan.participants) {
        if (each.sends.empty() || each.sends.front().kind == format::packet_kind::unicast) continue;
        std::vector<std::uint16_t>& numbers = of.acknowledged_by[each.host];
        for (const collectives::transmission& send : each.sends) {
            numbers.push_back(new_group(each.host));
            for (collectives::receipt_place& place : collectives::receipts_in_turn(each.host, send.hosts)) {
                const std::uint32_t host = place.host;
                grouped_[host].push_back({each.host, numbers.back(), &of, false, std::move(place)});
            }
        }
    }
}

std::span<const known_group> multicast_routes::groups_of(std::uint32_t host) const {
    const auto found = grouped_.find(host);
    return found == grouped_.end() ? std::span<const known_group>{} : found->second;
}

}  // namespace polycast::hw::programs
