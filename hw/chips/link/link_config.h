// SPDX-License-Identifier: Apache-2.0
/// \file Parameters and registers of a link end, in cycles and flits, and the values derived from them.
/// hw/chips/link/link.md describes each.
#pragma once

#include <array>
#include <cstdint>

#include "hw/chips/chip_params.h"
#include "hw/engine/chip.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

inline engine::pin_shape link_end_params::pin_shape() const {
    return {1, flit_bytes, header_bytes, vcs};
}

enum class link_layer : std::uint8_t { none, check, retry };
enum class link_action : std::uint8_t { block, discard };

/// Of a frame, for which its check word finds any 5 flips.
inline constexpr unsigned most_covered_bits = 5243;

/// "As the page computes it": a register that checked() fills in.
inline constexpr std::uint64_t automatic = ~std::uint64_t{0};

/// Credit counters are cyclic and have this many bits.
inline constexpr unsigned credit_bits = 20;
inline constexpr std::uint32_t credit_mask = (1u << credit_bits) - 1;

/// One direction's far buffer, as its sender counts it: the place of the poison tail is not among the credits.
struct link_buffer {
    std::array<std::uint32_t, engine::max_vcs> credits = {};  ///< [vc] units
    unsigned unit_flits = 1;                                  ///< flits of a unit: a chunk of a switch, else 1

    bool operator==(const link_buffer&) const = default;
};

struct link_config {
    link_layer layer = link_layer::retry;
    bool beside = false;  ///< trailers and ordered sets on 64 wires beside the flit
    unsigned flit_bytes = 16;
    unsigned header_bytes = 0;  ///< of a free header; 0: the header is in the flits
    unsigned vcs = 1;
    unsigned delay = 1;  ///< d of the wire between the ends

    std::uint64_t frame = automatic;         ///< F, flits
    std::uint64_t window = automatic;        ///< W, frames
    std::uint64_t window_bytes = automatic;  ///< of outstanding frames
    std::uint64_t replay_timer = automatic;  ///< R
    unsigned replay_count = 8;               ///< N
    std::uint64_t ack_spacing = automatic;   ///< A
    std::uint64_t credit_spacing = automatic;
    std::uint64_t credit_timer = automatic;
    std::uint64_t signal_timeout = automatic;  ///< 0: never, as the next two
    std::uint64_t age_timeout = 0;
    std::uint64_t lifetime = 0;
    link_action init_action = link_action::block;
    link_action flush_action = link_action::discard;
    bool reinit = true;
    unsigned sequence_bits = 20;
    format::protection protect_rings = format::protection::none;     ///< code of flits in the ring
    format::protection protect_counters = format::protection::none;  ///< code of S_CC, S_CF, R_CC, R_CF

    link_buffer far{};  ///< behind the other end
    link_buffer own{};  ///< the input buffer of this end's chip, as the other end counts it

    // The following need a frame that is not automatic, those with timers the spacing as well.
    unsigned trailer_symbols() const { return beside ? 0 : set_symbols(); }                                ///< T
    unsigned set_symbols() const { return beside ? 1 : (8 + flit_bytes - 1) / flit_bytes; }                ///< K
    std::uint64_t frame_symbols() const { return frame + trailer_symbols(); }                              ///< P
    std::uint64_t nack_cycles() const { return 2 * std::uint64_t{delay} + set_symbols() + 2; }             ///< D
    std::uint64_t nack_frames() const { return (nack_cycles() + frame_symbols() - 1) / frame_symbols(); }  ///< G
    std::uint64_t least_timer() const {
        return nack_cycles() + ack_spacing + 2 * frame_symbols() + 4 * std::uint64_t{set_symbols()};
    }
    std::uint64_t full_window() const {  ///< that suffices for full throughput
        const std::uint64_t cycles = nack_cycles() + ack_spacing + frame_symbols() + 2 * std::uint64_t{set_symbols()};
        return 1 + (cycles + frame_symbols() - 1) / frame_symbols();
    }
    std::uint64_t up_cycle() const { return 2 * (std::uint64_t{set_symbols()} + delay) + 1; }
    unsigned message_flits() const { return (4 + flit_bytes - 1) / flit_bytes; }  ///< of a message frame
    std::uint32_t sequence_mask() const { return (1u << sequence_bits) - 1; }
    bool retries() const { return layer == link_layer::retry; }
    std::uint64_t ring_flits() const;

    bool operator==(const link_config&) const = default;
};

/// \returns it with everything automatic filled in \throws input_error for what one link end alone cannot be
link_config checked(link_config config);

/// The configuration of the other end, where both ends have the same registers.
link_config other_end(link_config config);

}  // namespace polycast::hw::chips
