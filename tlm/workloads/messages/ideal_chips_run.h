// SPDX-License-Identifier: Apache-2.0
/// \file One workload of unicasts on a mesh or torus with ideal hosts, chip by chip.
#pragma once

#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// If the factory makes one network per process, call it in a process of its own. \param stop called from time to time;
/// true ends the run \throws hw::input_error if a wave file cannot be written
run_result run_unicasts_on_chips(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                 const network_factory& factory, const std::function<bool()>& stop,
                                 const instrumentation& instruments);

}  // namespace polycast::tlm::sim
