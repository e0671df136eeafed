// SPDX-License-Identifier: Apache-2.0
/// \file Random RISC-V programs that stay inside their memories: streams of one extension's instructions mixed with the
/// base ones, forward branches, a few loops, and a jump back to the start.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "testbench/riscv/assembler.h"

namespace polycast::testbench::riscv {

enum class extension : std::uint8_t { i, m, c, zicsr };

extension extension_named(const std::string& name);

struct random_program {
    std::vector<std::uint8_t> code;        ///< instruction memory, from address 0; entry 0x80
    std::vector<std::uint8_t> data;        ///< data memory
    std::vector<std::uint32_t> registers;  ///< 32 initial values
};

/// \param instructions about how many; more than 16
random_program make_random_program(extension which, unsigned instructions, std::mt19937_64& random);

}  // namespace polycast::testbench::riscv
