// SPDX-License-Identifier: Apache-2.0
#include "hw/format/packet_part.h"

#include <algorithm>

#include "hw/format/field_names.h"

namespace polycast::hw::format {

namespace {

constexpr std::size_t transport_end = transport_bytes * 8;

packet_kind kind_of(std::span<const std::uint8_t> header) {
    return static_cast<packet_kind>(header[0] & 0xf);
}

/// Bytes of a header as switches and routers read it.
std::size_t bytes_of(const header_shape& shape, std::span<const std::uint8_t> header) {
    const packet_kind kind = kind_of(header);
    const bool lists = kind == packet_kind::path;
    if (kind > packet_kind::lid) return common_header_bytes;
    if (!lists || header.size() <= path_stops_field.offset / 8) return longest_header_bytes(kind, shape);
    return header_bytes_of(shape, header.data());
}

/// The field at bit `bit` of a header of `end` bits whose fields are `fields`.
packet_part field_at(std::span<const named_field> fields, std::size_t bit, std::size_t end, const std::string& what) {
    for (const auto& [name, where] : fields) {
        const std::size_t bits = where.bits == 0 ? end - where.offset : where.bits;
        if (bit >= where.offset && bit < where.offset + bits) return {what + std::string(name), where.offset, bits};
    }
    return {"padding of the header", bit, 1};
}

packet_part header_part(std::span<const std::uint8_t> header, std::size_t bit, std::size_t end) {
    const bool common = bit < common_header_bits;
    return field_at(common ? common_header_fields : fields_of(kind_of(header)), bit, end, "header field ");
}

packet_part transport_part(std::size_t bit, std::size_t begin) {
    packet_part part = field_at(transport_header_fields, bit - begin, transport_end, "transport header field ");
    part.first += begin;
    return part;
}

/// Of the payload, or of the job word in front of it; both together begin at bit `begin`.
packet_part payload_part(const packet_layout& layout, std::size_t bit, std::size_t begin) {
    constexpr std::size_t job_bits = std::size_t{job_bytes} * 8;
    if (layout.jobs && bit - begin < job_bits) return {"job word", begin, job_bits};
    if (layout.jobs) begin += job_bits;
    const std::size_t byte = (bit - begin) / 8;
    return {"byte " + std::to_string(byte) + " of the payload", begin + byte * 8, 8};
}

}  // namespace

std::string packet_part::value(std::span<const std::uint8_t> bytes) const {
    if (bytes.size() * 8 < first + bits) return {};
    const auto bit = [&](std::size_t index) { return unsigned{bytes[index / 8]} >> index % 8 & 1; };
    if (bits <= 32) {
        std::uint64_t number = 0;
        for (std::size_t i = 0; i < bits; ++i) number |= std::uint64_t{bit(first + i)} << i;
        return std::to_string(number);
    }
    std::string text = "0x";
    for (std::size_t digit = (bits + 3) / 4; digit-- != 0;) {
        unsigned number = 0;
        for (std::size_t i = digit * 4; i < std::min(bits, digit * 4 + 4); ++i) number |= bit(first + i) << i % 4;
        text += "0123456789abcdef"[number];
    }
    return text;
}

std::size_t begin_bytes(const packet_layout& layout) {
    const unsigned longest = std::max(switch_header_bytes(layout.headers), pipelined_header_bytes);
    return std::size_t{header_flits(longest, layout.flit_bytes)} * layout.flit_bytes + transport_bytes;
}

packet_part part_of_flits(const packet_layout& layout, std::span<const std::uint8_t> begin, std::size_t bit) {
    if (layout.pin_bytes != 0) return payload_part(layout, bit, 0);
    if (begin.empty()) return {"a flit outside a packet", bit, 1};
    const std::size_t end = bytes_of(layout.headers, begin) * 8;
    if (bit < end || bit < common_header_bits) return header_part(begin, bit, end);
    const std::size_t flit_bits = std::size_t{layout.flit_bytes} * 8;
    const std::size_t transport = (end + flit_bits - 1) / flit_bits * flit_bits;
    if (bit < transport) return {"padding of the header", bit, 1};
    const std::size_t payload = transport + transport_end;
    if (bit < payload) return transport_part(bit, transport);
    const std::size_t job = layout.jobs ? job_bytes : 0;
    const std::size_t check = payload + (job + read_common(begin.data()).length) * 8;
    if (bit < check) return payload_part(layout, bit, payload);
    return bit < check + check_bits ? packet_part{"check word", check, check_bits} : packet_part{"padding", bit, 1};
}

packet_part part_of_pins(const packet_layout& layout, std::span<const std::uint8_t> header, std::size_t bit) {
    const std::size_t transport = std::size_t{free_transport_offset(layout.pin_bytes)} * 8;
    const std::size_t check = std::size_t{free_check_offset(layout.pin_bytes)} * 8;
    if (bit >= check) return {"check word", check, check_bits};
    if (bit >= transport) return transport_part(bit, transport);
    return header_part(header, bit, bytes_of(layout.headers, header) * 8);
}

std::string packet_name(const packet_layout& layout, std::span<const std::uint8_t> header) {
    if (header.size() * 8 < sequence_field.offset + sequence_field.bits) return {};
    const packet_kind kind = kind_of(header);
    std::string text = "packet " + std::to_string(read_field<sequence_field>(header.data())) + " of host " +
                       std::to_string(read_field<source_field>(header.data()));
    if (kind != packet_kind::unicast) return std::string(name_of(kind)) + " " + text;
    if (header.size() < unicast_header_bytes || destination_of(header.data()) >= layout.headers.hosts) return text;
    return text + " to host " + std::to_string(destination_of(header.data()));
}

}  // namespace polycast::hw::format
