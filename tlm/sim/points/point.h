// SPDX-License-Identifier: Apache-2.0
/// \file One point of a scenario: one workload on one network.
#pragma once

#include <functional>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/sim/points/point_result.h"
#include "tlm/sim/points/wishes.h"

namespace polycast::tlm::sim {

/// Runs workload number `workload` on `on`. Where the factory makes one network per process, this makes one, or starts
/// a process for each of several: call it in a process of its own (in_child). \param stop asked now and then, ends the
/// run by returning true \throws hw::input_error where a wave file cannot be written
point_result run_point(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                       const network_factory& factory, const std::function<bool()>& stop,
                       const point_wishes& wishes = {});

}  // namespace polycast::tlm::sim
