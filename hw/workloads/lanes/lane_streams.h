// SPDX-License-Identifier: Apache-2.0
/// \file Parallel streams with a window each from a node of one site to one of another: what reaches the other side.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/delivery/goal.h"
#include "hw/workloads/lanes/lane_network.h"

namespace polycast::hw::lanes {

inline constexpr unsigned most_streams = 128;  ///< two queues of 64 processes

struct lane_stream_params {
    lane_network_params network;     ///< two sites at least; `processes` is chosen here. Streams use lane 0
    unsigned streams = 1;            ///< 1..most_streams, from the first node of site 0 to the first one of site 1
    std::uint32_t window = 100'000;  ///< bytes of each that are in flight; at least a packet's payload
    unsigned rounds = 8;             ///< round trips (2 L) that are measured, after the first two
    std::uint64_t payload_seed = 1;
};

/// What hosts do, and who measures and checks.
class lane_stream_run final : public traffic::goal {
public:
    /// \throws input_error on parameters out of range
    explicit lane_stream_run(const lane_stream_params& params);
    ~lane_stream_run() override;

    const system::system_plan& plan() const;
    /// This must outlive them.
    system::host_factory hosts(system::processor_factory processors);

    bool complete() const override;
    cycle delivered_until() const override;
    std::string oldest_missing() const override;

    /// Payload that came in the measured round trips; 1: the line, framing included.
    double bytes_per_cycle() const;
    std::uint64_t bytes() const;              ///< of all streams, all compared
    std::vector<std::string> faults() const;  ///< wrong or missing bytes

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace polycast::hw::lanes
