// SPDX-License-Identifier: Apache-2.0
/// \file Codes of stored words: parity of bytes and SECDED (39,32). hw/format/memory_code.md describes them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/format/packet_format.h"

namespace polycast::hw::format {

/// Data bits of a code word; a longer word of a memory is several, the last one shortened.
inline constexpr unsigned code_data_bits = 32;

/// Check bits of a word of `width` bits.
constexpr unsigned code_bits(protection how, unsigned width) {
    switch (how) {
        case protection::none: break;
        case protection::parity: return (width + 7) / 8;
        case protection::secded: return (width + code_data_bits - 1) / code_data_bits * unsigned{secded_rows.size()};
    }
    return 0;
}

/// What stands beside 32 bits; of a shortened word those that are missing are zero.
constexpr std::uint8_t code_of(protection how, std::uint32_t data) {
    unsigned code = 0;
    if (how == protection::parity) {
        for (unsigned byte = 0; byte < 4; ++byte)
            code |= static_cast<unsigned>(std::popcount(data >> 8 * byte & 0xffu) % 2) << byte;
    } else if (how == protection::secded) {
        for (unsigned row = 0; row < secded_rows.size(); ++row)
            code |= static_cast<unsigned>(std::popcount(data & secded_rows[row]) % 2) << row;
    }
    return static_cast<std::uint8_t>(code);
}

/// What reading finds.
enum class reading : std::uint8_t { good, corrected, failed };

/// 32 bits as they are read.
struct decoded {
    std::uint32_t data = 0;
    reading found = reading::good;

    bool operator==(const decoded&) const = default;
};

/// \param bits data bits that there are, 1..32: a flip of another one would be no flip of one bit
constexpr decoded decode(protection how, std::uint32_t data, std::uint8_t code, unsigned bits = code_data_bits) {
    const unsigned syndrome = code_of(how, data) ^ unsigned { code };
    if (how == protection::none || syndrome == 0) return {data, reading::good};
    if (how == protection::parity) return {data, reading::failed};
    if (std::has_single_bit(syndrome)) return {data, reading::corrected};
    for (unsigned bit = 0; bit < bits; ++bit)
        if (syndrome == code_of(how, std::uint32_t{1} << bit))
            return {data ^ std::uint32_t{1} << bit, reading::corrected};
    return {data, reading::failed};
}

/// The bits of a stored word that have flipped since it was written. The codes are linear: what reading makes of them
/// does not depend on the word.
class flipped_bits {
public:
    flipped_bits(protection how, unsigned width);

    /// Data from 0 on, then the check bits, those of the lowest 32 first.
    void flip(unsigned bit);
    /// The worst of all 32 bits.
    reading found() const;
    /// Data bits that are wrong for a reader.
    std::uint8_t wrong(unsigned byte) const { return static_cast<std::uint8_t>(read_[byte / 4].data >> byte % 4 * 8); }
    std::uint64_t wrong_word() const;

private:
    unsigned bits_of(std::size_t part) const;

    protection how_;
    unsigned width_;
    std::vector<std::uint32_t> data_;
    std::vector<std::uint8_t> code_;
    std::vector<decoded> read_;
};

}  // namespace polycast::hw::format
