// SPDX-License-Identifier: Apache-2.0
/// \file Nodes that nobody could tell apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

struct identity {
    std::string_view name;
    std::uint64_t guid = 0;  ///< 0: none
};

struct repetition {
    std::size_t node = 0;  ///< the second of the two
    std::string message, proposal;
};

/// The first node with the name or the GUID of an earlier one.
std::optional<repetition> find_repetition(const std::vector<identity>& nodes);

/// The same for a network: its switches, then its hosts.
std::optional<repetition> find_repetition(const graph& network);

}  // namespace polycast::hw::topology
