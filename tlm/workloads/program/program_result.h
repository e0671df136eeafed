// SPDX-License-Identifier: Apache-2.0
/// \file What only programs have in their results.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/workloads/program/time_account.h"

namespace polycast::tlm::sim {

struct program_part {
    /// What a rank did up to its finish; the cycles add up to it.
    struct rank {
        std::uint32_t host = 0;
        std::uint64_t finish = 0;  ///< cycles from the start; of a rank that did not end, so far
        std::array<std::uint64_t, hw::programs::rank_states> cycles{};
        std::uint64_t open = 0;  ///< operations that have not ended
        std::uint64_t rendezvous = 0, reordered = 0, credit_waits = 0;
        std::uint64_t unexpected_messages = 0, unexpected_bytes = 0;  ///< most at a time
    };
    std::vector<std::uint64_t> operations;  ///< [operation_kind]
    std::uint64_t bytes = 0;                ///< of all messages
    std::uint64_t mismatched = 0;
    std::uint32_t queues = 1, processors = 1, buffers = 0;
    std::uint32_t credited = 0;  ///< ranks whose senders need credits
    std::vector<rank> ranks;
    double cpu_seconds = 0;  ///< how the run was made: no part of the results
};

}  // namespace polycast::tlm::sim
