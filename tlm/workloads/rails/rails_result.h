// SPDX-License-Identifier: Apache-2.0
/// \file The results of a run on rails. Bandwidths are in payload flits per host, cycle and rail.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/workloads/rails/rail_driver.h"
#include "tlm/sim/results/load_results.h"
#include "tlm/sim/results/statistics.h"

namespace polycast::tlm::sim {

/// A mean with half the width of its 95 % confidence interval.
struct bandwidth {
    double mean = 0;
    std::optional<double> ci95;
};

/// Bytes of messages created and delivered, [interval].
struct rails_series {
    std::uint64_t start = 0, interval = 1;  ///< cycles
    std::vector<std::uint64_t> offered, accepted;
};

struct rails_part {
    // In the window, without the warm-up; without a rate from the first message to the last delivery.
    bandwidth offered;                 ///< of messages created
    bandwidth accepted;                ///< of messages that arrived in host memory
    summary latency;                   ///< of these, from creation, in cycles
    std::optional<load_results> load;  ///< with a rate

    // Of the whole run.
    std::uint64_t created = 0, delivered = 0;  ///< messages
    std::uint64_t open = 0;                    ///< created and not delivered when the run ended
    std::uint64_t delivered_bytes = 0;
    hw::rails::driver_statistics drivers;

    rails_series series;

    double cpu_seconds = 0;  ///< differs from run to run

    bool saturated() const { return load && !load->kept_up; }
};

}  // namespace polycast::tlm::sim
