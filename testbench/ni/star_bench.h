// SPDX-License-Identifier: Apache-2.0
/// \file Hosts around one switch, and one more port at which a test puts packets on the wire itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/engine/network.h"
#include "testbench/ni/ni_node.h"
#include "testbench/ni/packets.h"

namespace polycast::testbench::ni {

/// Everything that can be seen of a run and must not depend on how firmware is run.
struct observation {
    struct node {
        std::vector<link_packet> link;     ///< packets that the interface has sent, in order
        std::vector<std::uint8_t> memory;  ///< of the host, completion queues and statistics included
        std::uint64_t packets_in = 0;
        std::uint64_t packets_out = 0;
        std::uint64_t transfers_refused = 0;
        std::uint64_t completions_lost = 0;
        std::uint64_t commands_refused = 0;
        std::uint32_t errors = 0;
        std::uint32_t panic = 0;
    };
    std::vector<node> nodes;
    std::vector<std::string> unfinished;  ///< what was still under way at the end of a phase
};

/// Where the parts of a process lie in its host's memory.
struct process_layout {
    static constexpr std::uint32_t send_bytes = 0x10000;
    static constexpr std::uint32_t receive_at = 0x10000;
    static constexpr std::uint32_t receive_bytes = 0x20000;
    static constexpr std::uint32_t statistics_at = 0x30000;
    static constexpr std::uint32_t queue_at = 0x31000;
    static constexpr std::uint32_t queue_entries = 512;
    static constexpr std::uint32_t bytes = 0x35000;
};

struct star_params {
    std::uint32_t hosts = 6;
    unsigned processes = 3;
    unsigned flit_bytes = 1;
    bool header_free = false;
    hw::ni::wait_mode wait = hw::ni::wait_mode::sleep;
};

/// `hosts` nodes at ports 0.. of a switch_core with eight ports, and the wire at port `hosts`.
class star_bench {
public:
    /// `factory_of` says how firmware is run at a host.
    star_bench(const star_params& params,
               const std::function<hw::ni::processor_factory(std::uint32_t host)>& factory_of);
    ~star_bench();

    /// The first cycle of the next phase. A phase must be over before the next one begins.
    void next_phase(cycle length);
    /// In the present phase, `delay` cycles after its beginning.
    void command(std::uint32_t host, unsigned process, std::vector<std::uint32_t> what, cycle delay = 0);
    void wire(const packet_fields& fields, cycle delay = 0);

    observation run();

    static constexpr hw::format::header_shape header_shape{.hosts = 8, .ports = 8, .stops = 8};
    const hw::ni::ni_params& interface_params() const { return interface_; }
    /// Byte that message windows are filled with.
    static std::uint8_t content(std::uint32_t host, unsigned process, std::uint32_t offset);

private:
    class wire_sender;
    class link_log;

    void set_up(std::uint32_t host);
    ni_node& node(std::uint32_t host) { return *nodes_[host]; }

    star_params params_;
    hw::ni::ni_params interface_;
    hw::engine::network network_;
    std::vector<ni_node*> nodes_;
    wire_sender* wire_ = nullptr;
    std::unique_ptr<link_log> log_;
    cycle phase_ = 100;
    cycle end_ = 100;
    observation seen_;
};

}  // namespace polycast::testbench::ni
