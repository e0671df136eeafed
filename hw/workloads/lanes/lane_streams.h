// SPDX-License-Identifier: Apache-2.0
/// \file Parallel streams with a window each from a node of one site to one of another: what reaches the other side.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/workloads/lanes/lane_network.h"

namespace polycast::hw::lanes {

inline constexpr unsigned most_streams = 128;  ///< two queues of 64 processes

struct lane_stream_params {
    lane_network_params network;     ///< two sites at least; `processes` is chosen here. Streams use lane 0
    unsigned streams = 1;            ///< 1..most_streams, from the first node of site 0 to the first one of site 1
    std::uint32_t window = 100'000;  ///< bytes of each that are under way; at least a packet's payload
    unsigned rounds = 8;             ///< round trips (2 L) that are measured, after the first two
    std::uint64_t payload_seed = 1;
};

struct lane_stream_result {
    lane_outcome outcome = lane_outcome::stuck;
    double bytes_per_cycle = 0;       ///< payload that came in the measured round trips; 1: the line, framing included
    std::uint64_t bytes = 0;          ///< of all streams, all compared
    cycle cycles = 0;                 ///< of the run
    std::vector<std::string> faults;  ///< wrong or missing bytes
    std::vector<std::string> failures;  ///< of hosts, interfaces and switches
    system::interface_totals totals;
};

/// `stop`: as lane_network::run(). \throws input_error on parameters out of range
lane_stream_result run_streams(const lane_stream_params& params, const system::processor_factory& processors,
                               const lane_run_limits& limits = {}, const std::function<bool(cycle)>& stop = {});

}  // namespace polycast::hw::lanes
