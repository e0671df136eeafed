// SPDX-License-Identifier: Apache-2.0
/// \file Networks as InfiniBand's tools write them: print-outs of `ibnetdiscover` (infiniband-diags) and net files of
/// the simulator `ibsim`, which are the same format in a freer form.
///
/// A record is a line `Switch N "id" # "description" ...`, `Ca`, `Hca` or `Rt`, then a line for each cabled port,
/// `[port] "id of the other end"[its port]`, and is ended by anything else. Every cable is listed from both ends.
/// - A node is known by its id. In print-outs that is a letter and the node GUID, "S-0000000000200005"; in net
///   files it is any text.
/// - Descriptions become names. If two nodes have the same description, the id is appended to it.
/// - Every cabled port of an adapter (Ca, Hca) or router (Rt) is a host. A host's GUID is the node GUID, or the port
///   GUID if several ports of the node are cabled; then "/port" is also appended to the names.
/// - Switches and hosts are numbered by GUID, so that it does not matter where the discovery started, or in the order
///   of the file if not all have a GUID of their own.
/// - LIDs are read for hw/subnet (infiniband_records.h); widths, speeds, vendors and chassis are skipped.
/// - Ports count from 1.
/// Refused: cables on whose two ends the records disagree, cables between two adapters, uncabled adapters, ibsim's
/// `include`, `do`, `module` and aliases, and the other lists that ibnetdiscover can print (-l, -p).
#pragma once

#include <string>
#include <string_view>

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

/// \throws input_error with file, line and column
graph read_ibnetdiscover(const std::string& file, std::string_view text);

/// \throws input_error with file, line and column
graph read_ibsim(const std::string& file, std::string_view text);

/// Nodes without a GUID get one. \throws input_error when two switches or two hosts share a GUID, or a name holds a
/// line break
std::string write_ibnetdiscover(const graph& network);

/// Names are the ids. \throws input_error when two nodes share a name, or a name holds a line break, a quote or an @,
/// or looks like an id with another GUID
std::string write_ibsim(const graph& network);

}  // namespace polycast::hw::topology
