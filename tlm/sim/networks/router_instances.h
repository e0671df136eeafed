// SPDX-License-Identifier: Apache-2.0
/// \file The network of a scenario whose chips are virtual-channel routers.
#pragma once

#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

/// With ideal hosts the graph alone; all workloads are checked. \throws hw::input_error at the key that is to blame
instance plan_routers(const scenario::loaded& scenario);

}  // namespace polycast::tlm::sim
