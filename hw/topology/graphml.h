// SPDX-License-Identifier: Apache-2.0
/// \file Networks as GraphML (graphml.graphdrawing.org), as NetworkX, igraph, Gephi and yEd write it.
///
/// Data (the attr.name of a key; all of it optional):
/// - graph: `first_port` (0 or 1), `ports` (of switches without a count of their own), `hosts` (on every switch, in
///   addition)
/// - node: `kind` ("switch" or "host"; switch by default; or `type`, where `host` counts and other types do not),
/// `name`,
///   `label` or yEd's label (the id by default, which also goes behind a name that several nodes have), `ports`, `guid`
///   (0x...)
/// - edge: `source_port`, `target_port`; GraphML's own sourceport and targetport attributes mean the same
///
/// Edges are cables whether they are directed or not. Tools may swap the ends of undirected edges when they write them
/// (NetworkX does): give ports in directed graphs only. A host has one edge, to a switch. What is left out is filled in
/// as in an edge list. Other data (colours, positions) is skipped; a name that looks like a misspelling is warned of at
/// nodes, and refused at edges and graphs, where a cable or a port would be another one.
#pragma once

#include <string>
#include <string_view>

#include "hw/topology/graph.h"
#include "hw/topology/warning.h"

namespace polycast::hw::topology {

/// \throws input_error with file, line and column
graph read_graphml(const std::string& file, std::string_view text, const warning& warn = {});

/// \throws input_error if a name holds a character that XML cannot hold
std::string write_graphml(const graph& network);

}  // namespace polycast::hw::topology
