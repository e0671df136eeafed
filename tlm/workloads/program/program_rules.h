// SPDX-License-Identifier: Apache-2.0
/// \file Rules of programs.
#pragma once

#include "hw/collectives/algorithm_table.h"
#include "tlm/scenario/kind_rules.h"

namespace polycast::tlm::scenario {

kind_rules program_rules();
std::vector<key> program_keys();
/// What runs a program, how often, and what is kept of it.
std::vector<key> machine_keys();

/// Of which algorithms a trace's collectives are made. \throws hw::input_error for names that there are not
hw::collectives::algorithm_table algorithms_of(const program_workload& of);

}  // namespace polycast::tlm::scenario
