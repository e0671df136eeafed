// SPDX-License-Identifier: Apache-2.0
/// \file Random RISC-V programs full of what a processor does seldom: exceptions, interrupts, waits for them, writes to
/// its control registers, bus errors, accesses that cross a word; with a handler that goes on behind them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace polycast::testbench::riscv {

/// Instruction memory from address 0. The bus is a timed_bus; the interrupt line must rise again and again, since the
/// program waits for it. At the end it jumps to itself. \param pieces of a few instructions each
std::vector<std::uint8_t> make_random_system_program(unsigned pieces, std::mt19937_64& random);

}  // namespace polycast::testbench::riscv
