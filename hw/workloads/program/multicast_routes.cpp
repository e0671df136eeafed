// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/multicast_routes.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>

#include "hw/format/header.h"
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
                                   const multicast_planner& plan) {
    using key = std::tuple<std::string_view, std::uint32_t, std::uint64_t, unsigned, std::vector<std::uint32_t>>;
    std::map<key, const multicast_route*> known;
    std::map<std::uint32_t, std::uint16_t> groups;  // by source
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
            if (made->by_interfaces()) {
                std::uint16_t& next = groups[source];
                if (next == format::no_group)
                    throw input_error("more than 65,535 groups of which rank " + std::to_string(each.rank) +
                                      " is the root");
                made->group = next++;
                for (const collectives::participant& one : made->plan.participants)
                    grouped_[one.host].push_back(made.get());
            }
            found->second = made.get();
            all_.push_back(std::move(made));
        }
        routes_.push_back(found->second);
    }
}

std::vector<const multicast_route*> multicast_routes::groups_of(std::uint32_t host) const {
    const auto found = grouped_.find(host);
    return found == grouped_.end() ? std::vector<const multicast_route*>{} : found->second;
}

}  // namespace polycast::hw::programs
