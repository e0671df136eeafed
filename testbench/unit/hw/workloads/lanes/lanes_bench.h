// SPDX-License-Identifier: Apache-2.0
/// \file What tests of lanes share.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/workloads/lanes/lane_streams.h"
#include "hw/workloads/lanes/lanes.h"
#include "testbench/unit/hw/system/native.h"

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

using lane_outcome = system::run_outcome::kind;
using node_programs = std::function<std::vector<host::application_factory>(std::uint32_t node)>;

/// Sites with programs of a test's own, on the engine.
class lane_network : traffic::goal {
public:
    lane_network(const lane_network_params& params, const node_programs& programs, ni::observer* watcher = nullptr)
        : plan_(make_sites(params)),
          network_(plan_, system::make_core, system::program_hosts(system::native(), programs, watcher), *this) {}

    lane_outcome run(const system::run_limits& limits, std::function<bool()> complete) {
        complete_ = std::move(complete);
        return network_.run(limits).ended;
    }
    std::vector<std::string> failures() const { return network_.failures(); }

private:
    bool complete() const override { return complete_(); }
    cycle delivered_until() const override { return 0; }
    std::string oldest_missing() const override { return {}; }

    std::function<bool()> complete_;
    system::system_plan plan_;
    system::system_network network_;
};

/// What a broadcast, or streams, came to on the engine.
struct lane_result {
    lane_outcome outcome = lane_outcome::stuck;
    std::vector<cycle> nodes;
    cycle completed = 0;
    double bytes_per_cycle = 0;
    std::uint64_t checked = 0, flit_hops = 0, packet_hops = 0;
    std::vector<std::string> faults, failures;
    system::interface_totals totals;

    bool good() const { return outcome == lane_outcome::complete && faults.empty() && failures.empty(); }
};

template <typename work>
lane_result run_lanes(work& what, const system::run_limits& limits) {
    system::system_network network(what.plan(), system::make_core, what.hosts(system::native()), what);
    lane_result result;
    result.outcome = network.run(limits).ended;
    result.faults = what.faults();
    result.failures = network.failures();
    result.flit_hops = network.network().flit_hops();
    result.packet_hops = network.network().packet_hops();
    result.totals = network.totals();
    return result;
}

inline lane_result run_broadcast(const lane_broadcast_params& params,
                                 const system::run_limits& limits = lane_limits()) {
    lane_broadcast what(params);
    lane_result result = run_lanes(what, limits);
    result.nodes = what.nodes();
    if (what.complete()) result.completed = *std::ranges::max_element(result.nodes);
    result.checked = what.checked();
    return result;
}

inline lane_result run_streams(const lane_stream_params& params) {
    lane_stream_run what(params);
    lane_result result = run_lanes(what, lane_limits());
    result.checked = what.bytes();
    result.bytes_per_cycle = what.bytes_per_cycle();
    return result;
}

}  // namespace polycast::hw::lanes
