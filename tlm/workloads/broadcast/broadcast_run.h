// SPDX-License-Identifier: Apache-2.0
/// \file Pipelined broadcasts on tori and bypass tori.
#pragma once

#include <cstdint>
#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// The network of a scenario of broadcasts. In steps nothing is listed: there can be millions of nodes.
/// \throws hw::input_error at the wrong key
instance plan_broadcasts(const scenario::loaded& scenario);

/// Workload number `workload`. \param stop called from time to time; true ends the run
run_result run_broadcasts(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                          const network_factory& factory, const std::function<bool()>& stop,
                          const instrumentation& instruments);

}  // namespace polycast::tlm::sim
