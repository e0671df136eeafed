// SPDX-License-Identifier: Apache-2.0
#include "testbench/ni/packets.h"
#include "hw/format/check_word.h"

#include <algorithm>
#include <array>
#include <span>
#include <sstream>

namespace polycast::testbench::ni {

using namespace hw;

namespace {

constexpr bool is_worm(std::uint8_t kind) {
    return kind >= static_cast<std::uint8_t>(format::packet_kind::tree) &&
           kind <= static_cast<std::uint8_t>(format::packet_kind::path);
}

std::size_t padded(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// Bytes of the header that switches read; 0: it is none.
std::size_t header_bytes(const hw::ni::ni_params& params, std::span<const std::uint8_t> header) {
    if (!is_worm(header[0] & 0xf)) return format::unicast_header_bytes;
    const auto kind = static_cast<format::packet_kind>(header[0] & 0xf);
    const unsigned stops = format::path_stops_of(header.data());
    if (kind == format::packet_kind::path && (stops == 0 || stops > params.header_stops)) return 0;
    return format::header_bytes_of(params.header_shape(), header.data());
}

}  // namespace

std::uint32_t target_of(const packet_fields& fields) {
    switch (static_cast<format::packet_kind>(fields.kind)) {
        case format::packet_kind::unicast: return fields.destination;
        case format::packet_kind::ssr: return fields.route.at(0) | fields.route.at(1) << 8;
        case format::packet_kind::path: return fields.route.at(2) | fields.route.at(3) << 8;
        default: return 0;
    }
}

link_packet build_packet(const hw::ni::ni_params& params, const packet_fields& fields) {
    link_packet made;
    const bool free = params.header_bytes != 0;
    std::vector<std::uint8_t>& first = free ? made.header : made.flits;
    const std::size_t bytes = is_worm(fields.kind) ? format::common_header_bytes + fields.route.size()
                                                   : std::size_t{format::unicast_header_bytes};
    first.assign(free ? params.header_bytes : padded(bytes, params.flit_bytes), 0);
    const auto length = fields.length.value_or(static_cast<std::uint16_t>(fields.payload.size()));
    format::write_common({static_cast<format::packet_kind>(fields.kind), true, fields.source, fields.sequence, length},
                         first.data());
    if (is_worm(fields.kind)) {
        std::ranges::copy(fields.route, first.begin() + format::common_header_bytes);
    } else {
        format::write_field<format::destination_field>(first.data(), fields.destination);
    }
    std::array<std::uint8_t, format::transport_bytes> transport;
    format::write_transport(fields.transport, transport.data());
    std::vector<std::uint8_t> body;
    for (unsigned byte = 0; params.jobs && byte < 4; ++byte)
        body.push_back(static_cast<std::uint8_t>(fields.job >> 8 * byte));
    body.insert(body.end(), fields.payload.begin(), fields.payload.end());
    const std::uint32_t check =
        format::check_word(params.check, std::span(first).first(bytes), transport.data(), body) ^ fields.check_error;
    if (free) {
        std::ranges::copy(transport, made.header.begin() + format::free_transport_offset(params.header_bytes));
        format::write_check(&made.header[format::free_check_offset(params.header_bytes)], check);
        made.flits = body;
    } else {
        made.flits.insert(made.flits.end(), transport.begin(), transport.end());
        made.flits.insert(made.flits.end(), body.begin(), body.end());
        made.flits.resize(made.flits.size() + format::check_bytes);
        format::write_check(&made.flits[made.flits.size() - format::check_bytes], check);
    }
    made.flits.resize(std::max<std::size_t>(padded(made.flits.size(), params.flit_bytes), params.flit_bytes), 0);
    return made;
}

std::optional<packet_fields> read_packet(const hw::ni::ni_params& params, const link_packet& packet) {
    const bool free = params.header_bytes != 0;
    const std::vector<std::uint8_t>& first = free ? packet.header : packet.flits;
    if (first.size() * 8 <
        std::max(format::destination_field.offset + format::destination_field.bits, format::path_list_field.offset))
        return std::nullopt;
    const format::common_header common = format::read_common(first.data());
    packet_fields fields;
    fields.kind = static_cast<std::uint8_t>(common.kind);
    fields.source = common.source;
    fields.sequence = common.sequence;
    const std::size_t bytes = header_bytes(params, first);
    const std::size_t head = padded(bytes, params.flit_bytes);
    if (bytes == 0 || first.size() < head) return std::nullopt;
    if (is_worm(fields.kind)) {
        fields.route.assign(first.begin() + format::common_header_bytes,
                            first.begin() + static_cast<std::ptrdiff_t>(bytes));
    } else {
        fields.destination = format::destination_of(first.data());
    }
    const std::size_t transport_at = free ? format::free_transport_offset(params.header_bytes) : head;
    const std::size_t body_at = free ? 0 : head + format::transport_bytes;
    const std::size_t payload_at = body_at + (params.jobs ? 4 : 0);
    const std::size_t end = payload_at + common.length + (free ? 0 : format::check_bytes);
    if (packet.flits.size() != padded(end, params.flit_bytes)) return std::nullopt;
    fields.transport = format::read_transport(&first[transport_at]);
    const auto payload = packet.flits.begin() + static_cast<std::ptrdiff_t>(payload_at);
    fields.payload.assign(payload, payload + common.length);
    for (std::size_t byte = payload_at; byte != body_at; --byte) fields.job = fields.job << 8 | packet.flits[byte - 1];
    const std::uint32_t check = format::read_check(free ? &first[format::free_check_offset(params.header_bytes)]
                                                        : &packet.flits[payload_at + common.length]);
    fields.check_error =
        check ^ format::check_word(params.check, std::span(first).first(bytes), &first[transport_at],
                                   std::span(packet.flits).subspan(body_at, payload_at - body_at + common.length));
    return fields;
}

std::string describe(const hw::ni::ni_params& params, const link_packet& packet) {
    const std::optional<packet_fields> fields = read_packet(params, packet);
    std::ostringstream text;
    if (!fields) {
        text << "malformed, " << packet.flits.size() << " bytes";
        return text.str();
    }
    const format::transport_header& t = fields->transport;
    text << "kind " << int{fields->kind} << " source " << fields->source << '.' << int{t.source_process} << " #"
         << fields->sequence << " to " << target_of(*fields) << '.' << int{t.process} << " group " << t.group
         << " hops " << t.hops << " message " << t.message << " offset " << t.offset << " of " << t.total << ", "
         << fields->payload.size() << " bytes" << (params.jobs ? " job " + std::to_string(fields->job) : "")
         << (fields->check_error != 0 ? ", bad check" : "");
    return text.str();
}

}  // namespace polycast::testbench::ni
