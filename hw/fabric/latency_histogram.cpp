// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace polycast::hw::fabric {

std::uint64_t latency_histogram::percentile(double percent) const {
    if (count_ == 0) return 0;
    const auto rank = std::max(1.0, std::ceil(static_cast<double>(count_) * percent / 100));
    std::uint64_t below = 0;
    std::size_t at = 0;
    while (static_cast<double>(below += counts_[at]) < rank) ++at;
    const std::size_t half = std::size_t{1} << (exact_bits - 1);
    if (at < 2 * half) return at;
    const std::size_t shift = at / half - 1;
    return (at - shift * half) << shift;
}

}  // namespace polycast::hw::fabric
