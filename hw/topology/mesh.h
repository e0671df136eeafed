// SPDX-License-Identifier: Apache-2.0
/// \file Meshes and tori: routers at the points of a grid, cabled to their neighbours.
#pragma once

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

struct mesh_params {
    unsigned radix = 8;       ///< routers along each dimension, at least 2
    unsigned dimensions = 2;  ///< at least 1
    bool torus = false;       ///< cables from end to end, too
    unsigned hosts = 1;       ///< of each router

    bool operator==(const mesh_params&) const = default;
};

/// "router5" is at the coordinates of node 5 of hw/chips/router.md, its ports 2d and 2d + 1 lead up and down dimension
/// d, or nowhere, the next ones to its hosts: "host5", and of a second one for each router "host" and nodes + 5.
/// \throws input_error for a network that is too large
graph make_mesh(const mesh_params& params);

/// "mesh-8x8", "torus-4x4x4".
std::string mesh_name(const mesh_params& params);

}  // namespace polycast::hw::topology
