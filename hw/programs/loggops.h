// SPDX-License-Identifier: Apache-2.0
/// \file The reference machine: programs on the LogGOPS model, without chips (Hoefler, Schneider and Lumsdaine,
/// "LogGOPSim: Simulating Large-Scale Applications in the LogGOPS Model", 2010). programs.md has its rules, which leave
/// nothing open: a program takes the same time wherever they are followed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// Times in the program's unit; G and O for each byte after the first; S in bytes. Each at most most_loggops.
struct loggops_parameters {
    std::uint64_t L = 2500;          ///< latency of the network
    std::uint64_t o = 1500;          ///< processor's time for a message sent
    std::uint64_t o_receive = 1500;  ///< and for one received
    std::uint64_t g = 1000;          ///< least time between messages at an interface
    std::uint64_t G = 6;
    std::uint64_t O = 0;      ///< processor's time
    std::uint64_t S = 65535;  ///< longest message that is sent without asking
};

inline constexpr std::uint64_t most_loggops = std::uint64_t{1} << 28;

/// Of an operation.
struct loggops_span {
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    std::uint64_t begin = never, end = never;
};

struct loggops_result {
    std::vector<std::uint64_t> finish;  ///< [rank]
    std::vector<loggops_span> spans;    ///< [operation], where they are wanted
    std::uint64_t events = 0;           ///< taken from the queue
    std::uint64_t messages = 0, bytes = 0;
    std::uint64_t matched = 0;          ///< messages that their receives have taken
    std::uint64_t unexpected_peak = 0;  ///< most messages of one rank that waited for their receive at a time

    bool stuck = false;
    std::uint64_t waiting = 0;  ///< operations that have not ended
    /// Where it is stuck, for people: each rank's oldest operation that waits, messages that nobody took, and the
    /// circular wait if there is one; the first few of each.
    std::vector<std::string> report;

    std::uint64_t latest() const;     ///< finish of the last rank
    std::uint32_t last_rank() const;  ///< the lowest of those that finish then
    /// Sum over ranks. \throws input_error beyond 64 bits
    std::uint64_t sum() const;
};

/// \param progress called every million events with the time that is reached; may be empty \param spans whether
/// loggops_result::spans are kept
/// \throws input_error for operations that the machine does not have (collective), messages whose lengths differ, and
/// times beyond 64 bits
loggops_result run_loggops(const program& run, const loggops_parameters& parameters,
                           const std::function<void(std::uint64_t)>& progress = {}, bool spans = false);

}  // namespace polycast::hw::programs
