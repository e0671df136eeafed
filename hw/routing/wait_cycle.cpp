// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/wait_cycle.h"

#include <unordered_map>

#include "hw/routing/dependency_graph.h"

namespace polycast::hw::routing {

std::vector<wait> find_wait_cycle(std::span<const wait> waits) {
    dependency_graph graph;
    std::unordered_map<std::string, std::uint32_t> nodes;
    const auto node_of = [&](const std::string& name) {
        const auto [place, fresh] = nodes.try_emplace(name, static_cast<std::uint32_t>(graph.size()));
        if (fresh) graph.add_node(name);
        return place->second;
    };
    std::unordered_map<std::uint64_t, const wait*> by_ends;
    for (const wait& one : waits) {
        const std::uint32_t waiter = node_of(one.waiter), holder = node_of(one.holder);
        graph.add_edge(waiter, holder);
        by_ends.try_emplace(std::uint64_t{waiter} << 32 | holder, &one);
    }
    const std::vector<std::uint32_t> cycle = graph.find_cycle();
    std::vector<wait> found;
    for (std::size_t i = 0; i < cycle.size(); ++i)
        found.push_back(*by_ends.at(std::uint64_t{cycle[i]} << 32 | cycle[(i + 1) % cycle.size()]));
    return found;
}

std::string wait_cycle_text(std::span<const wait> cycle) {
    if (cycle.empty()) return "no wait cycle";
    std::string text;
    for (const wait& one : cycle) {
        text += (text.empty() ? "" : "; ") + one.waiter + " waits for " + one.holder;
        if (!one.reason.empty()) text += " (" + one.reason + ")";
    }
    return text;
}

}  // namespace polycast::hw::routing
