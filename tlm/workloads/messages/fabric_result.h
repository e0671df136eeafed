// SPDX-License-Identifier: Apache-2.0
/// \file The results of a run with ideal hosts, without a record of every packet because there are many.
#pragma once

#include <cstdint>
#include <optional>

#include "tlm/sim/results/load_results.h"
#include "tlm/sim/results/statistics.h"

namespace polycast::tlm::sim {

/// Packets one at a time in an empty network, compared with the formula.
struct zero_load_result {
    std::uint64_t packets = 0;
    double measured = 0;  ///< mean latency
    double formula = 0;   ///< mean of the sums of hops and delays
    std::uint64_t different = 0;
    bool exact = true;  ///< the formula holds for all: buffers take whole packets
};

struct fabric_result {
    summary latency;
    std::optional<zero_load_result> zero_load;  ///< of unicasts
    std::optional<load_results> load;           ///< with a rate
    double generated = 0;                       ///< flits per host and cycle born in the window
    double accepted = 0;                        ///< that arrived in it
    std::uint64_t flit_hops = 0;                ///< flits from router to router
    std::uint64_t router_steps = 0;  ///< routers that had something to do, summed over cycles; 0 of an allgather
};

}  // namespace polycast::tlm::sim
