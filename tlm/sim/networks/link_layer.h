// SPDX-License-Identifier: Apache-2.0
/// \file The link layer that a scenario asks for.
#pragma once

#include <vector>

#include "hw/system/plan.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::sim {

/// Registers of link ends in cycles and flits, and faults; null where no cable has either.
/// \throws hw::input_error at the key that asks for what no link end can do
std::shared_ptr<const hw::system::link_layers> link_layers_of(const scenario::loaded& scenario);

/// Cables in `network.link.cables` and `network.chips` that none of the plans of a network has are refused. \throws
/// hw::input_error
void check_cables(const scenario::loaded& scenario, const std::vector<hw::system::system_plan>& plans);

/// Links and wires of `faults` that the plan does not have are refused. \throws hw::input_error
void check_faults(const scenario::loaded& scenario, const hw::system::system_plan& plan);

/// Upsets of memories of switches and routers. \see check_upsets()
std::vector<hw::system::named_upset> upsets_of(const scenario::loaded& scenario);

/// Those of chips, memories, words and bits that the plan does not have are refused. \throws hw::input_error
void check_upsets(const scenario::loaded& scenario, const hw::system::system_plan& plan);

/// Upsets of memories of interfaces. \throws hw::input_error for hosts, words and bits that the network does not have,
/// and where the memory is the simulator's own
std::vector<hw::host::upset_order> interface_upsets_of(const scenario::loaded& scenario,
                                                       const hw::system::system_plan& plan);

/// Units of a buffer that senders leave free, for the tail of a packet that was cut.
inline unsigned reserved_units(const scenario::settings& s) {
    return s.network.has_link_layer() ? 1 : 0;
}

}  // namespace polycast::tlm::sim
