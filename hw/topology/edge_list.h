// SPDX-License-Identifier: Apache-2.0
/// \file Networks as plain text, one statement a line:
///
///     # a comment, also after a statement
///     first_port 1            this file counts ports from 1 (else from 0)
///     ports 8                 ports of switches without a count (else as many as the file uses, at least 2)
///     hosts 4                 so many more hosts on every switch (1 where the file has no host line)
///     switch NAME [PORTS] [guid=0x...]
///     host NAME SWITCH[:PORT] [guid=0x...]
///     link SWITCH[:PORT] SWITCH[:PORT]
///     SWITCH[:PORT] SWITCH[:PORT]          the same as link
///
/// A weight or {...} behind a link, as NetworkX's write_edgelist leaves it, is skipped.
/// Switches are numbered in the order in which they are first named; a switch line is optional. Hosts are numbered in
/// the order of their lines. An end without a port takes the lowest one that no line names. A name is a word without
/// blanks, `#`, `:` and `"`, or anything between double quotes, where \" and \\ stand for " and \ themselves.
#pragma once

#include <string>
#include <string_view>

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

/// \throws input_error with file, line and column
graph read_edge_list(const std::string& file, std::string_view text);

/// \throws input_error for a network that is not valid, or a name that holds a line break
std::string write_edge_list(const graph& network);

}  // namespace polycast::hw::topology
