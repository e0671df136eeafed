// SPDX-License-Identifier: Apache-2.0
/// \file From a topology and a handful of parameters to everything that the chips of a network of replicating switches
/// need, whatever runs it: the bare engine or SystemC.
#pragma once

#include <vector>

#include "hw/chips/switch_config.h"
#include "hw/engine/network.h"
#include "hw/routing/deadlock.h"
#include "hw/routing/updown.h"
#include "hw/topology/graph.h"
#include "hw/traffic/host.h"

namespace polycast::hw::system {

/// Defaults: Sivaram et al., OSU-CISRC-10/98-TR41, section 5.
struct system_params {
    unsigned flit_bytes = 1;
    unsigned chunk_flits = 8;
    unsigned buffer_flits = 640;  ///< of each switch input, a whole number of chunks
    unsigned packet_limit = 0;    ///< longest packet in flits, header and trailer included; 0: what fits the buffer
    bool header_free = false;     ///< header beside the head flit at no cost in flits, as the papers count
    unsigned read_ports = 0;      ///< outputs that may read one input buffer in the same cycle; 0: all
    unsigned route_delay = 1;     ///< cycles, 1..15
    unsigned crossbar_delay = 1;  ///< cycles, 1..16
    unsigned link_delay = 1;      ///< cycles, 1 or more
    format::arbitration arbitration = format::arbitration::round_robin;
    format::selection selection = format::selection::least_loaded;
    routing::updown_options routing;
    traffic::host_params host;  ///< its sizes (flit, header, chunk, credits, hosts) are filled in by make_plan
};

/// Everything about the chips of a network, ready to be built.
struct system_plan {
    topology::graph network;
    system_params params;
    std::uint32_t root = 0;                      ///< of the up*/down* tree
    std::vector<std::uint32_t> levels;           ///< [switch]
    std::vector<chips::switch_params> switches;  ///< [switch]
    std::vector<chips::switch_tables> tables;    ///< [switch]
    traffic::host_params host;

    engine::link_params link() const { return {params.link_delay, params.chunk_flits}; }
};

/// Flits of a packet with `payload` bytes on the links of a network of `hosts` hosts, header and trailer included.
unsigned packet_flits(format::packet_kind kind, unsigned payload, unsigned hosts, unsigned flit_bytes,
                      bool header_free);

/// \throws input_error on parameters out of range, or a topology that is none.
system_plan make_plan(topology::graph network, const system_params& params);

/// The static checks of hw/routing/deadlock.h on a plan and the longest payloads that its workload sends (0: none of
/// that kind).
routing::route_check_result check_plan(const system_plan& plan, unsigned unicast_payload, unsigned tree_payload);

}  // namespace polycast::hw::system
