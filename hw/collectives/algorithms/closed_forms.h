// SPDX-License-Identifier: Apache-2.0
/// \file Numbers that counts of algorithms are made of, as library.md names them.
#pragma once

#include <bit>
#include <cstdint>

#include "hw/collectives/library.h"

namespace polycast::hw::collectives {

struct closed_forms {
    explicit closed_forms(const collective& of)
        : n(of.ranks),
          m(of.bytes()),
          q(static_cast<std::uint64_t>(std::bit_width(of.ranks - 1))),
          p(std::bit_floor(of.ranks)),
          r(n - p),
          k(of.pieces) {
        for (std::uint32_t i = 0; i < of.ranks; ++i) P_b += of.block(i).bytes * ones(i);
        log_p = static_cast<std::uint64_t>(std::bit_width(p) - 1);
    }

    static std::uint64_t ones(std::uint32_t of) { return static_cast<std::uint64_t>(std::popcount(of)); }

    std::uint64_t n, m;
    std::uint64_t q;        ///< ceil(log2 n)
    std::uint64_t p, r, k;  ///< the largest power of two in n, n - p, pieces
    std::uint64_t P_b = 0;  ///< blocks, each as often as its number has ones: P b where they are even
    std::uint64_t log_p;    ///< also the deepest place of a binomial tree
};

}  // namespace polycast::hw::collectives
