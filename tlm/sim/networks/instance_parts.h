// SPDX-License-Identifier: Apache-2.0
/// \file Checks and plans that networks of switches and of routers share.
#pragma once

#include "hw/format/header.h"
#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

/// Of the packets of a workload.
hw::format::packet_kind kind_of(const scenario::workload_settings& workload);

/// Chips and hosts that the scenario names are there. \throws hw::input_error at the key that is to blame
void check_names(const scenario::loaded& scenario, const hw::topology::graph& network);

/// A multicast by interfaces must fit their group tables when it is alone; under load nobody knows how many there are.
/// \throws hw::input_error at the key that is to blame
void check_groups(const scenario::loaded& scenario, const hw::topology::graph& network);

/// What all workloads together ask of a network.
hw::system::traffic_needs traffic_needs_of(const scenario::loaded& scenario);

/// The deadlock check. \throws hw::input_error at the key that is to blame
void check_deadlock(const scenario::loaded& scenario, const instance& made, const hw::system::traffic_needs& needs);

/// Hosts and interfaces, as the scenario says.
void set_hosts(hw::system::system_params& params, const scenario::settings& s);

}  // namespace polycast::tlm::sim
