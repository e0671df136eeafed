// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/partial_order.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace polycast::hw::collectives {

namespace {

using topology::port_end;
using place_set = std::vector<std::uint64_t>;

constexpr std::uint32_t none = UINT32_MAX;

/// Participating switches, and which of them lie directly below which. "Places" are indices into `switches`.
struct order_graph {
    std::vector<chain_switch> switches;                ///< ascending
    std::vector<std::vector<std::uint32_t>> children;  ///< [place] places, ascending
    std::vector<std::uint32_t> bottom_up;              ///< places, children before their parents
};

/// The participating switches in ascending order, their hosts by port.
std::vector<chain_switch> participating_switches(const topology::graph& network, std::uint32_t source,
                                                 std::span<const std::uint32_t> destinations) {
    std::vector<std::uint32_t> hosts(destinations.begin(), destinations.end());
    hosts.push_back(source);
    std::sort(hosts.begin(), hosts.end(), [&](std::uint32_t a, std::uint32_t b) {
        const topology::host_node& left = network.hosts[a];
        const topology::host_node& right = network.hosts[b];
        return left.chip != right.chip ? left.chip < right.chip : left.port < right.port;
    });
    std::vector<chain_switch> found;
    for (const std::uint32_t host : hosts) {
        const std::uint32_t chip = network.hosts[host].chip;
        if (found.empty() || found.back().chip != chip) found.push_back({chip, {}});
        found.back().hosts.push_back(host);
    }
    return found;
}

order_graph make_order_graph(const routing::updown& routes, std::vector<chain_switch> switches) {
    const topology::graph& network = routes.network();
    order_graph graph;
    graph.children.resize(switches.size());
    std::vector<std::uint32_t> place_of(network.switches.size(), none);
    for (std::uint32_t place = 0; place < switches.size(); ++place) place_of[switches[place].chip] = place;
    // [switch] the first participating switches on all ways down from it, itself not counted.
    std::vector<std::vector<std::uint32_t>> below(network.switches.size());
    for (std::size_t at = routes.top_down().size(); at-- > 0;) {
        const std::uint32_t chip = routes.top_down()[at];
        std::vector<std::uint32_t>& own = below[chip];
        for (const port_end& end : network.switches[chip].ports) {
            if (end.kind != port_end::leads_to::chip || routes.level(end.index) != routes.level(chip) + 1) continue;
            if (place_of[end.index] != none) {
                own.push_back(place_of[end.index]);
            } else {
                own.insert(own.end(), below[end.index].begin(), below[end.index].end());
            }
        }
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        if (place_of[chip] == none) continue;
        graph.children[place_of[chip]] = own;
        graph.bottom_up.push_back(place_of[chip]);
    }
    graph.switches = std::move(switches);
    return graph;
}

/// [place] participants on the switch and on all its descendants.
std::vector<std::uint64_t> weights_of(const order_graph& graph) {
    const std::size_t count = graph.switches.size();
    std::vector<place_set> covered(count, place_set((count + 63) / 64));
    std::vector<std::uint64_t> weights(count);
    for (const std::uint32_t place : graph.bottom_up) {
        place_set& own = covered[place];
        own[place / 64] |= std::uint64_t{1} << place % 64;
        for (const std::uint32_t child : graph.children[place])
            for (std::size_t word = 0; word < own.size(); ++word) own[word] |= covered[child][word];
        for (std::size_t word = 0; word < own.size(); ++word)
            for (std::uint64_t left = own[word]; left != 0; left &= left - 1)
                weights[place] +=
                    graph.switches[word * 64 + static_cast<std::size_t>(std::countr_zero(left))].hosts.size();
    }
    return weights;
}

}  // namespace

std::vector<switch_chain> partially_ordered_chains(const routing::updown& routes, std::uint32_t source,
                                                   std::span<const std::uint32_t> destinations) {
    const order_graph graph = make_order_graph(routes, participating_switches(routes.network(), source, destinations));
    const std::vector<std::uint64_t> weights = weights_of(graph);
    // Places ascend with switches, so a stable order leaves the lowest of equal weights first.
    const auto heavier = [&](std::uint32_t a, std::uint32_t b) { return weights[a] > weights[b]; };
    std::vector<std::uint32_t> starts(graph.switches.size());
    std::iota(starts.begin(), starts.end(), 0u);
    std::stable_sort(starts.begin(), starts.end(), heavier);
    std::vector<bool> stripped(starts.size());
    std::vector<switch_chain> chains;
    for (const std::uint32_t start : starts) {
        if (stripped[start]) continue;
        switch_chain made;
        for (std::uint32_t place = start; place != none;) {
            stripped[place] = true;
            made.push_back(graph.switches[place]);
            std::uint32_t next = none;
            for (const std::uint32_t child : graph.children[place])
                if (!stripped[child] && (next == none || heavier(child, next))) next = child;
            place = next;
        }
        const bool only_source = made.size() == 1 && made[0].hosts.size() == 1 && made[0].hosts[0] == source;
        if (!only_source) chains.push_back(std::move(made));
    }
    return chains;
}

}  // namespace polycast::hw::collectives
