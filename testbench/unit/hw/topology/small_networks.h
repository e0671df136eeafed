// SPDX-License-Identifier: Apache-2.0
/// \file Networks that several tests use.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

/// `switches` switches in a ring, `hosts` hosts on each: hosts on the first ports, then the port to the next switch,
/// then the one to the switch before.
inline graph make_ring(unsigned switches, unsigned hosts) {
    graph network;
    for (unsigned s = 0; s < switches; ++s) {
        network.add_switch("switch" + std::to_string(s), hosts + 2);
        for (unsigned p = 0; p < hosts; ++p) network.attach_host("host" + std::to_string(s * hosts + p), s, p);
    }
    for (unsigned s = 0; s < switches; ++s) network.connect(s, hosts, (s + 1) % switches, hosts + 1);
    return network;
}

/// Switches named by their numbers, each with `hosts` hosts on its first ports and then the given links in order.
inline graph make_linked(unsigned switches, unsigned hosts, const std::vector<std::pair<unsigned, unsigned>>& links) {
    graph network;
    std::vector<unsigned> used(switches, hosts), ports(switches, hosts);
    for (const auto& [a, b] : links) {
        ++ports[a];
        ++ports[b];
    }
    for (unsigned s = 0; s < switches; ++s) {
        network.add_switch(std::to_string(s), ports[s] == 0 ? 1 : ports[s]);
        for (unsigned p = 0; p < hosts; ++p)
            network.attach_host(
                "h" + std::to_string(s) + (hosts == 1 ? "" : std::string(1, static_cast<char>('a' + p))), s, p);
    }
    for (const auto& [a, b] : links) {
        const unsigned a_port = used[a]++;
        network.connect(a, a_port, b, used[b]++);
    }
    return network;
}

/// Leaves 0.. with `hosts` hosts each, spines behind them without: every leaf is cabled to every spine.
inline graph make_leaf_spine(unsigned leaves, unsigned spines, unsigned hosts) {
    graph network;
    for (unsigned s = 0; s < leaves + spines; ++s)
        network.add_switch(std::to_string(s), s < leaves ? hosts + spines : leaves);
    for (unsigned leaf = 0; leaf < leaves; ++leaf) {
        for (unsigned p = 0; p < hosts; ++p)
            network.attach_host("h" + std::to_string(leaf) + static_cast<char>('a' + p), leaf, p);
        for (unsigned spine = 0; spine < spines; ++spine) network.connect(leaf, hosts + spine, leaves + spine, leaf);
    }
    return network;
}

}  // namespace polycast::hw::topology
