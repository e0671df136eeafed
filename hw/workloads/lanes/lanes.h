// SPDX-License-Identifier: Apache-2.0
/// \file A broadcast over lanes from beginning to end: plan, drivers, scoreboard. hw/workloads/lanes/lanes.md
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/collectives/lane_trees.h"
#include "hw/delivery/goal.h"
#include "hw/workloads/lanes/lane_driver.h"
#include "hw/workloads/lanes/lane_network.h"
#include "hw/workloads/lanes/lane_scoreboard.h"

namespace polycast::hw::lanes {

struct lane_broadcast_params {
    lane_network_params network;
    collectives::lane_algorithm algorithm = collectives::lane_algorithm::multi_lane;
    lane_driver_params driver;
};

/// What hosts do: root and drivers, and who checks. Cycles count from the call of the root.
class lane_broadcast final : public traffic::goal {
public:
    /// \throws input_error on parameters out of range
    explicit lane_broadcast(const lane_broadcast_params& params);

    const system::system_plan& plan() const { return plan_; }
    /// This must outlive them. \throws input_error for a plan that the interfaces have no room for
    system::host_factory hosts(system::processor_factory processors);

    bool complete() const override { return scores_.complete(); }
    cycle delivered_until() const override { return *std::ranges::max_element(scores_.completed()) + 1; }
    std::string oldest_missing() const override { return scores_.missing(); }

    /// [node] has everything; engine::never where it has not.
    std::vector<cycle> nodes() const;
    std::uint64_t checked() const { return scores_.checked(); }  ///< bytes compared, of all nodes
    std::vector<std::string> faults() const;                     ///< wrong, missing or surplus bytes

private:
    system::system_plan plan_;
    cycle start_;
    std::shared_ptr<const lane_job> job_;
    lane_scoreboard scores_;
};

}  // namespace polycast::hw::lanes
