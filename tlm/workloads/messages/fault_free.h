// SPDX-License-Identifier: Apache-2.0
/// \file How long a reliable message takes where nothing goes wrong.
#pragma once

#include <cstdint>
#include <functional>

#include "hw/system/system_network.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/messages/messages_run.h"

namespace polycast::tlm::sim {

/// The same network where nothing goes wrong, and no time-out of reliable messages comes first.
hw::system::system_plan fault_free(hw::system::system_plan plan);

/// The time-out `auto`: runs a network of cores, and takes four times the longest time to an acknowledgement.
/// \param plan fault_free() \param longest says that time after the run \throws hw::input_error where the run is stuck
/// before any
std::uint32_t measured_timeout(const scenario::loaded& scenario, const hw::system::system_plan& plan,
                               const endpoints& ends, const hw::system::run_limits& limits,
                               const network_factory& factory, const std::function<bool()>& stop,
                               const std::function<hw::engine::cycle()>& longest);

/// Interfaces have this time-out, and a run waits until they have tried for the last time.
void set_timeout(std::uint32_t timeout, hw::system::system_plan& plan, hw::system::run_limits& limits);

/// That of messages: four times the longest time from the call of send to the last acknowledgement. It is that of a
/// workload's first multicast, alone; of unicasts, where every host sends one at once to a random other host. The
/// network is that of the run without faults, its chips are cores on one thread whatever the run has, and interfaces
/// have the run's processors: so it is the same for every fidelity and any threads and ranks.
std::uint32_t measured_timeout(const scenario::loaded& scenario, const instance& on,
                               hw::traffic::workload_params params, const hw::system::multicast_choice& choice,
                               const network_factory& factory, const std::function<bool()>& stop);

}  // namespace polycast::tlm::sim
