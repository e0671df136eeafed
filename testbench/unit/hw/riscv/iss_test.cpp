// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/iss.h"

#include <gmock/gmock.h>

#include "hw/riscv/timing.h"
#include "testbench/unit/hw/riscv/machine.h"

namespace polycast::hw::riscv {
namespace {

using namespace testbench::riscv;
using testing::ElementsAre;

constexpr const timing& cost = ibex_small;
constexpr std::uint32_t data_upper = data_base >> 12;

TEST(iss, starts_at_the_boot_address_and_computes) {
    assembler code;
    code << li(a0, 6) << li(a1, 7) << mul(a2, a0, a1) << lui(t0, data_upper) << sw(a2, t0, 8) << lw(a3, t0, 8)
         << stop_here();
    machine m(code);
    m.run_to_end();
    EXPECT_EQ(m.cpu->reg(a2), 42u);
    EXPECT_EQ(m.cpu->reg(a3), 42u);
    EXPECT_EQ(m.cpu->data_memory()[8], 42);
    EXPECT_TRUE(m.cpu->probe().halted);
    EXPECT_EQ(m.cpu->probe().instructions, 6u);
    EXPECT_EQ(m.cpu->probe().cycles, cost.boot + 3 * cost.alu + cost.mul + cost.store + cost.load);
}

TEST(iss, resets_data_memory_but_not_more) {
    assembler code;
    code << lui(t0, data_upper) << lw(a0, t0, 0) << addi(a1, a0, 1) << sw(a1, t0, 0) << stop_here();
    elf_file file = executable(code);
    file.segments.push_back({data_base, {41, 0, 0, 0}, 0, ~0u});
    machine m(file);
    m.run_to_end();
    EXPECT_EQ(m.cpu->data_memory()[0], 42);
    m.cpu->reset(1000);
    EXPECT_EQ(m.cpu->data_memory()[0], 41);
    EXPECT_EQ(m.cpu->reg(a1), 0u);
    EXPECT_EQ(m.cpu->run(1000, false), engine::never);
    EXPECT_EQ(m.cpu->data_memory()[0], 42);
    EXPECT_EQ(m.cpu->probe().instructions, 4u);
}

TEST(iss, makes_register_accesses_when_the_interface_is_there) {
    assembler code;
    code << lui(t0, 0x40000) << li(a0, 5) << sw(a0, t0, 0) << li(a1, 6) << lw(a1, t0, 0) << lw(a2, t0, 0)
         << stop_here();
    machine m(code);
    const cycle first = cost.boot + 2 * cost.alu;
    EXPECT_EQ(m.cpu->run(0, false), first);
    EXPECT_THAT(m.bus->accesses, ElementsAre());
    const cycle second = first + cost.store + cost.alu;
    EXPECT_EQ(m.cpu->run(first, false), second);
    EXPECT_THAT(m.bus->accesses, ElementsAre(bus_access{first, 0x40000000, 5, 4, true}));
    // Two accesses in one call, each with its cycle.
    EXPECT_EQ(m.cpu->run(second + 100, false), engine::never);
    ASSERT_EQ(m.bus->accesses.size(), 3u);
    EXPECT_EQ(m.bus->accesses[1], (bus_access{second, 0x40000000, 0, 4, false}));
    EXPECT_EQ(m.bus->accesses[2], (bus_access{second + cost.load, 0x40000000, 1, 4, false}));
    EXPECT_EQ(m.cpu->reg(a2), 1u);
}

TEST(iss, reads_bus_memory_ahead_of_time) {
    assembler code;
    code << lui(t0, 0x20000) << li(a0, -2) << sh(a0, t0, 2) << lw(a1, t0, 0) << lb(a2, t0, 3) << lhu(a3, t0, 2)
         << stop_here();
    machine m(code);
    EXPECT_EQ(m.cpu->run(0, false), engine::never);
    EXPECT_EQ(m.cpu->reg(a1), 0xfffe0000u);
    EXPECT_EQ(m.cpu->reg(a2), 0xffffffffu);
    EXPECT_EQ(m.cpu->reg(a3), 0xfffeu);
}

TEST(iss, does_not_run_ahead_without_end) {
    assembler code;
    code << addi(a0, a0, 1) << jal(zero, -4);
    machine m(code, {.run_ahead = 100});
    const cycle next = m.cpu->run(0, false);
    EXPECT_GT(next, 100u);
    EXPECT_LT(next, 110u);
    EXPECT_EQ(next, m.cpu->now());
    const cycle later = m.cpu->run(next, false);
    EXPECT_GT(later, next + 100);
    EXPECT_LT(later, next + 110);
}

TEST(iss, splits_accesses_that_cross_a_word) {
    assembler code;
    code << lui(t0, data_upper) << lui(a0, 0x12345) << addi(a0, a0, 0x678) << sw(a0, t0, 1) << lw(a1, t0, 1)
         << lh(a2, t0, 3) << lh(a3, t0, 1) << stop_here();
    machine m(code);
    m.run_to_end();
    EXPECT_EQ(m.cpu->reg(a1), 0x12345678u);
    EXPECT_EQ(m.cpu->reg(a2), 0x1234u);  // bytes 3 and 4
    EXPECT_EQ(m.cpu->reg(a3), 0x5678u);
    EXPECT_EQ(m.cpu->probe().cycles, cost.boot + 3 * cost.alu + cost.store + 3 * cost.load + 3 * cost.split);
}

TEST(iss, splits_bus_accesses_into_aligned_ones) {
    assembler code;
    code << lui(t0, 0x20000) << lui(a0, 0x12345) << addi(a0, a0, 0x678) << sw(a0, t0, 1) << stop_here();
    machine m(code);
    m.run_to_end();
    const cycle at = cost.boot + 3 * cost.alu;
    EXPECT_THAT(m.bus->accesses,
                ElementsAre(bus_access{at, 0x20000001, 0x78, 1, true}, bus_access{at, 0x20000002, 0x3456, 2, true},
                            bus_access{at + 1, 0x20000004, 0x12, 1, true}));
}

/// Sets mtvec to 0x100 and ends in a handler that saves mcause, mepc and mtval in a0, a1, a2.
assembler with_handler() {
    assembler code;
    code.org(0x100) << csrr(a0, csr::mcause) << csrr(a1, csr::mepc) << csrr(a2, csr::mtval) << stop_here();
    code.org(0x12c) << csrr(a0, csr::mcause) << csrr(a1, csr::mepc) << addi(a5, a5, 1) << mret();
    code.org(0x80) << li(t0, 0x100) << csrrw(zero, csr::mtvec, t0);
    return code;
}

struct exception_case {
    const char* name;
    std::vector<word> instructions;  ///< from 0x88; the last one traps
    std::uint32_t mcause;
    std::uint32_t mtval;
    std::uint32_t cycles;  ///< of all of them, up to the handler
};

class iss_exceptions : public testing::TestWithParam<exception_case> {};

TEST_P(iss_exceptions, reach_the_handler) {
    assembler code = with_handler();
    for (const word instruction : GetParam().instructions) code << instruction;
    const std::uint32_t pc = code.here() - 4;
    machine m(code);
    m.run_to_end();
    EXPECT_EQ(m.cpu->reg(a0), GetParam().mcause);
    EXPECT_EQ(m.cpu->reg(a1), GetParam().mcause == 1 ? GetParam().mtval : pc);
    EXPECT_EQ(m.cpu->reg(a2), GetParam().mtval);
    EXPECT_EQ(m.cpu->probe().cycles, cost.boot + cost.alu + cost.csr + GetParam().cycles + 3 * cost.csr);
    EXPECT_EQ(m.cpu->probe().instructions, 2 + GetParam().instructions.size() - (GetParam().mcause == 1 ? 0 : 1) + 3);
}

INSTANTIATE_TEST_SUITE_P(
    all, iss_exceptions,
    testing::Values(
        exception_case{"illegal", {0xffffffffu}, 2, 0xffffffffu, cost.alu + cost.exception},
        exception_case{"ecall", {ecall()}, 11, 0, cost.alu + cost.exception},
        exception_case{"ebreak", {ebreak()}, 3, 0, cost.alu + cost.exception},
        exception_case{"no_such_csr", {csrr(a0, 0xc00)}, 2, csrr(a0, 0xc00), cost.alu + cost.exception},
        exception_case{"read_only_csr", {csrrw(zero, 0xf14, a0)}, 2, csrrw(zero, 0xf14, a0), cost.alu + cost.exception},
        exception_case{"store_to_code", {sw(a0, zero, 0)}, 7, 0, cost.store + cost.exception},
        exception_case{
            "load_hole", {lui(t0, 0x08000), lw(a0, t0, 4)}, 5, 0x08000004, cost.alu + cost.load + cost.exception},
        exception_case{
            "load_bus_error", {lui(t0, 0x30000), lw(a0, t0, 8)}, 5, 0x30000008, cost.alu + cost.load + cost.exception},
        // Half of the access is behind the end of data memory: mtval is the second word.
        exception_case{"store_over_the_end",
                       {lui(t0, 0x10030), sw(a0, t0, -2)},
                       7,
                       0x10030000,
                       cost.alu + cost.store + cost.split + cost.exception},
        exception_case{"jump_out",
                       {lui(t0, 0x10000), jalr(zero, t0, 0)},
                       1,
                       0x10000000,
                       cost.alu + cost.jump + cost.fetch_fault + cost.exception},
        exception_case{"far_jump", {jal(zero, -0x100)}, 1, 0xffffff88, cost.jump + cost.fetch_fault + cost.exception},
        exception_case{"far_branch",
                       {beq(zero, zero, -0x100)},
                       1,
                       0xffffff88,
                       cost.branch_taken + cost.fetch_fault + cost.exception}),
    [](const auto& which) { return which.param.name; });

TEST(iss, keeps_holes_between_its_memories_off_the_bus) {
    machine m(with_handler() << lui(t0, 0x1ffff) << sw(a0, t0, 0) << nop());
    m.run_to_end();
    EXPECT_EQ(m.cpu->reg(a0), cause::store_access_fault);
    machine n(with_handler() << lui(t0, 0x1ffff) << lbu(a0, t0, 0) << nop());
    n.run_to_end();
    EXPECT_EQ(n.cpu->reg(a0), cause::load_access_fault);
    EXPECT_THAT(m.bus->accesses, ElementsAre());
    EXPECT_THAT(n.bus->accesses, ElementsAre());
}

TEST(iss, fetches_the_last_halfword_only_for_16_bits) {
    assembler code = with_handler();
    code << lui(t0, 0x10) << jalr(zero, t0, -2);
    code.org(0xfffe) << std::uint16_t{0x0003};  // the first half of a load
    machine m(code);
    m.run_to_end();
    EXPECT_EQ(m.cpu->reg(a0), cause::instruction_access_fault);
    EXPECT_EQ(m.cpu->reg(a1), 0xfffeu);
    EXPECT_EQ(m.cpu->reg(a2), 0x10000u);
}

TEST(iss, halts_when_the_exception_handler_cannot_start) {
    machine m(assembler() << ecall());  // mtvec is 0, where there is no instruction
    m.run_to_end(100);
    EXPECT_TRUE(m.cpu->probe().halted);
    EXPECT_EQ(m.cpu->run(200, true), engine::never);
}

/// Interrupts enabled, then `count` additions.
assembler interruptible(unsigned count) {
    assembler code = with_handler();
    code << lui(t0, 1) << addi(t0, t0, -0x800) << csrrw(zero, csr::mie, t0) << csrrsi(zero, csr::mstatus, 8);
    for (unsigned i = 0; i < count; ++i) code << addi(a4, a4, 1);
    code << stop_here();
    return code;
}
/// First cycle of the first addition.
constexpr cycle interruptible_from = cost.boot + 3 * cost.alu + 3 * cost.csr + 2 * cost.csr_flush;

TEST(iss, takes_an_interrupt_in_its_cycle) {
    for (unsigned late = 0; late < 5; ++late) {
        machine m(interruptible(8));
        // The level of the cycle before an instruction decides; the first one starts at `interruptible_from`.
        const cycle rise = interruptible_from - 1 + late;
        cycle next = 0;
        while (next < rise) next = m.cpu->run(next, false);
        EXPECT_EQ(next, rise);
        EXPECT_EQ(m.cpu->reg(a4), late);
        next = m.cpu->run(rise, true);
        // The handler has run ahead to mret, which enables the interrupt again.
        EXPECT_EQ(m.cpu->reg(a0), cause::external_interrupt);
        EXPECT_EQ(m.cpu->reg(a1), 0x98u + 4 * late);
        EXPECT_EQ(m.cpu->reg(a5), 1u);
        // Behind the flush of csrrsi ID/EX is empty anyway, and the interrupt one cycle faster.
        const cycle entered = interruptible_from + late + cost.interrupt - (late == 0 ? 1 : 0);
        EXPECT_EQ(m.cpu->now(), entered + 2 * cost.csr + cost.alu + cost.mret);
        EXPECT_EQ(next, m.cpu->now() - 1);
        EXPECT_EQ(m.cpu->run(next, false), next + 1);
        EXPECT_EQ(m.cpu->reg(a4), late + 1);
    }
}

TEST(iss, is_interrupted_again_while_the_line_stays_high) {
    machine m(interruptible(8));
    cycle next = 0;
    while (m.cpu->reg(a5) < 3) next = m.cpu->run(next, true);
    EXPECT_EQ(m.cpu->reg(a4), 0u);
    while (next != engine::never && next < 10000) next = m.cpu->run(next, false);
    EXPECT_EQ(m.cpu->reg(a4), 8u);
}

TEST(iss, sleeps_until_the_line_rises) {
    assembler code = with_handler();
    code << lui(t0, 1) << addi(t0, t0, -0x800) << csrrw(zero, csr::mie, t0) << wfi() << csrr(a3, csr::mcycle)
         << csrr(a4, csr::mip) << stop_here();
    machine m(code);
    EXPECT_EQ(m.cpu->run(0, false), engine::never);
    EXPECT_TRUE(m.cpu->probe().sleeping);
    EXPECT_EQ(m.cpu->run(5000, false), engine::never);
    // Interrupts are off: it goes on behind wfi.
    const cycle mip_read = 6000 + cost.wake + cost.csr;
    EXPECT_EQ(m.cpu->run(6000, true), mip_read);
    EXPECT_FALSE(m.cpu->probe().sleeping);
    EXPECT_EQ(m.cpu->run(mip_read, true), engine::never);
    EXPECT_EQ(m.cpu->reg(a4), external_interrupt_bit);
    EXPECT_EQ(m.cpu->reg(a5), 0u);
    // mcycle does not count asleep.
    EXPECT_EQ(m.cpu->reg(a3), cost.boot - 1 + 3 * cost.alu + 2 * cost.csr + cost.csr_flush + cost.wfi + cost.wake);
}

TEST(iss, wakes_into_the_handler_when_interrupts_are_on) {
    assembler code = with_handler();
    code << lui(t0, 1) << addi(t0, t0, -0x800) << csrrw(zero, csr::mie, t0) << csrrsi(zero, csr::mstatus, 8) << wfi()
         << addi(a4, a4, 1) << stop_here();
    machine m(code);
    cycle next = 0;
    while (next != engine::never) next = m.cpu->run(next, false);
    next = m.cpu->run(900, true);
    EXPECT_EQ(m.cpu->reg(a5), 1u);
    EXPECT_EQ(m.cpu->reg(a1), 0x9cu);
    EXPECT_EQ(m.cpu->now(), 900 + cost.wake_interrupt + 2 * cost.csr + cost.alu + cost.mret);
    EXPECT_EQ(m.cpu->reg(a4), 0u);
}

TEST(iss, does_not_sleep_while_the_line_is_high) {
    machine m(assembler() << lui(t0, 1) << addi(t0, t0, -0x800) << csrrw(zero, csr::mie, t0) << wfi() << stop_here());
    const cycle asleep = cost.boot + 2 * cost.alu + cost.csr + cost.csr_flush + cost.wfi;
    EXPECT_EQ(m.cpu->run(0, true), asleep);
    EXPECT_EQ(m.cpu->run(asleep, true), engine::never);
    EXPECT_TRUE(m.cpu->probe().halted);
    EXPECT_EQ(m.cpu->probe().cycles, asleep + cost.wake);
}

TEST(iss, has_a_user_mode) {
    assembler code = with_handler();
    code << li(t0, 0xa0) << csrrw(zero, csr::mepc, t0) << mret();  // after reset mstatus.MPP is user mode
    code.org(0xa0) << csrr(a3, csr::mhartid) << stop_here();
    machine m(code);
    m.run_to_end();
    EXPECT_EQ(m.cpu->reg(a0), cause::illegal_instruction);
    EXPECT_EQ(m.cpu->reg(a1), 0xa0u);
    EXPECT_EQ(m.cpu->read_csr(csr::mstatus), 0x80u);  // MPP: user; MPIE: mret had set MIE
}

TEST(iss, counts_cycles_and_instructions) {
    assembler code;
    code << csrr(a0, csr::mcycle) << csrr(a1, csr::minstret) << csrrw(zero, csr::mcycle, zero) << csrr(a2, csr::mcycle)
         << csrrw(zero, csr::minstret, zero) << nop() << csrr(a3, csr::minstret) << li(t0, 5)
         << csrrw(zero, csr::mcountinhibit, t0) << csrr(a4, csr::mcycle) << nop() << csrr(a5, csr::mcycle)
         << stop_here();
    machine m(code);
    m.run_to_end();
    EXPECT_EQ(m.cpu->reg(a0), cost.boot - 1);
    EXPECT_EQ(m.cpu->reg(a1), 1u);
    EXPECT_EQ(m.cpu->reg(a2), 0u);
    EXPECT_EQ(m.cpu->reg(a3), 1u);
    EXPECT_EQ(m.cpu->reg(a4), m.cpu->reg(a5));
}

struct timing_case {
    const char* name;
    std::vector<word> instructions;
    std::uint32_t cycles;
};

class iss_timing : public testing::TestWithParam<timing_case> {};

TEST_P(iss_timing, is_that_of_the_table) {
    assembler code;
    code << lui(t0, data_upper) << li(a0, 5) << li(a1, 0);
    for (const word instruction : GetParam().instructions) code << instruction;
    code << nop() << nop() << stop_here();
    machine m(code);
    m.run_to_end();
    const std::uint32_t skipped = GetParam().name[0] == '_' ? 1 : 0;
    EXPECT_EQ(m.cpu->probe().cycles, cost.boot + 3 * cost.alu + GetParam().cycles + (2 - skipped) * cost.alu);
}

INSTANTIATE_TEST_SUITE_P(
    all, iss_timing,
    testing::Values(timing_case{"div", {div(a2, a0, a0)}, cost.div},
                    timing_case{"div_by_zero", {div(a2, a0, a1)}, cost.div_by_zero},
                    timing_case{"rem_over_its_divisor", {rem(a0, a1, a0)}, cost.div},
                    timing_case{"mulh", {mulhu(a2, a0, a0)}, cost.mulh},
                    timing_case{"not_taken", {bne(a1, zero, 8)}, cost.branch_not_taken},
                    timing_case{"_taken", {beq(a1, zero, 8)}, cost.branch_taken},
                    timing_case{"_jal", {jal(zero, 8)}, cost.jump}, timing_case{"fence", {fence()}, cost.fence},
                    timing_case{"fence_i", {fence_i()}, cost.fence_i},
                    timing_case{"clear_mstatus", {csrrci(zero, csr::mstatus, 8)}, cost.csr},
                    timing_case{"write_mstatus", {csrrw(zero, csr::mstatus, a1)}, cost.csr + cost.csr_flush},
                    timing_case{"read_mstatus", {csrr(a2, csr::mstatus)}, cost.csr}),
    [](const auto& which) {
        return std::string(which.param.name[0] == '_' ? which.param.name + 1 : which.param.name);
    });

TEST(iss, fetches_longer_after_a_jump_into_the_middle_of_a_word) {
    assembler to_16, to_32, by_jalr;
    to_16 << jal(zero, 6) << c_nop() << c_nop() << nop() << stop_here();
    to_32 << jal(zero, 6) << c_nop() << nop() << c_nop() << stop_here();
    by_jalr << li(t0, 0x8a) << jalr(zero, t0, 0) << c_nop() << nop() << c_nop() << stop_here();
    machine m16(to_16), m32(to_32), mr(by_jalr);
    m16.run_to_end();
    m32.run_to_end();
    mr.run_to_end();
    EXPECT_EQ(m16.cpu->probe().cycles, cost.boot + cost.jump + 2 * cost.alu);
    EXPECT_EQ(m32.cpu->probe().cycles, cost.boot + cost.jump + cost.unaligned_target + 2 * cost.alu);
    EXPECT_EQ(mr.cpu->probe().cycles, cost.boot + cost.alu + cost.jump + cost.unaligned_target + 2 * cost.alu);
}

}  // namespace
}  // namespace polycast::hw::riscv
