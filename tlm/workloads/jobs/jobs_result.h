// SPDX-License-Identifier: Apache-2.0
/// \file Results of jobs that share a network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/delivery/scoreboard.h"
#include "tlm/workloads/transfers.h"

namespace polycast::tlm::sim {

/// What a workload got.
struct job_deliveries {
    bool complete = false;  ///< all was delivered, or the run ended with its window
    hw::traffic::delivery_counts counts;
    hw::traffic::traffic_volume volume;
    std::vector<transfer> transfers;  ///< by time of creation; those that are not finished, too
    plan_totals plans;
    std::vector<std::string> faults;  ///< the first ones, in words
};

/// What a hostile job tried, at all hosts.
struct hostile_counts {
    std::uint64_t commands = 0;       ///< given to interfaces
    std::uint64_t waited = 0;         ///< not taken when they were due
    std::uint64_t registers = 0;      ///< written
    std::uint64_t reports = 0;        ///< errors that interfaces reported to it
    std::uint64_t heard = 0;          ///< messages that it received
    std::uint64_t heard_of_jobs = 0;  ///< of these, with bytes of a message of another job
};

struct job_result {
    job_deliveries got;
    std::vector<job_deliveries> alone;  ///< one, if it ran alone, too
    hostile_counts hostile;
    std::uint64_t refused = 0;  ///< packets of other jobs that were for it, which interfaces dropped
    std::uint64_t strange = 0;  ///< packets and messages of other jobs that reached its processes
};

struct jobs_part {
    std::vector<job_result> jobs;  ///< in the order of the scenario
};

}  // namespace polycast::tlm::sim
