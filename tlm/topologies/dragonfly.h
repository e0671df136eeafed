// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/topologies/kind.h"

namespace polycast::tlm::topologies {

const kind& dragonfly();

}  // namespace polycast::tlm::topologies
