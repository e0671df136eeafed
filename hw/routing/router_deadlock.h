// SPDX-License-Identifier: Apache-2.0
/// \file The same check for meshes and tori of virtual-channel routers in dimension order: no set of packets can wait
/// for each other in a circle. A node of the dependency graph is an output of a router together with one virtual
/// channel, that is, a buffer at the other end of the cable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/chips/router_config.h"
#include "hw/routing/dependency_graph.h"

namespace polycast::hw::routing {

struct router_check_input {
    chips::router_params params;
    chips::router_tables tables;     ///< of every router; node and credits do not matter
    unsigned classes = 1;            ///< that packets have: 0 .. classes - 1
    unsigned longest_unicast = 0;    ///< flits; 0: there are none
    unsigned longest_broadcast = 0;  ///< likewise, of packets that routers copy
};

struct router_check_result {
    std::vector<std::string> problems;  ///< readable sentences
    std::vector<std::string> cycle;     ///< virtual channels of the cycle found, if any: "router3:0 VC 1"
    std::uint64_t channels = 0;         ///< nodes of the dependency graph: virtual channels between routers
    std::uint64_t dependencies = 0;     ///< its edges

    bool good() const { return problems.empty(); }
};

/// Follows all ways between all nodes, and the trees of broadcasts. Reports packets that no buffer takes, virtual
/// channels that are missing, copies that are not buffered whole, and cycles. Not for route tables.
router_check_result check_router_routes(const router_check_input& input);

}  // namespace polycast::hw::routing
