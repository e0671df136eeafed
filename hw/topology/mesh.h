// SPDX-License-Identifier: Apache-2.0
/// \file Meshes and tori: routers at the points of a grid, cabled to their neighbours.
#pragma once

#include <cstdint>
#include <string>

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

struct mesh_params {
    unsigned radix = 8;       ///< routers along each dimension, at least 2
    unsigned dimensions = 2;  ///< at least 1
    bool torus = false;       ///< also cables from end to end
    unsigned hosts = 1;       ///< of each router

    bool operator==(const mesh_params&) const = default;
};

/// Most hosts of a grid without interfaces: no header, register or table grows with their number.
inline constexpr unsigned max_ideal_hosts = 1u << 20;

/// "router5" is at the coordinates of node 5 of hw/chips/router/router.md, its ports 2d and 2d + 1 lead up and down
/// dimension d, or nowhere, and the next ones to its hosts: "host5", and, if each router has a second host, "host" and
/// nodes + 5. \throws input_error for a network of more than `most_hosts`
graph make_mesh(const mesh_params& params, unsigned most_hosts = max_hosts);

/// "mesh-8x8", "torus-4x4x4".
std::string mesh_name(const mesh_params& params);

/// Distances are links between routers, over ordered pairs of different ones.
struct mesh_description {
    std::uint64_t routers = 0;
    std::uint64_t links = 0;      ///< cables between routers
    std::uint64_t bisection = 0;  ///< cables between two halves along a dimension, rounded down
    unsigned diameter = 0;
    double mean_distance = 0;
};
mesh_description describe(const mesh_params& params);

/// Graphviz DOT with positions, for neato: a grid; dimensions after the second one are laid out side by side.
std::string write_dot(const mesh_params& params, const graph& network);

/// Place of a router in a drawing, in steps of the grid.
struct grid_place {
    unsigned x = 0, y = 0;
};
grid_place place_of(const mesh_params& params, std::uint32_t router);

}  // namespace polycast::hw::topology
