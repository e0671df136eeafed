// SPDX-License-Identifier: Apache-2.0
/// \file One workload of unicasts on a mesh or torus with ideal hosts, chip by chip.
#pragma once

#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// Where the factory makes one network per process, call it in a process of its own. \param stop asked now and then,
/// ends the run by returning true \throws hw::input_error where a wave file cannot be written
run_result run_unicasts_on_chips(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                 const network_factory& factory, const std::function<bool()>& stop,
                                 const instrumentation& instruments);

}  // namespace polycast::tlm::sim
