// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/worms.h"

#include <algorithm>

namespace polycast::hw::collectives {

namespace {

/// Adds a stop for the hosts of `here` but the source. \returns false where none is left
bool add_stop(const topology::graph& network, const chain_switch& here, std::uint32_t source, transmission& worm) {
    format::stop stop{here.chip, 0};
    for (const std::uint32_t host : here.hosts) {
        if (host == source) continue;
        stop.ports |= std::uint64_t{1} << network.hosts[host].port;
        worm.hosts.push_back(host);
    }
    if (stop.ports == 0) return false;
    worm.stops.push_back(stop);
    return true;
}

}  // namespace

std::vector<transmission> path_worms(const topology::graph& network, std::span<const switch_chain> chains,
                                     std::uint32_t source, unsigned most_stops) {
    std::vector<transmission> worms;
    for (const switch_chain& one : chains) {
        transmission worm{format::packet_kind::path, {}, {}};
        for (const chain_switch& here : one) {
            if (!add_stop(network, here, source, worm) || worm.stops.size() < most_stops) continue;
            worms.push_back(worm);
            worm.hosts.clear();
            worm.stops.clear();
        }
        if (!worm.stops.empty()) worms.push_back(std::move(worm));
    }
    return worms;
}

std::vector<transmission> ssr_worms(const topology::graph& network, std::span<const switch_chain> chains,
                                    std::uint32_t source) {
    std::vector<transmission> worms;
    for (const switch_chain& one : chains) {
        for (const chain_switch& here : one) {
            transmission worm{format::packet_kind::ssr, {}, {}};
            if (add_stop(network, here, source, worm)) worms.push_back(std::move(worm));
        }
    }
    return worms;
}

multicast_plan schedule(const topology::graph& network, std::uint32_t source, std::vector<transmission> worms,
                        phasing phases) {
    std::stable_sort(worms.begin(), worms.end(),
                     [](const transmission& a, const transmission& b) { return a.hosts.size() > b.hosts.size(); });
    multicast_plan plan;
    plan.participants.push_back({source, {}});
    std::vector<bool> has_sender(network.switches.size());
    has_sender[network.hosts[source].chip] = true;
    std::vector<std::size_t> senders{0};  // places among the participants
    for (std::size_t next = 0; next < worms.size();) {
        ++plan.steps;
        const std::size_t sending = std::min(senders.size(), worms.size() - next);
        for (std::size_t sender = 0; sender < sending; ++sender) {
            transmission& worm = worms[next++];
            worm.step = plan.steps;
            for (const std::uint32_t host : worm.hosts) {
                const std::uint32_t chip = network.hosts[host].chip;
                if (phases == phasing::greedy || !has_sender[chip]) senders.push_back(plan.participants.size());
                has_sender[chip] = true;
                plan.participants.push_back({host, {}});
            }
            plan.participants[senders[sender]].sends.push_back(std::move(worm));
        }
    }
    return plan;
}

}  // namespace polycast::hw::collectives
