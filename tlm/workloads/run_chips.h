// SPDX-License-Identifier: Apache-2.0
/// \file Runs one network of a run chip by chip to its end.
#pragma once

#include <functional>

#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"
#include "tlm/workloads/run_traces.h"

namespace polycast::tlm::sim {

/// Runs a network under `limits` while `observer` sees all steps, and says how the run ended and what was recorded.
run_result run_recorded(hw::system::system_network& network, const hw::system::run_limits& limits,
                        const std::function<bool(hw::engine::cycle)>& stop, hw::engine::observer* observer,
                        run_traces& traces);

/// Runs one network to its end, under `limits`. `ends` needs goal and hosts; `instruments` give the rest. `look` is
/// shown the network after the run. \throws hw::input_error if a wave file cannot be written
run_result run_chips(const instance& on, const hw::system::system_plan& plan, endpoints ends,
                     const hw::system::run_limits& limits, hw::engine::cycle start, const network_factory& factory,
                     const std::function<bool(hw::engine::cycle)>& stop, const instrumentation& instruments,
                     const std::function<void(const hw::system::system_network&)>& look = {});

}  // namespace polycast::tlm::sim
