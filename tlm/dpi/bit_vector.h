// SPDX-License-Identifier: Apache-2.0
/// \file A vector of pins in words of 32 bits, as DPI has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polycast::tlm::dpi {

class bit_vector {
public:
    explicit bit_vector(std::size_t bits = 0) : bits_(bits), words_((bits + 31) / 32 + 2) {}

    std::size_t size() const { return bits_; }
    void clear() { std::ranges::fill(words_, 0u); }
    bool operator==(const bit_vector&) const = default;

    bool bit(std::size_t place) const { return (words_[place / 32] >> place % 32 & 1) != 0; }
    /// Up to 64 bits from `first` on.
    std::uint64_t get(std::size_t first, unsigned count) const {
        const std::size_t word = first / 32;
        const unsigned shift = first % 32;
        std::uint64_t value = (words_[word] | std::uint64_t{words_[word + 1]} << 32) >> shift;
        if (shift != 0) value |= std::uint64_t{words_[word + 2]} << (64 - shift);
        return count < 64 ? value & ((std::uint64_t{1} << count) - 1) : value;
    }
    /// Over zeros; `value` has no more than `count` bits.
    void put(std::size_t first, unsigned count, std::uint64_t value) {
        const std::size_t word = first / 32;
        const unsigned shift = first % 32;
        words_[word] |= static_cast<std::uint32_t>(value << shift);
        if (shift + count <= 32) return;
        words_[word + 1] |= static_cast<std::uint32_t>(value << shift >> 32);
        if (shift + count > 64) words_[word + 2] |= static_cast<std::uint32_t>(value >> (64 - shift));
    }
    void get_bytes(std::size_t first, std::span<std::uint8_t> bytes) const {
        for (std::size_t at = 0; at < bytes.size(); at += 8) {
            const std::size_t count = std::min<std::size_t>(8, bytes.size() - at);
            const std::uint64_t value = get(first + 8 * at, 64);
            for (std::size_t byte = 0; byte < count; ++byte)
                bytes[at + byte] = static_cast<std::uint8_t>(value >> 8 * byte);
        }
    }
    void put_bytes(std::size_t first, std::span<const std::uint8_t> bytes) {
        for (std::size_t at = 0; at < bytes.size(); at += 8) {
            const auto count = static_cast<unsigned>(std::min<std::size_t>(8, bytes.size() - at));
            std::uint64_t value = 0;
            for (unsigned byte = 0; byte < count; ++byte) value |= std::uint64_t{bytes[at + byte]} << 8 * byte;
            put(first + 8 * at, 8 * count, value);
        }
    }
    /// From bit `first` on, a multiple of 32 inside, up to `most` bits; what is behind the end of the vector is zero.
    void copy_in(std::size_t first, std::size_t most, const std::uint32_t* from) {
        const std::size_t count = (std::min(bits_ - first, most) + 31) / 32;
        std::copy_n(from, count, words_.begin() + static_cast<std::ptrdiff_t>(first / 32));
        if (bits_ % 32 != 0) words_[bits_ / 32] &= (1u << bits_ % 32) - 1;
    }
    /// Writes `most` bits.
    void copy_out(std::size_t first, std::size_t most, std::uint32_t* to) const {
        const std::size_t count = (std::min(bits_ - first, most) + 31) / 32;
        std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(first / 32), count, to);
        std::fill(to + count, to + most / 32, 0u);
    }

private:
    std::size_t bits_;
    std::vector<std::uint32_t> words_;  ///< two more than there are: get() reads three
};

}  // namespace polycast::tlm::dpi
