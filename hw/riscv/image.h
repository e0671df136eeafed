// SPDX-License-Identifier: Apache-2.0
/// \file A firmware image: what an ELF executable puts into the memories of a network interface's processor.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/riscv/memory_map.h"

namespace polycast::hw::riscv {

/// A function of the symbol table. Functions without a size reach to the next one.
struct function_symbol {
    std::string name;
    std::uint32_t address = 0;
    std::uint32_t size = 0;  ///< bytes

    bool operator==(const function_symbol&) const = default;
};

struct image {
    std::string file;  ///< for messages
    memory_sizes sizes;
    std::vector<std::uint8_t> instruction;  ///< the whole memory; zero where the file has no contents
    std::vector<std::uint8_t> data;         ///< likewise
    std::uint32_t entry = boot_pc;
    std::uint32_t instruction_bytes = 0;     ///< loaded into instruction memory
    std::uint32_t data_bytes = 0;            ///< of data memory in use before the first instruction, with .bss
    std::vector<function_symbol> functions;  ///< by address, no two at the same

    /// The function that holds `pc`, nullptr if there is none.
    const function_symbol* function_at(std::uint32_t pc) const;
};

/// Reads a 32-bit little-endian RISC-V executable for RV32IMC with Zicsr, statically linked, entry 0x80. Segments are
/// loaded at their physical addresses (LMA). \throws input_error for anything else, for any bytes.
image read_image(const std::string& path, memory_sizes sizes = {});

/// The same from memory. \param file is for messages.
image parse_image(const std::string& file, std::span<const std::uint8_t> bytes, memory_sizes sizes = {});

}  // namespace polycast::hw::riscv
