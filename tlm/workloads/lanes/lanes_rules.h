// SPDX-License-Identifier: Apache-2.0
/// \file Rules of broadcasts over lanes and of streams between sites.
#pragma once

#include "hw/collectives/lane_cost.h"
#include "tlm/scenario/kind_rules.h"

namespace polycast::tlm::scenario {

/// Whether the scenario runs on sites of nodes with lanes. All of its workloads do then.
bool has_lanes(const settings& s);

/// They check what is possible with lanes, and that sites have no other workloads, and fill in the defaults that
/// differ for sites.
kind_rules lanes_rules();
std::vector<key> lanes_keys();
std::vector<key> lanes_workload_keys();

/// What the closed forms and the piece-by-piece model know about the network.
hw::collectives::lane_network lane_network_of(const settings& s, const workload_settings& workload);

}  // namespace polycast::tlm::scenario
