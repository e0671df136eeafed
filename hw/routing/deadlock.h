// SPDX-License-Identifier: Apache-2.0
/// \file Static check of a routed network before it is simulated: every destination is reached, and no set of packets
/// can wait for each other in a cycle. The cycle is searched in the channel dependency graph (Dally and Seitz 1987).
///
/// A channel is one direction of a cable together with the input buffer at its end. Channel c depends on channel d when
/// a packet in c's buffer may need d next. For a multicast worm that is one dependency from its input channel to each
/// output that a branch may take: branches read the buffer independently of each other, and the buffer takes the packet
/// whole, so a branch that holds its output never waits for another branch, only for the channel it goes into. Hence
/// replication into a buffer shorter than the longest packet is refused.
///
/// A network interface that forwards frees the memory of a packet when the copies have left: if that memory is
/// finite, the channel to the host depends on the memory, and the memory on the channel from the host.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/chips/switch/switch_config.h"
#include "hw/routing/dependency_graph.h"
#include "hw/topology/graph.h"

namespace polycast::hw::routing {

/// What is checked. Tables may be hand-made: nothing is assumed about them.
struct route_check_input {
    const topology::graph* network = nullptr;
    std::span<const chips::switch_tables> tables;  ///< one per switch
    std::span<const chips::switch_params> params;  ///< one per switch, or one for all
    unsigned longest_unicast_flits = 0;            ///< header and trailer included; 0: the workload sends none
    unsigned longest_tree_flits = 0;
    unsigned longest_ssr_flits = 0;
    unsigned longest_path_flits = 0;
    /// Hosts whose interface holds what it forwards in a memory that can be full: nodes of the graph of their own.
    /// Empty: no host forwards, or every memory takes all that can ever come.
    std::span<const std::uint32_t> forwarders;
};

struct route_check_result {
    std::vector<std::string> problems;  ///< readable sentences, at most max_problems of each kind
    std::vector<std::string> cycle;     ///< channel names of the cycle found, if any
    std::uint64_t channels = 0;         ///< nodes of the dependency graph
    std::uint64_t dependencies = 0;     ///< its edges

    bool good() const { return problems.empty(); }
};

inline constexpr unsigned max_problems = 8;

/// Follows every route that the tables allow, for any selection: unicast from every host to every other,
/// tree worms from every host to every set of hosts, SSR worms from every host to every switch with hosts, path worms
/// from there on to every switch that the tables lead to. Reports tables of the wrong size, buffers that are too short,
/// destinations that are not reached, or wrongly, or twice (only as far as rewritten headers would go, where they are
/// not rewritten), and cycles. A channel is named by the output it starts at, "switch3:2", or by the host that injects
/// into it.
route_check_result check_routes(const route_check_input& input);

/// The channel dependency graph of the same routes: nodes for every cabled switch port, then one for every host, then
/// one for the memory of every forwarder.
dependency_graph channel_dependencies(const route_check_input& input);

}  // namespace polycast::hw::routing
