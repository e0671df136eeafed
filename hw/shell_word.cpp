// SPDX-License-Identifier: Apache-2.0
#include "hw/shell_word.h"

#include <string_view>

namespace polycast::hw {

std::string shell_word(const std::string& argument) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@";
    if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
    std::string text = "'";
    for (const char letter : argument) text += letter == '\'' ? "'\\''" : std::string(1, letter);
    return text + "'";
}

}  // namespace polycast::hw
