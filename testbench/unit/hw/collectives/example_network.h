// SPDX-License-Identifier: Apache-2.0
/// \file The example of partially ordered chains, and small random networks with all their multicasts.
#pragma once

#include <vector>

#include "hw/routing/updown.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/topology/small_networks.h"

namespace polycast::hw::collectives {

/// Root 6, two hosts on every switch; switch 0 is not in the example and takes no part.
inline topology::graph example_network() {
    return topology::make_linked(
        11, 2, {{6, 1}, {6, 2}, {6, 4}, {6, 5}, {5, 3}, {3, 9}, {1, 7}, {4, 8}, {5, 10}, {1, 4}, {1, 2}, {0, 6}});
}

inline routing::updown_options example_root() {
    return {routing::updown_options::root_choice::given, 6};
}

/// A host of switch 10.
inline constexpr std::uint32_t example_source = 20;

/// Two hosts on every switch of the example but the source's and the root.
inline std::vector<std::uint32_t> example_destinations() {
    std::vector<std::uint32_t> hosts;
    for (const std::uint32_t chip : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u}) {
        hosts.push_back(2 * chip);
        hosts.push_back(2 * chip + 1);
    }
    return hosts;
}

/// Calls `visit(routes, source, destinations)` for every source and set of destinations of several random networks of
/// up to 7 hosts, some with more switches than hosts.
template <typename visitor>
void for_all_multicasts(visitor visit) {
    for (const topology::irregular_params& params :
         {topology::irregular_params{4, 4, 6, 0.9}, {3, 5, 6, 0.8}, {6, 4, 6, 0.9}, {8, 4, 7, 0.8}, {5, 6, 6, 1.0}}) {
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            topology::irregular_params drawn = params;
            drawn.seed = seed;
            const topology::graph network = topology::make_irregular(drawn);
            const routing::updown routes(network, {routing::updown_options::root_choice::best});
            const auto hosts = static_cast<std::uint32_t>(network.hosts.size());
            for (std::uint32_t source = 0; source < hosts; ++source) {
                for (std::uint32_t set = 1; set < 1u << hosts; ++set) {
                    if ((set >> source & 1) != 0) continue;
                    std::vector<std::uint32_t> destinations;
                    for (std::uint32_t host = 0; host < hosts; ++host)
                        if ((set >> host & 1) != 0) destinations.push_back(host);
                    visit(routes, source, destinations);
                }
            }
        }
    }
}

}  // namespace polycast::hw::collectives
