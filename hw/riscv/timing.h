// SPDX-License-Identifier: Apache-2.0
/// \file How many cycles each instruction takes: Ibex, configuration "small" (2-stage pipeline, RV32MFast, no branch
/// target ALU, no write-back stage, no instruction cache), with instruction and data memories that grant at once and
/// answer in the next cycle. Source: Ibex reference guide, "Pipeline Details", and its RTL.
#pragma once

#include <cstdint>

namespace polycast::hw::riscv {

/// Cycles from the first cycle of an instruction in ID/EX to the first one of the next instruction there.
struct timing {
    std::uint32_t alu = 1;
    std::uint32_t mul = 3;          ///< mul: ALBL, ALBH, AHBL
    std::uint32_t mulh = 4;         ///< mulh, mulhsu, mulhu: and AHBH
    std::uint32_t div = 37;         ///< div, divu, rem, remu: 31 steps and 6 for signs and the end
    std::uint32_t div_by_zero = 2;  ///< known after the first cycle
    std::uint32_t load = 2;         ///< request, response
    std::uint32_t store = 2;        ///< request, response
    std::uint32_t split = 1;        ///< more, for an access that crosses a word: the second request
    std::uint32_t branch_not_taken = 1;
    std::uint32_t branch_taken = 3;  ///< condition, target, fetch
    std::uint32_t jump = 2;          ///< jal, jalr: target, fetch
    std::uint32_t fence_i = 2;       ///< a jump to the next instruction
    /// More, for a jump or branch to a 32-bit instruction that crosses a word: the second half is fetched.
    std::uint32_t unaligned_target = 1;
    std::uint32_t fence = 1;
    std::uint32_t csr = 1;
    std::uint32_t csr_flush = 2;  ///< more, when mstatus or mie is written or its bits are set: the pipeline is flushed
    std::uint32_t mret = 3;       ///< flush, fetch
    std::uint32_t fetch_fault = 1;
    /// More, for an instruction with an exception (and illegal, ecall, ebreak: 1 + this): flush, fetch of the handler.
    std::uint32_t exception = 2;
    /// Cycles at the end of a taken branch, a flush and mret in which ID/EX is empty, waiting for a fetch; the extra
    /// cycle of an unaligned target is one more of them.
    std::uint32_t empty = 1;
    /// From the first cycle of the instruction that an interrupt displaces, or from the first of those empty ones in
    /// which the line is high, to the first of the handler: empty cycle, IRQ_TAKEN, fetch.
    std::uint32_t interrupt = 3;
    std::uint32_t wfi = 3;             ///< DECODE, FLUSH, WAIT_SLEEP; then it sleeps
    std::uint32_t wake = 2;            ///< from the cycle in which the interrupt is pending to the next instruction
    std::uint32_t wake_interrupt = 4;  ///< likewise, to the handler, when the interrupt is taken
    std::uint32_t boot =
        4;  ///< from the end of reset to the first instruction: clock off, RESET, BOOT_SET, FIRST_FETCH
};

inline constexpr timing ibex_small{};

}  // namespace polycast::hw::riscv
