// SPDX-License-Identifier: Apache-2.0
/// \file Sizes of a network interface, and what its hardware counts.
#pragma once

#include <algorithm>
#include <array>
#include <boost/rational.hpp>
#include <cstdint>
#include <memory>

#include "hw/engine/chip.h"
#include "hw/format/header.h"
#include "hw/format/packet_format.h"
#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/detour.h"
#include "hw/ni/lid_paths.h"

namespace polycast::hw::ni {

using engine::cycle;

enum class bus_arbitration : std::uint8_t { fifo, to_host, from_host, round_robin };
enum class wait_mode : std::uint8_t {
    sleep = NI_WAIT_MODE_SLEEP,
    poll = NI_WAIT_MODE_POLL,
    interrupt = NI_WAIT_MODE_INTERRUPT
};

/// Sizes in bytes or entries, times in cycles. Zero slots: as many as packet memory holds.
struct ni_params {
    std::uint32_t host = 0;
    std::uint32_t hosts = 32;
    std::uint32_t units = 0;  ///< numbers behind those of the hosts: they send and receive packets, but are not hosts
    unsigned flit_bytes = 1;
    unsigned header_bytes = 0;  ///< of the free header pins; 0: the header is in the flits
    unsigned header_ports = 8;  ///< bits of a stop's string in headers of worms
    unsigned header_stops = 8;  ///< longest list of a path worm; 0: routers, where there are no worms
    unsigned chunk_flits = 8;
    unsigned credits = 80;       ///< chunks of the switch's input buffer, and of link-in's if slots are limited
    bool whole_packets = false;  ///< packets are events on the link, at a flit per cycle: no credits, one channel
    unsigned vcs = 1;            ///< virtual channels of the link, 1..16; each has that many credits
    unsigned reserve = 1;        ///< credits that a virtual channel must have for a packet to begin on it
    /// [vc_class] virtual channels that packets of the class may take, bit v; those that do not exist are ignored.
    std::array<std::uint16_t, 8> class_vcs{0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};
    detour paths = {};                                               ///< of unicasts
    format::check_cover check = format::check_cover::payload;        ///< what check words cover
    format::protection protect_packets = format::protection::none;   ///< code of packet memory
    format::protection protect_firmware = format::protection::none;  ///< of the data memory of a simulated processor
    unsigned payload_bytes = 128;                                    ///< longest payload of a packet, 1..65535
    unsigned processes = 1;                                          ///< 1..64
    unsigned command_entries = 64;
    unsigned group_entries = 256;
    unsigned send_slots = 0;
    unsigned receive_slots = 0;
    unsigned link_queue = 64;
    unsigned dma_queue = 256;
    unsigned event_queue = 1u << 20;
    boost::rational<std::int64_t> bus_cycles_per_byte{3, 4};  ///< 266 2/3 MB/s at 5 ns
    bus_arbitration arbitration = bus_arbitration::fifo;
    bool duplex = false;  ///< the bus moves a transfer in each direction at once; then arbitration does not matter
    bool charge_completions = false;
    wait_mode wait = wait_mode::sleep;
    /// Of reliable messages.
    struct {
        std::uint32_t timeout = 100'000;  ///< cycles, at least 1
        std::uint32_t attempts = 8;       ///< 1..255
        std::uint32_t ack_delay = 1'000;  ///< cycles, at least 1
    } reliable;
    std::shared_ptr<const lid_paths> lids;  ///< at VL switches; else null
    bool jobs = false;                      ///< packets carry the JobID of a process, the same in all of a network

    constexpr format::header_shape header_shape() const { return {hosts, header_ports, header_stops}; }
    /// Pin sizes of chips with this link.
    engine::pin_shape pin_shape() const {
        return {1, flit_bytes, header_bytes, vcs, 0, 0, whole_packets ? ~std::uint64_t{0} : 0};
    }
};

/// Bytes of a slot's header area, and of all packet memory there may be.
inline constexpr unsigned slot_header_bytes = 64;
/// Words of it that hardware writes and reads; those behind are firmware's own.
inline constexpr unsigned slot_header_words = 12;
inline constexpr std::uint32_t packet_memory_bytes = NI_PACKET_MEMORY_SIZE;
/// Bytes of an entry of the group table, and of a completion queue.
inline constexpr unsigned group_entry_bytes = 128;
inline constexpr unsigned completion_bytes = 32;
/// Bytes of an increment of a counter on the bus.
inline constexpr unsigned count_bytes = 4;
/// Windows of a process, and bytes of its command buffer.
inline constexpr unsigned windows_per_process = NI_HOST_GRANT_WINDOW_ELEMENTS;
inline constexpr unsigned command_buffer_bytes = NI_HOST_PROCESS_COMMAND_BUFFER_SIZE;

/// SLOT_BYTES: header area, payload.
constexpr unsigned slot_bytes(const ni_params& params) {
    return slot_header_bytes + (params.payload_bytes + 3) / 4 * 4;
}

/// Bytes between transport header and payload of a packet.
constexpr unsigned job_bytes(const ni_params& params) {
    return params.jobs ? format::job_bytes : 0;
}

/// COMMAND_BYTES: 8 words, then the longest route of a worm or at least 24 children; never more than a command buffer.
constexpr unsigned command_bytes(const ni_params& params) {
    const unsigned route = format::switch_header_bytes(params.header_shape()) - format::common_header_bytes;
    return std::min(command_buffer_bytes, 32 + std::max(96u, (route + 3) / 4 * 4));
}

/// \throws input_error on parameters out of range
void check_params(const ni_params& params);

/// Counters of the hardware, for results. Residency of a receive slot: from its packet's event until it is free.
struct ni_statistics {
    std::uint64_t packets_in = 0;
    std::uint64_t packets_out = 0;
    std::uint64_t transfers_refused = 0;
    std::uint64_t completions_lost = 0;
    std::uint64_t commands_refused = 0;
    std::uint64_t jobs_refused = 0;  ///< packets of other jobs than the process that they were for
    std::uint32_t errors = 0;        ///< ERRORS register, never cleared
    std::uint32_t panic = 0;         ///< PANIC; 0: none, or a restart followed
    std::uint32_t restarts = 0;      ///< by the watchdog; one may still be due
    unsigned receive_slots_peak = 0;
    unsigned send_slots_peak = 0;
    std::uint64_t residency_cycles = 0;  ///< sum over freed receive slots
    std::uint64_t residency_count = 0;
    cycle residency_max = 0;
    std::uint64_t corrected = 0;  ///< words of packet memory, by their code
    cycle bus_busy = 0;           ///< for a duplex bus the sum of both directions
    cycle link_busy = 0;          ///< cycles with a flit sent

    /// Adds the counts of another interface: sums, the higher peaks, all errors, the first reason for PANIC.
    ni_statistics& operator+=(const ni_statistics& more);
    bool operator==(const ni_statistics&) const = default;
};

}  // namespace polycast::hw::ni
