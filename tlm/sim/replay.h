// SPDX-License-Identifier: Apache-2.0
/// \file How a run is run again.
#pragma once

#include <string>
#include <vector>

#include "tlm/scenario/load.h"
#include "tlm/sim/run.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

/// Arguments of the program that repeat a run, with waves of the failed chip over the cycles before where they were
/// recorded, or of all.
std::vector<std::string> replay_of(const run_options& options, const scenario::loaded& scenario,
                                   const finished_run& failed);

/// Them behind the name by which this program was started, as a shell takes it.
std::string command_line_of(const run_options& options, const std::vector<std::string>& arguments);

}  // namespace polycast::tlm::sim
