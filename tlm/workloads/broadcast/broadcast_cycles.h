// SPDX-License-Identifier: Apache-2.0
/// \file Pipelined broadcasts by broadcast units, cycle by cycle.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hw/topology/bypass_torus.h"
#include "hw/topology/graph.h"
#include "hw/workloads/broadcast/broadcast_plan.h"
#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// Routers and hosts, as hw/workloads/broadcast/broadcast_plan.h has them. \throws hw::input_error at the wrong key if
/// there are too many
hw::topology::graph broadcast_graph(const scenario::loaded& scenario, const hw::topology::bypass_torus& network);

/// Routers for workload number `workload`. \throws hw::input_error at the wrong key
hw::broadcast::router_network_params broadcast_routers_of(const scenario::loaded& scenario, std::size_t workload);

/// \throws hw::input_error at the wrong key if routers cannot do workload number `workload`
void check_broadcast_cycles(const scenario::loaded& scenario, const instance& on, std::size_t workload);

/// Directions of the cables between `nodes` nodes that take part in a broadcast along the dimensions `used`: every line
/// has as many nodes of each class.
std::uint64_t directions(const hw::topology::bypass_torus& network, const std::vector<unsigned>& used,
                         std::uint64_t nodes);

/// As run_broadcasts().
run_result run_broadcast_cycles(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                const network_factory& factory, const std::function<bool()>& stop,
                                const instrumentation& instruments);

}  // namespace polycast::tlm::sim
