// SPDX-License-Identifier: Apache-2.0
/// \file Parameters of networks of routers, by the keys of a scenario and by what its packets ask of them.
#pragma once

#include "hw/chips/router/router_config.h"
#include "hw/fabric/fabric_config.h"
#include "hw/routing/router_deadlock.h"
#include "tlm/topologies/kinds.h"

namespace polycast::tlm::sim {

/// What packets ask of routers.
struct router_needs {
    unsigned longest_unicast = 0;    ///< flits; 0: there are none
    unsigned longest_broadcast = 0;  ///< likewise, of packets that routers copy
    unsigned classes = 1;            ///< that packets have
    unsigned hosts = 1;              ///< ports of each router for hosts and units
    unsigned vcs = 4;                ///< that `router.vcs: auto` is, at least
    unsigned buffer = 8;             ///< flits that `router.buffer: auto` is, at least
    std::string place = "workload";  ///< key that is to blame for packets that are too long
};

using topologies::mesh_params_of;

/// Routers and links by the keys of a scenario, `auto` filled in for what is asked of them; places, ports and tables
/// that are no grid's come with the plan.
/// \throws hw::input_error at the key that is to blame, also for what could deadlock
hw::fabric::fabric_params fabric_params_of(const scenario::loaded& scenario, const router_needs& needs);

/// What workload number `workload` asks.
router_needs needs_of(const scenario::loaded& scenario, std::size_t workload);

/// The deadlock check of routers, as fabric_params_of() has done it.
hw::routing::router_check_result check_routes(const hw::fabric::fabric_params& params, const router_needs& needs);

}  // namespace polycast::tlm::sim
