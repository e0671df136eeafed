// SPDX-License-Identifier: Apache-2.0
/// \file From the scheme of a multicast to what a workload needs: who sends what to whom on a network.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/collectives/scheme.h"
#include "hw/delivery/scoreboard.h"
#include "hw/system/plan.h"
#include "hw/workloads/messages/workload.h"

namespace polycast::hw::system {

using collectives::multicast_choice;

/// Who sends on in a scheme.
traffic::forwarding forwarding_of(const multicast_choice& choice);

/// Makes the plans of messages of `bytes`. `plan` must outlive the planner.
traffic::planner make_planner(const system_plan& plan, const multicast_choice& choice, std::uint32_t bytes);

/// Most children of a node in the tree of unicasts of `nodes` hosts, the source included; nothing for schemes without.
/// For fanout_choice::timing the maximum that may result.
std::optional<unsigned> most_children(const multicast_choice& choice, std::uint32_t nodes, std::uint32_t packets);

/// Entries of an interface's group table that hold a group with this many worms of `route_words` words each, or
/// children (1 word). firmware/groups.h
unsigned group_entries(std::uint32_t worms, unsigned route_words);

/// The up*/down* routes of a plan, which must outlive them.
routing::updown routes_of(const system_plan& plan);

/// What a scoreboard knows of the network of a plan.
traffic::network_facts facts_of(const system_plan& plan);

}  // namespace polycast::hw::system
