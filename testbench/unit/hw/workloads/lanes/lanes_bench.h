// SPDX-License-Identifier: Apache-2.0
/// \file What tests of lanes share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hw/workloads/lanes/lanes.h"

namespace polycast::hw::lanes {

inline std::string lane_text(const std::vector<std::uint32_t>& sites) {
    std::string text;
    for (const std::uint32_t nodes : sites) text += (text.empty() ? "" : "+") + std::to_string(nodes);
    return text;
}

/// Short latencies, so that a broadcast of some kilobytes is pieces and hops.
inline lane_broadcast_params short_broadcast(collectives::lane_algorithm how, const std::vector<std::uint32_t>& sites,
                                             std::uint64_t bytes, unsigned lanes = 2) {
    lane_broadcast_params params;
    params.algorithm = how;
    params.network.sites = sites;
    params.network.lanes = lanes;
    params.network.latency = 101;
    params.network.wide_latency = 5000;
    params.network.payload_bytes = 512;
    params.driver.bytes = bytes;
    params.driver.piece = 2048;
    return params;
}

}  // namespace polycast::hw::lanes
