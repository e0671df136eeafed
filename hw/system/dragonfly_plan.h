// SPDX-License-Identifier: Apache-2.0
/// \file Plans of dragonflies of virtual-channel routers with hosts at each.
#pragma once

#include "hw/fabric/fabric_config.h"
#include "hw/system/plan.h"
#include "hw/topology/dragonfly.h"

namespace polycast::hw::system {

/// Virtual channels that keep the routes free of cycles, as the check confirms: 2 for minimal routes, 3 for Valiant
/// routes.
unsigned dragonfly_vcs(const topology::dragonfly& shape);

/// Classes of packets: 1 for minimal routes, 2 for Valiant routes, by detour::class_of().
unsigned dragonfly_classes(const topology::dragonfly& shape);

/// router_tables::vc_sets for the policy `keep`. Channel v belongs to level v modulo dragonfly_vcs(). Packets begin at
/// level 0, take level 1 + class on a global link, and keep that level. If there are too few channels, levels share the
/// last one.
std::array<std::array<chips::vc_set, 2>, 8> dragonfly_vc_sets(const topology::dragonfly& shape, unsigned vcs);

/// Ports, nodes and route tables follow from the shape, the rest from `routers`. With Valiant routing, interfaces draw
/// the paths by `routers.tables.seed`. Only `host` and `firmware_times` of `params` are used.
/// \throws input_error on parameters out of range
system_plan make_plan(const topology::dragonfly& shape, const fabric::fabric_params& routers,
                      const system_params& params);

}  // namespace polycast::hw::system
