// SPDX-License-Identifier: Apache-2.0
/// \file One run of a scenario: one workload on one network.
#pragma once

#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// Runs workload number `workload` on `on`. Where the factory makes one network per process, this makes one, or starts
/// a process for each of several: call it in a process of its own (in_child). \param stop asked now and then, ends the
/// run by returning true \throws hw::input_error where a wave file cannot be written
run_result run_workload(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                        const network_factory& factory, const std::function<bool()>& stop,
                        const instrumentation& instruments = {});

}  // namespace polycast::tlm::sim
