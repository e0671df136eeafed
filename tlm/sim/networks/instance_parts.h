// SPDX-License-Identifier: Apache-2.0
/// \file Checks and plans that networks of switches and of routers share.
#pragma once

#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

/// Chips and hosts that the scenario names are there. \throws hw::input_error at the key that is to blame
void check_names(const scenario::loaded& scenario, const hw::topology::graph& network);

/// Everything that depends on the size of the packets in a network of switches. \throws hw::input_error likewise
void check_sizes(const scenario::loaded& scenario, const hw::topology::graph& network);

/// \throws hw::input_error that proposes a name
[[noreturn]] void no_such_host(const scenario::loaded& scenario, const std::string& path,
                               const hw::topology::graph& network, const std::string& name);

/// What all workloads together ask of a network.
hw::system::traffic_needs traffic_needs_of(const scenario::loaded& scenario);

/// The deadlock check. \throws hw::input_error at the key that is to blame
void check_deadlock(const scenario::loaded& scenario, const instance& made, const hw::system::traffic_needs& needs);

/// Hosts and interfaces, as the scenario says.
void set_hosts(hw::system::system_params& params, const scenario::settings& s);

}  // namespace polycast::tlm::sim
