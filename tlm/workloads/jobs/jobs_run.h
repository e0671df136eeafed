// SPDX-License-Identifier: Apache-2.0
/// \file Jobs that run their workloads at once on one network.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// Runs the jobs of workload number `workload`; `only`: this one, while the processes of the others do nothing. What
/// each job got is in jobs_part; deliveries of the result are those of all together.
run_result run_jobs(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                    std::optional<std::size_t> only, const network_factory& factory, const std::function<bool()>& stop,
                    const instrumentation& instruments);

}  // namespace polycast::tlm::sim
