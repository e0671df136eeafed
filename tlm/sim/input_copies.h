// SPDX-License-Identifier: Apache-2.0
/// \file Copies of the files that a scenario names, so that its results folder runs again.
#pragma once

#include <map>
#include <string>

#include "tlm/scenario/load.h"
#include "tlm/sim/results/results_folder.h"

namespace polycast::tlm::sim {

/// Copies what was read, as it was read, into the folder. \returns paths for its scenario.yaml, by key: of the copies,
/// and of firmware and RTL, which stay where they are
std::map<std::string, std::string> copy_inputs(const scenario::loaded& scenario, const results_folder& folder);

}  // namespace polycast::tlm::sim
