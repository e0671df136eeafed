// SPDX-License-Identifier: Apache-2.0
/// \file Which packets get which colour, and in which order the source sends them: the fewest steps.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/workloads/broadcast/step_engine.h"

namespace polycast::hw::broadcast {

/// Steps until a packet of each colour is everywhere, by runs with that packet alone.
std::vector<std::uint64_t> longest_ways(const topology::bypass_torus& network, const broadcast_params& base);

/// What a broadcast of several dimensions takes where a node gets one packet of a colour in a step, one after the
/// other: the longest path of a colour and its packets less one, at most.
std::uint64_t pipelined_steps(const std::vector<std::uint64_t>& ways, const std::vector<unsigned>& split);

/// The split with the fewest of these steps.
std::vector<unsigned> balanced_split(const std::vector<std::uint64_t>& ways, unsigned packets);

/// Patterns of a colour that differ on the links that the source has.
std::vector<unsigned> patterns_that_differ(const topology::bypass_torus& network, std::uint32_t source,
                                           unsigned dimension);

struct search_params {
    unsigned packets = 32;
    std::vector<unsigned> split;                        ///< only this one; empty: any
    std::vector<unsigned> patterns;                     ///< only these; empty: any
    std::uint64_t most_sends = std::uint64_t{1} << 24;  ///< no further run when all together have sent so much
};

struct search_result {
    broadcast_params params;  ///< of the best run
    broadcast_result result;
    std::uint64_t pipelined = 0;  ///< pipelined_steps() of its split; in one dimension least_steps()
    unsigned runs = 0;
};

/// Runs the balanced split with patterns 0, then the splits that are one packet away from it, then the best of these
/// with all combinations of patterns that differ; stops at `most_sends`, and in one dimension when a run takes
/// least_steps(). Runs end when they are no better than the best one. \param base what all runs have in common
/// \throws input_error, delivery_error as run_broadcast()
search_result find_best(const topology::bypass_torus& network, const broadcast_params& base,
                        const search_params& search, const step_observer& observe = {});

}  // namespace polycast::hw::broadcast
