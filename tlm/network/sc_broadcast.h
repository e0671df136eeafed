// SPDX-License-Identifier: Apache-2.0
/// \file The chips of hw/workloads/broadcast/broadcast_network.h in SystemC.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hw/engine/network.h"
#include "hw/workloads/broadcast/broadcast_plan.h"
#include "tlm/network/sc_chip_network.h"

namespace polycast::tlm::network {

/// To be handed to a broadcast_network of the same `params`: a router is where `where` says, its host with it.
/// `checkers`: at every sender of a TLM link. \throws input_error for parameters that make no network
std::unique_ptr<hw::engine::chip_network> sc_broadcast_chips(
    const hw::broadcast::router_network_params& params, const std::function<placement(std::uint32_t router)>& where,
    bool checkers = true);

}  // namespace polycast::tlm::network
