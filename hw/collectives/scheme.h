// SPDX-License-Identifier: Apache-2.0
/// \file The ways to multicast that polycast compares: schemes/ has a file for each. adding.md says how to add one.
/// Sivaram et al., OSU-CISRC-10/98-TR41, sections 3 and 4.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/collectives/multicast_plan.h"
#include "hw/collectives/worms.h"
#include "hw/names.h"
#include "hw/routing/updown.h"

namespace polycast::hw::collectives {

struct scheme_kind;
struct scheme_options;
/// Never null; schemes are compared by address.
using scheme = const scheme_kind*;

/// A row of the table of schemes.
struct scheme_kind {
    /// Who sends a message on to others.
    enum class forwarders : std::uint8_t { nobody, programs, interfaces };
    using hosts = std::span<const std::uint32_t>;

    std::string_view name, doc;
    forwarders by = forwarders::nobody;
    format::packet_kind packets = format::packet_kind::unicast;
    bool chooses_packets = false;  ///< by scheme_options::worms
    bool phases = false;           ///< worms in phases, by scheme_options::phases
    /// Of a k-binomial tree of unicasts, along a chain ordered by scheme_options::order: k for a number of nodes and of
    /// packets, if it is not given. Null: a scheme without such a tree.
    unsigned (*best_fanout)(std::uint32_t nodes, std::uint32_t packets) = nullptr;
    /// The plan for hosts that have been checked.
    multicast_plan (*plan)(const routing::updown& routes, const scheme_options& options, std::uint32_t source,
                           hosts destinations) = nullptr;

    bool has_tree() const { return best_fanout != nullptr; }
};

/// All schemes, in the order of the pages; the first is the default.
std::span<const scheme> schemes();
/// The scheme of groups that multicast tables of VL switches know; other networks cannot carry it out, so that it is
/// none of schemes().
scheme group_scheme();
/// \throws input_error if there is no such scheme
scheme scheme_of(std::string_view name);
/// Names of those that fit.
std::vector<std::string_view> schemes_that(bool (*fit)(const scheme_kind& one));
/// "'ni', 'software' or 'unicasts'": those that routers can carry out, which copy no worms.
std::string schemes_of_unicasts();

/// Order of the destinations after the source along which k-binomial trees are built.
enum class chain_order : std::uint8_t { chains, number, listed };

inline constexpr named<chain_order> chain_orders[] = {
    {chain_order::chains, "chains",
     "along chains of switches, in which no two transfers of a step meet; hosts by port"},
    {chain_order::number, "number", "by number of the host"},
    {chain_order::listed, "listed", "as given in `destinations`"}};

constexpr std::string_view name_of(chain_order value) {
    return name_in(chain_orders, value);
}

struct scheme_options {
    scheme how = schemes().front();
    phasing phases = phasing::less_greedy;
    format::packet_kind worms = format::packet_kind::path;  ///< of a scheme that can choose: path or ssr
    chain_order order = chain_order::chains;
    unsigned fanout = 1;      ///< k of a k-binomial tree
    format::stop group = {};  ///< of group_scheme(): MLID, and service level as its ports
    unsigned most_stops = 8;  ///< of a path worm: longer chains become several worms

    /// Kind of the packets.
    format::packet_kind packets() const { return how->chooses_packets ? worms : how->packets; }
    /// Each packet is forwarded by the interface.
    bool smart() const { return how->by == scheme_kind::forwarders::interfaces; }
};

/// How the multicasts of a workload are carried out.
struct multicast_choice {
    /// Who chooses k of a k-binomial tree.
    enum class fanout_choice : std::uint8_t {
        best,    ///< the scheme: scheme_kind::best_fanout
        timing,  ///< the k with the lowest predicted latency
        given,   ///< `scheme.fanout`
    };

    scheme_options scheme;  ///< most_stops comes from the plan of the network
    fanout_choice fanout = fanout_choice::best;
    bool fcfs = false;  ///< smart interfaces serve first child first; else first packet first
};

/// \throws input_error on an empty set, the source among the destinations, a host twice, a host that does not exist
void check_set(const topology::graph& network, std::uint32_t source, std::span<const std::uint32_t> destinations);

/// The source, then the destinations in an order along which k-binomial trees are built.
std::vector<std::uint32_t> ordered_chain(const routing::updown& routes, chain_order order, std::uint32_t source,
                                         std::span<const std::uint32_t> destinations);

/// Plans of several schemes: worms of scheme_options::packets() in phases, and a k-binomial tree of unicasts.
multicast_plan worms_in_phases(const routing::updown& routes, const scheme_options& options, std::uint32_t source,
                               std::span<const std::uint32_t> destinations);
multicast_plan tree_of_unicasts(const routing::updown& routes, const scheme_options& options, std::uint32_t source,
                                std::span<const std::uint32_t> destinations);

/// The plan of a multicast. \throws input_error as check_set() does
multicast_plan make_plan(const routing::updown& routes, const scheme_options& options, std::uint32_t source,
                         std::span<const std::uint32_t> destinations);

}  // namespace polycast::hw::collectives
