// SPDX-License-Identifier: Apache-2.0
/// \file Resources that wait for each other, and the search for a cycle among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace polycast::hw::routing {

/// A directed graph of named nodes: channels now; memory of network interfaces can be added as further nodes.
class dependency_graph {
public:
    /// \returns the number of the new node, counted from 0
    std::uint32_t add_node(std::string name);

    /// What holds `from` may wait for `to`. Repeated edges are harmless.
    void add_edge(std::uint32_t from, std::uint32_t to) { edges_[from].push_back(to); }

    std::size_t size() const { return names_.size(); }
    std::uint64_t edges() const;
    const std::vector<std::uint32_t>& successors(std::uint32_t node) const { return edges_[node]; }
    const std::string& name(std::uint32_t node) const { return names_[node]; }

    /// The nodes, in order, of a shortest cycle through the lowest-numbered node that lies on any; empty when none
    /// does.
    std::vector<std::uint32_t> find_cycle() const;

    /// "a -> b -> a"
    std::string cycle_text(const std::vector<std::uint32_t>& cycle) const;

private:
    std::vector<std::string> names_;
    std::vector<std::vector<std::uint32_t>> edges_;
};

}  // namespace polycast::hw::routing
