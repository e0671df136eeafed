// SPDX-License-Identifier: Apache-2.0
/// \file Random numbers that are the same on every platform: a small generator for Boost.Random's distributions, and
/// payload bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace polycast::hw::traffic {

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): 8 bytes of state, so
/// that every host of a large network has its own stream.
class random_stream {
public:
    using result_type = std::uint64_t;

    explicit random_stream(std::uint64_t seed) : state_(seed) {}

    /// Stream number `index` of a family, independent of the others.
    random_stream(std::uint64_t seed, std::uint64_t index) : state_(mix(seed) ^ mix(index + 0x632be59bd9b4e019)) {}

    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

    result_type operator()() { return mix(state_ += 0x9e3779b97f4a7c15); }

    static constexpr std::uint64_t mix(std::uint64_t value) {
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
        value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
        return value ^ (value >> 31);
    }

private:
    std::uint64_t state_;
};

/// Fills `payload` with the bytes of packet `sequence` of `source` in a run with `seed`: sender and scoreboard make
/// them independently.
inline void fill_payload(std::uint64_t seed, std::uint32_t source, std::uint32_t sequence,
                         std::span<std::uint8_t> payload) {
    random_stream stream(seed, std::uint64_t{source} << 32 | sequence);
    std::uint64_t word = 0;
    for (std::size_t index = 0; index < payload.size(); ++index) {
        if (index % 8 == 0) word = stream();
        payload[index] = static_cast<std::uint8_t>(word >> (index % 8 * 8));
    }
}

}  // namespace polycast::hw::traffic
