// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/tools.h"

#include <gmock/gmock.h>

#include <sstream>

#include "hw/riscv/function_spans.h"
#include "hw/riscv/profile.h"
#include "hw/riscv/timing.h"
#include "testbench/unit/hw/riscv/machine.h"

namespace polycast::hw::riscv {
namespace {

using namespace testbench::riscv;
using testing::HasSubstr;

constexpr const timing& cost = ibex_small;

/// _start calls outer twice; outer saves ra, calls leaf and goes on in tail, which returns for it.
elf_file calls() {
    assembler code;
    code << lui(sp, (data_base >> 12) + 1) << jal(ra, 0x100 - 0x84) << jal(ra, 0x100 - 0x88) << stop_here();
    code.org(0x100) << addi(sp, sp, -16) << sw(ra, sp, 12) << jal(ra, 0x140 - 0x108) << lw(ra, sp, 12)
                    << addi(sp, sp, 16) << jal(zero, 0x160 - 0x114);
    code.org(0x140) << nop() << nop() << ret();
    code.org(0x160) << nop() << ret();
    elf_file file = executable(code);
    file.functions = {{"_start", 0x80, 16}, {"outer", 0x100, 24}, {"leaf", 0x140, 12}, {"tail", 0x160, 8}};
    return file;
}

constexpr std::uint64_t outer_cycles = 2 * cost.alu + cost.store + cost.jump + cost.load + cost.jump;
constexpr std::uint64_t leaf_cycles = 2 * cost.alu + cost.jump;
constexpr std::uint64_t tail_cycles = cost.alu + cost.jump;

TEST(profiler, counts_calls_and_cycles) {
    machine m(calls());
    profiler profile(*m.firmware);
    m.cpu->attach(&profile);
    m.cpu->reset(0);
    m.run_to_end();
    const std::vector<function_profile> all = profile.functions();
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].name, "outer");
    EXPECT_EQ(all[0].calls, 2u);
    EXPECT_EQ(all[0].instructions, 12u);
    EXPECT_EQ(all[0].exclusive_cycles, 2 * outer_cycles);
    EXPECT_EQ(all[0].inclusive_cycles, 2 * (outer_cycles + leaf_cycles));
    EXPECT_EQ(all[1].name, "leaf");
    EXPECT_EQ(all[1].inclusive_cycles, 2 * leaf_cycles);
    EXPECT_EQ(all[2].name, "tail");
    EXPECT_EQ(all[2].calls, 2u);
    EXPECT_EQ(all[2].inclusive_cycles, 2 * tail_cycles);
    EXPECT_EQ(all[3].name, "_start");
    EXPECT_EQ(all[3].exclusive_cycles, cost.alu + 2 * cost.jump);
    EXPECT_EQ(all[3].inclusive_cycles, profile.cycles());
    EXPECT_EQ(profile.cycles(), m.cpu->probe().cycles - cost.boot);
    std::ostringstream text;
    profile.write(text);
    EXPECT_THAT(text.str(), HasSubstr("  outer\n"));
}

TEST(profiler, counts_recursion_once) {
    assembler code;  // fact(3) without the multiplication
    code << lui(sp, (data_base >> 12) + 1) << li(a0, 3) << jal(ra, 0x100 - 0x88) << stop_here();
    code.org(0x100) << beq(a0, zero, 28) << addi(sp, sp, -16) << sw(ra, sp, 0) << addi(a0, a0, -1) << jal(ra, -16)
                    << lw(ra, sp, 0) << addi(sp, sp, 16) << ret();
    elf_file file = executable(code);
    file.functions = {{"_start", 0x80, 16}, {"count", 0x100, 32}};
    machine m(file);
    profiler profile(*m.firmware);
    m.cpu->attach(&profile);
    m.cpu->reset(0);
    m.run_to_end();
    const function_profile count = profile.functions().front();
    EXPECT_EQ(count.name, "count");
    EXPECT_EQ(count.calls, 4u);
    EXPECT_EQ(count.inclusive_cycles, count.exclusive_cycles);
}

TEST(profiler, counts_exceptions_without_end) {
    assembler code;
    code << li(t0, 0x100) << csrrw(zero, csr::mtvec, t0) << ecall();
    code.org(0x100) << nop() << ecall();
    elf_file file = executable(code);
    file.functions = {{"_start", 0x80, 12}, {"handler", 0x100, 8}};
    machine m(file);
    profiler profile(*m.firmware);
    m.cpu->attach(&profile);
    m.cpu->reset(0);
    m.run_to_end(20000);
    const std::vector<function_profile> all = profile.functions();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].name, "handler");
    EXPECT_EQ(all[0].calls, profile.exceptions());
    EXPECT_EQ(all[1].calls, 1u);
    EXPECT_EQ(all[0].exclusive_cycles + all[1].exclusive_cycles, profile.cycles());
}

