// SPDX-License-Identifier: Apache-2.0
/// \file What a workload of messages asks of a network: names of hosts become numbers.
#pragma once

#include "hw/system/schemes.h"
#include "hw/workloads/messages/workload.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::sim {

/// What workload number `workload` sends on a network of `graph`'s hosts; at VL switches `lids` say how it is
/// addressed. Seed and window are left to the caller. \throws hw::input_error at the key that is to blame
hw::traffic::workload_params workload_params_of(const scenario::loaded& scenario, std::size_t workload,
                                                const hw::topology::graph& graph,
                                                const hw::ni::lid_paths* lids = nullptr);

/// How its multicasts are carried out; at VL switches `lids` tell the service level of a group.
hw::system::multicast_choice choice_of(const scenario::workload_settings& w, const hw::ni::lid_paths* lids);

/// The traffic pattern of a workload. \throws hw::input_error likewise
hw::traffic::pattern_params pattern_params_of(const scenario::loaded& scenario, std::size_t workload,
                                              const hw::topology::graph& graph);

}  // namespace polycast::tlm::sim
