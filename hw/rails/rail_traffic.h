// SPDX-License-Identifier: Apache-2.0
/// \file Open-loop traffic between processes: Coll et al., section on the experiments (shared parameters: exponential
/// length and gaps, uniform destinations among the processes of other nodes).
#pragma once

#include <vector>

#include "hw/rails/rail_message.h"

namespace polycast::hw::rails {

struct rail_traffic_params {
    std::uint32_t nodes = 32;
    unsigned processes = 4;  ///< of each node
    double bytes = 32768;    ///< mean length, exponential, rounded up
    /// Longer messages are this long. A message is longer than eight means once in 3,000 times.
    std::uint32_t longest = 8 * 32768;
    double gap = 1e5;  ///< mean cycles between two messages of a process, exponential
    cycle start = 1;
    cycle end = engine::never;  ///< none is created in this cycle or later
    std::uint64_t seed = 1;
};

/// Every process draws from a stream of its own, so that its messages are the same whatever the others do.
class rail_traffic final : public rail_source {
public:
    /// \throws input_error on parameters out of range
    explicit rail_traffic(const rail_traffic_params& params);

    std::optional<rail_message> next(process_id from) override;

private:
    struct state {
        traffic::random_stream random;
        double time = 0;
        std::uint32_t number = 0;
    };

    rail_traffic_params params_;
    std::vector<state> states_;
};

}  // namespace polycast::hw::rails
