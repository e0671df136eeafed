// SPDX-License-Identifier: Apache-2.0
/// \file Worms that switches copy to their hosts, and which host sends which of them in which phase. Sivaram et al.,
/// OSU-CISRC-10/98-TR41, section 3.3.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hw/collectives/multicast_plan.h"
#include "hw/collectives/partial_order.h"
#include "hw/names.h"

namespace polycast::hw::collectives {

/// The senders of the worms of a phase.
enum class phasing : std::uint8_t { greedy, less_greedy };

inline constexpr named<phasing> phasings[] = {
    {phasing::greedy, "greedy", "every host that has the message sends"},
    {phasing::less_greedy, "less_greedy", "one host of each switch sends: the one that got the message first"}};

constexpr std::string_view name_of(phasing value) {
    return name_in(phasings, value);
}

/// One path worm for each chain, in the order of the chains; a chain with destinations on more than `most_stops`
/// switches becomes several, split after each `most_stops`. The source gets none; switches with only the source are no
/// stops.
std::vector<transmission> path_worms(const topology::graph& network, std::span<const switch_chain> chains,
                                     std::uint32_t source, unsigned most_stops);

/// One SSR worm for each switch with a destination, in the order in which the chains name them.
std::vector<transmission> ssr_worms(const topology::graph& network, std::span<const switch_chain> chains,
                                    std::uint32_t source);

/// Distributes worms, which must not reach a host twice, over senders: the worms with most hosts first (of equal ones
/// in the order given); in each step every sender, in the order in which they got the message, sends the next worm. The
/// order of hosts that one worm reaches is that of its stops, then ports.
multicast_plan schedule(const topology::graph& network, std::uint32_t source, std::vector<transmission> worms,
                        phasing phases);

}  // namespace polycast::hw::collectives
