// SPDX-License-Identifier: Apache-2.0
/// \file Networks as reports draw them: the common part of the drawings of all kinds.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "hw/routing/updown.h"
#include "hw/topology/graph.h"
#include "tlm/scenario/text_sink.h"

namespace polycast::tlm::topologies {

/// Writes JSON: the members of `head`, then the switches, each with what `place` adds between its name and its ports,
/// hosts and links, then the members of `rest`. Large networks have millions of elements, so they are written one by
/// one.
void topology_json(const text_sink& put, const hw::topology::graph& network, const nlohmann::ordered_json& head,
                   const std::function<nlohmann::ordered_json(std::uint32_t)>& place,
                   const nlohmann::ordered_json& rest = nlohmann::ordered_json::object());

/// Drawing of a network of switches, with levels from the root and directions of links.
void topology_json(const text_sink& put, const hw::topology::graph& network, const hw::routing::updown& routes);

}  // namespace polycast::tlm::topologies
