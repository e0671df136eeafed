// SPDX-License-Identifier: Apache-2.0
/// \file A stored bit of a link end that flips, and what codes of stored words find of it.
#pragma once

#include <cstdint>

#include "hw/chips/link/link_config.h"
#include "hw/format/memory_code.h"

namespace polycast::hw::chips {

enum class link_memory : std::uint8_t { counters, ring };

/// In register `upset` of the configuration bus: index, and memory << 24 | bit.
struct link_upset {
    link_memory memory = link_memory::counters;
    std::uint32_t index = 0;  ///< counters: 4 x VC + 0 S_CC, 1 S_CF, 2 R_CC, 3 R_CF; ring: flits behind the oldest one
    std::uint32_t bit = 0;    ///< of a counter, or of a flit: see counter_bits() and ring_bits()
};

/// Bits of a flit in the ring that a code covers: data from bit 0 of byte 0 on, head, tail, 4 of the virtual channel,
/// the free header, whether it begins a unit.
inline std::uint32_t ring_word_bits(const link_config& config) {
    return 8 * (config.flit_bytes + config.header_bytes) + 7;
}

/// The same with the check bits behind.
inline std::uint32_t ring_bits(const link_config& config) {
    return ring_word_bits(config) + format::code_bits(config.protect_rings, ring_word_bits(config));
}

/// Bits of a credit counter, its check bits behind.
inline std::uint32_t counter_bits(const link_config& config) {
    return credit_bits + format::code_bits(config.protect_counters, credit_bits);
}

/// What reading finds of a counter in which this bit has flipped.
inline format::reading read_flipped(const link_config& config, unsigned bit) {
    format::flipped_bits bits(config.protect_counters, credit_bits);
    bits.flip(bit);
    return bits.found();
}

/// What codes found in a cycle.
struct link_findings {
    bool corrected = false;
    bool failed = false;

    void add(format::reading found) {
        corrected = corrected || found == format::reading::corrected;
        failed = failed || found == format::reading::failed;
    }
    bool any() const { return corrected || failed; }
};

}  // namespace polycast::hw::chips
