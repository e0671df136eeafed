// SPDX-License-Identifier: Apache-2.0
/// \file The network interface: data path and processor, cycle by cycle as hw/ni/ni.md says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/ni/host_side.h"
#include "hw/ni/memory_upset.h"
#include "hw/ni/observer.h"
#include "hw/ni/parameters.h"
#include "hw/ni/processor.h"
#include "hw/ni/timeline.h"

namespace polycast::hw::ni {

/// Makes the processor of an interface; the bus and the interface's own `watcher`, which may be null, outlive it.
using processor_factory =
    std::function<std::unique_ptr<processor>(const ni_params& params, processor_bus& bus, observer* watcher)>;

/// One interface. Lives inside a chip that gives it pins and time; see hw/host for such a chip.
class network_interface {
public:
    /// All arguments must outlive it; `watcher` may be null. \throws input_error on parameters out of range
    network_interface(const ni_params& params, timeline& time, host_side& host, observer* watcher,
                      const processor_factory& make_processor);
    ~network_interface();

    /// Everything as after construction, cycle counters of firmware from 0 at `now`; the processor boots. Statistics
    /// continue. What the interface has on the timeline from before is ignored or harmless; clearing the timeline is
    /// fine, too.
    void reset(cycle now);

    /// The processor stands still from now on, until cycle `until` (never: for ever) or until the watchdog has
    /// restarted it.
    void hang(cycle until);

    /// Bits of its memories that flip, in the order of their cycles, now and after each reset(). Called before the
    /// timeline first runs.
    void upset(std::vector<memory_upset> all);

    /// A step of a chip whose port `port` this interface has, and whose timeline only it runs: what is due up to
    /// `now`, because the chip may have slept and what arrives is dated; receive(); what is due up to `now` + 1;
    /// transmit(). \returns the next cycle in which the chip must be stepped, as chip::step() does
    cycle step(cycle now, const engine::pins& in, engine::pins& out, unsigned port);

    /// The parts of step(), for chips that do more: in each step receive() with the input pins of cycle `now`, then the
    /// timeline's run(`now` + 1), then transmit() for the output pins of cycle `now` + 1. `port` is the chip's port
    /// that the interface has. Credits for the sender go out with receive(), one in a cycle.
    void receive(cycle now, const engine::pins& in, engine::pins& out, unsigned port);
    void transmit(cycle now, engine::pins& out, unsigned port);
    /// True while there is something to send in the next cycle: a flit, a credit, a whole packet. Timers are the
    /// timeline's.
    bool sending() const;
    /// The next cycle after `now` in which the chip must be stepped for this interface and its timeline.
    cycle next(cycle now) const;
    /// No packet inside (no slot in use), no transfer, no command, no event.
    bool idle() const;

    /// The host's processor reads or writes the pages of ni_host in registers.rdl; `address` counts from page 0.
    /// \returns false on a bus error.
    bool host_read(cycle when, std::uint32_t address, std::span<std::uint8_t> bytes);
    bool host_write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes);

    /// Host memory that answered `later` has answered: the transfer ends in cycle `when`, not before the timeline's
    /// now().
    void host_answered(cycle when);

    /// An interface of this host, possibly this one, counts here: the effect of host_side::count(). `counter` below
    /// NI_COUNTER_ELEMENTS; in the cycle that its timeline is in.
    void count(unsigned counter);

    const ni_params& params() const;
    ni_statistics statistics() const;
    const processor& cpu() const;
    unsigned credits(unsigned vc = 0) const;  ///< for the link out
    unsigned events() const;                  ///< in the event queue
    unsigned slots_used() const;
    /// Slots that were in use once have the numbers below this; whether one is now.
    std::uint32_t slots_known() const;
    bool slot_used(std::uint32_t slot) const;
    /// For waves and diagnoses: the probe of a chip that has this interface and no other port.
    void probe(engine::chip_probe& probe) const;
    /// Bytes of the host machine's memory that this model uses, without its processor.
    std::size_t memory_bytes() const;

private:
    class implementation;
    std::unique_ptr<implementation> implementation_;
};

}  // namespace polycast::hw::ni
