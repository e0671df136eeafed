// SPDX-License-Identifier: Apache-2.0
/// \file The ways to multicast that polycast compares. Sivaram et al., OSU-CISRC-10/98-TR41, sections 3 and 4.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hw/collectives/multicast_plan.h"
#include "hw/collectives/worms.h"
#include "hw/routing/updown.h"

namespace polycast::hw::collectives {

enum class scheme : std::uint8_t {
    tree,      ///< one tree worm, copied by the switches
    path,      ///< path worms in phases; hosts that have the message forward it
    ssr,       ///< single switch replication worms in phases
    ni,        ///< a k-binomial tree of unicasts, forwarded by smart interfaces packet by packet
    hybrid,    ///< path or SSR worms in phases, forwarded by smart interfaces packet by packet
    software,  ///< a binomial tree of unicasts, forwarded by hosts over conventional interfaces
    unicasts,  ///< a unicast to each destination, one after the other
};

/// "tree", "path", and so on, as in scenarios.
std::string_view name_of(scheme how);

/// Order of the destinations after the source along which k-binomial trees are built.
enum class chain_order : std::uint8_t {
    chains,  ///< partially ordered chains in the order in which they are stripped, hosts of a switch by port
    number,  ///< ascending
    listed,  ///< as the destinations are given
};

struct scheme_options {
    scheme how = scheme::tree;
    phasing phases = phasing::less_greedy;
    format::packet_kind worms = format::packet_kind::path;  ///< of hybrid: path or ssr
    chain_order order = chain_order::chains;
    unsigned fanout = 1;      ///< k of `ni` and `software`
    unsigned most_stops = 8;  ///< of a path worm: longer chains become several worms
};

/// \throws input_error on an empty set, the source among the destinations, a host twice, a host that does not exist
void check_set(const topology::graph& network, std::uint32_t source, std::span<const std::uint32_t> destinations);

/// The source, then the destinations in an order along which k-binomial trees are built.
std::vector<std::uint32_t> ordered_chain(const routing::updown& routes, chain_order order, std::uint32_t source,
                                         std::span<const std::uint32_t> destinations);

/// The plan of a multicast. \throws input_error as check_set() does
multicast_plan make_plan(const routing::updown& routes, const scheme_options& options, std::uint32_t source,
                         std::span<const std::uint32_t> destinations);

}  // namespace polycast::hw::collectives
