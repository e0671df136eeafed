// SPDX-License-Identifier: Apache-2.0
/// \file Puts messages together again from their stripes, which come over several rails, in any order, and from senders
/// that may say anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/workloads/rails/rail_message.h"

namespace polycast::hw::rails {

/// Bounds of what half a message may take.
struct stripe_limits {
    std::uint32_t longest = 65536;  ///< bytes of a message: what a receive buffer holds
    std::size_t messages = 256;     ///< of one sender that may be incomplete at a time
    cycle life = cycle{1} << 27;    ///< from the last stripe until what is incomplete is given up
};

/// A part of a message, as its header says.
struct stripe {
    process_id from;
    std::uint32_t message = 0;  ///< number at its sender
    std::uint32_t total = 0;    ///< bytes of the message
    std::uint32_t offset = 0;   ///< of this part
    std::span<const std::uint8_t> content;
};

/// A message whose rest did not come, or that made room for a later one of its sender.
struct incomplete_message {
    process_id from;
    std::uint32_t message = 0;
    std::uint32_t there = 0;  ///< bytes
    std::uint32_t total = 0;

    bool operator==(const incomplete_message&) const = default;
};

/// Of a process that receives. It holds what has come and nothing else: what a header says is checked before anything
/// is kept, and takes no memory. Every byte of a message comes once: a stripe that overlaps another one is refused, so
/// a message that is complete has no gap. A sender has a share of its own, so no other one can lose by it.
class stripe_assembly {
public:
    explicit stripe_assembly(const stripe_limits& limits) : limits_(limits) {}

    struct outcome {
        std::optional<std::vector<std::uint8_t>> whole;  ///< the message, with its last stripe
        std::string_view refused;                        ///< why this stripe is not kept; empty: it is
        std::optional<incomplete_message> lost;          ///< what made room for it
    };
    outcome add(cycle now, const stripe& part);

    /// Gives up what is incomplete and has been silent for the length of a life.
    std::vector<incomplete_message> expire(cycle now);
    /// Cycle in which expire() has something to do, if nothing comes until then; engine::never: it has not.
    cycle next() const;

    std::size_t messages() const { return open_.size(); }
    /// That have come and are kept.
    std::uint64_t bytes() const { return bytes_; }

private:
    using id = std::pair<process_id, std::uint32_t>;
    struct message {
        std::uint32_t total = 0;
        std::uint32_t there = 0;
        cycle last = 0;                                              ///< when its last stripe came
        std::map<std::uint32_t, std::vector<std::uint8_t>> parts{};  ///< by offset; none overlap
    };
    using open_messages = std::map<id, message>;

    std::string_view why_not(const stripe& part) const;
    std::optional<incomplete_message> make_room(process_id from);
    incomplete_message give_up(open_messages::iterator which);

    stripe_limits limits_;
    open_messages open_;
    std::uint64_t bytes_ = 0;
};

}  // namespace polycast::hw::rails
