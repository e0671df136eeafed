// SPDX-License-Identifier: Apache-2.0
/// \file Places in the buffers of a rank.
#pragma once

#include <cstdint>

namespace polycast::hw::programs {

/// Where bytes lie: a buffer of the rank, and the first byte in it.
struct place {
    std::uint64_t buffer : 8 = 0;
    std::uint64_t offset : 56 = 0;

    bool operator==(const place&) const = default;
};

/// Of send the source, of receive the destination, of copy and reduce both.
struct operand_places {
    place source, destination;

    bool operator==(const operand_places&) const = default;
};
static_assert(sizeof(operand_places) == 16);

}  // namespace polycast::hw::programs
