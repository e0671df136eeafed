// SPDX-License-Identifier: Apache-2.0
/// \file The network interface: data path and processor, cycle by cycle as hw/ni/ni.md says.
#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "hw/engine/chip.h"
#include "hw/ni/host_side.h"
#include "hw/ni/observer.h"
#include "hw/ni/processor.h"
#include "hw/ni/timeline.h"

namespace polycast::hw::ni {

enum class bus_arbitration : std::uint8_t { fifo, to_host, from_host, round_robin };
enum class wait_mode : std::uint8_t { sleep, poll, interrupt };  ///< codes of OPTIONS in registers.rdl

/// Sizes in bytes or entries, times in cycles. Zero slots: unlimited.
struct ni_params {
    std::uint32_t host = 0;
    std::uint32_t hosts = 32;
    unsigned flit_bytes = 1;
    unsigned header_bytes = 0;  ///< of the free header pins; 0: the header is in the flits
    unsigned chunk_flits = 8;
    unsigned credits = 80;         ///< chunks of the switch's input buffer
    unsigned payload_bytes = 128;  ///< longest payload of a packet
    unsigned processes = 1;        ///< 1..64
    unsigned command_entries = 64;
    unsigned group_entries = 256;
    unsigned send_slots = 0;
    unsigned receive_slots = 0;
    unsigned link_queue = 64;
    unsigned dma_queue = 256;
    boost::rational<std::int64_t> bus_cycles_per_byte{3, 4};  ///< 266 2/3 MB/s at 5 ns
    bus_arbitration arbitration = bus_arbitration::fifo;
    bool charge_completions = false;
    wait_mode wait = wait_mode::sleep;
};

/// Counters of the hardware, for results. Residency of a slot: from the tail's arrival, or from SLOT_ALLOCATE, until it
/// is free.
struct ni_statistics {
    std::uint64_t packets_in = 0;
    std::uint64_t packets_out = 0;
    std::uint64_t transfers_refused = 0;
    std::uint64_t completions_lost = 0;
    std::uint64_t commands_refused = 0;
    std::uint32_t errors = 0;  ///< ERRORS register, never cleared
    std::uint32_t panic = 0;   ///< PANIC; 0: firmware is well
    unsigned receive_slots_peak = 0;
    unsigned send_slots_peak = 0;
    std::uint64_t residency_cycles = 0;  ///< sum over freed receive slots
    std::uint64_t residency_count = 0;
    cycle residency_max = 0;
    cycle bus_busy = 0;
    cycle link_busy = 0;  ///< cycles with a flit sent
};

/// Makes the processor of an interface; the bus outlives it.
using processor_factory = std::function<std::unique_ptr<processor>(const ni_params& params, processor_bus& bus)>;

/// One interface. Lives inside a chip that gives it pins and time; see hw/host for such a chip.
class network_interface {
public:
    /// All arguments must outlive it; `watcher` may be null. \throws input_error on parameters out of range
    network_interface(const ni_params& params, timeline& time, host_side& host, observer* watcher,
                      const processor_factory& make_processor);
    ~network_interface();

    void reset(cycle now);

    /// Input pins of cycle `now` of the one port `port` of the chip; then run the timeline up to `now` + 1, then
    /// transmit() for the output pins of cycle `now` + 1. Credits for the sender go out in `out`.
    void receive(cycle now, const engine::pins& in, engine::pins& out, unsigned port);
    void transmit(cycle now, engine::pins& out, unsigned port);
    /// True while transmit() has something to send in the next cycle; timers are the timeline's.
    bool sending() const;
    /// No packet inside, no transfer, no command, no event.
    bool idle() const;

    /// The host's processor reads or writes the pages of ni_host in registers.rdl; `address` counts from page 0.
    /// \returns false on a bus error.
    bool host_read(cycle when, std::uint32_t address, std::span<std::uint8_t> bytes);
    bool host_write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes);

    const ni_params& params() const;
    const ni_statistics& statistics() const;
    const processor& cpu() const;
    unsigned credits() const;
    unsigned events() const;  ///< in the event queue
    unsigned slots_used() const;
    /// Bytes of host memory that this model takes.
    std::size_t memory_bytes() const;

private:
    class implementation;
    std::unique_ptr<implementation> implementation_;
};

}  // namespace polycast::hw::ni
