// SPDX-License-Identifier: Apache-2.0
/// \file Checks a tree against the table of keys and fills in the defaults.
#pragma once

#include "tlm/scenario/load.h"
#include "tlm/scenario/quantity.h"

namespace polycast::tlm::scenario {

/// Fills `result.values`, `result.resolved` and `result.given` from the tree `root`, a map.
/// \throws hw::input_error
void resolve(const node& root, loaded& result);

/// What units stand for in it.
measures measures_of(const loaded& scenario);

}  // namespace polycast::tlm::scenario
