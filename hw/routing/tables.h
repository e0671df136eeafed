// SPDX-License-Identifier: Apache-2.0
/// \file The routing part of the switches' tables.
#pragma once

#include <span>
#include <vector>

#include "hw/chips/switch/switch_config.h"
#include "hw/routing/updown.h"

namespace polycast::hw::routing {

/// Writes port_direction, switch_number, unicast_up, unicast_down, switch_up, switch_down, reach_total, reach_port and
/// tree_up of every switch; the rest stays as it is. Routes and equal strings are shared by all tables.
/// \param tables one per switch. Vectors indexed by port get the switch's ports, or more where they were longer before
/// (open)
/// \param max_hosts size of the tables and bit strings, at least the number of hosts; 0 = the number of hosts. Networks
/// too large for tree worms have no bit strings
/// \param links that tree worms use; other packets use all
void fill_tables(const updown& routes, std::span<chips::switch_tables> tables, unsigned max_hosts = 0,
                 worm_links links = worm_links::updown);

/// The same into fresh tables.
std::vector<chips::switch_tables> make_tables(const updown& routes, unsigned max_hosts = 0,
                                              worm_links links = worm_links::updown);

}  // namespace polycast::hw::routing
