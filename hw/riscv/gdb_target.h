// SPDX-License-Identifier: Apache-2.0
/// \file The description of the processor for gdb: its registers and their numbers.
#pragma once

#include <cstdint>
#include <string>

namespace polycast::hw::riscv {

/// gdb's numbers: 0..31 x0..x31, 32 pc, then this + the number of a CSR.
inline constexpr std::uint32_t gdb_first_csr = 65;
inline constexpr std::uint32_t gdb_pc = 32;

/// The target description (target.xml).
std::string gdb_target_description();

}  // namespace polycast::hw::riscv