TEST(span_recorder, keeps_the_time_of_each_activation) {
    machine m(calls());
    span_recorder spans(*m.firmware);
    m.cpu->attach(&spans);
    m.cpu->reset(0);
    m.run_to_end();
    const std::vector<function_span> all = spans.spans();
    ASSERT_EQ(all.size(), 7u);
    EXPECT_EQ(spans.name_of(all[0].function), "_start");
    EXPECT_EQ(all[0].begin, cost.boot);
    EXPECT_EQ(all[0].end, m.cpu->now());
    const cycle outer = cost.boot + cost.alu + cost.jump;
    EXPECT_EQ(all[1], (function_span{outer, outer + outer_cycles + leaf_cycles, 1, 1, false, false}));
    const cycle leaf = outer + cost.alu + cost.store + cost.jump;
    EXPECT_EQ(all[2], (function_span{leaf, leaf + leaf_cycles, 2, 2, false, false}));
    EXPECT_EQ(all[3], (function_span{all[1].end, all[1].end + tail_cycles, 3, 1, false, false}));
    EXPECT_EQ(spans.spans(leaf, leaf + 1).size(), 3u);
    EXPECT_EQ(spans.spans(leaf, leaf + 1)[2].end, leaf + 1);
}

TEST(span_recorder, has_a_bound) {
    machine m(calls());
    span_recorder spans(*m.firmware, 2);
    m.cpu->attach(&spans);
    m.cpu->reset(0);
    m.run_to_end();
    EXPECT_EQ(spans.spans().size(), 3u);
    EXPECT_EQ(spans.dropped(), 4u);
}

/// An interrupt handler by a vector table, around wfi.
TEST(span_recorder, knows_handlers_and_sleep) {
    assembler code;
    code << lui(t0, 1) << addi(t0, t0, -0x800) << csrrw(zero, csr::mie, t0) << li(t0, 0x100)
         << csrrw(zero, csr::mtvec, t0) << csrrsi(zero, csr::mstatus, 8) << wfi() << nop() << stop_here();
    code.org(0x12c) << jal(zero, 0x200 - 0x12c);
    code.org(0x200) << csrrw(zero, csr::mie, zero) << mret();
    elf_file file = executable(code);
    file.functions = {{"_start", 0x80, 32}, {"vectors", 0x100, 48}, {"handler", 0x200, 8}};
    machine m(file);
    span_recorder spans(*m.firmware);
    profiler profile(*m.firmware);
    observer_list both;
    both.add(spans);
    both.add(profile);
    m.cpu->attach(&both);
    m.cpu->reset(0);
    cycle next = 0;
    while (next != engine::never) next = m.cpu->run(next, false);
    const cycle asleep = m.cpu->now();
    next = m.cpu->run(500, true);
    while (next != engine::never) next = m.cpu->run(next, true);
    const std::vector<function_span> all = spans.spans();
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[1], (function_span{asleep, 500, 0, 1, true, false}));
    const cycle entered = 500;
    const cycle jumped = entered + cost.wake_interrupt + cost.jump;
    EXPECT_EQ(all[2], (function_span{entered, jumped, 1, 1, false, true}));
    EXPECT_EQ(all[3], (function_span{jumped, jumped + cost.csr + cost.csr_flush + cost.mret, 2, 1, false, true}));
    EXPECT_EQ(profile.interrupts(), 1u);
    EXPECT_EQ(profile.cycles_asleep(), 500 - asleep);
    EXPECT_EQ(profile.cycles() + cost.boot, m.cpu->probe().cycles);
}

TEST(instruction_trace, is_text_with_names) {
    machine m(calls());
    std::ostringstream text;
    instruction_trace trace(text);
    m.cpu->attach(&trace);
    m.cpu->reset(0);
    m.run_to_end();
    EXPECT_THAT(text.str(), HasSubstr(std::to_string(cost.boot) + " reset\n"));
    EXPECT_THAT(text.str(), HasSubstr("00000084 _start+0x4              jal ra, 0x100                ra=00000088\n"));
    EXPECT_THAT(text.str(),
                HasSubstr("00000104 outer+0x4               sw ra, 12(sp)                [10000ffc]<-00000088\n"));
    EXPECT_THAT(
        text.str(),
        HasSubstr("0000010c outer+0xc               lw ra, 12(sp)                ra=00000088 [10000ffc]->00000088\n"));
}

TEST(instruction_trace, has_a_bound_and_shows_exceptions) {
    machine m(assembler() << ecall());
    std::ostringstream text;
    instruction_trace trace(text, 3);
    m.cpu->attach(&trace);
    m.cpu->reset(0);
    m.run_to_end(100);
    EXPECT_THAT(text.str(), HasSubstr("00000080 exception 11 (mtval 00000000) to 00000000 ?\n... and more\n"));
}

TEST(stack_meter, finds_the_lowest_point) {
    machine m(calls());
    stack_meter stack;
    m.cpu->attach(&stack);
    m.cpu->reset(0);
    m.run_to_end();
    EXPECT_EQ(stack.top(), data_base + 0x1000);
    EXPECT_EQ(stack.bytes(), 16u);
    EXPECT_EQ(stack.lowest_pc(), 0x100u);
    EXPECT_FALSE(stack.overflowed());
}

TEST(stack_meter, sees_an_overflow) {
    elf_file file = calls();
    file.segments.push_back({data_base, {1}, 0xff8, ~0u});
    machine m(file);
    stack_meter stack;
    m.cpu->attach(&stack);
    m.cpu->reset(0);
    m.run_to_end();
    EXPECT_TRUE(stack.overflowed());
}

}  // namespace
}  // namespace polycast::hw::riscv
