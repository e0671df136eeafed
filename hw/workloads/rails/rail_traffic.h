// SPDX-License-Identifier: Apache-2.0
/// \file Traffic between processes. The defaults are those of Coll et al., section on the experiments: exponential
/// length and gaps, uniform destinations among the processes of other nodes.
#pragma once

#include <optional>
#include <vector>

#include "hw/traffic/pattern.h"
#include "hw/workloads/rails/rail_message.h"

namespace polycast::hw::rails {

struct rail_traffic_params {
    std::uint32_t nodes = 32;
    unsigned processes = 4;  ///< of each node
    double bytes = 32768;    ///< mean length, exponential, rounded up
    bool fixed = false;      ///< all messages have the mean length, rounded
    /// Longer messages are this long. A message is longer than eight means once in 3,000 times.
    std::uint32_t longest = 8 * 32768;
    double gap = 1e5;                      ///< mean cycles between two messages of a process
    traffic::pattern_params pattern = {};  ///< each_to_each is one to every process of every other node
    std::optional<unsigned> at_once = {};  ///< messages of every process at the start, and no others
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

    /// When the next message is created; nothing: there is none.
    std::optional<cycle> time_of_next(state& own) const;
    std::uint32_t length(state& own) const;
    process_id destination(process_id from, state& own) const;

    rail_traffic_params params_;
    std::shared_ptr<const traffic::pattern> where_;
    std::vector<state> states_;
};

}  // namespace polycast::hw::rails
