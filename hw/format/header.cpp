// SPDX-License-Identifier: Apache-2.0
#include "hw/format/header.h"

namespace polycast::hw::format {

void write_common(const common_header& header, std::uint8_t* bytes) {
    bytes[0] = static_cast<std::uint8_t>(static_cast<unsigned>(header.kind) | header.vc_class << vc_class_field.offset);
    set_up(bytes, header.up);
    write_field<source_field>(bytes, header.source);
    write_field<sequence_field>(bytes, header.sequence);
    write_field<length_field>(bytes, header.length);
}

common_header read_common(const std::uint8_t* bytes) {
    return {static_cast<packet_kind>(bytes[0] & 0xf),
            up_of(bytes),
            read_field<source_field>(bytes),
            read_field<sequence_field>(bytes),
            static_cast<std::uint16_t>(read_field<length_field>(bytes)),
            static_cast<std::uint8_t>(vc_class_of(bytes))};
}

void write_pipelined(const pipelined_fields& fields, std::uint8_t* header) {
    write_field<packet_field>(header, fields.packet);
    write_field<last_packet_field>(header, fields.last_packet);
    header[colour_field.offset / 8] = static_cast<std::uint8_t>((fields.colour & 0xf) | fields.round << 4);
}

pipelined_fields read_pipelined(const std::uint8_t* header) {
    const std::uint8_t both = header[colour_field.offset / 8];
    return {static_cast<std::uint8_t>(read_field<packet_field>(header)),
            static_cast<std::uint8_t>(read_field<last_packet_field>(header)), static_cast<std::uint8_t>(both & 0xf),
            static_cast<std::uint8_t>(both >> 4)};
}

void write_transport(const transport_header& header, std::uint8_t* bytes) {
    bytes[0] = static_cast<std::uint8_t>(static_cast<unsigned>(header.op) |
                                         (header.acknowledge ? 1u : 0u) << transport_acknowledge_field.offset |
                                         (header.reliable ? 1u : 0u) << transport_reliable_field.offset);
    write_field<transport_process_field>(bytes, header.process);
    write_field<transport_source_process_field>(bytes, header.source_process);
    write_field<transport_lane_field>(bytes, header.lane);
    write_field<transport_group_field>(bytes, header.group);
    write_field<transport_hops_field>(bytes, header.hops);
    write_field<transport_message_field>(bytes, header.message);
    write_field<transport_offset_field>(bytes, header.offset);
    write_field<transport_total_field>(bytes, header.total);
    write_field<transport_tag_field>(bytes, header.tag);
}

transport_header read_transport(const std::uint8_t* bytes) {
    return {.op = static_cast<transport_op>(bytes[0] & 0xf),
            .acknowledge = (bytes[0] >> transport_acknowledge_field.offset & 1) != 0,
            .reliable = (bytes[0] >> transport_reliable_field.offset & 1) != 0,
            .process = static_cast<std::uint8_t>(read_field<transport_process_field>(bytes)),
            .source_process = static_cast<std::uint8_t>(read_field<transport_source_process_field>(bytes)),
            .lane = static_cast<std::uint8_t>(read_field<transport_lane_field>(bytes)),
            .group = static_cast<std::uint16_t>(read_field<transport_group_field>(bytes)),
            .hops = static_cast<std::uint16_t>(read_field<transport_hops_field>(bytes)),
            .message = read_field<transport_message_field>(bytes),
            .offset = read_field<transport_offset_field>(bytes),
            .total = read_field<transport_total_field>(bytes),
            .tag = read_field<transport_tag_field>(bytes)};
}

}  // namespace polycast::hw::format
