// SPDX-License-Identifier: Apache-2.0
/// \file Reading and writing packet headers byte by byte. The positions come from packet_format.h; this file relies on
/// the fields it touches starting and ending on byte boundaries, and checks that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/format/packet_format.h"

namespace polycast::hw::format {

inline constexpr unsigned common_header_bytes = common_header_bits / 8;
inline constexpr unsigned unicast_header_bytes = (destination_field.offset + destination_field.bits + 7) / 8;
inline constexpr unsigned check_bytes = check_bits / 8;

static_assert(kind_field.offset == 0 && kind_field.bits == 4 && up_field.offset == 4 && up_field.bits == 1);
static_assert(source_field.offset % 8 == 0 && sequence_field.offset % 8 == 0 && length_field.offset % 8 == 0);
static_assert(destination_field.offset % 8 == 0 && destinations_field.offset == common_header_bits);

/// Bytes of a tree worm's header for a network of `hosts` hosts.
constexpr unsigned tree_header_bytes(unsigned hosts) {
    return common_header_bytes + (hosts + 7) / 8;
}

/// Flits that carry `header_bytes` bytes.
constexpr unsigned header_flits(unsigned header_bytes, unsigned flit_bytes) {
    return (header_bytes + flit_bytes - 1) / flit_bytes;
}

/// Little-endian number of `bits` / 8 bytes at a byte-aligned field.
template <field f>
constexpr std::uint32_t read_field(const std::uint8_t* header) {
    std::uint32_t value = 0;
    for (unsigned byte = 0; byte < f.bits / 8; ++byte)
        value |= std::uint32_t{header[f.offset / 8 + byte]} << (8 * byte);
    return value;
}

template <field f>
constexpr void write_field(std::uint8_t* header, std::uint32_t value) {
    for (unsigned byte = 0; byte < f.bits / 8; ++byte)
        header[f.offset / 8 + byte] = static_cast<std::uint8_t>(value >> (8 * byte));
}

constexpr bool up_of(const std::uint8_t* header) {
    return (header[0] >> up_field.offset & 1) != 0;
}

constexpr void set_up(std::uint8_t* header, bool up) {
    header[0] = static_cast<std::uint8_t>((header[0] & ~(1u << up_field.offset)) | (up ? 1u << up_field.offset : 0u));
}

constexpr std::uint32_t destination_of(const std::uint8_t* header) {
    return read_field<destination_field>(header);
}

/// The fields that every header starts with.
struct common_header {
    packet_kind kind = packet_kind::unicast;
    bool up = true;
    std::uint32_t source = 0;
    std::uint32_t sequence = 0;
    std::uint16_t length = 0;
};

/// Writes common_header_bytes bytes.
void write_common(const common_header& header, std::uint8_t* bytes);

/// Reads them back; `kind` may be a value that is no packet_kind.
common_header read_common(const std::uint8_t* bytes);

/// The check word of a packet: CRC-32C (RFC 3720, appendix B.4) over the common header with up = 0 and the payload.
std::uint32_t check_word(const std::uint8_t* common, std::span<const std::uint8_t> payload);

}  // namespace polycast::hw::format
