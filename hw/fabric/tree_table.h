// SPDX-License-Identifier: Apache-2.0
/// \file The trees of broadcasts as look-ups: made by the router's own function, one square of coordinates per
/// dimension.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/router/router_route.h"

namespace polycast::hw::fabric {

class tree_table {
public:
    explicit tree_table(const chips::route_rules& rules);

    /// Branches to other routers of a broadcast that came to a node at port `input`.
    chips::branch_set branches(unsigned dimensions, std::uint32_t node, const chips::coordinates& source,
                               unsigned input) const {
        const std::uint32_t* rows = rows_.data() + std::size_t{node} * dimensions;
        chips::branch_set found;
        unsigned d = 0;
        if (input < 2 * dimensions) {
            d = input / 2;
            add(found, d, steps_[rows[d] + source[d]] & (input % 2 != 0 ? up : down));
            ++d;
        }
        for (; d < dimensions; ++d) add(found, d, steps_[rows[d] + source[d]]);
        return found;
    }

    std::size_t memory_bytes() const { return steps_.capacity() + rows_.capacity() * sizeof(std::uint32_t); }

private:
    // Bits of an entry: the tree goes up, goes down; the side of each, two bits higher.
    static constexpr unsigned up = 0b0101;
    static constexpr unsigned down = 0b1010;

    static void add(chips::branch_set& found, unsigned dimension, unsigned entry) {
        found.outputs |= (entry & 3) << 2 * dimension;
        found.sides |= (entry >> 2) << 2 * dimension;
    }

    std::vector<std::uint8_t> steps_;  ///< [dimension][own][source]
    std::vector<std::uint32_t> rows_;  ///< [node][dimension] where its row begins
};

}  // namespace polycast::hw::fabric
