// SPDX-License-Identifier: Apache-2.0
/// \file One workload of unicasts on a mesh or torus with ideal hosts, whose routers are stepped as one (hw/fabric).
#pragma once

#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/agreement.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// By all ranks together if there are any. \param stop called from time to time; true ends the run
/// \throws hw::engine::simulated_elsewhere on all ranks but the first
run_result run_unicasts_on_fabric(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                  const rank_pointer& ranks, const std::function<bool()>& stop);

}  // namespace polycast::tlm::sim
