// SPDX-License-Identifier: Apache-2.0
/// \file Reading and writing packet headers byte by byte. The positions come from packet_format.h; this file relies on
/// the fields it touches starting and ending on byte boundaries, and checks that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/format/packet_format.h"

namespace polycast::hw::format {

inline constexpr unsigned common_header_bytes = common_header_bits / 8;
inline constexpr unsigned unicast_header_bytes = (destination_field.offset + destination_field.bits + 7) / 8;
inline constexpr unsigned broadcast_header_bytes = (broadcast_port_field.offset + broadcast_port_field.bits + 7) / 8;
inline constexpr unsigned pipelined_header_bytes = (round_field.offset + round_field.bits + 7) / 8;
/// LIDs from here on are of multicast groups.
inline constexpr std::uint32_t first_multicast_lid = 0xc000;
inline constexpr unsigned lid_header_bytes = (lid_zero_field.offset + lid_zero_field.bits + 7) / 8;
inline constexpr unsigned transport_bytes = transport_bits / 8;
inline constexpr unsigned check_bytes = check_bits / 8;
/// The job word in front of the payload, where packets carry one (packet.yaml).
inline constexpr unsigned job_bytes = 4;

/// Hosts of the largest network with tree worms.
inline constexpr unsigned most_tree_hosts = 16384;

/// Group number of a packet without a group.
inline constexpr std::uint16_t no_group = 0xffff;

static_assert(kind_field.offset == 0 && kind_field.bits == 4 && up_field.offset == 4 && up_field.bits == 1);
static_assert(vc_class_field.offset == 5 && vc_class_field.bits == 3);
static_assert(source_field.offset % 8 == 0 && sequence_field.offset % 8 == 0 && length_field.offset % 8 == 0);
static_assert(destination_field.offset % 8 == 0 && destinations_field.offset == common_header_bits);
static_assert(ssr_stop_field.offset == common_header_bits && stop_ports_field.offset % 8 == 0);
static_assert(path_stops_field.offset % 8 == 0 && path_next_field.offset % 8 == 0 && path_list_field.offset % 8 == 0);
static_assert(transport_op_field.offset == 0 && transport_op_field.bits == 4);
static_assert(transport_acknowledge_field.offset == 4 && transport_acknowledge_field.bits == 1);
static_assert(transport_reliable_field.offset == 5 && transport_reliable_field.bits == 1);
static_assert(transport_process_field.offset % 8 == 0 && transport_source_process_field.offset % 8 == 0);
static_assert(transport_lane_field.offset % 8 == 0 && transport_group_field.offset % 8 == 0);
static_assert(transport_hops_field.offset % 8 == 0 && transport_message_field.offset % 8 == 0);
static_assert(transport_offset_field.offset % 8 == 0 && transport_total_field.offset % 8 == 0);
static_assert(transport_tag_field.offset % 8 == 0);

/// Sizes that determine the length of headers, the same for all chips of a network.
struct header_shape {
    unsigned hosts = 32;  ///< of the network
    unsigned ports = 8;   ///< of the largest switch: bits of a stop's string
    unsigned stops = 8;   ///< of the longest path worm, 1..255

