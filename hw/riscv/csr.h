// SPDX-License-Identifier: Apache-2.0
/// \file Control and status registers of Ibex without physical memory protection and without debug mode.
/// Source: Ibex reference guide, "Control and Status Registers", and rtl/ibex_cs_registers.sv.
#pragma once

#include <cstdint>
#include <optional>

namespace polycast::hw::riscv {

namespace csr {
inline constexpr std::uint32_t mstatus = 0x300, misa = 0x301, mie = 0x304, mtvec = 0x305, mcountinhibit = 0x320;
inline constexpr std::uint32_t mscratch = 0x340, mepc = 0x341, mcause = 0x342, mtval = 0x343, mip = 0x344;
inline constexpr std::uint32_t cpuctrlsts = 0x7c0, mcycle = 0xb00, minstret = 0xb02, mcycleh = 0xb80, minstreth = 0xb82;
inline constexpr std::uint32_t marchid = 0xf12, mhartid = 0xf14;
}  // namespace csr

/// Values of mcause.
namespace cause {
inline constexpr std::uint32_t instruction_access_fault = 1, illegal_instruction = 2, breakpoint = 3;
inline constexpr std::uint32_t load_access_fault = 5, store_access_fault = 7, ecall_user = 8, ecall_machine = 11;
inline constexpr std::uint32_t external_interrupt = 0x8000000bu;
}  // namespace cause

inline constexpr std::uint32_t external_interrupt_bit = 1u << 11;  ///< of mie and mip

/// A counter that follows a running number and may be written and stopped.
class csr_counter {
public:
    std::uint64_t value(std::uint64_t base) const { return stopped_ ? value_ : base - value_; }
    void set(std::uint64_t base, std::uint64_t value) { value_ = stopped_ ? value : base - value; }
    void stop(std::uint64_t base, bool stopped) {
        const std::uint64_t now = value(base);
        stopped_ = stopped;
        set(base, now);
    }
    bool stopped() const { return stopped_; }

private:
    std::uint64_t value_ = 0;  ///< stopped: the value; running: base when the value was 0
    bool stopped_ = false;
};

/// What the counters count, and the interrupt line.
struct csr_inputs {
    std::uint64_t cycles = 0;        ///< not sleeping, since reset
    std::uint64_t instructions = 0;  ///< retired since reset
    bool line = false;
};

class csr_file {
public:
    explicit csr_file(std::uint32_t hart = 0) : hart_(hart) {}

    /// Nothing if there is no such register or the privilege is insufficient.
    std::optional<std::uint32_t> read(std::uint32_t number, const csr_inputs& in) const;

    /// Whether the register may be written; read() tells whether it exists.
    static bool read_only(std::uint32_t number) { return (number >> 10 & 3u) == 3u; }

    /// Bits that Ibex does not have are dropped. \param next the inputs as they are for the next instruction
    void write(std::uint32_t number, std::uint32_t value, const csr_inputs& next);

    /// Enters machine mode for an exception or interrupt. \returns the handler's address
    std::uint32_t enter_trap(std::uint32_t mcause, std::uint32_t pc, std::uint32_t mtval);

    /// mret. \returns the address to continue at
    std::uint32_t leave_trap();

    bool user_mode() const { return user_; }
    bool wfi_is_illegal() const { return user_ && timeout_wait_; }
    /// mie.MEIE: the interrupt wakes the processor.
    bool wakes() const { return (mie_ & external_interrupt_bit) != 0; }
    /// The interrupt is taken.
    bool interrupts() const { return wakes() && (enabled_ || user_); }

    /// Where exceptions go.
    std::uint32_t exception_handler() const { return mtvec_ & ~0xffu; }

private:
    std::uint32_t hart_;
    bool enabled_ = false;           ///< mstatus.MIE
    bool previous_enabled_ = true;   ///< mstatus.MPIE
    bool previous_machine_ = false;  ///< mstatus.MPP: machine or user
    bool modify_privilege_ = false;  ///< mstatus.MPRV
    bool timeout_wait_ = false;      ///< mstatus.TW
    bool user_ = false;
    bool exception_seen_ = false;     ///< cpuctrlsts.sync_exc_seen
    bool double_fault_seen_ = false;  ///< cpuctrlsts.double_fault_seen
    std::uint32_t mie_ = 0, mtvec_ = 1, mscratch_ = 0, mepc_ = 0, mcause_ = 0, mtval_ = 0;
    csr_counter cycle_counter_, instruction_counter_;
};

}  // namespace polycast::hw::riscv
