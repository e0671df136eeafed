// SPDX-License-Identifier: Apache-2.0
/// \file Nodes of an InfiniBand network and their cables as files list them, before they become a graph: what the
/// formats of infiniband.h and those of hw/subnet have in common.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/input_error.h"
#include "hw/topology/graph.h"

namespace polycast::hw::topology {

struct infiniband_cable {
    std::string remote;  ///< id of the node at the other end
    unsigned remote_port = 0;
    std::uint64_t port_guid = 0;       ///< of this end; 0 = not told
    std::optional<unsigned> lid, lmc;  ///< of this end, an adapter's
    text_position at;
    std::uint32_t file = 0;  ///< index in infiniband_records::files

    bool same_as(const infiniband_cable& other) const {
        return remote == other.remote && remote_port == other.remote_port;
    }
};

struct infiniband_node {
    bool is_switch = false;
    bool is_router = false;
    std::string id, description;
    std::uint64_t guid = 0;
    std::uint64_t port_guid = 0;       ///< of a switch's port 0; 0 = not told
    std::optional<unsigned> lid, lmc;  ///< of a switch's port 0
    unsigned ports = 0;
    text_position at;
    std::uint32_t file = 0;
    std::map<unsigned, infiniband_cable> cables;  ///< by port, from 1
};

struct infiniband_records {
    std::vector<std::string> files;
    std::vector<infiniband_node> nodes;

    [[noreturn]] void fail(std::uint32_t file, text_position at, const std::string& message,
                           const std::string& proposal = {}) const;
};

/// A print-out of ibnetdiscover, or a net file of ibsim, whose cables agree on both ends.
/// \throws input_error with file, line and column
infiniband_records read_infiniband_records(const std::string& file, std::string_view text, bool print_out);

/// \throws input_error where the two ends of a cable are told differently, or a cable joins what cannot be joined
void check_cables(const infiniband_records& records);

/// The graph, and which record became which of its switches and hosts.
struct infiniband_network {
    struct host_port {
        std::size_t node = 0;
        unsigned port = 0;  ///< of the adapter
    };
    graph network;
    std::vector<std::size_t> switches;  ///< [switch] index in the records
    std::vector<host_port> hosts;       ///< [host]
};

/// Numbers and names as infiniband.h says. \throws input_error for uncabled adapters and networks that are not sound
infiniband_network make_network(const infiniband_records& records);

}  // namespace polycast::hw::topology