    bool operator==(const header_shape&) const = default;
};

/// Bits of a tree worm's string for a network of `hosts` hosts; none in networks too large for tree worms.
constexpr unsigned string_bits(unsigned hosts) {
    return hosts <= most_tree_hosts ? hosts : 0;
}

/// Bytes of a tree worm's header for a network of `hosts` hosts.
constexpr unsigned tree_header_bytes(unsigned hosts) {
    return common_header_bytes + (string_bits(hosts) + 7) / 8;
}

/// Bytes of one stop of an SSR or path worm.
constexpr unsigned stop_bytes(const header_shape& shape) {
    return stop_ports_field.offset / 8 + (shape.ports + 7) / 8;
}

constexpr unsigned ssr_header_bytes(const header_shape& shape) {
    return common_header_bytes + stop_bytes(shape);
}

/// Bytes of the header of a path worm with `stops` stops.
constexpr unsigned path_header_bytes(const header_shape& shape, unsigned stops) {
    return path_list_field.offset / 8 + stops * stop_bytes(shape);
}

/// Bytes of the longest header that packets of a kind have.
constexpr unsigned longest_header_bytes(packet_kind kind, const header_shape& shape) {
    switch (kind) {
        case packet_kind::unicast: return unicast_header_bytes;
        case packet_kind::tree: return tree_header_bytes(shape.hosts);
        case packet_kind::ssr: return ssr_header_bytes(shape);
        case packet_kind::path: return path_header_bytes(shape, shape.stops);
        case packet_kind::broadcast: return broadcast_header_bytes;
        case packet_kind::pipelined: return pipelined_header_bytes;
        case packet_kind::lid: return lid_header_bytes;
    }
    return common_header_bytes;
}

/// Bytes of the longest header that a switch of a network reads.
constexpr unsigned switch_header_bytes(const header_shape& shape) {
    return std::max({unicast_header_bytes, tree_header_bytes(shape.hosts), ssr_header_bytes(shape),
                     path_header_bytes(shape, shape.stops)});
}

/// Bytes of the header pins if the header is free: the longest that a switch reads, transport header, check word.
constexpr unsigned free_header_bytes(const header_shape& shape) {
    return switch_header_bytes(shape) + transport_bytes + check_bytes;
}

/// Where the transport header and the check word lie in header pins of `pin_bytes` bytes: at their end.
constexpr unsigned free_transport_offset(unsigned pin_bytes) {
    return pin_bytes - check_bytes - transport_bytes;
}
constexpr unsigned free_check_offset(unsigned pin_bytes) {
    return pin_bytes - check_bytes;
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

constexpr unsigned vc_class_of(const std::uint8_t* header) {
    return header[0] >> vc_class_field.offset & ((1u << vc_class_field.bits) - 1);
}

constexpr std::uint32_t destination_of(const std::uint8_t* header) {
    return read_field<destination_field>(header);
}

/// Stops of a path worm's header.
constexpr unsigned path_stops_of(const std::uint8_t* header) {
    return read_field<path_stops_field>(header);
}
/// The stop that a path worm travels to.
constexpr unsigned path_next_of(const std::uint8_t* header) {
    return read_field<path_next_field>(header);
}

/// Bytes of the header that begins with `header`, as far as switches read it; 1 for a kind that does not exist. Reads
/// the kind and, of a path worm, the number of stops; a list of none or too many stops counts as an empty one.
constexpr unsigned header_bytes_of(const header_shape& shape, const std::uint8_t* header) {
    switch (static_cast<packet_kind>(header[0] & 0xfu)) {
        case packet_kind::unicast: return unicast_header_bytes;
        case packet_kind::tree: return tree_header_bytes(shape.hosts);
        case packet_kind::ssr: return ssr_header_bytes(shape);
        case packet_kind::path: {
            const unsigned stops = path_stops_of(header);
            return path_header_bytes(shape, stops <= shape.stops ? stops : 0);
        }
        case packet_kind::broadcast: return broadcast_header_bytes;
        case packet_kind::lid: return lid_header_bytes;
        case packet_kind::pipelined: break;  // broadcast units only
    }
    return 1;
}

/// Kind that the packet with this header has for interfaces and hosts, which know hosts: at VL switches a packet to the
/// LID of a host is a unicast, and one to a group goes to a stop, which names the group and the service level.
inline packet_kind slot_kind(std::span<const std::uint8_t> header) {
    const auto kind = static_cast<packet_kind>(header[0] & 0xfu);
    if (kind != packet_kind::lid || header.size() < lid_header_bytes) return kind;
    return read_field<dlid_field>(header.data()) < first_multicast_lid ? packet_kind::unicast : packet_kind::ssr;
}

/// The fields at the start of every header.
struct common_header {
    packet_kind kind = packet_kind::unicast;
    bool up = true;
    std::uint32_t source = 0;
    std::uint32_t sequence = 0;
    std::uint16_t length = 0;
    std::uint8_t vc_class = 0;  ///< 0..7; matters to routers only
};

/// Writes common_header_bytes bytes.
void write_common(const common_header& header, std::uint8_t* bytes);

/// Reads them; `kind` may be a value that is not a packet_kind.
common_header read_common(const std::uint8_t* bytes);

/// Fields behind the common header of a packet of kind `pipelined`.
struct pipelined_fields {
    std::uint8_t packet = 0;
    std::uint8_t last_packet = 0;
    std::uint8_t colour = 0;  ///< 0..15
    std::uint8_t round = 0;   ///< 0..15
};

static_assert(packet_field.offset == common_header_bits && packet_field.bits == 8 && last_packet_field.bits == 8);
static_assert(colour_field.offset % 8 == 0 && colour_field.bits == 4 && round_field.offset == colour_field.offset + 4);

/// Writes them into a header of pipelined_header_bytes bytes.
void write_pipelined(const pipelined_fields& fields, std::uint8_t* header);

/// Reads them back.
pipelined_fields read_pipelined(const std::uint8_t* header);

/// Information about a packet between network interfaces; see `transport` in packet.yaml.
struct transport_header {
    transport_op op = transport_op::data;
    bool acknowledge = false;
    bool reliable = false;
    std::uint8_t process = 0;
    std::uint8_t source_process = 0;
    std::uint8_t lane = 0;
    std::uint16_t group = no_group;
    std::uint16_t hops = 0;
    std::uint32_t message = 0;
    std::uint32_t offset = 0;
    std::uint32_t total = 0;
    std::uint32_t tag = 0;

    bool operator==(const transport_header&) const = default;
};

/// Writes transport_bytes bytes.
void write_transport(const transport_header& header, std::uint8_t* bytes);

/// Reads them; `op` may be a value that is not a transport_op.
transport_header read_transport(const std::uint8_t* bytes);

/// The check word as a packet carries it, little-endian, check_bytes bytes.
constexpr void write_check(std::uint8_t* bytes, std::uint32_t check) {
    write_field<field{0, check_bits}>(bytes, check);
}
constexpr std::uint32_t read_check(const std::uint8_t* bytes) {
    return read_field<field{0, check_bits}>(bytes);
}

}  // namespace polycast::hw::format
