// SPDX-License-Identifier: Apache-2.0
/// \file How messages of a program look on the wire. A message of a program carries its bytes and nothing else, as the
/// papers' messages do: what matching needs is in the number and the tag that every message of an interface has.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/traffic/random.h"

namespace polycast::hw::programs {

// Numbers of messages. A send's own message, eager or granted, has the number of the operation in its rank, which names
// its tag and communicator; requests, grants, credits, and what hosts pass on of multicasts are counted from here on.
// The tag of a multicast is the number of its first send in the program.
inline constexpr std::uint32_t first_control_number = std::uint32_t{1} << 31;

/// Tag of control messages; those of eager messages are below.
inline constexpr std::uint32_t control_tag = 0xff800000;

inline constexpr std::uint32_t control_bytes = 32;
/// Messages of a pair on their way are far fewer, so their order is known from so many bits.
inline constexpr unsigned sequence_bits = 16;
inline constexpr std::uint32_t most_credits = (1u << 12) - 1;  ///< in one message

/// What travels beside an eager message's bytes: its place among the messages of the two ranks, and credits given back.
struct eager_tag {
    std::uint16_t sequence = 0;
    std::uint32_t credits = 0;

    std::uint32_t word() const { return credits << sequence_bits | sequence; }
    static eager_tag of(std::uint32_t word) { return {static_cast<std::uint16_t>(word), word >> sequence_bits}; }
};
static_assert((std::uint64_t{most_credits} << sequence_bits) < control_tag);

/// Reliable messages have the numbers of their flow, so the tag says which one it is, and its place among the messages
/// of the two ranks. Firmware sends none that is 32 ahead of one that has not arrived, so few bits are enough. Credits
/// come back in messages of their own. Of a multicast it says which one, as its root need not be who sends it.
struct reliable_tag {
    static constexpr unsigned operation_bits = 24;
    static constexpr std::uint32_t sequences = 1u << 7;
    /// Operations from here on are multicasts, by their number in the program.
    static constexpr std::uint32_t first_multicast = 1u << (operation_bits - 1);

    std::uint32_t sequence = 0;  ///< modulo `sequences`
    std::uint32_t operation = 0;

    std::optional<std::uint32_t> multicast() const {
        return operation < first_multicast ? std::nullopt : std::optional(operation - first_multicast);
    }
    std::uint32_t word() const { return sequence % sequences << operation_bits | operation; }
    static reliable_tag of(std::uint32_t word) { return {word >> operation_bits, word & ((1u << operation_bits) - 1)}; }
};

enum class control_kind : std::uint32_t {
    request = 1,  ///< a send of more than `eager` bytes wants its receive
    grant = 2,    ///< which has a place for it now
    credit = 3,   ///< nothing but credits
};

struct control {
    control_kind kind = control_kind::credit;
    std::uint32_t operation = 0;  ///< of the send, in its rank
    std::uint16_t sequence = 0;   ///< of a request
    std::uint32_t credits = 0;

    using bytes = std::array<std::uint8_t, control_bytes>;
    bytes packed() const {
        const std::array<std::uint32_t, 4> words{static_cast<std::uint32_t>(kind), operation, sequence, credits};
        bytes all{};
        std::uint64_t check = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
            put(all, 4 * i, words[i]);
            check = traffic::random_stream::mix(check ^ words[i]);
        }
        // What is not needed holds a code of the rest: no byte arrives unchecked.
        for (std::size_t i = 4; i < all.size() / 4; ++i) {
            check = traffic::random_stream::mix(check);
            put(all, 4 * i, static_cast<std::uint32_t>(check));
        }
        return all;
    }
    /// Nothing where the bytes are none of packed().
    static std::optional<control> of(std::span<const std::uint8_t> all) {
        if (all.size() != control_bytes) return std::nullopt;
        const control made{static_cast<control_kind>(get(all, 0)), get(all, 4), static_cast<std::uint16_t>(get(all, 8)),
                           get(all, 12)};
        const bytes same = made.packed();
        return std::equal(same.begin(), same.end(), all.begin()) ? std::optional(made) : std::nullopt;
    }

private:
    static void put(bytes& all, std::size_t at, std::uint32_t word) {
        for (unsigned byte = 0; byte < 4; ++byte) all[at + byte] = static_cast<std::uint8_t>(word >> 8 * byte);
    }
    static std::uint32_t get(std::span<const std::uint8_t> all, std::size_t at) {
        std::uint32_t word = 0;
        for (unsigned byte = 0; byte < 4; ++byte) word |= std::uint32_t{all[at + byte]} << 8 * byte;
        return word;
    }
};

}  // namespace polycast::hw::programs
