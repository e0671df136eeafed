// SPDX-License-Identifier: Apache-2.0
/// \file A program on hosts with network interfaces (hw/workloads/program).
#pragma once

#include <boost/rational.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "hw/collectives/expand.h"
#include "hw/collectives/library.h"
#include "hw/programs/program.h"
#include "hw/workloads/program/rank.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/program/placement.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// What a run runs. Collectives of a file that are messages now, and which operations belong to which repetition of a
/// collective, are known beside it.
struct made_program {
    hw::programs::program made;
    std::vector<hw::collectives::expanded_collective> collectives = {};
    std::vector<std::vector<hw::collectives::operation_range>> operations = {};  ///< [repetition, rank]
    bool open = false;  ///< collectives of a file are to become messages, on a network
};

/// Read or made, and checked, once for all networks of a size. \throws hw::input_error as plan_of_program()
std::shared_ptr<const made_program> program_of(const scenario::loaded& scenario, const instance& on,
                                               std::size_t workload);

/// When an operation was ready and when it ended, in cycles.
using operation_time = std::function<std::pair<std::uint64_t, std::uint64_t>(hw::programs::operation_id)>;

/// When the collectives of a program began and ended, in the order of their begin.
std::vector<program_part::collective> collectives_of(const made_program& made, const operation_time& time);

/// Cycles of a unit of its times.
boost::rational<std::int64_t> unit_of(const scenario::loaded& scenario, std::size_t workload,
                                      const hw::programs::program& of);

/// Whether tables/operations.csv has a program's operations.
bool has_timeline(const scenario::loaded& scenario, std::size_t workload, const hw::programs::program& of);

/// Bytes that a run needs for the program, its ranks and what checks them, about.
std::uint64_t memory_of_program(const scenario::loaded& scenario, const instance& on, std::size_t workload);

/// Operations of each kind, for program_part.
std::vector<std::uint64_t> kinds_of(const hw::programs::program& of);

/// The plan of a network, with hosts for workload number `workload`. \throws hw::input_error at the wrong key, or at
/// the place in the program's file
hw::system::system_plan plan_of_program(const scenario::loaded& scenario, const instance& on, std::size_t workload);

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
