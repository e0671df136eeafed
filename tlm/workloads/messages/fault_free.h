// SPDX-License-Identifier: Apache-2.0
/// \file How long a reliable message takes where nothing goes wrong.
#pragma once

#include <cstdint>
#include <functional>

#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/messages/messages_run.h"

namespace polycast::tlm::sim {

/// The time-out `auto`: four times the longest time from the call of send to the last acknowledgement. It is that of a
/// workload's first multicast, alone; of unicasts, where every host sends one at once to a random other host. The
/// network is that of the run without faults, its chips are cores on one thread whatever the run has, and interfaces
/// have the run's processors: so it is the same for every fidelity and any threads and ranks.
std::uint32_t measured_timeout(const scenario::loaded& scenario, const instance& on,
                               hw::traffic::workload_params params, const hw::system::multicast_choice& choice,
                               const network_factory& factory, const std::function<bool()>& stop);

}  // namespace polycast::tlm::sim
