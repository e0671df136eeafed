// SPDX-License-Identifier: Apache-2.0
#include "hw/input_error.h"

#include <cstdint>

namespace polycast::hw {

namespace {

/// Bytes of the character that begins here by RFC 3629; 0 where there is none.
std::size_t character_bytes(std::string_view text) {
    const auto at = [&text](std::size_t i) { return static_cast<std::uint8_t>(i < text.size() ? text[i] : 0); };
    const std::uint8_t first = at(0);
    if (first < 0x80) return 1;
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return 0;
    for (std::size_t i = 1; i < bytes; ++i)
        if ((at(i) & 0xc0) != 0x80) return 0;
    const bool overlong = (first == 0xe0 && at(1) < 0xa0) || (first == 0xf0 && at(1) < 0x90);
    const bool surrogate = first == 0xed && at(1) >= 0xa0;
    const bool beyond = first == 0xf4 && at(1) >= 0x90;
    return overlong || surrogate || beyond ? 0 : bytes;
}

/// C0 and C1 control characters and DEL; a line break is one, too.
bool is_control(std::string_view character) {
    const auto first = static_cast<std::uint8_t>(character[0]);
    return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<std::uint8_t>(character[1]) < 0xa0);
}

std::string escaped(char byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto value = static_cast<std::uint8_t>(byte);
    return {'\\', 'x', digits[value >> 4], digits[value & 15]};
}

}  // namespace

std::string printable(std::string_view text) {
    constexpr std::size_t longest_word = 80;
    std::string shown;
    std::size_t word = 0;  // characters since the last space
    bool quoted = false;
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        const std::string_view character = text.substr(0, bytes == 0 ? 1 : bytes);
        if (word == 0) quoted = text.starts_with('\'') && !text.starts_with("'/");
        text.remove_prefix(character.size());
        word = character == " " ? 0 : word + 1;
        if (quoted && word == longest_word + 1) shown += "...'";
        if (quoted && word > longest_word) continue;
        if (bytes != 0 && !is_control(character)) {
            shown += character;
            continue;
        }
        for (const char byte : character) shown += escaped(byte);
    }
    return shown;
}

std::string input_error::compose(const std::string& file, text_position position, const std::string& message,
                                 const std::string& proposal) {
    std::string text = file;
    if (position.line != 0) text += (text.empty() ? "line " : ":") + std::to_string(position.line);
    if (position.column != 0) text += ":" + std::to_string(position.column);
    if (!text.empty()) text += ": ";
    text += message;
    if (!proposal.empty()) text += "; " + proposal;
    return printable(text);
}

}  // namespace polycast::hw
