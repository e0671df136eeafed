// SPDX-License-Identifier: Apache-2.0
/// \file Fuzzes the reader of one topology format (POLYCAST_FUZZ_FORMAT). Whatever the bytes are, the reader accepts
/// them or throws input_error; what it accepts is a sound network, which can be written, read again, routed and drawn.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "hw/input_error.h"
#include "hw/routing/deadlock.h"
#include "hw/routing/tables.h"
#include "hw/topology/describe.h"
#include "hw/topology/topology_file.h"

namespace {

using namespace polycast::hw;
using topology::file_format;

constexpr file_format fuzzed_format = file_format::POLYCAST_FUZZ_FORMAT;

void require(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "violated: " << what << "\n";
    std::abort();
}

template <typename node>
bool ascending_guids(const std::vector<node>& nodes) {
    return nodes.empty() ||
           (nodes.front().guid != 0 && std::adjacent_find(nodes.begin(), nodes.end(), [](const node& a, const node& b) {
                                           return a.guid >= b.guid;
                                       }) == nodes.end());
}

/// Reading what was written gives the same network. Not every format holds every name: then writing throws.
void check_round_trip(const topology::graph& network, file_format other) {
    std::string text;
    try {
        text = topology::write_topology_text(network, other);
    } catch (const input_error&) {
        return;
    }
    const topology::graph again = topology::read_topology_text("again", text, other);
    topology::graph expected = network;
    const bool infiniband = other == file_format::ibnetdiscover || other == file_format::ibsim;
    if (infiniband) expected.first_port = 1;
    // The order comes from the GUIDs, where there are any.
    if (infiniband && !(ascending_guids(network.switches) && ascending_guids(network.hosts))) return;
    require(again == expected, "a written network reads as itself");
}

void check_routes(const topology::graph& network) {
    const routing::updown routes(network);
    std::vector<chips::switch_tables> tables = routing::make_tables(routes);
    for (std::size_t s = 0; s < tables.size(); ++s) {
        tables[s].buffer_chunks.assign(network.switches[s].ports.size(), 80);
        tables[s].credits.assign(network.switches[s].ports.size(), 80);
    }
    const std::vector<chips::switch_params> params(1);
    const auto result = routing::check_routes({&network, tables, params, true, true, 640, 640, {}});
    require(result.good(), "up*/down* routes of any network are free of deadlock");
    require(topology::describe(network, routes).hosts == network.hosts.size(), "hosts are counted");
    require(!topology::write_dot(network, routes).empty(), "networks can be drawn");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(topology::detect_format(text));
    topology::graph network;
    try {
        network = topology::read_topology_text("fuzz", text, fuzzed_format);
    } catch (const input_error&) {
        return 0;
    }
    require(!topology::find_problem(network), "an accepted network is sound");
    if (network.switches.size() > 40 || network.hosts.size() > 80) return 0;
    // Every accepted input is written in one format, and some are routed: all of it for each would be slower than the
    // reader.
    check_round_trip(network, static_cast<file_format>(size % 4));
    if (size % 8 < 2) check_routes(network);
    return 0;
}
