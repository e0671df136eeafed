// SPDX-License-Identifier: Apache-2.0
/// \file What only programs have in their results.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/programs/program.h"
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
    std::uint64_t mismatched = 0, wrong_results = 0;
    std::uint32_t queues = 1, processors = 1, buffers = 0;
    std::uint32_t credited = 0;  ///< ranks whose senders need credits
    std::vector<rank> ranks;
    /// Of the critical path, in the order of time and without a gap, cycles from the start.
    struct segment {
        std::uint64_t from = 0, to = 0;
        std::uint8_t what = 0;  ///< hw::programs::path_step
        std::uint32_t rank = 0, operation = 0;
        std::string name;    ///< of the operation
        std::string place;   ///< host, or link; of `network`, whose parts are not known, nothing
        std::string behind;  ///< of `link_wait`: what was on the link, where that is known
    };
    std::vector<segment> path;  ///< nothing of runs that did not end, or with too many operations
    /// A collective of the program, made of messages by an algorithm of the library; cycles from the start.
    struct collective {
        hw::programs::collective_kind kind = hw::programs::collective_kind::allreduce;
        std::string algorithm;
        std::string group;  ///< as its source calls it; empty: all ranks
        std::uint64_t ranks = 0, bytes = 0, begin = 0, end = 0;
    };
    std::vector<collective> collectives;  ///< in the order of their begin; nothing of runs that did not end
    hw::programs::repair_counts repaired;
    /// Of the reference machine.
    struct reference {
        bool used = false;
        std::uint64_t time = 0, sum = 0;  ///< finish of the last rank and of all, in the program's unit
        std::uint32_t rank = 0;           ///< the lowest that finishes last
        std::uint64_t waiting = 0;        ///< operations that have not ended
        std::uint64_t unexpected = 0;     ///< most messages of a rank that waited for their receive
    };
    reference loggops;
    /// Of a collective that is repeated, in units from the start: first start to last end.
    struct repetition {
        std::uint64_t begin = 0, end = 0;
    };
    std::vector<repetition> repetitions;
    std::int64_t unit_numerator = 1, unit_denominator = 1;  ///< cycles of a unit; 1 on chips
    std::string operations_table;  ///< rows of tables/operations.csv; nothing: they are not kept
    double cpu_seconds = 0;        ///< how the run was made: no part of the results
};

}  // namespace polycast::tlm::sim
