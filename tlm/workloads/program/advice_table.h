// SPDX-License-Identifier: Apache-2.0
/// \file The table that `advise -o` writes: for each collective, from which size on which algorithm.
#pragma once

#include <string>

#include "hw/programs/collective.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::sim {

/// The algorithm for a collective: that of the largest size that is not larger, of the first one for smaller ones.
/// \throws hw::input_error at the place in the table
std::string chosen_by_table(const scenario::loaded& scenario, const std::string& path,
                            const hw::programs::collective& made);

}  // namespace polycast::tlm::sim
