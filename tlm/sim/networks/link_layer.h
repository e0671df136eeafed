// SPDX-License-Identifier: Apache-2.0
/// \file The link layer that a scenario asks for.
#pragma once

#include "hw/system/plan.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::sim {

/// Registers of link ends in cycles and flits, the automatic ones filled in; null with `layer: none`.
/// \throws hw::input_error at the key that asks for what no link end can do
std::shared_ptr<const hw::system::link_layers> link_layers_of(const scenario::loaded& scenario);

/// Cables in `network.chips` that the plan does not have are refused. \throws hw::input_error
void check_cables(const scenario::loaded& scenario, const hw::system::system_plan& plan);

/// Links and wires of `faults` that the plan does not have are refused. \throws hw::input_error
void check_faults(const scenario::loaded& scenario, const hw::system::system_plan& plan);

/// Units of a buffer that senders leave free, for the tail of a packet that was cut.
inline unsigned reserved_units(const scenario::settings& s) {
    return s.network.link.registers.layer == hw::chips::link_layer::none ? 0 : 1;
}

}  // namespace polycast::tlm::sim
