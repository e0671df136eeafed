// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/dependency_graph.h"

#include <algorithm>
#include <boost/graph/vector_as_graph.hpp>  // before the algorithm, which must see its functions

#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>

namespace polycast::hw::routing {

std::uint32_t dependency_graph::add_node(std::string name) {
    names_.push_back(std::move(name));
    edges_.emplace_back();
    return static_cast<std::uint32_t>(names_.size() - 1);
}

std::uint64_t dependency_graph::edges() const {
    std::uint64_t count = 0;
    for (const auto& out : edges_) count += out.size();
    return count;
}

std::vector<std::uint32_t> dependency_graph::find_cycle() const {
    if (edges_.empty()) return {};
    std::vector<std::uint32_t> component(size());
    const auto index = boost::identity_property_map{};
    boost::strong_components(edges_, boost::make_iterator_property_map(component.begin(), index),
                             boost::vertex_index_map(index));

    // A node lies on a cycle exactly when one of its edges stays in its component.
    const auto on_cycle = [&](std::uint32_t node) {
        return std::any_of(edges_[node].begin(), edges_[node].end(),
                           [&](std::uint32_t to) { return component[to] == component[node]; });
    };
    std::uint32_t start = 0;
    while (start < size() && !on_cycle(start)) ++start;
    if (start == size()) return {};

    std::vector<std::uint32_t> from(size(), UINT32_MAX), queue{start};
    for (std::size_t next = 0; next < queue.size(); ++next)
        for (const std::uint32_t to : edges_[queue[next]]) {
            if (to == start) {
                std::vector<std::uint32_t> cycle;
                for (std::uint32_t node = queue[next]; node != start; node = from[node]) cycle.push_back(node);
                cycle.push_back(start);
                std::reverse(cycle.begin(), cycle.end());
                return cycle;
            }
            if (component[to] != component[start] || from[to] != UINT32_MAX) continue;
            from[to] = queue[next];
            queue.push_back(to);
        }
    return {};
}

std::string dependency_graph::cycle_text(const std::vector<std::uint32_t>& cycle) const {
    std::string text;
    for (const std::uint32_t node : cycle) text += names_[node] + " -> ";
    return cycle.empty() ? text : text + names_[cycle.front()];
}

}  // namespace polycast::hw::routing
