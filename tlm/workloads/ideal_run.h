// SPDX-License-Identifier: Apache-2.0
/// \file One workload of unicasts, or one allgather, on a mesh or torus with ideal hosts.
#pragma once

#include <cstddef>
#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// Chooses what runs such a network; no other code chooses. hw/fabric is faster. Chips are used if routers are not
/// cores, or if waves or a packet log are requested. Results are the same.
ideal_engine ideal_engine_of(const scenario::settings& s, const instrumentation& instruments);

/// \throws hw::input_error at the wrong key, if the workload cannot be run
void check_ideal_run(const scenario::loaded& scenario, const hw::topology::graph& network, std::size_t workload);

/// Chips of workload number `workload`. \throws hw::input_error likewise
hw::system::system_plan ideal_plan_of(const scenario::loaded& scenario, std::size_t workload);

/// If the factory makes one network per process, call it in a process of its own. \param stop called from time to time;
/// true ends the run \throws hw::input_error if a wave file cannot be written
run_result run_ideal(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                     const network_factory& factory, const std::function<bool()>& stop,
                     const instrumentation& instruments);

}  // namespace polycast::tlm::sim
