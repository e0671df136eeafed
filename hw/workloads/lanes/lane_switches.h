// SPDX-License-Identifier: Apache-2.0
/// \file The switches of one lane as event switches, and all its links.
#pragma once

#include "hw/workloads/lanes/lane_network.h"

namespace polycast::hw::lanes {

/// Adds the switches of all sites and joins them to the nodes, which are hosts of the plan: their port `lane`.
/// \throws input_error if latencies leave no time for the path, or there are too many nodes or sites
void add_switches(system::system_plan& plan, const lane_network_params& params, unsigned lane);

}  // namespace polycast::hw::lanes
