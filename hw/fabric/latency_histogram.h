// SPDX-License-Identifier: Apache-2.0
/// \file Counts of latencies, without a sample per packet.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace polycast::hw::fabric {

/// Counts below 2048 are exact; above, a class spans at most 1/1024 of its values.
class latency_histogram {
public:
    void add(std::uint64_t value) {
        ++counts_[index(value)];
        ++count_;
        sum_ += value;
    }
    latency_histogram& operator+=(const latency_histogram& other) {
        for (std::size_t at = 0; at < size; ++at) counts_[at] += other.counts_[at];
        count_ += other.count_;
        sum_ += other.sum_;
        return *this;
    }
    bool operator==(const latency_histogram&) const = default;
    std::uint64_t count() const { return count_; }
    /// Not a number where nothing was counted.
    double mean() const { return static_cast<double>(sum_) / static_cast<double>(count_); }
    /// Smallest value (of its class) that at least `percent` of all do not exceed; 0 where nothing was counted.
    std::uint64_t percentile(double percent) const;

private:
    static constexpr unsigned exact_bits = 11;
    static constexpr unsigned octaves = 30;  ///< above; what is longer counts as the longest

    static std::size_t index(std::uint64_t value) {
        const auto bits = static_cast<unsigned>(std::bit_width(value));
        if (bits <= exact_bits) return value;
        const unsigned shift = bits - exact_bits;
        if (shift > octaves) return size - 1;
        return (std::size_t{shift} << (exact_bits - 1)) + (value >> shift);
    }
    static constexpr std::size_t size = std::size_t{octaves + 2} << (exact_bits - 1);

    std::array<std::uint32_t, size> counts_ = {};
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
};

}  // namespace polycast::hw::fabric
