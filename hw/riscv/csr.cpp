// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/csr.h"

namespace polycast::hw::riscv {
namespace {

constexpr std::uint32_t mstatus_mie = 1u << 3, mstatus_mpie = 1u << 7, mstatus_mpp = 3u << 11;
constexpr std::uint32_t mstatus_mprv = 1u << 17, mstatus_tw = 1u << 21;
constexpr std::uint32_t mie_bits = 0x7fff0888u;  // software, timer, external, 15 fast interrupts
constexpr std::uint32_t misa_value = 1u << 30 | 1u << 20 | 1u << 12 | 1u << 8 | 1u << 2;  // RV32 U M I C
constexpr std::uint32_t marchid_value = 22;
constexpr std::uint32_t vector_of_external = 4 * 11;

constexpr std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}
constexpr std::uint64_t with_low(std::uint64_t old, std::uint32_t value) {
    return (old & ~0xffffffffull) | value;
}
constexpr std::uint64_t with_high(std::uint64_t old, std::uint32_t value) {
    return (old & 0xffffffffull) | std::uint64_t{value} << 32;
}

constexpr bool in(std::uint32_t number, std::uint32_t first, std::uint32_t last) {
    return number >= first && number <= last;
}

}  // namespace

std::optional<std::uint32_t> csr_file::read(std::uint32_t number, const csr_inputs& in_) const {
    if (user_ && (number >> 8 & 3u) != 0) return std::nullopt;
    switch (number) {
        case csr::mstatus:
            return (enabled_ ? mstatus_mie : 0) | (previous_enabled_ ? mstatus_mpie : 0) |
                   (previous_machine_ ? mstatus_mpp : 0) | (modify_privilege_ ? mstatus_mprv : 0) |
                   (timeout_wait_ ? mstatus_tw : 0);
        case csr::misa: return misa_value;
        case csr::mie: return mie_;
        case csr::mtvec: return mtvec_;
        case csr::mscratch: return mscratch_;
        case csr::mepc: return mepc_;
        case csr::mcause: return mcause_;
        case csr::mtval: return mtval_;
        case csr::mip: return in_.line ? external_interrupt_bit : 0;
        case csr::mcountinhibit: return (cycle_counter_.stopped() ? 1u : 0) | (instruction_counter_.stopped() ? 4u : 0);
        case csr::mcycle: return low(cycle_counter_.value(in_.cycles));
        case csr::mcycleh: return high(cycle_counter_.value(in_.cycles));
        case csr::minstret: return low(instruction_counter_.value(in_.instructions));
        case csr::minstreth: return high(instruction_counter_.value(in_.instructions));
        case csr::cpuctrlsts: return (double_fault_seen_ ? 1u << 7 : 0) | (exception_seen_ ? 1u << 6 : 0);
        case csr::marchid: return marchid_value;
        case csr::mhartid: return hart_;
        // mcounteren, menvcfg, mstatush, menvcfgh; secureseed; mvendorid, mimpid, mconfigptr: there, and zero.
        case 0x306:
        case 0x30a:
        case 0x310:
        case 0x31a:
        case 0x7c1:
        case 0xf11:
        case 0xf13:
        case 0xf15: return 0;
        default: break;
    }
    // Performance counters and their events: none implemented.
    if (in(number, 0x323, 0x33f) || in(number, 0xb03, 0xb1f) || in(number, 0xb83, 0xb9f)) return 0;
    return std::nullopt;
}

void csr_file::write(std::uint32_t number, std::uint32_t value, const csr_inputs& next) {
    switch (number) {
        case csr::mstatus:
            enabled_ = (value & mstatus_mie) != 0;
            previous_enabled_ = (value & mstatus_mpie) != 0;
            previous_machine_ = (value & mstatus_mpp) == mstatus_mpp;
            modify_privilege_ = (value & mstatus_mprv) != 0;
            timeout_wait_ = (value & mstatus_tw) != 0;
            break;
        case csr::mie: mie_ = value & mie_bits; break;
        case csr::mtvec: mtvec_ = (value & ~0xffu) | 1u; break;
        case csr::mscratch: mscratch_ = value; break;
        case csr::mepc: mepc_ = value & ~1u; break;
        case csr::mcause: {
            // Ibex keeps two kinds of interrupts, external (10...) and internal (11...), and five bits of cause.
            const std::uint32_t kind = value >> 30;
            mcause_ = (value & 31u) | (kind == 2 ? 0x80000000u : kind == 3 ? 0xffffffe0u : 0);
            break;
        }
        case csr::mtval: mtval_ = value; break;
        case csr::mcountinhibit:
            cycle_counter_.stop(next.cycles, (value & 1u) != 0);
            instruction_counter_.stop(next.instructions, (value & 4u) != 0);
            break;
        case csr::mcycle: cycle_counter_.set(next.cycles, with_low(cycle_counter_.value(next.cycles), value)); break;
        case csr::mcycleh: cycle_counter_.set(next.cycles, with_high(cycle_counter_.value(next.cycles), value)); break;
        case csr::minstret:
            instruction_counter_.set(next.instructions, with_low(instruction_counter_.value(next.instructions), value));
            break;
        case csr::minstreth:
            instruction_counter_.set(next.instructions,
                                     with_high(instruction_counter_.value(next.instructions), value));
            break;
        case csr::cpuctrlsts:
            double_fault_seen_ = (value & 1u << 7) != 0;
            exception_seen_ = (value & 1u << 6) != 0;
            break;
        default: break;
    }
}

std::uint32_t csr_file::enter_trap(std::uint32_t mcause, std::uint32_t pc, std::uint32_t mtval) {
    previous_enabled_ = enabled_;
    previous_machine_ = !user_;
    enabled_ = false;
    user_ = false;
    mepc_ = pc;
    mcause_ = mcause;
    mtval_ = mtval;
    if (mcause == cause::external_interrupt) return exception_handler() + vector_of_external;
    double_fault_seen_ = double_fault_seen_ || exception_seen_;
    exception_seen_ = true;
    return exception_handler();
}

std::uint32_t csr_file::leave_trap() {
    user_ = !previous_machine_;
    enabled_ = previous_enabled_;
    if (user_) modify_privilege_ = false;
    previous_enabled_ = true;
    previous_machine_ = false;
    exception_seen_ = false;
    return mepc_;
}

}  // namespace polycast::hw::riscv
