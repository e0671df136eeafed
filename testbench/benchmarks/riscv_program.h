// SPDX-License-Identifier: Apache-2.0
/// \file The program on which processors are measured.
#pragma once

#include <memory>
#include <vector>

#include "hw/riscv/program.h"
#include "testbench/riscv/assembler.h"

namespace polycast::testbench {

/// What firmware does most: for each of 64 words of a table in data memory a call that loads, compares, masks, adds and
/// stores; without end.
inline std::shared_ptr<const hw::riscv::program> make_riscv_program() {
    using namespace riscv;
    assembler code;
    code << lui(s0, hw::riscv::data_base >> 12) << lui(sp, (hw::riscv::data_base >> 12) + 1);
    const std::uint32_t outer = code.here();
    code << li(s1, 64) << addi(a0, s0, 0);
    const std::uint32_t inner = code.here();
    code << jal(ra, 0x100 - static_cast<int>(inner)) << addi(a0, a0, 4) << addi(s1, s1, -1) << bne(s1, zero, -12)
         << jal(zero, static_cast<int>(outer) - static_cast<int>(inner) - 16);
    code.org(0x100) << addi(sp, sp, -16) << sw(ra, sp, 12) << lw(t0, a0, 0) << lhu(t2, a0, 2) << addi(t0, t0, 1)
                    << i_type(0x13, 5, t1, t0, 3) << i_type(0x13, 7, t1, t1, 0x7f) << beq(t1, zero, 8)
                    << add(t2, t2, t1) << sw(t0, a0, 0) << lw(ra, sp, 12) << addi(sp, sp, 16) << ret();
    const std::vector<std::uint8_t> file = executable(code).bytes();
    return std::make_shared<const hw::riscv::program>(hw::riscv::parse_image("bench.elf", file));
}

}  // namespace polycast::testbench
