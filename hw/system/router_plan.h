// SPDX-License-Identifier: Apache-2.0
/// \file What plans of networks of virtual-channel routers have in common, whatever the network's shape.
#pragma once

#include <functional>

#include "hw/fabric/fabric_config.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// Output ports of a router, bit: port, that packets with an address may take.
using table_routes = std::function<std::uint32_t(std::uint32_t router, std::uint32_t address)>;

/// Routers in the places of the switches of any graph, with tables of `addresses` entries; a router's random numbers
/// come from `routers.tables.seed` and its number. Of `params` only `host` and `firmware_times` matter.
/// \throws input_error on parameters out of range
system_plan make_table_plan(topology::graph network, const fabric::fabric_params& routers, const system_params& params,
                            std::uint32_t addresses, const table_routes& routes);

/// A plan whose routers have no parameters yet: network, sizes, hosts. \throws input_error on parameters out of range
system_plan make_router_plan(topology::graph network, const fabric::fabric_params& routers,
                             const system_params& params);

}  // namespace polycast::hw::system
