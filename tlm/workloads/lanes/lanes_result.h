// SPDX-License-Identifier: Apache-2.0
/// \file The results of broadcasts over lanes and of streams between sites.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace polycast::tlm::sim {

/// Times of a broadcast, in seconds.
struct lane_times_result {
    std::vector<std::optional<std::uint64_t>> nodes;  ///< [node] cycle in which it had everything
    double closed = 0;                                ///< closed form, corrected
    std::optional<double> printed;                    ///< closed form, as the paper has it
    std::optional<double> derived;                    ///< where it prints none: from its construction, for full trees
    double piecewise = 0;                             ///< piece by piece without contention
    double model = 0;                                 ///< the same with framing, interfaces and firmware
    std::uint64_t wide_bytes = 0;                     ///< of the plan, from site to site
    std::uint64_t packet_hops = 0, flit_hops = 0;
};

/// Rates of parallel streams, in bytes/s.
struct streams_result {
    double bandwidth = 0;  ///< payload that arrived in the measured round trips
    double line = 0;       ///< of the lane
    double formula = 0;    ///< windows over round trip, at most the line
};

/// One of the two.
struct lanes_part {
    std::optional<lane_times_result> broadcast;
    std::optional<streams_result> streams;
    std::uint64_t checked_bytes = 0;  ///< that were compared, of all nodes
    double cpu_seconds = 0;           ///< differs from run to run
};

}  // namespace polycast::tlm::sim
