// SPDX-License-Identifier: Apache-2.0
/// \file Rules of programs.
#pragma once

#include "tlm/scenario/kind_rules.h"

namespace polycast::tlm::scenario {

kind_rules program_rules();
std::vector<key> program_keys();
/// What runs a program, how often, and what is kept of it.
std::vector<key> machine_keys();

}  // namespace polycast::tlm::scenario
