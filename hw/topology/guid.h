// SPDX-License-Identifier: Apache-2.0
/// \file GUIDs as texts.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace polycast::hw::topology {

/// "0x1f".
inline std::string guid_text(std::uint64_t guid) {
    std::array<char, 18> text{'0', 'x'};
    const char* end = std::to_chars(text.data() + 2, text.data() + text.size(), guid, 16).ptr;
    return std::string(static_cast<const char*>(text.data()), end);
}

}  // namespace polycast::hw::topology
