// SPDX-License-Identifier: Apache-2.0
/// \file Bytes for another process. Of payloads (hw/traffic/random.h) the first word is enough: all others follow from
/// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "hw/engine/told.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {

inline constexpr std::size_t payload_word = 8;  ///< bytes

/// The number whose random_stream::mix() is `mixed`.
constexpr std::uint64_t unmixed(std::uint64_t mixed) {
    mixed = (mixed ^ (mixed >> 31) ^ (mixed >> 62)) * 0x319642b2d24d8ec3;
    mixed = (mixed ^ (mixed >> 27) ^ (mixed >> 54)) * 0x96de1b173f119089;
    return mixed ^ (mixed >> 30) ^ (mixed >> 60);
}
static_assert(unmixed(random_stream::mix(0x0123456789abcdef)) == 0x0123456789abcdef);

/// Fills `bytes` with the payload that begins with `first`, from a word's beginning on.
inline void continue_payload(std::uint64_t first, std::span<std::uint8_t> bytes) {
    std::uint64_t state = unmixed(first);
    for (std::size_t index = 0; index < bytes.size(); index += payload_word) {
        const std::uint64_t word = random_stream::mix(state);
        state += random_stream::step;
        const std::size_t count = std::min(payload_word, bytes.size() - index);
        for (std::size_t byte = 0; byte < count; ++byte)
            bytes[index + byte] = static_cast<std::uint8_t>(word >> 8 * byte);
    }
}

/// The word that a payload begins with.
inline std::uint64_t first_word(std::span<const std::uint8_t> bytes) {
    std::uint64_t word = 0;
    for (std::size_t byte = 0; byte < payload_word; ++byte) word |= std::uint64_t{bytes[byte]} << 8 * byte;
    return word;
}

/// `bytes` are a payload, from a word's beginning on, that is longer than its first word.
inline bool is_payload(std::span<const std::uint8_t> bytes) {
    if (bytes.size() <= payload_word) return false;
    std::vector<std::uint8_t> same(bytes.size());
    continue_payload(first_word(bytes), same);
    return std::ranges::equal(same, bytes);
}

/// Bytes that are looked at now, most of the time a payload; kept, and packed for another process, they are a
/// packed_payload.
struct payload_view {
    std::span<const std::uint8_t> bytes;

    payload_view(std::span<const std::uint8_t> all) : bytes(all) {}
    operator std::span<const std::uint8_t>() const { return bytes; }
};

/// Bytes that are kept, and packed in as few as they follow from.
struct packed_payload {
    std::vector<std::uint8_t> bytes;

    template <typename archive>
    void save(archive& all) const {
        const bool payload = is_payload(bytes);
        all(static_cast<std::uint32_t>(bytes.size()), payload);
        if (payload) {
            all(first_word(bytes));
        } else {
            all(bytes);
        }
    }
    template <typename archive>
    void load(archive& all) {
        std::uint32_t size = 0;
        bool payload = false;
        all(size, payload);
        if (!payload) {
            all(bytes);
            return;
        }
        std::uint64_t first = 0;
        all(first);
        bytes.resize(size);
        continue_payload(first, bytes);
    }
};

}  // namespace polycast::hw::traffic

namespace polycast::hw::engine {

template <>
struct kept<traffic::payload_view> {
    traffic::packed_payload value;

    kept() = default;
    explicit kept(traffic::payload_view from) : value{{from.bytes.begin(), from.bytes.end()}} {}
    traffic::payload_view give() const { return std::span<const std::uint8_t>(value.bytes); }
    template <typename archive>
    void serialize(archive& all) {
        all(value);
    }
};

}  // namespace polycast::hw::engine
