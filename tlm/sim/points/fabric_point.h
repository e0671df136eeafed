// SPDX-License-Identifier: Apache-2.0
/// \file One workload on a mesh or torus with ideal hosts, whose routers are stepped as one (hw/fabric).
#pragma once

#include <functional>

#include "hw/fabric/fabric_config.h"
#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/points/point_result.h"

namespace polycast::tlm::sim {

/// \throws hw::input_error at the key that is to blame, where the workload cannot be run
void check_fabric_point(const scenario::loaded& scenario, const hw::topology::graph& network, std::size_t workload);

/// \param stop asked now and then, ends the run by returning true
point_result run_fabric_point(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                              const std::function<bool()>& stop);

/// Cycles from birth to the tail's arrival of a packet alone on its way over `hops` links between routers.
std::uint64_t lone_latency(const hw::fabric::fabric_params& params, unsigned hops, unsigned flits);

}  // namespace polycast::tlm::sim
