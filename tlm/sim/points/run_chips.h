// SPDX-License-Identifier: Apache-2.0
/// \file One network of a point, run chip by chip to its end.
#pragma once

#include <functional>

#include "tlm/sim/networks/network_factory.h"
#include "tlm/sim/points/point_result.h"
#include "tlm/sim/points/wishes.h"

namespace polycast::tlm::sim {

/// Runs one network of a point to its end, under `limits`. `ends` needs goal and hosts; `wishes` say the rest. `look`
/// is shown the network when it is over. \throws hw::input_error where a wave file cannot be written
point_result run_chips(const instance& on, const hw::system::system_plan& plan, run_ends ends,
                       const hw::system::run_limits& limits, hw::engine::cycle start, const network_factory& factory,
                       const std::function<bool()>& stop, const point_wishes& wishes,
                       const std::function<void(const runnable&)>& look = {});

}  // namespace polycast::tlm::sim
