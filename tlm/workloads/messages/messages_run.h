// SPDX-License-Identifier: Apache-2.0
/// \file One network's share of a workload of unicasts or multicasts: what is sent and when, and the check of
/// deliveries.
#pragma once

#include <cstdint>
#include <string>

#include "hw/delivery/scoreboard.h"
#include "hw/system/schemes.h"
#include "hw/system/system_network.h"
#include "hw/workloads/messages/workload.h"
#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// Parameters of workload number `workload` on `on`, a kind with interfaces, for all of its messages. The seed is that
/// of the first network; see seed_of().
hw::traffic::workload_params params_of_run(const scenario::loaded& scenario, const instance& on, std::size_t workload);

/// Sources and destinations depend on network and message only, so that all workloads of equal degree get the same
/// ones.
std::uint64_t seed_of(std::uint64_t scenario_seed, std::uint64_t instance, std::uint64_t message);

/// An error pin that went up, in words.
std::string error_text(const hw::system::system_plan& plan, const hw::engine::error_event& event);

/// By time of creation; those that are not finished, too.
std::vector<transfer> transfers_of(const hw::traffic::scoreboard& board);

/// Everything that a network which runs a workload refers to; it stays where it is made. `process`: of every host,
/// that runs it.
struct workload_run {
    workload_run(const scenario::loaded& scenario, const instance& on, const hw::traffic::workload_params& params,
                 const hw::system::multicast_choice& choice, unsigned process = 0);
    workload_run(const workload_run&) = delete;
    workload_run& operator=(const workload_run&) = delete;

    hw::system::run_limits limits;
    hw::system::system_plan plan;  ///< its hosts fit the workload
    plan_totals plans;             ///< of the multicasts so far
    hw::traffic::workload traffic;
    hw::traffic::scoreboard board;
};

}  // namespace polycast::tlm::sim
