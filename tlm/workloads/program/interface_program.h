// SPDX-License-Identifier: Apache-2.0
/// \file A program on hosts with network interfaces (hw/workloads/program).
#pragma once

#include "hw/workloads/program/rank.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// The plan of a network, with hosts for workload number `workload`. \throws hw::input_error at the wrong key, or at
/// the place in the program's file
hw::system::system_plan plan_of_program(const scenario::loaded& scenario, const instance& on, std::size_t workload);

/// [rank] a host. \throws hw::input_error
std::vector<std::uint32_t> hosts_of(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                    std::uint32_t ranks);

/// What the ranks of any program do that runs where those of a workload are, by its rules but for `credits`.
/// \throws hw::input_error
hw::programs::rank_rules rules_of(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                  std::shared_ptr<const hw::programs::program> of,
                                  hw::programs::credit_options credits);

/// The plan of a network with hosts for these.
hw::system::system_plan fitted(const scenario::loaded& scenario, const instance& on,
                               const hw::programs::rank_rules& rules);

run_result run_program(const scenario::loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                       const network_factory& factory, const std::function<bool()>& stop,
                       const instrumentation& instruments);

}  // namespace polycast::tlm::sim
