// SPDX-License-Identifier: Apache-2.0
/// \file Partially ordered chains: switches in an order in which one worm can visit them. Sivaram et al.,
/// OSU-CISRC-10/98-TR41, section 3.3; Kesavan, Bondalapati and Panda, "Multicast on irregular switch-based networks
/// with wormhole routing", HPCA 1997.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/routing/updown.h"

namespace polycast::hw::collectives {

/// A switch and those of its hosts that take part.
struct chain_switch {
    std::uint32_t chip = 0;
    std::vector<std::uint32_t> hosts;  ///< by port

    bool operator==(const chain_switch&) const = default;
};

/// Each switch lies below the one before it, reached from there by down links alone: so a worm that visits them in this
/// order, or some of them, follows a legal route from anywhere.
using switch_chain = std::vector<chain_switch>;

/// The chains of a multicast in the order in which they are stripped. Every participant, the source included, is on
/// exactly one of them; a chain that holds only the source is left out.
///
/// Links between levels, those of the breadth-first tree and the others, give a graph without cycles; switches without
/// participants are taken out of it, their parents joined to their children. The weight of a switch counts the
/// participants on it and on all its descendants, each once. A chain starts at the heaviest switch that is left and
/// continues with the heaviest child that is left. Weights are those of the whole graph all along, a stripped switch
/// does not join its parents to its children, and of equal weights the lowest switch is taken.
///
/// The hosts must exist, each named once.
std::vector<switch_chain> partially_ordered_chains(const routing::updown& routes, std::uint32_t source,
                                                   std::span<const std::uint32_t> destinations);

}  // namespace polycast::hw::collectives
