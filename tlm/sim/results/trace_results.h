// SPDX-License-Identifier: Apache-2.0
/// \file What runs recorded in waves and packet logs.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tlm/sim/results/results_folder.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

/// Prints a line for each file; a warning for a trigger that never fired.
void report_traces(const results_folder& folder, const scenario::loaded& scenario,
                   const std::vector<finished_run>& runs);

/// The same for run.json.
nlohmann::ordered_json traces_json(const results_folder& folder, const scenario::loaded& scenario,
                                   const std::vector<finished_run>& runs);

}  // namespace polycast::tlm::sim
