// SPDX-License-Identifier: Apache-2.0
/// \file A user's program: draws a network and routes it with nothing but the installed package.
#include <cstdio>

#include "hw/routing/updown.h"
#include "hw/topology/irregular.h"

int main() {
    const auto network = polycast::hw::topology::make_irregular({});
    const polycast::hw::routing::updown routes(network);
    std::printf("%zu switches, %zu hosts, root %s\n", network.switches.size(), network.hosts.size(),
                network.switches[routes.root()].name.c_str());
    return network.hosts.size() == 32 ? 0 : 1;
}
