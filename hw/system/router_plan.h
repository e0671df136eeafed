// SPDX-License-Identifier: Apache-2.0
/// \file Common parts of all plans of networks of virtual-channel routers, for any shape of the network.
#pragma once

#include <functional>

#include "hw/fabric/fabric_config.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// Output ports of a router, bit: port, that packets with an address may take.
using table_routes = std::function<std::uint32_t(std::uint32_t router, std::uint32_t address)>;

/// Routers in the places of the switches of any graph, with tables of `addresses` entries; a router's random numbers
/// come from `routers.tables.seed` and its number. Only `host` and `firmware_times` of `params` are used.
/// \throws input_error on parameters out of range
system_plan make_table_plan(topology::graph network, const fabric::fabric_params& routers, const system_params& params,
                            std::uint32_t addresses, const table_routes& routes);

/// A plan whose routers have no parameters yet: network, sizes, hosts. \throws input_error on parameters out of range
system_plan make_router_plan(topology::graph network, const fabric::fabric_params& routers,
                             const system_params& params);

}  // namespace polycast::hw::system
