// SPDX-License-Identifier: Apache-2.0
/// \file Trees of multicast groups: in an order of the switches, or grown cable by cable.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/routing/updown.h"
#include "hw/subnet/fabric.h"

namespace polycast::hw::subnet {

/// Members of a group as the tables have them.
struct group_ends {
    unsigned mlid = 0;
    std::vector<std::uint64_t> hosts;     ///< [switch] ports, bit p is port p from 0
    std::vector<bool> self;               ///< [switch] it is a member itself
    std::vector<std::uint32_t> switches;  ///< that have members
};

/// All groups with a row, by MLID.
std::vector<group_ends> find_groups(const fabric& of);

/// A tree of cables between switches.
struct group_tree {
    struct branch {
        std::uint32_t upper;
        std::uint8_t upper_port;  ///< from 0
        std::uint32_t lower;
        std::uint8_t lower_port;
    };
    std::vector<branch> cables;
    unsigned depth = 0;  ///< cables below the top
};

/// The tree with the fewest cables, then the least depth, then the lowest GUID of its top, among the trees that go from
/// a switch to all members by cables down only, breadth first. No packet on it turns from down to up, from whichever
/// member it comes, because each switch has one tree neighbour above it at most.
group_tree find_tree(const topology::graph& network, const routing::updown& order, const group_ends& group);

/// Rows of the group: its tree and its members.
void set_tree(fabric& made, const group_ends& group, const group_tree& tree);

/// Roots of orders: by the mean distance of hosts, then GUID.
std::vector<std::uint32_t> roots_by_distance(const topology::graph& network);

/// Figures of a group's rows: the cables that both ends have.
struct tree_figures {
    std::uint32_t switches = 0, cables = 0;
    std::uint32_t depth = 0;  ///< most cables between two of its switches
};
tree_figures measure(const fabric& of, unsigned mlid);

}  // namespace polycast::hw::subnet
