// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/receipts.h"

#include <algorithm>
#include <unordered_map>

namespace polycast::hw::collectives {

std::vector<receipt_place> receipts_in_turn(std::uint32_t source, std::span<const std::uint32_t> members) {
    const auto count = static_cast<std::uint32_t>(members.size());
    std::vector<receipt_place> tree{{source, receipt_place::none, {}, count}};
    for (std::size_t i = 0; i < members.size(); ++i) {
        receipt_place& parent = tree[i / receipt_fanout];
        parent.below.push_back(members[i]);
        const std::uint32_t above = parent.host;
        tree.push_back({members[i], above, {}, count});
    }
    return tree;
}

std::vector<receipt_place> receipts_of(const multicast_plan& plan, std::size_t most) {
    std::vector<std::uint32_t> members;
    for (std::size_t i = 1; i < plan.participants.size(); ++i) members.push_back(plan.participants[i].host);
    const bool fits = std::ranges::all_of(plan.participants, [most](const participant& each) {
        return each.sends.size() <= most && std::ranges::all_of(each.sends, [](const transmission& send) {
                   return send.kind == format::packet_kind::unicast;
               });
    });
    if (!fits) return receipts_in_turn(plan.source(), members);
    std::vector<receipt_place> tree;
    std::unordered_map<std::uint32_t, std::uint32_t> parents;
    for (const participant& each : plan.participants) {
        const auto found = parents.find(each.host);
        receipt_place& place = tree.emplace_back();
        place.host = each.host;
        if (found != parents.end()) place.parent = found->second;
        place.members = static_cast<std::uint32_t>(members.size());
        for (const transmission& send : each.sends) {
            place.below.push_back(send.hosts.front());
            parents.emplace(send.hosts.front(), each.host);
        }
    }
    return tree;
}

}  // namespace polycast::hw::collectives
