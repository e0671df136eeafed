// SPDX-License-Identifier: Apache-2.0
/// \file What a person wants to know about a network before simulating it, and a drawing of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/routing/updown.h"
#include "hw/topology/graph.h"

namespace polycast::hw::topology {

/// Figures of a network under up*/down* routing. Distances are links between switches, hosts' own links not counted.
struct description {
    std::uint32_t switches = 0, hosts = 0;
    std::uint32_t links = 0;  ///< cables between switches
    std::uint32_t open_ports = 0;
    std::uint32_t parallel_links = 0;  ///< cables beyond the first between the same two switches
    std::uint32_t root = 0;
    std::uint32_t levels = 0;  ///< of the breadth-first tree, root alone = 1
    std::vector<std::uint32_t> switches_at_level;
    std::uint32_t least_degree = 0, largest_degree = 0;  ///< cables to switches, per switch
    double mean_degree = 0;
    std::uint32_t least_hosts = 0, largest_hosts = 0;  ///< per switch
    std::uint32_t diameter = 0;        ///< longest shortest path between switches with hosts, no routing rules
    std::uint32_t legal_diameter = 0;  ///< the same with up*/down* paths only
    double mean_distance = 0;          ///< over ordered pairs of different hosts
    double mean_legal_distance = 0;
    std::uint32_t cross_level_links = 0;  ///< links outside the breadth-first tree that join two levels
    std::uint32_t same_level_links = 0;
    std::uint32_t root_cut = 0;  ///< cables at the root: every path that must pass the root shares them
};

description describe(const graph& network, const routing::updown& routes);

/// Graphviz DOT: switches by level, hosts, ports at the cable ends, arrows pointing up.
std::string write_dot(const graph& network, const routing::updown& routes);

}  // namespace polycast::hw::topology
