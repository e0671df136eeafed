// SPDX-License-Identifier: Apache-2.0
/// \file Chakra execution traces as programs. programs.md has the format, and what its nodes become.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hw/programs/program.h"
#include "hw/programs/read_options.h"

namespace polycast::hw::programs {

/// A file in memory.
struct program_bytes {
    std::string name;  ///< for messages
    std::string_view bytes;
};

/// \param files one for each rank; or one that options.chakra.ranks execute \throws input_error with file, node, record
/// and byte
program read_chakra(std::span<const program_bytes> files, const read_options& options);

}  // namespace polycast::hw::programs
