// SPDX-License-Identifier: Apache-2.0
/// \file What allgathers by network interfaces can do.
#pragma once

#include <cstddef>

#include "tlm/scenario/load.h"

namespace polycast::tlm::scenario {

/// Checks workload number `index`, an allgather, and says in the resolved scenario that nodes do not wait for steps.
/// \throws hw::input_error at what only ideal hosts have
void check_interface_allgather(loaded& result, std::size_t index);

}  // namespace polycast::tlm::scenario
