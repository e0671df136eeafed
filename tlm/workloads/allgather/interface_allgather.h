// SPDX-License-Identifier: Apache-2.0
/// \file An allgather on a mesh or torus by host programs over network interfaces (hw/workloads/allgather/allgather.h).
#pragma once

#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// Adds what workload number `workload` asks of routers. \throws hw::input_error at the wrong key
void add_allgather_needs(router_needs& needs, const scenario::loaded& scenario, std::size_t workload);

/// The plan of a network, with coding units and buffers for workload number `workload`. \throws hw::input_error at the
/// wrong key
hw::system::system_plan plan_of_allgather(const scenario::loaded& scenario, const instance& on, std::size_t workload);

run_result run_interface_allgather(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                   std::uint64_t seed, const network_factory& factory,
                                   const std::function<bool()>& stop, const instrumentation& instruments);

}  // namespace polycast::tlm::sim
