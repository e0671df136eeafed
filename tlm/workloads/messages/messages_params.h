// SPDX-License-Identifier: Apache-2.0
/// \file What a workload of messages asks of a network: names of hosts become numbers.
#pragma once

#include "hw/workloads/messages/workload.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::sim {

/// What workload number `workload` sends on a network of `graph`'s hosts. Seed and window are left to the caller.
/// \throws hw::input_error at the key that is to blame
hw::traffic::workload_params workload_params_of(const scenario::loaded& scenario, std::size_t workload,
                                                const hw::topology::graph& graph);

/// The traffic pattern of a workload. \throws hw::input_error likewise
hw::traffic::pattern_params pattern_params_of(const scenario::loaded& scenario, std::size_t workload,
                                              const hw::topology::graph& graph);

}  // namespace polycast::tlm::sim
