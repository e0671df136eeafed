// SPDX-License-Identifier: Apache-2.0
/// \file What multicasts need from network interfaces.
#pragma once

#include "tlm/scenario/load.h"

namespace polycast::tlm::sim {

/// A multicast must fit commands and, when it is alone, group tables of interfaces: the routes of its worms, and the
/// hosts or worms that an interface forwards to. \throws hw::input_error likewise
void check_commands(const scenario::loaded& scenario, std::size_t workload, const hw::topology::graph& graph);
void check_groups(const scenario::loaded& scenario, std::size_t workload, const hw::topology::graph& graph);

}  // namespace polycast::tlm::sim
