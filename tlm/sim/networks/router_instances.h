// SPDX-License-Identifier: Apache-2.0
/// \file The network of a scenario whose chips are virtual-channel routers.
#pragma once

#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

/// Plans the routers of `made`, whose plan has the graph alone; with ideal hosts it stays so. Checks all workloads.
/// \throws hw::input_error at the key that is to blame
void plan_routers(const scenario::loaded& scenario, instance& made);

}  // namespace polycast::tlm::sim
