// SPDX-License-Identifier: Apache-2.0
/// \file Topology files: one function to read and one to write all formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hw/names.h"
#include "hw/topology/graph.h"
#include "hw/topology/warning.h"

namespace polycast::hw::topology {

enum class file_format : std::uint8_t {
    graphml,        ///< XML, hw/topology/graphml.h
    edge_list,      ///< plain text, hw/topology/edge_list.h
    ibnetdiscover,  ///< print-out of InfiniBand's ibnetdiscover, hw/topology/infiniband.h
    ibsim,          ///< net file of InfiniBand's ibsim, hw/topology/infiniband.h
};

inline constexpr named<file_format> file_formats[] = {
    {file_format::graphml, "graphml", "GraphML"},
    {file_format::edge_list, "edge_list", "plain edge list"},
    {file_format::ibnetdiscover, "ibnetdiscover", "print-out of InfiniBand's ibnetdiscover"},
    {file_format::ibsim, "ibsim", "net file of InfiniBand's ibsim"}};

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
