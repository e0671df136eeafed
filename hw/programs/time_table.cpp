// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/input_error.h"
#include "hw/programs/loggops.h"

namespace polycast::hw::programs {

time_table::time_table(std::vector<point> points) : points_(std::move(points)) {
    if (points_.empty()) throw input_error("a table of times has a point at least");
    for (std::size_t i = 0; i < points_.size(); ++i) {
        if (points_[i].time > most_loggops || points_[i].bytes > std::uint64_t{1} << 32)
            throw input_error("times of a table are at most " + std::to_string(most_loggops) +
                              ", and bytes at most 4 GiB");
        if (i == 0) continue;
        if (points_[i].bytes <= points_[i - 1].bytes) throw input_error("bytes of a table of times have to rise");
        if (points_[i].time < points_[i - 1].time) throw input_error("times of a table must not fall");
    }
}

std::uint64_t time_table::at(std::uint64_t bytes) const {
    if (points_.size() == 1) return points_.front().time;
    auto above = std::ranges::lower_bound(points_, bytes, {}, &point::bytes);
    above = std::clamp(above, points_.begin() + 1, points_.end() - 1);
    const point &from = *(above - 1), &to = *above;
    // Products stay below 2^63: times are below most_loggops, and no message is longer than 4 GiB.
    const auto x = static_cast<std::int64_t>(std::min(bytes, std::uint64_t{1} << 32));
    const auto run = static_cast<std::int64_t>(to.bytes - from.bytes);
    const auto rise = static_cast<std::int64_t>(to.time - from.time);
    const std::int64_t twice = 2 * rise * (x - static_cast<std::int64_t>(from.bytes)) + run;
    const std::int64_t steps = twice >= 0 ? twice / (2 * run) : -((-twice + 2 * run - 1) / (2 * run));
    return static_cast<std::uint64_t>(std::max<std::int64_t>(static_cast<std::int64_t>(from.time) + steps, 0));
}

}  // namespace polycast::hw::programs
