// SPDX-License-Identifier: Apache-2.0
/// \file A program on hosts with network interfaces (hw/workloads/program).
#pragma once

#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// The plan of a network, with hosts for workload number `workload`. \throws hw::input_error at the wrong key, or at
/// the place in the program's file
hw::system::system_plan plan_of_program(const scenario::loaded& scenario, const instance& on, std::size_t workload);

/// Messages of the program. \throws hw::input_error at the place in its file
std::uint64_t messages_of_program(const scenario::loaded& scenario, std::size_t workload);

run_result run_program(const scenario::loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                       const network_factory& factory, const std::function<bool()>& stop,
                       const instrumentation& instruments);

}  // namespace polycast::tlm::sim
