// SPDX-License-Identifier: Apache-2.0
/// \file What a fabric is built from: the router that all its nodes have, and its links.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/chips/router/router_config.h"

namespace polycast::hw::fabric {

/// A mesh or torus of equal routers; a dimension is a ring where `tables.wrap` says so.
struct fabric_params {
    chips::router_params router;
    chips::router_tables tables;  ///< of every router; `node` and `credits` are filled in by the fabric
    unsigned link_delay = 1;      ///< cycles of every link, those of terminals too, 1..64
    bool broadcasts = false;      ///< packets may be broadcasts; costs memory and time

    /// Ports of every router that lead to terminals.
    unsigned host_ports() const { return router.ports - router.first_host_port(); }
    /// Terminal t is at host port t / nodes of node t % nodes, as destinations of packets count them.
    unsigned terminals() const { return router.nodes() * host_ports(); }
};

/// Credits of a node's ports: the buffer of a VC, or none where a port leads over the edge of a mesh.
std::vector<unsigned> port_credits(const chips::router_params& router, unsigned wrap, std::uint32_t node);

/// Sets that keep dimension order free of deadlock: on rings ways that cross the end take the lower half of the VCs,
/// the others the upper half; all VCs where there is no ring. All classes share them.
std::array<std::array<chips::vc_set, 2>, 8> dateline_sets(unsigned vcs, unsigned wrap);

/// The same with a part of the VCs for each of `classes` classes; further classes take all VCs. `dateline`: whether the
/// two sides are kept apart on rings.
/// \throws input_error where there are too few VCs
std::array<std::array<chips::vc_set, 2>, 8> class_sets(unsigned vcs, unsigned classes, unsigned wrap, bool dateline);

/// \throws input_error if a router is outside its range, or is one that a fabric cannot have: routes from a table,
/// headers of several flits.
void check(const fabric_params& params);

}  // namespace polycast::hw::fabric
