// SPDX-License-Identifier: Apache-2.0
/// \file Bits that flip in the memories of a network's chips.
#pragma once

#include <memory>

#include "hw/chips/chip_upset.h"
#include "hw/engine/network.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// Bits of the chip flip.
bool has_upsets(const system_plan& plan, engine::chip_id id);

/// A bit of a chip or of an interface has flipped.
bool memory_was_hit(const system_plan& plan, const engine::chip_network& network);

/// `made` is chip `id`. \returns it, or where bits of it flip a chip around it
std::unique_ptr<engine::chip> with_upsets(const system_plan& plan, engine::chip_id id,
                                          std::unique_ptr<chips::upsettable_chip> made);

}  // namespace polycast::hw::system
