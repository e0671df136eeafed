// SPDX-License-Identifier: Apache-2.0
// Whether a packet that arrives is one that was sent.
#include <algorithm>
#include <array>

#include "hw/delivery/scoreboard.h"
#include "hw/format/check_word.h"

namespace polycast::hw::traffic {

/// Behind its port a copy must name this host, and no host or stop that was not asked for.
bool scoreboard::names_host(const expected_message& expected, const ni::received_packet& packet) const {
    const std::uint8_t* const header = packet.header.data();
    const format::packet_kind kind = format::read_common(header).kind;  // of a repair a unicast
    switch (kind) {
        case format::packet_kind::unicast:
            return packet.header.size() >= format::unicast_header_bytes &&
                   format::destination_of(header) == packet.host;
        case format::packet_kind::tree: {
            const std::span<const std::uint8_t> string = packet.header.subspan(format::common_header_bytes);
            for (std::uint32_t host = 0; host < string.size() * 8; ++host) {
                const bool named = (string[host / 8] >> (host % 8) & 1) != 0;
                if (named != (facts_.rewritten ? host == packet.host : wants(expected, host))) return false;
            }
            return packet.host / 8 < string.size();
        }
        case format::packet_kind::ssr:
        case format::packet_kind::path: break;
        case format::packet_kind::broadcast:
        case format::packet_kind::pipelined: return true;
        case format::packet_kind::lid: {
            if (!facts_.lids || packet.header.size() < format::lid_header_bytes) return false;
            const std::uint32_t dlid = format::read_field<format::dlid_field>(header);
            const bool unicast = dlid < format::first_multicast_lid;
            // The stop of a multicast, or of a unicast with a service level of its own: LID and service level.
            const format::stop address{dlid, header[format::sl_field.offset / 8]};
            if ((!unicast || !expected.stops.empty()) && expected.stops != std::vector{address}) return false;
            return unicast ? facts_.lids->leads_to(packet.host, dlid) : facts_.lids->receives(packet.host, dlid);
        }
    }
    // A group's packets are on one of several worms.
    const std::vector<format::stop> stops = format::stops_of(facts_.shape, packet.header);
    if (stops.empty() || (expected.kind == message_kind::worm && stops != expected.stops)) return false;
    const std::size_t here = kind == format::packet_kind::path ? format::path_next_of(header) : 0;
    if (here >= stops.size()) return false;
    if (facts_.places.empty()) return true;
    const format::stop& place = facts_.places[packet.host];
    return stops[here].chip == place.chip && (stops[here].ports & place.ports) != 0;
}

bool scoreboard::intact(const expected_message& expected, const ni::received_packet& packet) const {
    const format::common_header header = format::read_common(packet.header.data());
    const format::transport_header& transport = packet.transport;
    const format::packet_kind kind = format::slot_kind(packet.header);
    const bool repair = expected.reliable && kind == format::packet_kind::unicast && transport.hops == 0;
    if (!packet.complete || (kind != expected.packets && !repair) || transport.reliable != expected.reliable ||
        transport.total != expected.bytes || transport.offset % payload_bytes_ != 0 ||
        transport.offset >= expected.bytes)
        return false;
    const std::uint32_t length = std::min(payload_bytes_, expected.bytes - transport.offset);
    if (header.length != length || packet.payload.size() != length) return false;
    if (transport.op != format::transport_op::data || transport.group != expected.group ||
        transport.hops > expected.hops || transport.tag != expected.tag || transport.process != facts_.process ||
        transport.source_process != facts_.process)
        return false;
    if (!names_host(expected, packet)) return false;
    std::array<std::uint8_t, format::transport_bytes> bytes;
    format::write_transport(transport, bytes.data());
    return !first_wrong(expected.transfer, transport.offset, packet.payload) &&
           packet.check == format::check_word(facts_.check, packet.header, bytes.data(), packet.body());
}

}  // namespace polycast::hw::traffic
