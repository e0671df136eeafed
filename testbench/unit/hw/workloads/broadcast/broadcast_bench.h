// SPDX-License-Identifier: Apache-2.0
/// \file What tests of networks of broadcast routers share.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "hw/chips/broadcast/broadcast_router_core.h"
#include "hw/workloads/broadcast/broadcast_network.h"

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

}  // namespace polycast::hw::broadcast
