// SPDX-License-Identifier: Apache-2.0
/// \file Random numbers that are the same on every platform: a small generator for Boost.Random's distributions, and
/// payload bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
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

    result_type operator()() { return mix(state_ += step); }

    /// Leaves out the next `count` numbers, at no cost.
    void skip(std::uint64_t count) { state_ += count * step; }

    static constexpr std::uint64_t mix(std::uint64_t value) {
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
        value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
        return value ^ (value >> 31);
    }

    /// From the number that one result is mixed of to that of the next one.
    static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;

private:
    std::uint64_t state_;
};

/// Fills `bytes` with bytes `offset` and on of what transfer `transfer` carries in a run with `seed`: sender and
/// scoreboard make them independently, and any part of a message without the rest.
inline void fill_payload(std::uint64_t seed, std::uint64_t transfer, std::span<std::uint8_t> bytes,
                         std::uint64_t offset = 0) {
    random_stream stream(seed, transfer);
    stream.skip(offset / 8);
    std::uint64_t word = offset % 8 == 0 ? 0 : stream() >> offset % 8 * 8;
    std::size_t index = 0;
    while (index < bytes.size()) {
        if ((offset + index) % 8 == 0) {
            word = stream();
            if constexpr (std::endian::native == std::endian::little) {
                if (bytes.size() - index >= sizeof word) {
                    std::memcpy(&bytes[index], &word, sizeof word);
                    index += sizeof word;
                    continue;
                }
            }
        }
        bytes[index++] = static_cast<std::uint8_t>(word);
        word >>= 8;
    }
}

}  // namespace polycast::hw::traffic
