// SPDX-License-Identifier: Apache-2.0
/// \file An allgather on a mesh or torus with ideal hosts.
#pragma once

#include <cstdint>
#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/workloads/run_result.h"

namespace polycast::hw::fabric {
struct allgather_options;
}

namespace polycast::tlm::sim {

struct instance;
struct instrumentation;
struct network_factory;

/// Workload number `workload` without the routers. \throws hw::input_error at the wrong key
hw::fabric::allgather_options allgather_options_of(const scenario::loaded& scenario, std::size_t workload);

/// The same with the routers. \throws hw::input_error at the wrong key if it cannot be run
hw::fabric::allgather_options checked_allgather_options(const scenario::loaded& scenario, std::size_t workload);

/// What its packets ask of routers.
router_needs needs_of_allgather(const scenario::loaded& scenario, std::size_t workload);

/// `factory` and `instruments`: of a run on chips. `stop`: asked now and then; true ends the run.
/// \throws hw::input_error if a wave file cannot be written
run_result run_allgather(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                         ideal_engine engine, const network_factory& factory, const std::function<bool()>& stop,
                         const instrumentation& instruments);

}  // namespace polycast::tlm::sim
