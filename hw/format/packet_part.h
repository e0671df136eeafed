// SPDX-License-Identifier: Apache-2.0
/// \file Parts of a packet on a link by the names that packet.yaml gives them, for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hw/format/header.h"

namespace polycast::hw::format {

/// Where a network's packets have their headers.
struct packet_layout {
    header_shape headers;
    unsigned flit_bytes = 1;
    unsigned pin_bytes = 0;  ///< bytes of the header pins; 0: headers are in the flits
    bool jobs = false;       ///< packets carry a job word
};

/// A field of a header, a byte of the payload, ...
struct packet_part {
    std::string name;       ///< "header field source", "byte 12 of the payload"
    std::size_t first = 0;  ///< its first bit in the flits or, of a free header, on the header pins
    std::size_t bits = 0;

    /// Its value, decimal up to 32 bits and hexadecimal beyond; empty if `bytes` end before it does.
    std::string value(std::span<const std::uint8_t> bytes) const;
};

/// Bytes at the beginning of a packet that part_of_flits() may read.
std::size_t begin_bytes(const packet_layout& layout);

/// The part at bit `bit` of the flits of the packet that begins with `begin`.
packet_part part_of_flits(const packet_layout& layout, std::span<const std::uint8_t> begin, std::size_t bit);

/// The part at bit `bit` of the header pins, whose bytes are `header`.
packet_part part_of_pins(const packet_layout& layout, std::span<const std::uint8_t> header, std::size_t bit);

/// "packet 17 of host 4 to host 9", as far as the first bytes of its header say; empty without its number.
std::string packet_name(const packet_layout& layout, std::span<const std::uint8_t> header);

}  // namespace polycast::hw::format
