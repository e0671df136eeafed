// SPDX-License-Identifier: Apache-2.0
/// \file Codes of the words of an interface's memory (hw/format/memory_code.md). They are linear, so only words of
/// which bits have flipped since they were written have to be known; memory itself holds what is read.
#pragma once

#include <cstdint>
#include <map>

#include "hw/format/memory_code.h"

namespace polycast::hw::ni {

/// Words of 32 bits, by number.
class coded_words {
public:
    static constexpr unsigned word_bits = 32, word_bytes = word_bits / 8;

    explicit coded_words(format::protection how) : how_(how) {}

    /// A stored bit flips: of the data, or of the check bits behind them. \returns the data bits that are read inverted
    /// from now on, or were so until now
    std::uint32_t flip(std::uint32_t word, unsigned bit);

    /// No word has a flip that its code knows of.
    bool clean() const { return flipped_.empty(); }
    /// Words are written as a whole.
    void written(std::uint32_t first, std::uint32_t count);
    /// Words are read; those that are corrected are written back. \returns false if one is wrong
    bool read(std::uint32_t first, std::uint32_t count);
    /// Words of which any of `length` bytes from `offset` on are read, likewise.
    bool read_bytes(std::uint32_t offset, std::uint32_t length) {
        return clean() || length == 0 || read_parts(offset, length);
    }
    /// `length` bytes from `offset` on are written; a word of which only a part is written is read before. \returns
    /// false if that is wrong
    bool write_bytes(std::uint32_t offset, std::uint32_t length) {
        return clean() || length == 0 || write_parts(offset, length);
    }
    /// Words corrected so far.
    std::uint64_t corrected() const { return corrected_; }
    /// All are written; what was counted stays.
    void clear() { flipped_.clear(); }

private:
    bool read_parts(std::uint32_t offset, std::uint32_t length);
    bool write_parts(std::uint32_t offset, std::uint32_t length);

    format::protection how_;
    std::map<std::uint32_t, format::flipped_bits> flipped_;
    std::uint64_t corrected_ = 0;
};

}  // namespace polycast::hw::ni
