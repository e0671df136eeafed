// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lanes.h"

#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::lanes {

lane_broadcast::lane_broadcast(const lane_broadcast_params& params)
    : start_(params.driver.start), scores_(params.driver.payload_seed, params.network.nodes(), params.driver.bytes) {
    const lane_driver_params& driver = params.driver;
    if (driver.window != 0 && std::uint64_t{driver.window} * driver.streams < params.network.payload_bytes)
        throw input_error("windows of " + std::to_string(driver.window) + " bytes, but packets carry " +
                              std::to_string(params.network.payload_bytes),
                          "larger windows, more streams, or shorter packets");
    const collectives::lane_plan plan = collectives::make_lane_plan(params.algorithm, params.network.sites);
    job_ = make_lane_job(plan, driver, params.network.lanes);
    plan_ = make_sites(params.network);
}

system::host_factory lane_broadcast::hosts(system::processor_factory processors) {
    const auto programs = [this](std::uint32_t) {
        return std::vector<host::application_factory>{drive_lanes(job_, scores_)};
    };
    return system::program_hosts(std::move(processors), programs, nullptr, true);
}

std::vector<cycle> lane_broadcast::nodes() const {
    std::vector<cycle> nodes = scores_.completed();
    for (cycle& each : nodes)
        if (each != engine::never) each -= std::min(each, start_);
    return nodes;
}

std::vector<std::string> lane_broadcast::faults() const {
    std::vector<std::string> all = scores_.faults();
    if (std::string missing = scores_.missing(); !missing.empty()) all.push_back(std::move(missing));
    return all;
}

}  // namespace polycast::hw::lanes
