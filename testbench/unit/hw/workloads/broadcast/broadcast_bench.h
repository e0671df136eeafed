// SPDX-License-Identifier: Apache-2.0
/// \file What tests of networks of broadcast routers share.
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "hw/chips/broadcast/broadcast_router_core.h"
#include "hw/workloads/broadcast/broadcast_network.h"
#include "hw/workloads/broadcast/broadcast_rule.h"

namespace polycast::hw::broadcast {

using broadcast_router_factory = std::function<std::unique_ptr<engine::chip>(
    const chips::broadcast_params& params, const chips::broadcast_registers& registers)>;

inline broadcast_router_factory core_routers() {
    return [](const chips::broadcast_params& params, const chips::broadcast_registers& registers) {
        return std::make_unique<chips::broadcast_router_core>(params, registers);
    };
}

/// Routers of a plan, which has no other chips besides hosts.
inline system::chip_factory chips_by(broadcast_router_factory make) {
    return [make = std::move(make)](const system::system_plan& plan, engine::chip_id id) {
        const auto& [params, registers] = std::get<system::broadcast_chip>(plan.chips[id].is);
        return make(params, registers);
    };
}

inline router_network_params network_of(std::uint32_t radix, unsigned dimensions, std::vector<std::uint32_t> bypass) {
    router_network_params params;
    params.topology = {radix, dimensions, std::move(bypass)};
    params.dimensions.resize(dimensions);
    std::iota(params.dimensions.begin(), params.dimensions.end(), 0u);
    return params;
}

inline broadcast_job job_of(const router_network_params& params, std::uint32_t source, unsigned packets,
                            unsigned flits) {
    return {source, equal_split(packets, parts_of(params)), flits, 0};
}

inline broadcast_network_result run(const router_network_params& params, const std::vector<broadcast_job>& jobs,
                                    const broadcast_traffic_params& traffic = {},
                                    const broadcast_router_factory& make = core_routers()) {
    broadcast_network network(params, jobs, traffic, chips_by(make));
    return network.run();
}

}  // namespace polycast::hw::broadcast
