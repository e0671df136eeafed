// SPDX-License-Identifier: Apache-2.0
// Bits of data memory that flip: in their cycle, however far the simulator would have computed ahead.
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

}  // namespace
}  // namespace polycast::hw::riscv
