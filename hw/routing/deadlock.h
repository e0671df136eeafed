// SPDX-License-Identifier: Apache-2.0
/// \file Static check of a routed network before it is simulated: every destination is reached, and no set of packets can
/// wait for each other in a circle. The circle is searched in the channel dependency graph (Dally and Seitz 1987).
///
/// A channel is one direction of a cable together with the input buffer at its end. Channel c depends on channel d when a packet
/// in c's buffer may need d next. For a multicast worm that is one dependency from its input channel to each output that a
/// branch may take: branches read the buffer independently of each other, and the buffer takes the packet whole, so a branch that
/// holds its output never waits for another branch, only for the channel it goes into. Hence replication into a buffer shorter than the longest packet is refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/chips/switch_config.h"
#include "hw/topology/graph.h"

namespace polycast::hw::routing {

/// Named things that wait for each other. Channels now; memory of network interfaces can be added as further nodes.
class dependency_graph {
public:
    /// \returns the number of the new node, counted from 0
    std::uint32_t add_node(std::string name);

    /// A packet that holds `from` may wait for `to`.
    void add_edge(std::uint32_t from, std::uint32_t to) { edges_[from].push_back(to); }

    std::size_t size() const { return names_.size(); }
    const std::string& name(std::uint32_t node) const { return names_[node]; }

    /// The nodes of one shortest cycle through the first node (lowest number) that lies on a cycle, in order; empty when there is none.
    std::vector<std::uint32_t> find_cycle() const;

    /// "a -> b -> a"
    std::string text(const std::vector<std::uint32_t>& cycle) const;

private:
    std::vector<std::string> names_;
    std::vector<std::vector<std::uint32_t>> edges_;
};

/// What is checked. Tables may be hand-made: nothing is assumed of them.
struct route_check_input {
    const topology::graph* network = nullptr;
    std::span<const chips::switch_tables> tables;  ///< one per switch
    std::span<const chips::switch_params> params;  ///< one per switch, or one for all
    bool unicast = true;                           ///< the workload sends unicast packets
    bool tree = false;                             ///< the workload sends tree worms
    unsigned longest_unicast_flits = 0;            ///< header and trailer included
    unsigned longest_tree_flits = 0;
};

struct route_check_result {
    std::vector<std::string> problems;  ///< readable sentences, the most important first, at most max_problems of each sort
    std::vector<std::string> cycle;     ///< channel names of the cycle found, if any
    std::uint64_t channels = 0;         ///< nodes of the dependency graph
    std::uint64_t dependencies = 0;     ///< edges

    bool good() const { return problems.empty(); }
};

inline constexpr unsigned max_problems = 8;

/// Follows every route that the tables allow, whatever the selection picks: unicast from every host to every other, tree worms
/// from every host to every set of hosts. Reports tables of the wrong size, destinations that are not reached or reached wrongly or twice, buffers
/// that are too short, and cycles.
route_check_result check_routes(const route_check_input& input);

}  // namespace polycast::hw::routing
