// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/packet_codec.h"

#include <algorithm>
#include <array>

#include "hw/format/check_word.h"
#include "hw/format/packet_size.h"

namespace polycast::hw::ni {

using format::packet_kind;

namespace {

std::uint32_t word_of(std::span<const std::uint8_t> slot, slot_word which) {
    return get_bytes(&slot[static_cast<std::size_t>(which)], 4);
}

std::size_t padded(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// Mask of the bits of the last byte of a bit string that stand for hosts.
std::uint8_t last_byte_mask(const ni_params& params) {
    return static_cast<std::uint8_t>(params.hosts % 8 == 0 ? 0xffu : (1u << params.hosts % 8) - 1);
}

std::uint32_t bit(packet_status status) {
    return static_cast<std::uint32_t>(status);
}

format::transport_header transport_of(std::span<const std::uint8_t> slot) {
    const std::uint32_t processes = word_of(slot, slot_word::processes);
    return {.op = static_cast<format::transport_op>(processes & 0xf),
            .acknowledge = (processes >> format::transport_acknowledge_field.offset & 1) != 0,
            .reliable = (processes >> format::transport_reliable_field.offset & 1) != 0,
            .process = static_cast<std::uint8_t>(processes >> 8),
            .source_process = static_cast<std::uint8_t>(processes >> 16),
            .lane = static_cast<std::uint8_t>(processes >> 24),
            .group = static_cast<std::uint16_t>(word_of(slot, slot_word::group)),
            .hops = 0,
            .message = word_of(slot, slot_word::message),
            .offset = word_of(slot, slot_word::offset),
            .total = word_of(slot, slot_word::total),
            .tag = word_of(slot, slot_word::tag)};
}

/// Common header of the packet in a slot that is to leave.
format::common_header common_of(std::span<const std::uint8_t> slot) {
    const std::uint32_t kind = word_of(slot, slot_word::kind);
    return {.kind = static_cast<packet_kind>(kind & 0xf),
            .up = true,
            .source = word_of(slot, slot_word::source) & 0xffffffu,
            .sequence = word_of(slot, slot_word::sequence),
            .length = static_cast<std::uint16_t>(kind >> 16),
            .vc_class = static_cast<std::uint8_t>(kind >> format::vc_class_field.offset & 7)};
}

/// What a check word changes by where an interface on the way draws another path, or LIDs stand for hosts.
std::uint32_t common_change(const format::common_header& from, const format::common_header& to, std::size_t length) {
    std::array<std::uint8_t, format::common_header_bytes> before, after;
    format::write_common(from, before.data());
    format::write_common(to, after.data());
    return format::common_change(before.data(), after.data(), length);
}

}  // namespace

std::size_t route_bytes(const ni_params& params, packet_kind kind, std::uint8_t first) {
    if (params.lids) return kind == packet_kind::ssr ? lid_paths::route_bytes : 0;
    const format::header_shape shape = params.header_shape();
    if (shape.stops == 0) return 0;
    switch (kind) {
        case packet_kind::unicast: return 0;
        case packet_kind::tree: return format::tree_header_bytes(shape.hosts) - format::common_header_bytes;
        case packet_kind::ssr: return format::ssr_header_bytes(shape) - format::common_header_bytes;
        case packet_kind::path:
            static_assert(format::path_stops_field.offset == format::common_header_bits);
            return first == 0 || first > shape.stops
                       ? 0
                       : format::path_header_bytes(shape, first) - format::common_header_bytes;
        case packet_kind::broadcast:
        case packet_kind::pipelined:
        case packet_kind::lid: return 0;
    }
    return 0;
}

bool sendable(const ni_params& params, std::span<const std::uint8_t> slot, const push_request& request) {
    const std::uint32_t kind = word_of(slot, slot_word::kind);
    const std::uint32_t length = kind >> 16;
    if (length == 0 || length > params.payload_bytes) return false;
    if (static_cast<packet_kind>(kind & 0xf) != request.kind) return false;
    if (request.kind == packet_kind::unicast) return request.destination < params.hosts + params.units;
    const std::span<const std::uint8_t> route(request.route);
    if (route.empty() || route.size() != route_bytes(params, request.kind, route.front())) return false;
    if (request.kind != packet_kind::tree) return true;
    return std::ranges::any_of(route.first(route.size() - 1), [](std::uint8_t byte) { return byte != 0; }) ||
           (route.back() & last_byte_mask(params)) != 0;
}

void build_packet(const ni_params& params, std::span<const std::uint8_t> slot, const push_request& request,
                  link_packet& packet) {
    const format::common_header common = common_of(slot);
    const std::uint16_t length = common.length;
    const std::span<const std::uint8_t> payload = slot.subspan(slot_header_bytes, length);
    const unsigned job = job_bytes(params);
    const bool free = params.header_bytes != 0;

    const bool unicast = request.kind == packet_kind::unicast;
    const std::size_t header_bytes =
        unicast ? format::unicast_header_bytes : format::common_header_bytes + request.route.size();
    std::vector<std::uint8_t>& first = free ? packet.header : packet.flits;
    packet.flits.clear();
    // One allocation: whole packets are given away with their bytes.
    packet.flits.reserve(padded(header_bytes, params.flit_bytes) +
                         padded(format::transport_bytes + job + length + format::check_bytes, params.flit_bytes));
    first.assign(free ? params.header_bytes : padded(header_bytes, params.flit_bytes), 0);
    const std::uint32_t address = params.paths.address(request.destination, params.host, common.sequence);
    format::common_header leaving = common;
    if (params.paths.paths() > 1) leaving.vc_class = static_cast<std::uint8_t>(params.paths.class_of(address));
    if (params.lids) leaving.kind = packet_kind::lid;
    format::write_common(leaving, first.data());
    if (unicast && params.lids) {
        const lid_paths::address to = params.lids->to(request.destination, params.host);
        format::write_field<format::dlid_field>(first.data(), to.dlid);
        first[format::sl_field.offset / 8] = to.sl;
    } else if (unicast) {
        format::write_field<format::destination_field>(first.data(), request.destination);
    } else {
        std::ranges::copy(request.route, first.begin() + format::common_header_bytes);
        if (request.kind == packet_kind::tree) first[header_bytes - 1] &= last_byte_mask(params);
    }

    format::transport_header transport = transport_of(slot);
    transport.hops = request.hops;
    std::array<std::uint8_t, format::transport_bytes> transport_bytes;
    format::write_transport(transport, transport_bytes.data());
    if (!free) packet.flits.insert(packet.flits.end(), transport_bytes.begin(), transport_bytes.end());
    const std::size_t body = packet.flits.size();
    packet.flits.resize(body + job);
    if (job != 0) put_bytes(&packet.flits[body], job, request.job);
    packet.flits.insert(packet.flits.end(), payload.begin(), payload.end());
    const std::span<const std::uint8_t> header = std::span(first).first(header_bytes);
    std::uint32_t check = 0;
    if (request.seal) {
        check = format::check_word(params.check, header, transport_bytes.data(), std::span(packet.flits).subspan(body));
    } else {
        const std::size_t behind = job + length;
        check = word_of(slot, slot_word::check) ^ format::route_share(params.check, header, request.hops, behind);
        if (leaving.vc_class != common.vc_class || leaving.kind != common.kind)
            check ^= common_change(common, leaving, behind);
    }
    if (unicast && !params.lids) format::write_field<format::destination_field>(first.data(), address);
    if (free) {
        std::ranges::copy(transport_bytes, &first[format::free_transport_offset(params.header_bytes)]);
        format::write_check(&first[format::free_check_offset(params.header_bytes)], check);
    } else {
        packet.flits.resize(packet.flits.size() + format::check_bytes);
        format::write_check(&packet.flits[packet.flits.size() - format::check_bytes], check);
    }
    packet.flits.resize(padded(packet.flits.size(), params.flit_bytes), 0);
}

std::size_t longest_packet(const ni_params& params) {
    const bool free = params.header_bytes != 0;
    const std::size_t body =
        std::size_t{format::body_flits(params.payload_bytes, params.flit_bytes, free, params.jobs)} * params.flit_bytes;
    return free ? body : padded(format::switch_header_bytes(params.header_shape()), params.flit_bytes) + body;
}

namespace {

packet_kind kind_of(std::span<const std::uint8_t> header) {
    return static_cast<packet_kind>(header[0] & 0xf);
}

/// Bytes of the header that begins with `first`, as far as known; an unknown kind counts as a unicast.
std::size_t header_bytes_of(const ni_params& params, std::span<const std::uint8_t> first) {
    if (first.empty()) return format::unicast_header_bytes;
    if (kind_of(first) > packet_kind::path) return format::unicast_header_bytes;
    if (kind_of(first) == packet_kind::path && first.size() <= format::common_header_bytes)
        return format::path_header_bytes(params.header_shape(), 0);
    return format::header_bytes_of(params.header_shape(), first.data());
}

bool known(const ni_params& params, std::span<const std::uint8_t> header) {
    const packet_kind kind = kind_of(header);
    if (params.lids) return kind == packet_kind::lid;
    return kind == packet_kind::unicast || route_bytes(params, kind, header[format::common_header_bytes]) != 0;
}

/// False if the packet is certainly for another host.
bool mine(const ni_params& params, std::span<const std::uint8_t> header) {
    switch (kind_of(header)) {
        case packet_kind::lid: {
            if (!params.lids) return false;
            const std::uint32_t dlid = format::read_field<format::dlid_field>(header.data());
            return dlid < format::first_multicast_lid ? params.lids->leads_to(params.host, dlid)
                                                      : params.lids->receives(params.host, dlid);
        }
        case packet_kind::tree:
            return (header[format::common_header_bytes + params.host / 8] >> params.host % 8 & 1) != 0;
        case packet_kind::ssr:
        case packet_kind::path: return true;
        default: return format::destination_of(header.data()) == params.host;
    }
}

}  // namespace

std::uint32_t parse_packet(const ni_params& params, const arrival& from, received_packet& packet) {
    const bool free = params.header_bytes != 0;
    packet = {};
    packet.host = params.host;
    packet.flits = from.flits;
    std::uint32_t status = 0;
    if (from.flits * params.flit_bytes > longest_packet(params)) status |= bit(packet_status::cut);
    std::span<const std::uint8_t> body(from.bytes().flits);
    const std::span<const std::uint8_t> first(free ? from.bytes().header : from.bytes().flits);
    const std::size_t header_bytes = header_bytes_of(params, first);
    if (from.headless || first.size() < header_bytes) {
        if (!from.headless) packet.header = first;
        return status | bit(packet_status::incomplete);
    }
    packet.header = first.first(header_bytes);
    const format::common_header common = format::read_common(first.data());
    if (!known(params, first)) status |= bit(packet_status::unknown_kind);
    if (!mine(params, first)) status |= bit(packet_status::not_mine);

    std::span<const std::uint8_t> transport;
    if (free) {
        transport = first.subspan(format::free_transport_offset(params.header_bytes), format::transport_bytes);
    } else {
        body = body.subspan(std::min(body.size(), padded(header_bytes, params.flit_bytes)));
        transport = body.first(std::min<std::size_t>(body.size(), format::transport_bytes));
        body = body.subspan(transport.size());
    }
    const bool has_transport = transport.size() == format::transport_bytes;
    if (has_transport) packet.transport = format::read_transport(transport.data());
    const unsigned job = job_bytes(params);
    if (body.size() >= job) packet.job = body.first(job);
    packet.payload = body.subspan(std::min<std::size_t>(job, body.size()));
    packet.payload = packet.payload.first(std::min<std::size_t>(common.length, packet.payload.size()));
    const std::size_t needed = job + common.length + (free ? 0 : format::check_bytes);
    packet.complete = has_transport && !from.lost && body.size() >= needed &&
                      body.size() - needed < params.flit_bytes && (status & bit(packet_status::cut)) == 0;
    if (packet.payload.size() > params.payload_bytes) status |= bit(packet_status::cut);
    if (!packet.complete) return status | bit(packet_status::incomplete);
    packet.check =
        format::read_check(free ? &first[format::free_check_offset(params.header_bytes)] : &body[job + common.length]);
    if (packet.check != format::check_word(params.check, packet.header, transport.data(), packet.body()))
        status |= bit(packet_status::bad_check);
    return status;
}

void fill_slot(const ni_params& params, const received_packet& packet, std::uint32_t status,
               std::span<std::uint8_t> slot) {
    const auto put = [slot](slot_word which, std::uint32_t value) {
        put_bytes(&slot[static_cast<std::size_t>(which)], 4, value);
    };
    const std::size_t flits = std::min<std::size_t>(packet.flits, 0xffff);
    put(slot_word::status, status | static_cast<std::uint32_t>(flits) << 16);
    if (packet.header.size() < format::common_header_bytes) return;
    const format::common_header arrived = format::read_common(packet.header.data());
    format::common_header common = arrived;
    const bool by_lid = params.lids && arrived.kind == packet_kind::lid;
    if (by_lid) {
        common.kind = format::slot_kind(packet.header);
        if (common.kind == packet_kind::unicast) put(slot_word::destination, params.host);
    }
    put(slot_word::kind, static_cast<std::uint32_t>(common.kind) |
                             std::uint32_t{common.vc_class} << format::vc_class_field.offset |
                             std::uint32_t{common.length} << 16);
    put(slot_word::source, common.source);
    put(slot_word::sequence, common.sequence);
    if (!by_lid && common.kind == packet_kind::unicast && packet.header.size() >= format::unicast_header_bytes)
        put(slot_word::destination, format::destination_of(packet.header.data()));
    const format::transport_header& transport = packet.transport;
    put(slot_word::processes, (static_cast<std::uint32_t>(transport.op) & 0xfu) |
                                  std::uint32_t{transport.acknowledge} << format::transport_acknowledge_field.offset |
                                  std::uint32_t{transport.reliable} << format::transport_reliable_field.offset |
                                  std::uint32_t{transport.process} << 8 |
                                  std::uint32_t{transport.source_process} << 16 | std::uint32_t{transport.lane} << 24);
    put(slot_word::group, transport.group | std::uint32_t{transport.hops} << 16);
    put(slot_word::message, transport.message);
    put(slot_word::offset, transport.offset);
    put(slot_word::total, transport.total);
    put(slot_word::tag, transport.tag);
    // What leaves again leaves by another route.
    std::uint32_t route =
        packet.complete ? format::route_share(params.check, packet.header, transport.hops, packet.body().size()) : 0;
    if (packet.complete && by_lid) route ^= common_change(arrived, common, packet.body().size());
    put(slot_word::check, packet.check ^ route);
    const std::size_t payload = std::min<std::size_t>(packet.payload.size(), params.payload_bytes);
    std::ranges::copy(packet.payload.first(payload), slot.begin() + slot_header_bytes);
}

}  // namespace polycast::hw::ni
