// SPDX-License-Identifier: Apache-2.0
/// \file An allgather on a mesh or torus with ideal hosts.
#pragma once

#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/router_params.h"

namespace polycast::hw::fabric {
struct allgather_options;
}

namespace polycast::tlm::sim {

struct instance;
struct point_result;

/// Workload number `workload` without the routers. \throws hw::input_error at the key that is to blame
hw::fabric::allgather_options allgather_options_of(const scenario::loaded& scenario, std::size_t workload);

/// \throws hw::input_error at the key that is to blame, where workload number `workload` cannot be run
void check_allgather(const scenario::loaded& scenario, std::size_t workload);

/// What its packets ask of routers.
router_needs needs_of_allgather(const scenario::loaded& scenario, std::size_t workload);

/// `stop`: asked now and then; true ends the run.
point_result run_allgather(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                           std::uint64_t seed, const std::function<bool()>& stop);

}  // namespace polycast::tlm::sim
