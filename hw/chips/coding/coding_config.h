// SPDX-License-Identifier: Apache-2.0
/// \file Values derived from the parameters of the XOR coding unit, and its registers (written before traffic starts),
/// the same for every fidelity. hw/chips/coding/coding_unit.md describes each.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/chips/chip_params.h"
#include "hw/chips/router/router_config.h"
#include "hw/engine/chip.h"
#include "hw/format/header.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

inline engine::pin_shape coding_params::pin_shape() const {
    return {1, flit_bytes, header_free ? format::free_header_bytes({}) : 0, vcs};
}

inline format::check_cover coding_params::cover() const {
    return check_route ? format::check_cover::route : format::check_cover::payload;
}

inline unsigned coding_params::header_flits() const {
    return header_free ? 0 : format::header_flits(format::unicast_header_bytes, flit_bytes);
}

inline unsigned coding_params::body_flits(unsigned length) const {
    return format::header_flits(header_free ? length : format::transport_bytes + length + format::check_bytes,
                                flit_bytes);
}

using format::coding_event;
using format::coding_mode;

/// Bit of a tag that makes an operand one of the chain, and the bits that hold its index.
inline constexpr std::uint32_t chain_bit = 1u << 31;
inline constexpr std::uint32_t index_mask = 0xffff;
/// Index of the event `missing` for a context without any plain operand.
inline constexpr std::uint32_t no_plain_index = 0xffff;

/// A context: its operands, and the fields of the packets that it sends.
struct coding_context {
    coding_mode mode = coding_mode::off;
    std::uint16_t count = 0;  ///< operands of the chain, 2..indices
    std::uint16_t first_destination = 0;
    std::uint16_t destination_count = 0;
    format::transport_op op = format::transport_op::data;
    std::uint8_t process = 0;
    std::uint8_t source_process = 0;
    std::uint8_t lane = 0;
    std::uint8_t vc_class = 0;  ///< 0..7
    std::uint16_t group = format::no_group;
    std::uint32_t message = 0;  ///< of index 0
    std::uint32_t tag = 0;      ///< of index 0
};

/// The configuration registers and memories of the RTL.
struct coding_registers {
    std::uint32_t number = 0;                 ///< own terminal number, 24 bits
    unsigned latency = 1;                     ///< stages of the XOR pipe, 0..max_latency
    std::uint32_t patience = 0;               ///< cycles without progress; 0: a context is never given up
    unsigned credits = 8;                     ///< flits of each VC's buffer at the other end
    unsigned reserve = 1;                     ///< credits that a VC must have to be given to a packet
    unsigned packet_limit = 64;               ///< longest packet in flits
    std::array<vc_set, 8> vc_sets = {};       ///< [class]
    std::vector<coding_context> contexts;     ///< up to coding_params::contexts, others are off
    std::vector<std::uint32_t> destinations;  ///< up to coding_params::destinations, others are 0; terminal numbers
};

/// True if a context is on: it is not off, and count, destinations and VC set are in range.
bool context_works(const coding_params& params, const coding_registers& registers, unsigned context);

/// \returns them with all contexts and destinations \throws input_error if a register cannot hold its value; a context
/// that does not work is no error
coding_registers checked(const coding_params& params, coding_registers registers);

/// Further requirements of a network. \throws input_error for a unit that could wait forever: no virtual channel ever
/// has its reserve, or its slots do not hold the operands of all contexts that work, which may be open together
void check_progress(const coding_params& params, const coding_registers& registers);

}  // namespace polycast::hw::chips
