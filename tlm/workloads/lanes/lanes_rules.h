// SPDX-License-Identifier: Apache-2.0
/// \file What broadcasts over lanes and streams between sites can do.
#pragma once

#include "hw/collectives/lane_cost.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::scenario {

/// Whether the scenario runs on sites of nodes with lanes. All of its workloads do then.
bool has_lanes(const settings& s);

/// Checks what goes with lanes, and that nothing else goes with sites; fills in what sites have other defaults for.
/// \throws hw::input_error at the key that is to blame
void check_lanes(loaded& result);

/// What closed forms and the model piece by piece know of the network.
hw::collectives::lane_network lane_network_of(const settings& s, const workload_settings& workload);

}  // namespace polycast::tlm::scenario
