// SPDX-License-Identifier: Apache-2.0
/// \file A stored bit of a link end that flips.
#pragma once

#include <cstdint>

#include "hw/chips/link/link_config.h"

namespace polycast::hw::chips {

enum class link_memory : std::uint8_t { counters, ring };

/// In register `upset` of the configuration bus: index, and memory << 24 | bit.
struct link_upset {
    link_memory memory = link_memory::counters;
    std::uint32_t index = 0;  ///< counters: 4 x VC + 0 S_CC, 1 S_CF, 2 R_CC, 3 R_CF; ring: flits behind the oldest one
    std::uint32_t bit = 0;    ///< of a counter, or of a flit: see ring_bits()
};

/// Bits of a flit in the ring: data from bit 0 of byte 0 on, head, tail, 4 of the virtual channel, the free header,
/// whether it begins a unit.
inline std::uint32_t ring_bits(const link_config& config) {
    return 8 * (config.flit_bytes + config.header_bytes) + 7;
}

}  // namespace polycast::hw::chips
