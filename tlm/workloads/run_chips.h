// SPDX-License-Identifier: Apache-2.0
/// \file Runs one network of a run chip by chip to its end.
#pragma once

#include <functional>

#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// Runs one network to its end, under `limits`. `ends` needs goal and hosts; `instruments` give the rest. `look` is
/// shown the network after the run. \throws hw::input_error if a wave file cannot be written
run_result run_chips(const instance& on, const hw::system::system_plan& plan, endpoints ends,
                     const hw::system::run_limits& limits, hw::engine::cycle start, const network_factory& factory,
                     const std::function<bool(hw::engine::cycle)>& stop, const instrumentation& instruments,
                     const std::function<void(const hw::system::system_network&)>& look = {});

}  // namespace polycast::tlm::sim
