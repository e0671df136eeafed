// SPDX-License-Identifier: Apache-2.0
/// \file All kinds of topology.
#pragma once

#include "hw/topology/fat_tree.h"
#include "hw/topology/mesh.h"
#include "tlm/topologies/kind.h"

namespace polycast::tlm::topologies {

const kind& irregular();
const kind& file();
const kind& mesh();
const kind& torus();
const kind& bypass_torus();
const kind& fat_tree();
const kind& sites();

/// The grid of a scenario with a mesh or torus.
hw::topology::mesh_params mesh_params_of(const scenario::settings& s);

/// The fat tree of a scenario. \throws hw::input_error at the wrong key
hw::topology::fat_tree fat_tree_of(const loaded& scenario);

}  // namespace polycast::tlm::topologies
