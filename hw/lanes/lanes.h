// SPDX-License-Identifier: Apache-2.0
/// \file A broadcast over lanes from beginning to end: network, drivers, scoreboard. hw/lanes/lanes.md
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/collectives/lane_cost.h"
#include "hw/collectives/lane_trees.h"
#include "hw/lanes/lane_driver.h"
#include "hw/lanes/lane_network.h"
#include "hw/lanes/lane_scoreboard.h"

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
    ni::ni_statistics interfaces;

    bool good() const { return outcome == lane_outcome::complete && faults.empty() && failures.empty(); }
};

/// The root calls at cycle 0. `stop`: as lane_network::run().
/// \throws input_error on parameters out of range, and for a plan that the interfaces have no room for
lane_broadcast_result run_broadcast(const lane_broadcast_params& params, const system::processor_factory& processors,
                                    const lane_run_limits& limits = {}, const std::function<bool(cycle)>& stop = {});

/// The contention-free model (collectives::time_plan) of the same broadcast with everything that the network is known
/// to add: framing of packets, and on each hop what the interfaces take for a packet behind its last byte and for the
/// next one in front of its first byte.
struct lane_model {
    collectives::lane_network network;  ///< a cycle is a second
    cycle hop = 0;                      ///< that a hop takes beyond its latency and its piece
    double cycles = 0;                  ///< completion by time_plan() with both
};
lane_model model_of(const lane_broadcast_params& params);

}  // namespace polycast::hw::lanes
