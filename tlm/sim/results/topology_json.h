// SPDX-License-Identifier: Apache-2.0
/// \file Networks as reports draw them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hw/routing/updown.h"
#include "hw/topology/fat_tree.h"
#include "hw/topology/graph.h"
#include "hw/topology/mesh.h"

namespace polycast::tlm::sim {

/// topology/<name>.json: the network with levels and directions.
nlohmann::ordered_json topology_json(const hw::topology::graph& network, const hw::routing::updown& routes);

/// The same for a mesh or torus: with places in a grid, without directions.
nlohmann::ordered_json topology_json(const hw::topology::graph& network, const hw::topology::mesh_params& shape);

/// The same for a fat tree: with levels, which count from the hosts, without directions.
nlohmann::ordered_json topology_json(const hw::topology::graph& network, const hw::topology::fat_tree& tree);

}  // namespace polycast::tlm::sim
