// SPDX-License-Identifier: Apache-2.0
/// \file Plans of fat trees of virtual-channel routers with a host at every leaf.
#pragma once

#include "hw/fabric/fabric_config.h"
#include "hw/system/plan.h"
#include "hw/topology/fat_tree.h"

namespace polycast::hw::system {

/// Ports, nodes and route tables follow from the tree, the rest from `routers`; a router's random numbers come from
/// `routers.tables.seed` and its number. Only `host` and `firmware_times` of `params` are used.
/// \throws input_error on parameters out of range
system_plan make_plan(const topology::fat_tree& tree, const fabric::fabric_params& routers,
                      const system_params& params);

}  // namespace polycast::hw::system
