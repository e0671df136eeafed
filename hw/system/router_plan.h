// SPDX-License-Identifier: Apache-2.0
/// \file What plans of networks of virtual-channel routers have in common, whatever the network's shape.
#pragma once

#include "hw/fabric/fabric_config.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// A plan whose routers have no parameters yet: network, sizes, hosts. \throws input_error on parameters out of range
system_plan make_router_plan(topology::graph network, const fabric::fabric_params& routers,
                             const system_params& params);

}  // namespace polycast::hw::system
