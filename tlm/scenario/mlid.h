// SPDX-License-Identifier: Apache-2.0
/// \file Multicast LIDs as scenarios write them.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace polycast::tlm::scenario {

/// "0xC001", or in decimal digits; nothing if it is no MLID.
inline std::optional<unsigned> mlid_of(std::string_view text) {
    constexpr unsigned first = 0xc000, last = 0xfffe;
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) text.remove_prefix(2);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
    if (error != std::errc{} || end != text.data() + text.size() || number < first || number > last)
        return std::nullopt;
    return number;
}

}  // namespace polycast::tlm::scenario
