// SPDX-License-Identifier: Apache-2.0
/// \file The private memories of a network interface's processor; all other addresses are its bus.
#pragma once

#include <cstdint>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::riscv {

inline constexpr std::uint32_t instruction_base = NI_INSTRUCTION_MEMORY_BASE;
inline constexpr std::uint32_t data_base = NI_DATA_MEMORY_BASE;
inline constexpr std::uint32_t bus_base = NI_PACKET_MEMORY_BASE;  ///< from here upwards: ni::processor_bus

/// Ibex boots at boot address + 0x80; the boot address is 0.
inline constexpr std::uint32_t boot_pc = 0x80u;

/// Bytes; each a multiple of 256 between 256 and 256 MiB.
struct memory_sizes {
    std::uint32_t instruction = NI_INSTRUCTION_MEMORY_SIZE;
    std::uint32_t data = NI_DATA_MEMORY_SIZE;

    bool operator==(const memory_sizes&) const = default;
};

}  // namespace polycast::hw::riscv
