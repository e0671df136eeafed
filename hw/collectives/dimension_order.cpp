// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/dimension_order.h"

#include <algorithm>
#include <numeric>

namespace polycast::hw::collectives {

std::vector<std::uint32_t> dimension_order(std::span<const std::vector<std::uint32_t>> coordinates,
                                           std::uint32_t source) {
    std::vector<std::uint32_t> order(coordinates.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return coordinates[a] < coordinates[b]; });
    std::rotate(order.begin(), std::find(order.begin(), order.end(), source), order.end());
    return order;
}

}  // namespace polycast::hw::collectives
