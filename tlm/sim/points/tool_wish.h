// SPDX-License-Identifier: Apache-2.0
/// \file What somebody wants to know about the firmware of one host's interface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace polycast::tlm::sim {

/// For one host, whose interface runs its firmware on `iss`.
struct tool_wish {
    std::string host;
    std::filesystem::path profile;       ///< file for cycles by function and the depth of the stack; empty: none
    std::filesystem::path instructions;  ///< file for a line per instruction; empty: none
    std::optional<std::uint16_t> gdb;    ///< port on the loopback address that gdb is waited for, 0: any free one

    /// Lines of the instruction file, at most.
    static constexpr std::uint64_t most_instructions = 1'000'000;
};

}  // namespace polycast::tlm::sim
