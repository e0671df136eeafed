// SPDX-License-Identifier: Apache-2.0
/// \file What keys say together, each of which is good by itself.
#pragma once

#include "tlm/scenario/load.h"

namespace polycast::tlm::scenario {

/// Also fills in what follows from other keys. \throws hw::input_error at the key that is to blame
void check_together(loaded& result);

}  // namespace polycast::tlm::scenario
