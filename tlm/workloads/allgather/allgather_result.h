// SPDX-License-Identifier: Apache-2.0
/// \file What only allgathers have in their results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace polycast::tlm::sim {

/// As hw/fabric/allgather.h counts; with interfaces, as hosts and links count.
struct allgather_part {
    struct step {
        std::string name;  ///< B, D, E or F
        unsigned level = 0, rounds = 0;
        std::uint64_t cycles = 0, packets = 0, hops = 0;
        std::optional<double> latency = {};  ///< mean of its packets, with ideal hosts
    };
    std::uint32_t group = 0;  ///< nodes
    std::uint64_t packets = 0;
    std::uint64_t missing = 0;                          ///< data that nodes have not got
    std::uint64_t left_out = 0;                         ///< of them, as the accounting leaves their packets out
    std::uint64_t xors = 0, most_xors = 0, coders = 0;  ///< of all units (hosts), of one, how many computed any
    std::uint64_t decode_xors = 0;
    std::optional<std::uint64_t> longest_queue, most_operand_flits;  ///< with ideal hosts
    std::optional<std::uint64_t> verified_bytes;                     ///< of all nodes, with interfaces
    std::uint64_t flit_hops = 0;                                     ///< flits from router to router
    std::vector<step> steps;
};

}  // namespace polycast::tlm::sim
