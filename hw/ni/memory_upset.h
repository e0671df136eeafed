// SPDX-License-Identifier: Apache-2.0
/// \file Bits that flip in the memories of an interface (hw/faults/faults.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "hw/ni/coded_words.h"
#include "hw/ni/parameters.h"

namespace polycast::hw::ni {

enum class interface_memory : std::uint8_t {
    packets,   ///< packet memory
    firmware,  ///< data memory of the processor
};

inline constexpr std::array<std::string_view, 2> interface_memory_names{"packets", "firmware"};

constexpr std::string_view name_of(interface_memory memory) {
    return interface_memory_names[static_cast<std::size_t>(memory)];
}

/// A bit of a word of 32 bits, counted from the start of the memory, flips at the end of cycle `at`.
struct memory_upset {
    interface_memory memory = interface_memory::packets;
    std::uint32_t word = 0;
    std::uint32_t bit = 0;
    cycle at = 0;
};

/// Flips it in the bytes of a memory whose words have these codes; of what lies behind them there is none.
inline void flip(std::span<std::uint8_t> memory, coded_words& codes, std::uint32_t word, std::uint32_t bit) {
    const std::size_t first = std::size_t{word} * coded_words::word_bytes;
    if (first >= memory.size()) return;
    const std::uint32_t wrong = codes.flip(word, bit);
    for (unsigned byte = 0; byte < coded_words::word_bytes; ++byte)
        memory[first + byte] ^= static_cast<std::uint8_t>(wrong >> 8 * byte);
}

/// Words of packet memory that slots have.
constexpr std::uint32_t packet_words(const ni_params& params) {
    const std::uint32_t all = packet_memory_bytes / slot_bytes(params);
    const bool limited = params.send_slots != 0 && params.receive_slots != 0;
    return (limited ? params.send_slots + params.receive_slots : all) * (slot_bytes(params) / 4);
}

/// Words of a slot that are firmware's own: it trusts them, where it trusts nothing else in a slot.
constexpr bool is_own_word(const ni_params& params, std::uint32_t word) {
    const std::uint32_t place = word % (slot_bytes(params) / 4);
    return place >= slot_header_words && place < slot_header_bytes / 4;
}

}  // namespace polycast::hw::ni
