// SPDX-License-Identifier: Apache-2.0
/// \file A torus of broadcast routers, with or without bypass links, and the configuration of each router.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/system/plan.h"
#include "hw/topology/bypass_torus.h"
#include "hw/workloads/broadcast/step_engine.h"

namespace polycast::hw::broadcast {

/// Router n is node n; its host is at its host port, its bypasses are at the two ports after it.
struct router_network_params {
    topology::bypass_torus_params topology;
    /// Parameters of every router; ports, dimensions and radix follow from the topology.
    chips::broadcast_params chip;
    /// Tables of every router; number, rings, VC sets and credits follow.
    chips::router_tables tables;
    unsigned link_delay = 1;  ///< cycles, of hosts' links too
    algorithm how = algorithm::colours;
    /// Dimensions of a broadcast, ascending.
    std::vector<unsigned> dimensions = {0};
    /// Packet-sending pattern of each of them, below 16; none: 0.
    std::vector<unsigned> patterns;
    /// The same of all other nodes, where packets have colours. What two senders of a node both have, they do not send
    /// it at the same time: hw/chips/broadcast/broadcast_unit.md has numbers.
    unsigned relay_pattern = 12;
    bool maps = true;          ///< units do not send what they see a neighbour have
    unsigned host_flits = 64;  ///< of the buffer in which a host gets packets of broadcasts
};

/// Routers and hosts, named and cabled as in a torus (hw/topology/mesh.h); bypass links at the ports after the host's.
topology::graph broadcast_graph(const topology::bypass_torus& network);

/// The plan of the network: router n is chip n, its host is chip nodes + n. \throws input_error for a network that such
/// routers cannot make
system::system_plan make_plan(const router_network_params& params);

/// The port of a router that is port `port` of a node in bypass_torus.
unsigned router_port(const topology::bypass_torus& network, unsigned port);

/// \throws input_error for a network that such routers cannot make
chips::broadcast_params routers_of(const topology::bypass_torus& network, const router_network_params& params);
chips::broadcast_registers registers_of(const topology::bypass_torus& network, const router_network_params& params,
                                        std::uint32_t node);

/// Number of colours or trees, and the chips' number of one of them.
unsigned parts_of(const router_network_params& params);
unsigned colour_of(const router_network_params& params, unsigned part);

}  // namespace polycast::hw::broadcast
