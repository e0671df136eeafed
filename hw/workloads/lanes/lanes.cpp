// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lanes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::lanes {

lane_broadcast_result run_broadcast(const lane_broadcast_params& params, const system::processor_factory& processors,
                                    const lane_run_limits& limits, const std::function<bool(cycle)>& stop) {
    const lane_driver_params& driver = params.driver;
    if (driver.window != 0 && std::uint64_t{driver.window} * driver.streams < params.network.payload_bytes)
        throw input_error("windows of " + std::to_string(driver.window) + " bytes, but packets carry " +
                              std::to_string(params.network.payload_bytes),
                          "larger windows, more streams, or shorter packets");
    const collectives::lane_plan plan = collectives::make_lane_plan(params.algorithm, params.network.sites);
    const std::shared_ptr<const lane_job> job = make_lane_job(plan, driver, params.network.lanes);
    lane_scoreboard scores(driver.payload_seed, plan.nodes(), driver.bytes);
    lane_network net(params.network, processors,
                     [&](std::uint32_t) { return std::vector<host::application_factory>{drive_lanes(job, scores)}; });

    lane_broadcast_result result;
    result.outcome = net.run(
        limits, [&scores] { return scores.complete(); }, stop);
    result.nodes = scores.completed();
    for (cycle& each : result.nodes)
        if (each != engine::never) each -= std::min(each, driver.start);
    if (scores.complete()) result.completed = *std::ranges::max_element(result.nodes);
    result.checked = scores.checked();
    result.faults = scores.faults();
    if (std::string missing = scores.missing(); !missing.empty()) result.faults.push_back(std::move(missing));
    result.failures = net.failures();
    result.packet_hops = net.network().packet_hops();
    result.flit_hops = net.network().flit_hops();
    result.totals = net.totals();
    return result;
}

}  // namespace polycast::hw::lanes
