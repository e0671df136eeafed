// SPDX-License-Identifier: Apache-2.0
/// \file Plans of meshes and tori of virtual-channel routers with a host at every node.
#pragma once

#include "hw/fabric/fabric_config.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// Router n has host n at its first host port. The ports after it are for units of the nodes, whose terminal numbers
/// follow the hosts'. If `mesh.tables.table` is set, route tables are filled with the paths of dimension-order routing.
/// Only `host` and `firmware_times` of `params` are used. \throws input_error on parameters out of range
system_plan make_plan(const fabric::fabric_params& mesh, const system_params& params);

}  // namespace polycast::hw::system
