// SPDX-License-Identifier: Apache-2.0
/// \file The private memories of a network interface's processor; all other addresses are its bus.
#pragma once

#include <cstdint>

namespace polycast::hw::riscv {

inline constexpr std::uint32_t instruction_base = 0x00000000u;
inline constexpr std::uint32_t data_base = 0x10000000u;
inline constexpr std::uint32_t bus_base = 0x20000000u;  ///< from here upwards: ni::processor_bus

/// Ibex boots at boot address + 0x80; the boot address is 0.
inline constexpr std::uint32_t boot_pc = 0x80u;

/// Bytes; each a multiple of 256 between 256 and 256 MiB.
struct memory_sizes {
    std::uint32_t instruction = 64u << 10;
    std::uint32_t data = 128u << 10;

    bool operator==(const memory_sizes&) const = default;
};

}  // namespace polycast::hw::riscv
