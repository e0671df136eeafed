// SPDX-License-Identifier: Apache-2.0
/// \file The same check for networks of virtual-channel routers: no set of packets can wait for each other in a cycle.
/// A node of the dependency graph is an output of a router together with one virtual channel, that is, a buffer at the
/// other end of the cable.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/chips/router/router_config.h"
#include "hw/ni/detour.h"
#include "hw/routing/dependency_graph.h"
#include "hw/topology/graph.h"

namespace polycast::hw::routing {

struct router_check_input {
    chips::router_params params;
    chips::router_tables tables;     ///< of every router; node and credits are ignored
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

/// Meshes and tori in dimension order. Follows all paths between all nodes, and the trees of broadcasts. Reports
/// packets that no buffer takes, virtual channels that are missing, copies that are not buffered whole, and cycles. Not
/// for route tables.
router_check_result check_router_routes(const router_check_input& input);

/// The same problems and cycle without the counts, in a time that grows with the radix, not with the nodes. Dimension
/// order never returns to an earlier dimension, which is checked, so a cycle stays on one line of the grid; and lines
/// of a dimension differ only in whether the sum of their other coordinates is even.
router_check_result check_router_lines(const router_check_input& input);

/// Routers in the places of the switches of a graph, with route tables. Tables may be hand-made: nothing is assumed
/// about them.
struct table_check_input {
    const topology::graph* network = nullptr;
    chips::router_params params;                   ///< of every router
    std::span<const chips::router_tables> tables;  ///< one per router
    unsigned classes = 1;                          ///< that packets have: 0 .. classes - 1
    unsigned longest_unicast = 0;                  ///< flits
    /// [class] virtual channels on which hosts begin packets, among those that exist.
    std::array<chips::vc_set, 8> begin{0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};
    ni::detour paths = {};  ///< addresses of hosts, which then also tell the class
};

/// Follows unicasts from every host to every address by every port and every virtual channel that the tables, `select`
/// and the policy let them take from where they begin. Reports what check_router_routes() does, routers at which a path
/// ends, and paths to another host.
router_check_result check_table_routes(const table_check_input& input);

}  // namespace polycast::hw::routing
