// SPDX-License-Identifier: Apache-2.0
/// \file Figures of a network that users want before they simulate it, and a drawing of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/routing/updown.h"
#include "hw/topology/graph.h"

namespace polycast::hw::topology {

/// Figures of a network under up*/down* routing. Distances are links between switches, hosts' own links not counted,
/// and are taken between switches that have hosts.
struct description {
    std::uint32_t switches = 0;
    std::uint32_t hosts = 0;
    std::uint32_t links = 0;  ///< cables between switches
    std::uint32_t open_ports = 0;
    std::uint32_t parallel_links = 0;  ///< cables beyond the first between the same two switches
    std::uint32_t cross_level_links =
        0;  ///< cables between two levels that are not the breadth-first tree's, parallel ones included
    std::uint32_t same_level_links = 0;
    std::vector<std::uint32_t> roots;
    std::vector<std::uint32_t> switches_at_level;  ///< roots are level 0
    std::uint32_t least_degree = 0;                ///< cables to other switches, per switch
    std::uint32_t largest_degree = 0;
    double mean_degree = 0;
    std::uint32_t least_hosts = 0;  ///< per switch
    std::uint32_t largest_hosts = 0;
    std::uint32_t root_links = 0;  ///< cables to switches at the roots, which all routes through these share

    bool distances_known =
        false;  ///< the rest is only worked out for networks of at most describe_distances_up_to switches
    std::uint32_t diameter = 0;        ///< longest shortest path, whatever the routing
    std::uint32_t legal_diameter = 0;  ///< longest shortest up*/down* path
    double mean_distance = 0;          ///< over ordered pairs of different hosts
    double mean_legal_distance = 0;

    bool operator==(const description&) const = default;
};

inline constexpr std::size_t describe_distances_up_to = 4096;

description describe(const graph& network, const routing::updown& routes);

/// Graphviz DOT: switches by level, root on top, hosts, port numbers at the cable ends, arrows pointing up.
std::string write_dot(const graph& network, const routing::updown& routes);

/// A name as a string of DOT, in quotation marks.
std::string dot_text(const std::string& name);

}  // namespace polycast::hw::topology
