// SPDX-License-Identifier: Apache-2.0
/// \file One workload on several rails (hw/rails).
#pragma once

#include <cstdint>
#include <functional>

#include "hw/collectives/rail_allocation.h"
#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// The matrix of static allocation for the hosts of a scenario. \throws hw::input_error at the wrong key, or at the
/// place in the user's file
hw::collectives::rail_matrix rail_matrix_of(const scenario::loaded& scenario, std::uint32_t hosts);

/// Checks what needs the network: matrix and names of hosts. \throws hw::input_error at the wrong key
void check_rails_run(const scenario::loaded& scenario, const hw::topology::graph& network, std::size_t workload);

/// Payload of the longest packet that a workload on rails sends.
unsigned rails_payload(const scenario::settings& s, const scenario::workload_settings& workload);

/// Sizes the hosts of a network for all workloads on rails.
void set_rails(hw::system::system_params& params, const scenario::settings& s);

/// All rails of a scenario, of which the instance has one. \throws hw::input_error at the wrong key
hw::system::system_plan rails_plan_of(const scenario::loaded& scenario, const instance& on);

/// Names of the chips of all rails, as a graph without cables.
hw::topology::graph names_on_rails(const scenario::settings& s, const hw::topology::graph& network);

/// \param seed of lengths, times and destinations
run_result run_rails(const scenario::loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                     const network_factory& factory, const std::function<bool()>& stop,
                     const instrumentation& instruments);

}  // namespace polycast::tlm::sim
