// SPDX-License-Identifier: Apache-2.0
/// \file What diagnoses of all networks have in common.
#pragma once

#include <string>

#include "hw/delivery/goal.h"
#include "hw/engine/network.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// Most waits and links that a diagnosis names.
inline constexpr std::size_t most_named = 10;

/// "no flit moves; the oldest packet is ...", and links that are down.
std::string diagnosis_head(const system_plan& plan, const traffic::goal& goal, const engine::chip_network& network);

}  // namespace polycast::hw::system
