// SPDX-License-Identifier: Apache-2.0
/// \file Distances between random events of a rate, drawn by integers alone: the same on every platform.
#pragma once

#include <cstdint>
#include <vector>

namespace polycast::hw::faults {

/// The upper half of a product.
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t low_a = a & 0xffffffff;
    const std::uint64_t low_b = b & 0xffffffff;
    const std::uint64_t middle = (a >> 32) * low_b + (low_a * low_b >> 32);
    const std::uint64_t other = low_a * (b >> 32) + (middle & 0xffffffff);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

/// Geometric with P(gap > k) = (1 - rate)^k, by inversion: the powers of 1 - rate to 1, 2, 4 .. are kept as multiples
/// of 2^-64 and rounded down, which is as if the rate were less than 2^-63 larger.
class geometric_gap {
public:
    /// \param rate 2^-64 to 1/2
    explicit geometric_gap(double rate) {
        // A product with a power of two is exact, so no platform rounds.
        std::uint64_t power = ~static_cast<std::uint64_t>(rate * 0x1p64) + 1;
        while (power != 0 && powers_.size() < most_powers) {
            powers_.push_back(power);
            power = multiply_high(power, power);
        }
    }

    /// \param word uniform \returns 1 or more
    std::uint64_t operator()(std::uint64_t word) const {
        std::uint64_t gap = 0;
        std::uint64_t chance = 0;  // of more than `gap`; meaningless while that is 0
        for (std::size_t index = powers_.size(); index-- != 0;) {
            const std::uint64_t longer = gap == 0 ? powers_[index] : multiply_high(chance, powers_[index]);
            if (word >= longer) continue;
            chance = longer;
            gap += std::uint64_t{1} << index;
        }
        return gap + 1;
    }

private:
    static constexpr std::size_t most_powers = 60;  ///< gaps and cycles never overflow

    std::vector<std::uint64_t> powers_;  ///< [i] 1 - rate to the power of 2^i
};

}  // namespace polycast::hw::faults
