// SPDX-License-Identifier: Apache-2.0
/// \file The commands of polycast-sim.
#pragma once

#include "tlm/sim/run.h"

namespace polycast::tlm::sim {

/// \param make_factory implements the fidelities
/// \returns the exit status: 0; 1 a delivery check failed; 2 bad input; 130 interrupted
/// \throws hw::input_error
int run_command_line(int count, const char* const* arguments, const factory_maker& make_factory);

}  // namespace polycast::tlm::sim
