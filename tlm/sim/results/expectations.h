// SPDX-License-Identifier: Apache-2.0
/// \file What a scenario expects of a run beside its deliveries (`workload[].expect`): bounds on latency, on waiting,
/// on how differently hosts fare.
#pragma once

#include <vector>

#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

/// The longest time for which a host waited for an arrival.
struct longest_wait {
    std::uint32_t source = 0;
    std::uint64_t from = 0, to = 0;  ///< cycles

    std::uint64_t cycles() const { return to - from; }
};

/// From cycle `begin` to `end`: a host waits while messages of its are on their way and none arrives. `transfers` by
/// time of creation.
longest_wait longest_wait_of(const std::vector<transfer>& transfers, std::uint64_t begin, std::uint64_t end);

/// Messages of a host that were created in a window, and those that arrived in it.
struct host_share {
    std::uint32_t source = 0;
    std::uint64_t created = 0, arrived = 0;

    double share() const { return static_cast<double>(arrived) / static_cast<double>(created); }
};

/// Of the hosts that create any from cycle `begin` to, not including, `end`.
std::vector<host_share> shares_of(const std::vector<transfer>& transfers, std::uint64_t begin, std::uint64_t end);

/// (sum of x)^2 / (n * sum of x^2); 1 where all are zero. Jain, Chiu and Hawe, DEC-TR-301, 1984.
double jain_index(const std::vector<host_share>& shares);

/// All expectations of the workload of a run that was correct; none of another.
std::vector<expectation> judged_expectations(const scenario::loaded& scenario, const finished_run& run);

}  // namespace polycast::tlm::sim
