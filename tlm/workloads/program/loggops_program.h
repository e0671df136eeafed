// SPDX-License-Identifier: Apache-2.0
/// \file A program on the reference machine (hw/programs/loggops.h), without chips.
#pragma once

#include <functional>

#include "tlm/sim/networks/instances.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

bool runs_on_loggops(const scenario::loaded& scenario, std::size_t workload);

/// Refuses what run_loggops_program() cannot run. \throws hw::input_error at the wrong key, or at the place in the
/// program's file
void check_loggops_program(const scenario::loaded& scenario, const instance& on, std::size_t workload);

/// Ranks lie on the first hosts, whose names results use. \param seed of the inputs of programs with buffers
/// \param stop asked from time to time: the run ends as stopped
run_result run_loggops_program(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                               std::uint64_t seed, const std::function<bool()>& stop,
                               const instrumentation& instruments);

}  // namespace polycast::tlm::sim
