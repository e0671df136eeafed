// SPDX-License-Identifier: Apache-2.0
/// \file Receive buffers and credits of a program's ranks: no message is lost for want of a buffer. Readers know who
/// sends to whom, so all of it is decided before the run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

enum class credit_rule : std::uint8_t {
    automatic,  ///< as the buffers need
    none,       ///< nobody asks
    fixed,      ///< so many messages for every pair of ranks
};

struct credit_options {
    credit_rule rule = credit_rule::automatic;
    std::uint32_t window = 0;  ///< of credit_rule::fixed, 1 or more
    std::uint64_t eager = 16384;
    std::uint32_t queues = 1;
};

struct credit_plan {
    std::uint32_t buffers = 0;   ///< of each queue of every rank
    std::uint32_t landings = 0;  ///< messages of more than `eager` bytes that may be on their way to a queue
    /// [rank] eager messages, requests and grants from each other rank, in each queue, that have not paid their receive
    /// overhead; 0: as many as there are.
    std::vector<std::uint32_t> window;
    /// [rank] messages of nothing but credits that may be on their way back to it, in each queue: it sends no more than
    /// may be answered by so many. 0: there are never more than there is room for.
    std::vector<std::uint32_t> answers;
};

/// Credits that are given back in a message of their own once there are so many: half of a window.
constexpr std::uint32_t credits_of_answer(std::uint32_t window) {
    return window / 2 == 0 ? 1 : window / 2;
}

/// Interfaces hold so many buffers and places for messages together.
inline constexpr std::uint32_t most_buffers = 1024;

/// \throws input_error, which names the rank, where one has more senders than buffers, or none left for credits that
/// come back
credit_plan plan_credits(const program& of, const credit_options& options);

}  // namespace polycast::hw::programs
