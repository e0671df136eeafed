// SPDX-License-Identifier: Apache-2.0
/// \file Networks as reports draw them: the common part of the drawings of all kinds.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "hw/routing/updown.h"
#include "hw/topology/graph.h"

namespace polycast::tlm::topologies {

/// The members of `head`, then the switches, each with what `place` adds between its name and its ports, then hosts and
/// links.
nlohmann::ordered_json topology_json(const hw::topology::graph& network, nlohmann::ordered_json head,
                                     const std::function<nlohmann::ordered_json(std::uint32_t)>& place);

/// Drawing of a network of switches, with levels from the root and directions of links.
nlohmann::ordered_json topology_json(const hw::topology::graph& network, const hw::routing::updown& routes);

}  // namespace polycast::tlm::topologies
