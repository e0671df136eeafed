// SPDX-License-Identifier: Apache-2.0
/// \file A network interface's processor as the rest of the interface sees it, however its firmware is run.
#pragma once

#include <cstdint>
#include <string>

#include "hw/engine/chip.h"

namespace polycast::hw::ni {

using engine::cycle;

/// Everything that a processor accesses besides its own instruction and data memory: the addresses from
/// `packet_memory_base` of hw/ni/registers.rdl upwards. All accesses are naturally aligned.
class processor_bus {
public:
    virtual ~processor_bus() = default;

    /// `bytes` is 1, 2 or 4; the value is zero-extended. `when` is the cycle of the access: for registers it is never
    /// earlier than that of the access before, and the access is made when the interface has reached that cycle; packet
    /// and command memory may be read ahead of time, because an engine never writes a slot that firmware owns.
    /// \returns false on a bus error: no such address, or a register accessed by less than a word.
    virtual bool load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) = 0;
    virtual bool store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) = 0;

    /// In cycle `when`, which may be one to come, the processor reads a word of its data memory that is wrong, as its
    /// code says.
    virtual void spoilt(cycle /*when*/) {}

    /// An operation of firmware has ended, by a processor that does not store to MARK.
    virtual void progressed() {}
};

/// True for addresses whose accesses have effects or depend on time; all others are plain memory.
constexpr bool is_register(std::uint32_t address) {
    return address >= 0x40000000u;
}

/// State for waves, profiles and diagnoses.
struct processor_probe {
    std::uint32_t pc = 0;  ///< of the instruction being executed; zero for `native`
    /// ni_operation being executed, if the processor knows it (`native`); else `unknown_operation`.
    std::uint8_t operation = unknown_operation;
    bool sleeping = false;
    bool halted = false;             ///< by a debugger, or after a fault that firmware cannot handle
    std::uint64_t instructions = 0;  ///< retired
    std::uint64_t cycles = 0;        ///< not sleeping

    static constexpr std::uint8_t unknown_operation = 0xff;
};

/// One processor, started at reset. It may compute ahead of the interface, up to its next register access, since
/// nothing but registers and the interrupt line joins them.
class processor {
public:
    virtual ~processor() = default;

    /// Back to the boot address at cycle `now`; instruction memory stays, data memory is reloaded.
    virtual void reset(cycle now) = 0;

    /// Makes all register accesses of cycles up to and including `until` and goes on computing as far as it can without
    /// one, but not without end. `interrupt` is the level of the interrupt line in cycle `until`; whenever it changes,
    /// this is called for the cycle of the change. \returns the next cycle in which it must be called, later than
    /// `until`; never while it sleeps (wfi) with the line low, or is halted.
    virtual cycle run(cycle until, bool interrupt) = 0;

    /// Until it is told otherwise, it computes nothing of the cycles behind `last` before run() is called for them: a
    /// memory will change at the end of it.
    virtual void hold(cycle /*last*/) {}

    /// A bit of a word of 32 bits of data memory, or a check bit behind them, flips, before anything of the cycle is
    /// computed that run() is called for next. Nothing happens where the memory is the simulator's own (`native`).
    virtual void upset(std::uint32_t /*word*/, std::uint32_t /*bit*/) {}

    /// Words of data memory that its code has corrected.
    virtual std::uint64_t corrected() const { return 0; }

    virtual processor_probe probe() const = 0;

    /// What tools that watch it have found, packed (hw/engine/packing.h); whoever attached them knows what it is.
    virtual std::string findings() const { return {}; }

    /// Processor time of a cycle in which it does not sleep, as engine::chip::step_cost().
    virtual unsigned step_cost() const { return 10; }
};

}  // namespace polycast::hw::ni
