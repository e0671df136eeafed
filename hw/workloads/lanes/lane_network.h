// SPDX-License-Identifier: Apache-2.0
/// \file Sites of nodes with one or two network interfaces (lanes) on non-blocking switches, joined by wide-area links.
#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/system/plan.h"
#include "hw/system/system_network.h"

namespace polycast::hw::lanes {

using engine::cycle;

/// Flits are bytes: a cycle is the time of a byte on a node's link, 8 ns for gigabit Ethernet. Latencies are those of
/// the network alone, from the first byte on the pins of an interface to the first byte on those of the other one.
struct lane_network_params {
    using rate = boost::rational<std::int64_t>;

    std::vector<std::uint32_t> sites{32};  ///< nodes of each; node numbers go on from site to site
    unsigned lanes = 2;                    ///< interfaces of each node, 1 or 2: networks of their own
    /// Packets move as events through event switches (hw/chips/event/event_switch.md); otherwise flit by flit through
    /// one router for each lane: one site, short links.
    bool events = true;
    cycle latency = 240'000;         ///< l, between nodes of a site: 1.92 ms
    cycle wide_latency = 1'250'000;  ///< L, between nodes of two sites, one way: 10 ms
    /// Cycles of a byte on each wide-area link; there is one between any two sites on each lane. A packet waits in
    /// front of a faster link until its tail can follow its head.
    rate wide_cycles_per_byte{1};
    unsigned payload_bytes = 8192;  ///< of a packet
    rate bus_cycles_per_byte{1};    ///< I/O bus of each interface, in each direction at once
    unsigned processes = 1;         ///< of each node
    unsigned receive_buffers = 1;   ///< of each process and interface, for messages that nobody expects
    cycle send_overhead = 0;        ///< t_hs: a send call; nothing else takes the host processor's time
    ni::native_params firmware_times = default_times();  ///< of native firmware

    /// 8 cycles for each operation.
    static ni::native_params default_times();

    std::uint32_t nodes() const;
};

/// Bytes that a packet with `payload` bytes takes on a link.
std::uint32_t packet_bytes(std::uint32_t payload);

/// The plan of all lanes: switches and hosts, whose port i is at lane i. \throws input_error on parameters out of range
system::system_plan make_sites(const lane_network_params& params);

/// Watchdog and slices of networks with long links.
system::run_limits lane_limits(cycle patience = 100'000'000);

}  // namespace polycast::hw::lanes
