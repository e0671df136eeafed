// SPDX-License-Identifier: Apache-2.0
/// \file LIDs and unicast tables for any network of switches, by three of the rules that subnet managers have.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/names.h"
#include "hw/subnet/fabric.h"

namespace polycast::hw::subnet {

enum class table_engine : std::uint8_t { updn, dmodk, minhop };

inline constexpr named<table_engine> table_engines[] = {
    {table_engine::updn, "updn", "up*/down*: free of deadlock on any network, least used port of the shortest"},
    {table_engine::dmodk, "dmodk", "up*/down*, the port up by the destination's number; for folded Clos networks"},
    {table_engine::minhop, "minhop", "shortest paths, least used port; may deadlock"}};

struct table_options {
    table_engine engine = table_engine::updn;
    unsigned lmc = 0;
    /// Switches; none: those farthest from hosts if they have all hosts below them, else the one with the shortest
    /// paths. minhop takes none.
    std::vector<std::uint32_t> roots;
};

/// A fabric with LIDs (hosts in the order of their GUIDs, then switches) and unicast tables. Nodes without a GUID get
/// one; switches and hosts are then in the order of the GUIDs. A switch has no entry for another one that no path up,
/// then down, leads to.
/// \throws input_error where the network has more LIDs than there are, or the roots leave hosts without a path
fabric make_tables(const topology::graph& network, const table_options& options);

}  // namespace polycast::hw::subnet
