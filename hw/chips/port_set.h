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

/// Lowest port of a set that is not empty.
constexpr unsigned lowest(std::uint64_t set) {
    if (set == 0) __builtin_unreachable();  // spares the test that std::countr_zero makes
    return static_cast<unsigned>(std::countr_zero(set));
}

/// Lowest set bit at or after `from`, cyclically. `set` is not empty.
constexpr unsigned first_from(std::uint64_t set, unsigned from) {
    const std::uint64_t upper = set & ~(bit(from) - 1);
    return lowest(upper != 0 ? upper : set);
}

/// Likewise of a set of at most 32, without a branch; `from` may be one behind the last.
constexpr unsigned first_of_few(std::uint32_t set, unsigned from) {
    return (lowest((std::uint64_t{set} << 32 | set) >> from) + from) & 31;
}

}  // namespace polycast::hw::chips
