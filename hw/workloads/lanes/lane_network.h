// SPDX-License-Identifier: Apache-2.0
/// \file Sites of nodes with one or two network interfaces (lanes) on non-blocking switches, joined by wide-area links.
#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/engine/network.h"
#include "hw/host/host_chip.h"
#include "hw/system/hosts.h"

namespace polycast::hw::lanes {

using engine::cycle;

/// How packets move.
enum class lane_fidelity : std::uint8_t {
    flits,   ///< flit by flit through one router for each lane: one site, short links
    events,  ///< as events through event switches (hw/chips/event/event_switch.md)
};

/// Flits are bytes: a cycle is the time of a byte on a node's link, 8 ns for gigabit Ethernet. Latencies are those of
/// the network alone, from the first byte on the pins of an interface to the first byte on those of the other one.
struct lane_network_params {
    using rate = boost::rational<std::int64_t>;

    std::vector<std::uint32_t> sites{32};  ///< nodes of each; node numbers go on from site to site
    unsigned lanes = 2;                    ///< interfaces of each node, 1 or 2: networks of their own
    lane_fidelity fidelity = lane_fidelity::events;
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

struct lane_run_limits {
    cycle cycles = engine::never;  ///< the run ends before this cycle
    cycle patience = 100'000'000;  ///< cycles without a packet moving while something is missing
};

enum class lane_outcome : std::uint8_t {
    complete,  ///< everything has come
    limit,     ///< the cycle limit was reached, or `stop` said so
    stuck,     ///< nothing moves, or can ever happen, and something is missing
};

/// Chips: nodes first, then switches.
class lane_network {
public:
    /// The applications of a node, one for each process.
    using node_programs = std::function<std::vector<host::application_factory>(std::uint32_t node)>;

    /// `watcher` may be null, is told what interfaces do (hw/ni/observer.h) and must outlive the network.
    /// \throws input_error on parameters out of range
    lane_network(const lane_network_params& params, const system::processor_factory& processors,
                 const node_programs& programs, ni::observer* watcher = nullptr);

    /// Until all applications have finished and `complete` says that nothing is missing. `stop`, if given, is asked now
    /// and then with the present cycle, and ends the run as the limit does.
    lane_outcome run(const lane_run_limits& limits, const std::function<bool()>& complete,
                     const std::function<bool(cycle)>& stop = {});

    const lane_network_params& params() const { return params_; }
    engine::network& network() { return network_; }
    const host::host_chip& host(std::uint32_t node) const { return *hosts_[node]; }
    std::uint32_t nodes() const { return params_.nodes(); }
    /// Of all hosts and interfaces.
    system::interface_totals totals() const;
    /// What went wrong in hosts, interfaces and switches, in words.
    std::vector<std::string> failures() const;
    std::size_t memory_bytes() const;

private:
    void add_router(unsigned lane, const system::system_plan& plan);

    lane_network_params params_;
    engine::network network_;
    std::vector<const host::host_chip*> hosts_;  ///< in network_
};

}  // namespace polycast::hw::lanes
