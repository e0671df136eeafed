// SPDX-License-Identifier: Apache-2.0
// Bits of data memory that flip: in their cycle, however far the simulator would have computed ahead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/riscv/timing.h"
#include "testbench/unit/hw/riscv/machine.h"

namespace polycast::hw::riscv {
namespace {

using namespace testbench::riscv;

constexpr const timing& cost = ibex_small;
constexpr std::uint32_t data_upper = data_base >> 12;

TEST(iss_upset, a_load_sees_the_flip_of_the_cycle_before) {
    assembler code;
    code << lui(t0, data_upper) << lw(a0, t0, 8) << lw(a1, t0, 8) << lw(a2, t0, 8) << stop_here();
    // The three loads begin in cycles `first`, + cost.load, + 2 cost.load.
    const cycle first = cost.boot + cost.alu;
    for (cycle at = first - 1; at <= first + 2 * cost.load; ++at) {
        machine m(code);
        m.cpu->hold(at);
        cycle next = 0;
        while (next <= at) next = m.cpu->run(next, false);
        EXPECT_EQ(m.cpu->data_memory()[8], 0) << "nothing is stored";
        m.cpu->upset(2, 5);
        m.cpu->hold(engine::never);
        while (next != engine::never) next = m.cpu->run(next, false);
        EXPECT_EQ(m.cpu->reg(a0), at < first ? 32u : 0u) << at;
        EXPECT_EQ(m.cpu->reg(a1), at < first + cost.load ? 32u : 0u) << at;
        EXPECT_EQ(m.cpu->reg(a2), at < first + 2 * cost.load ? 32u : 0u) << at;
        EXPECT_EQ(m.cpu->probe().cycles, cost.boot + cost.alu + 3 * cost.load) << "a flip costs no cycles";
    }
}

TEST(iss_upset, nothing_is_computed_behind_the_flip) {
    assembler code;
    code << addi(a0, a0, 1) << jal(zero, -4);
    machine m(code, {.run_ahead = 1000});
    m.cpu->hold(40);
    EXPECT_EQ(m.cpu->run(0, false), 41u);
    EXPECT_EQ(m.cpu->run(40, false), 41u);
    EXPECT_LE(m.cpu->now(), 40 + cost.jump);
    m.cpu->hold(engine::never);
    EXPECT_GT(m.cpu->run(41, false), 1000u);
}

TEST(iss_upset, a_restart_reads_the_image_again) {
    assembler code;
    code << lui(t0, data_upper) << lw(a0, t0, 0) << stop_here();
    machine m(code);
    m.cpu->upset(0, 31);
    m.run_to_end();
    EXPECT_EQ(m.cpu->reg(a0), 0x80000000u);
    m.cpu->reset(100);
    EXPECT_EQ(m.cpu->data_memory()[3], 0);
}

TEST(iss_upset, a_code_corrects_what_is_read_once_in_the_same_cycles) {
    assembler code;
    code << lui(t0, data_upper) << li(t1, 42) << sw(t1, t0, 8) << lw(a0, t0, 8) << lhu(a1, t0, 8) << lw(a2, t0, 7)
         << stop_here();
    for (const auto how : {format::protection::none, format::protection::secded}) {
        machine m(code, {.protect = how});
        // The store begins in cycle boot + 2 alu, the first load `store` cycles later.
        const cycle before = cost.boot + 2 * cost.alu + cost.store - 1;
        m.cpu->hold(before);
        cycle next = 0;
        while (next <= before) next = m.cpu->run(next, false);
        // Data of the word that is read, its check bit, and a word that nobody reads.
        m.cpu->upset(2, 6);
        m.cpu->upset(1, 35);
        m.cpu->upset(100, 0);
        m.cpu->hold(engine::never);
        while (next != engine::never) next = m.cpu->run(next, false);
        const bool coded = how != format::protection::none;
        EXPECT_EQ(m.cpu->reg(a0), coded ? 42u : 42u + 64u);
        EXPECT_EQ(m.cpu->reg(a1), coded ? 42u : 42u + 64u);
        EXPECT_EQ(m.cpu->reg(a2), (coded ? 42u : 42u + 64u) << 8) << "across two words";
        EXPECT_EQ(m.cpu->corrected(), coded ? 2u : 0u) << "each was written back when it was read first";
        EXPECT_EQ(m.cpu->probe().cycles, cost.boot + 2 * cost.alu + cost.store + 3 * cost.load + cost.split);
        EXPECT_THAT(m.bus->wrong, testing::IsEmpty());
    }
}

TEST(iss_upset, what_a_code_cannot_correct_is_told_when_it_is_read) {
    assembler code;
    code << lui(t0, data_upper) << sw(zero, t0, 4) << sb(zero, t0, 8) << lw(a0, t0, 12) << stop_here();
    machine m(code, {.protect = format::protection::secded});
    for (const std::uint32_t word : {1u, 2u, 3u, 4u})
        for (const std::uint32_t bit : {3u, 9u}) m.cpu->upset(word, bit);
    m.run_to_end();
    const cycle first = cost.boot + cost.alu;
    // A word that is written as a whole is right again; one of which a byte is written is read; the last is not.
    EXPECT_THAT(m.bus->wrong, testing::ElementsAre(first + cost.store, first + 2 * cost.store));
    EXPECT_EQ(m.cpu->reg(a0), 0x208u);
    EXPECT_EQ(m.cpu->corrected(), 0u);
}

TEST(iss_upset, a_restart_makes_every_word_right) {
    assembler code;
    code << lui(t0, data_upper) << lw(a0, t0, 0) << stop_here();
    machine m(code, {.protect = format::protection::parity});
    m.cpu->upset(0, 31);
    m.cpu->reset(0);
    m.run_to_end();
    EXPECT_EQ(m.cpu->reg(a0), 0u);
    EXPECT_THAT(m.bus->wrong, testing::IsEmpty());
}

}  // namespace
}  // namespace polycast::hw::riscv
