// SPDX-License-Identifier: Apache-2.0
/// \file The reference machine's tables for a network, measured on its model: a program of ping-pongs and bursts, and
/// what its operations say when it has run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/programs/loggops.h"
#include "hw/programs/program.h"
#include "hw/topology/graph.h"
#include "hw/workloads/program/critical_path.h"

namespace polycast::hw::programs {

struct rank_pair {
    std::uint32_t from = 0, to = 0;
    std::uint32_t distance = 0;  ///< links between their switches; 0: they are at one
};

/// Up to `most` pairs of ranks of every distance that there is, spread over the ranks. \param host_of [rank]
std::vector<rank_pair> pairs_of(const topology::graph& network, std::span<const std::uint32_t> host_of,
                                std::uint32_t most);

/// Ping-pongs of 1 byte, 1, 2 and 16 packets between pairs, one after the other, so that nothing contends; then,
/// between one pair of each distance, bursts of each length one way, and one of 16 packets both ways at once.
class calibration_program {
public:
    static constexpr std::uint32_t burst = 8;  ///< messages

    /// \param pairs not empty \param packet_bytes payload of a packet
    calibration_program(std::uint32_t ranks, std::vector<rank_pair> pairs, std::uint64_t packet_bytes);

    const program& made() const { return made_; }
    const std::vector<std::uint64_t>& lengths() const { return lengths_; }
    const std::vector<rank_pair>& pairs() const { return pairs_; }

    /// Lengths do not reach `eager`, so a run has to send them all without asking.
    std::uint64_t longest() const { return lengths_.back(); }

private:
    friend struct calibration;
    struct probe {
        operation_id send, receive;
        std::uint32_t length = 0;  ///< in lengths_
        std::uint32_t pair = 0;
    };
    struct train {
        operation_id first{}, last{};  ///< receives of a burst
        std::uint32_t length = 0;
        bool both = false;  ///< while one goes the other way
    };

    std::vector<rank_pair> pairs_;
    std::vector<std::uint64_t> lengths_;
    std::vector<probe> probes_;
    std::vector<train> trains_;
    program made_;
};

/// What was measured, in cycles.
struct calibration {
    struct length {
        std::uint64_t bytes = 0;
        std::uint64_t way = 0, least = 0, most = 0;  ///< mean over pairs, both directions; the least and the most
        std::uint64_t gap = 0;
    };
    struct distance {
        std::uint32_t links = 0, pairs = 0;
        std::vector<std::uint64_t> way{};  ///< [length] mean
    };
    std::vector<length> lengths;
    std::vector<distance> distances;
    std::uint64_t gap_both = 0;  ///< of the longest, while a burst goes the other way
    bool shared = false;         ///< interfaces send and receive in turn, as that gap says

    /// \param times [rank, operation] of a run of the program
    static calibration of(const calibration_program& ran, std::span<const std::vector<operation_times>> times);

    /// With what hosts are known for: `known` without `way`, `gap`, `shared` and `ask`. A message that asks takes two
    /// messages of `control` bytes more.
    loggops_tables tables(loggops_tables known, std::uint64_t control) const;
};

}  // namespace polycast::hw::programs
