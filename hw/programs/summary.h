// SPDX-License-Identifier: Apache-2.0
/// \file What a program is, in numbers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// Least, most and sum of a number of each rank.
struct balance {
    std::uint64_t least = 0, most = 0, sum = 0;
};

struct summary {
    std::uint32_t ranks = 0;
    std::uint64_t operations = 0, dependencies = 0;
    std::array<std::uint64_t, std::size(operation_kinds)> by_kind{};  ///< [operation_kind]
    std::uint64_t multicasts = 0;  ///< to several ranks; `by_kind` has a send for each of them
    std::uint64_t bytes = 0;       ///< of all messages, of a multicast once
    /// Messages by length: the first key is 0, then the powers of two that they do not exceed: 1, 2, 4, ..
    std::map<std::uint64_t, std::uint64_t> lengths;
    std::uint64_t shortest = 0, longest = 0;                                   ///< of messages
    balance operations_of_rank, sent_by_rank, received_by_rank, time_of_rank;  ///< bytes; time of calcs
    unsigned cpus = 0, channels = 0;
    std::uint64_t from_any = 0;   ///< receives from any source or of any tag
    std::uint64_t to_itself = 0;  ///< messages of a rank to itself
    /// Messages of the longest chain in which each is sent after the one before has been sent, or has come; nothing
    /// where operations wait for each other in a circle. Receives from anybody end a chain.
    std::optional<std::uint64_t> longest_chain;
};

summary summarise(const program& of);

}  // namespace polycast::hw::programs
