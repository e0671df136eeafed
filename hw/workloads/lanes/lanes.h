// SPDX-License-Identifier: Apache-2.0
/// \file A broadcast over lanes from beginning to end: network, drivers, scoreboard. hw/workloads/lanes/lanes.md
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/collectives/lane_trees.h"
#include "hw/workloads/lanes/lane_driver.h"
#include "hw/workloads/lanes/lane_network.h"
#include "hw/workloads/lanes/lane_scoreboard.h"

namespace polycast::hw::lanes {

struct lane_broadcast_params {
    lane_network_params network;
    collectives::lane_algorithm algorithm = collectives::lane_algorithm::multi_lane;
    lane_driver_params driver;
};

struct lane_broadcast_result {
    lane_outcome outcome = lane_outcome::stuck;
    cycle completed = 0;                ///< the last node has everything; 0 where one has not
    std::vector<cycle> nodes;           ///< [node] has everything; engine::never where it has not
    std::uint64_t checked = 0;          ///< bytes compared, of all nodes
    std::vector<std::string> faults;    ///< of the scoreboard: wrong, missing or surplus bytes
    std::vector<std::string> failures;  ///< of hosts, interfaces and switches
    std::uint64_t packet_hops = 0;
    std::uint64_t flit_hops = 0;
    system::interface_totals totals;

    bool good() const { return outcome == lane_outcome::complete && faults.empty() && failures.empty(); }
};

/// Cycles count from the call of the root. `stop`: as lane_network::run().
/// \throws input_error on parameters out of range, and for a plan that the interfaces have no room for
lane_broadcast_result run_broadcast(const lane_broadcast_params& params, const system::processor_factory& processors,
                                    const lane_run_limits& limits = {}, const std::function<bool(cycle)>& stop = {});

}  // namespace polycast::hw::lanes
