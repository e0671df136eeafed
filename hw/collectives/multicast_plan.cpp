// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/multicast_plan.h"

#include <algorithm>
#include <unordered_map>

namespace polycast::hw::collectives {

multicast_plan tree_plan(std::uint32_t source, std::span<const std::uint32_t> destinations) {
    multicast_plan plan;
    plan.steps = 1;
    plan.participants.push_back(
        {source, {{format::packet_kind::tree, {destinations.begin(), destinations.end()}, {}, 1}}});
    for (const std::uint32_t host : destinations) plan.participants.push_back({host, {}});
    return plan;
}

multicast_plan unicasts_plan(std::uint32_t source, std::span<const std::uint32_t> destinations) {
    multicast_plan plan;
    plan.participants.push_back({source, {}});
    for (const std::uint32_t host : destinations) {
        plan.participants.front().sends.push_back({format::packet_kind::unicast, {host}, {}, ++plan.steps});
        plan.participants.push_back({host, {}});
    }
    return plan;
}

unsigned longest_chain(const multicast_plan& plan) {
    std::unordered_map<std::uint32_t, unsigned> depth;  // senders come before those whom they send to
    unsigned deepest = 0;
    for (const participant& each : plan.participants) {
        const unsigned next = depth[each.host] + 1;
        for (const transmission& send : each.sends) {
            for (const std::uint32_t host : send.hosts) depth[host] = next;
            deepest = std::max(deepest, next);
        }
    }
    return deepest;
}

multicast_plan forwarding_plan(std::span<const std::uint32_t> chain, unsigned k) {
    const forwarding_tree tree = k_binomial_tree(static_cast<std::uint32_t>(chain.size()), k);
    multicast_plan plan;
    // Nodes are reached in order of their places: children lie to the right of their parents.
    std::vector<unsigned> reached_in(chain.size());
    for (std::uint32_t node = 0; node < chain.size(); ++node) {
        participant& here = plan.participants.emplace_back(participant{chain[node], {}});
        unsigned step = reached_in[node];
        for (const std::uint32_t child : tree[node]) {
            reached_in[child] = ++step;
            here.sends.push_back({format::packet_kind::unicast, {chain[child]}, {}, step});
        }
        plan.steps = std::max(plan.steps, step);
    }
    return plan;
}

}  // namespace polycast::hw::collectives
