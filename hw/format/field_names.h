// SPDX-License-Identifier: Apache-2.0
// Generated from hw/format/packet.yaml by `scripts/polycast generate`; do not edit.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "hw/format/packet_format.h"

namespace polycast::hw::format {

/// A header field and its name in packet.yaml.
struct named_field {
    std::string_view name;
    field where;
};

/// Fields of the header that every kind of packet starts with.
inline constexpr std::array common_header_fields{
    named_field{"kind", kind_field},
    named_field{"up", up_field},
    named_field{"vc_class", vc_class_field},
    named_field{"source", source_field},
    named_field{"sequence", sequence_field},
    named_field{"length", length_field},
};

/// Fields that follow in the header of kind `unicast`.
inline constexpr std::array unicast_header_fields{
    named_field{"destination", destination_field},
};

/// Fields that follow in the header of kind `tree`.
inline constexpr std::array tree_header_fields{
    named_field{"destinations", destinations_field},
};

/// Fields that follow in the header of kind `ssr`.
inline constexpr std::array ssr_header_fields{
    named_field{"ssr_stop", ssr_stop_field},
};

/// Fields that follow in the header of kind `path`.
inline constexpr std::array path_header_fields{
    named_field{"path_stops", path_stops_field},
    named_field{"path_next", path_next_field},
    named_field{"path_list", path_list_field},
};

/// Fields that follow in the header of kind `broadcast`.
inline constexpr std::array broadcast_header_fields{
    named_field{"broadcast_port", broadcast_port_field},
};

/// Fields that follow in the header of kind `pipelined`.
inline constexpr std::array pipelined_header_fields{
    named_field{"packet", packet_field},
    named_field{"last_packet", last_packet_field},
    named_field{"colour", colour_field},
    named_field{"round", round_field},
};

/// Fields that follow in the header of kind `lid`.
inline constexpr std::array lid_header_fields{
    named_field{"dlid", dlid_field},
    named_field{"sl", sl_field},
    named_field{"lid_zero", lid_zero_field},
};

/// Fields of the header that only network interfaces read, from its own first bit.
inline constexpr std::array transport_header_fields{
    named_field{"op", transport_op_field},
    named_field{"acknowledge", transport_acknowledge_field},
    named_field{"reliable", transport_reliable_field},
    named_field{"reserved", transport_reserved_field},
    named_field{"process", transport_process_field},
    named_field{"source_process", transport_source_process_field},
    named_field{"lane", transport_lane_field},
    named_field{"group", transport_group_field},
    named_field{"hops", transport_hops_field},
    named_field{"message", transport_message_field},
    named_field{"offset", transport_offset_field},
    named_field{"total", transport_total_field},
    named_field{"tag", transport_tag_field},
};

/// Fields that follow the common ones in a header of a kind; none for a kind that does not exist.
constexpr std::span<const named_field> fields_of(packet_kind kind) {
    switch (kind) {
        case packet_kind::unicast: return unicast_header_fields;
        case packet_kind::tree: return tree_header_fields;
        case packet_kind::ssr: return ssr_header_fields;
        case packet_kind::path: return path_header_fields;
        case packet_kind::broadcast: return broadcast_header_fields;
        case packet_kind::pipelined: return pipelined_header_fields;
        case packet_kind::lid: return lid_header_fields;
    }
    return {};
}

}  // namespace polycast::hw::format
