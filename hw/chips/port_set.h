// SPDX-License-Identifier: Apache-2.0
/// \file Sets of ports as bits of a 64-bit word.
#pragma once

#include <bit>
#include <cstdint>

namespace polycast::hw::chips {

/// The set of port `index` alone.
constexpr std::uint64_t bit(unsigned index) {
    return std::uint64_t{1} << index;
}

/// Lowest set bit at or after `from`, cyclically. `set` is not empty.
constexpr unsigned first_from(std::uint64_t set, unsigned from) {
    const std::uint64_t upper = set & ~(bit(from) - 1);
    return static_cast<unsigned>(std::countr_zero(upper != 0 ? upper : set));
}

/// Lowest port of a set that is not empty.
constexpr unsigned lowest(std::uint64_t set) {
    return static_cast<unsigned>(std::countr_zero(set));
}

}  // namespace polycast::hw::chips
