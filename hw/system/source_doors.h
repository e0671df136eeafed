// SPDX-License-Identifier: Apache-2.0
/// \file Who may send at which port of a network's chips (hw/chips/source_door.md).
#pragma once

#include "hw/system/plan.h"

namespace polycast::hw::system {

/// Doors at the ports of hosts and coding units of all switches, routers and VL switches: a host may be `source` there,
/// a unit at its own port, and with `forwarding` any host at each host's port, as interfaces forward packets of any
/// root. \throws input_error if there are more hosts and units than a table has sources
void add_doors(system_plan& plan, bool forwarding);

}  // namespace polycast::hw::system
