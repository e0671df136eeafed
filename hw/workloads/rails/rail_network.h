// SPDX-License-Identifier: Apache-2.0
/// \file Nodes on several rails: identical networks, each with an interface of every node at its leaves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/delivery/goal.h"
#include "hw/system/hosts.h"
#include "hw/system/plan.h"
#include "hw/system/system_network.h"
#include "hw/workloads/rails/rail_driver.h"
#include "hw/workloads/rails/rail_scoreboard.h"

namespace polycast::hw::rails {

/// What the names of the chips of a rail begin with: "rail0.".
std::string rail_prefix(unsigned rail);

/// The plan of `rails` rails, 1..64, each as `one` says. They differ in the random numbers of their routers only.
/// \param events packets move as events through event switches (hw/chips/event/event_switch.md), an approximation
/// \throws input_error for a plan of switches, and for events where a route needs virtual channels of its own (rings)
system::system_plan make_rails(const system::system_plan& one, unsigned rails, bool events);

/// Hosts that drive the rails of a plan. `source` and `scores` must outlive them.
system::host_factory rail_hosts(system::processor_factory processors, const driver_params& params, rail_source& source,
                                rail_scoreboard& scores, ni::observer* watcher = nullptr);

/// All messages that were created are to be delivered.
class rail_goal final : public traffic::goal {
public:
    explicit rail_goal(const rail_scoreboard& scores) : scores_(scores) {}

    bool complete() const override { return scores_.complete(); }
    engine::cycle delivered_until() const override {
        return scores_.finished().empty() ? 0 : scores_.finished().back().completed + 1;
    }
    std::string oldest_missing() const override { return scores_.oldest_missing(); }

private:
    const rail_scoreboard& scores_;
};

/// Totals of all processes of a network of rails.
driver_statistics drivers_of(const system::system_network& network);

}  // namespace polycast::hw::rails
