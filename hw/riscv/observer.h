// SPDX-License-Identifier: Apache-2.0
/// \file The interface of an instruction-set simulator for tools. It costs nothing unless one is attached.
#pragma once

#include <cstdint>

#include "hw/engine/chip.h"

namespace polycast::hw::riscv {

using engine::cycle;

class iss;

/// A load or store of one instruction.
struct data_access {
    std::uint32_t address = 0;
    std::uint32_t value = 0;  ///< zero-extended
    unsigned bytes = 0;       ///< 0: there was none
    bool store = false;
};

struct retired_instruction {
    cycle start = 0;  ///< its first cycle
    cycle end = 0;    ///< the first cycle of the next instruction
    std::uint32_t pc = 0;
    std::uint32_t next_pc = 0;
    data_access access;
};

/// An exception or interrupt.
struct trap {
    cycle start = 0;            ///< first cycle of the instruction that trapped or was displaced
    cycle end = 0;              ///< first cycle of the handler
    std::uint32_t mcause = 0;   ///< as in riscv/csr.h
    std::uint32_t pc = 0;       ///< of the instruction that trapped or was displaced
    std::uint32_t handler = 0;  ///< address
    std::uint32_t mtval = 0;
};

/// Called in the order of simulated time of this processor, which may be ahead of the interface's.
class iss_observer {
public:
    virtual ~iss_observer() = default;

    /// The processor is at the boot address and will start its first instruction at `first`.
    virtual void restarted(const iss& /*cpu*/, cycle /*first*/) {}
    virtual void retired(const iss& /*cpu*/, const retired_instruction& /*what*/) {}
    virtual void trapped(const iss& /*cpu*/, const trap& /*what*/) {}
    /// Asleep in cycles [from, to); called on waking.
    virtual void slept(const iss& /*cpu*/, cycle /*from*/, cycle /*to*/) {}
};

/// A debugger. It sees the processor in step with the interface: nothing is computed ahead.
class iss_debugger {
public:
    virtual ~iss_debugger() = default;

    /// Before an instruction is executed or an interrupt taken. It may look at the processor and change it, and holds
    /// the whole simulation until it returns.
    virtual void before_instruction(iss& cpu) = 0;

    /// From time to time while the processor sleeps or is halted.
    virtual void while_idle(iss& cpu) = 0;
};

}  // namespace polycast::hw::riscv
