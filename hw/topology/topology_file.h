// SPDX-License-Identifier: Apache-2.0
/// \file Topology files: one function to read and one to write all formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hw/topology/graph.h"
#include "hw/topology/warning.h"

namespace polycast::hw::topology {

enum class file_format : std::uint8_t {
    graphml,        ///< XML, hw/topology/graphml.h
    edge_list,      ///< plain text, hw/topology/edge_list.h
    ibnetdiscover,  ///< print-out of InfiniBand's ibnetdiscover, hw/topology/infiniband.h
    ibsim,          ///< net file of InfiniBand's ibsim, hw/topology/infiniband.h
};

std::string_view name_of(file_format format);

/// "graphml", "edge_list", "ibnetdiscover", "ibsim". \throws input_error that proposes the nearest name
file_format file_format_named(std::string_view name);

/// Detects the format from the content.
file_format detect_format(std::string_view text);

/// Reads and validates a network. The file is recognised by its content unless `format` says what it is.
/// \throws input_error with file, line and column of every mistake
graph read_topology(const std::string& path, std::optional<file_format> format = std::nullopt,
                    const warning& warn = {});

/// The same from memory; `name` stands for the file in messages.
graph read_topology_text(const std::string& name, std::string_view text,
                         std::optional<file_format> format = std::nullopt, const warning& warn = {});

/// `network` as a file; reading it gives an equal graph (for formats that identify nodes by GUID, nodes without one get
/// one, and the nodes come back ordered by GUID). \throws input_error if the format cannot hold it
std::string write_topology_text(const graph& network, file_format format);

}  // namespace polycast::hw::topology
