// SPDX-License-Identifier: Apache-2.0
// Generated from hw/format/packet.yaml by `scripts/polycast generate`; do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace polycast::hw::format {

/// Position of a header field in bits; `bits` is 0 where networks differ in it.
struct field {
    unsigned offset;
    unsigned bits;
};

/// Bits of the header that every kind of packet starts with.
inline constexpr unsigned common_header_bits = 80;

/// how the rest of the header is read, see `kinds`; set by the source
inline constexpr field kind_field{0, 4};
/// 1 while the packet may still take an up link; set by the source, rewritten by every switch
inline constexpr field up_field{4, 1};
/// class of virtual channels in which routers carry it; set by the source, no matter to switches
inline constexpr field vc_class_field{5, 3};
/// number of the sending host
inline constexpr field source_field{8, 24};
/// number of the packet among all packets of its source, from 0; copies of a multicast share it
inline constexpr field sequence_field{32, 32};
/// payload length in bytes, 1..65535; the transport header is not counted
inline constexpr field length_field{64, 16};
/// number of the receiving host
inline constexpr field destination_field{80, 24};
/// one bit per host, bit h for host h; each copy keeps only the hosts that lie behind its port
inline constexpr field destinations_field{80, 0};
/// the switch, see `stop`
inline constexpr field ssr_stop_field{80, 0};
/// length of the list
inline constexpr field path_stops_field{80, 8};
/// the stop that the packet is on its way to, from 0; rewritten by switches
inline constexpr field path_next_field{88, 8};
/// the stops one after the other, see `stop`
inline constexpr field path_list_field{96, 0};
/// which of a node's host ports gets it, from 0
inline constexpr field broadcast_port_field{80, 8};
/// its index in the message, from 0
inline constexpr field packet_field{80, 8};
/// index of the last packet of the message
inline constexpr field last_packet_field{88, 8};
/// colour, or tree, along which it goes
inline constexpr field colour_field{96, 4};
/// number of the broadcast in its community, from 0, modulo 16
inline constexpr field round_field{100, 4};
/// destination LID; from 0xC000 on a multicast group
inline constexpr field dlid_field{80, 16};
/// service level
inline constexpr field sl_field{96, 4};
/// zero
inline constexpr field lid_zero_field{100, 4};
/// number of a switch
inline constexpr field stop_switch_field{0, 16};
/// its ports that get a copy, bit p for port p; as long as the largest switch of the network has ports, in whole bytes
inline constexpr field stop_ports_field{16, 0};

/// Bits of the header that only network interfaces read; its fields count from its own first bit.
inline constexpr unsigned transport_bits = 192;

/// what the packet is for, a `transport_op`
inline constexpr field transport_op_field{0, 4};
/// 1: the receiving interface acknowledges the packet when it has left its memory; unicasts to a host only
inline constexpr field transport_acknowledge_field{4, 1};
/// 1: a part of a reliable message: `message` is its number in its flow (firmware/README.md), and receivers send receipts
inline constexpr field transport_reliable_field{5, 1};
/// zero
inline constexpr field transport_reserved_field{6, 2};
/// receiving process on the destination host
inline constexpr field transport_process_field{8, 8};
/// sending process on the source host
inline constexpr field transport_source_process_field{16, 8};
/// rail or lane
inline constexpr field transport_lane_field{24, 8};
/// multicast group: its number at its root; 0xffff: none
inline constexpr field transport_group_field{32, 16};
/// network interfaces that may still forward the packet; each that does takes one off, and at 0 none does
inline constexpr field transport_hops_field{48, 16};
/// number of the message at its source process
inline constexpr field transport_message_field{64, 32};
/// where this packet's payload begins in its message, in bytes
inline constexpr field transport_offset_field{96, 32};
/// length of the message in bytes
inline constexpr field transport_total_field{128, 32};
/// for the receiving program
inline constexpr field transport_tag_field{160, 32};

/// CRC-32C over what a `check_cover` names, see hw/format/check_word.md; ends the packet, or the header pins where the header is free
inline constexpr unsigned check_bits = 32;

/// kind of a packet
enum class packet_kind : std::uint8_t {
    unicast = 0,  ///< to one host
    tree = 1,  ///< tree worm: to every host whose bit is set
    ssr = 2,  ///< single switch replication: to hosts of one switch, copied there
    path = 3,  ///< multi-drop path worm: from switch to switch of a list, to hosts of each
    broadcast = 4,  ///< to every node of a mesh or torus, along the dimension-order tree of its source; routers only
    pipelined = 5,  ///< one packet of a pipelined broadcast; broadcast units only (hw/chips/broadcast/broadcast_unit.md)
    lid = 6,  ///< to a LID; VL switches only
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(packet_kind value) {
    switch (value) {
        case packet_kind::unicast: return "unicast";
        case packet_kind::tree: return "tree";
        case packet_kind::ssr: return "ssr";
        case packet_kind::path: return "path";
        case packet_kind::broadcast: return "broadcast";
        case packet_kind::pipelined: return "pipelined";
        case packet_kind::lid: return "lid";
    }
    return "?";
}

/// what check words cover of a packet, the same in all of a network
enum class check_cover : std::uint8_t {
    payload = 0,  ///< all but what switches and forwarding interfaces rewrite: `up`, the route, `hops`
    route = 1,  ///< also `hops`, and of the route what no switch rewrites
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(check_cover value) {
    switch (value) {
        case check_cover::payload: return "payload";
        case check_cover::route: return "route";
    }
    return "?";
}

/// what a packet is for
enum class transport_op : std::uint8_t {
    data = 0,  ///< a part of a message
    control = 1,  ///< word between network interfaces
    operand = 2,  ///< for an XOR coding unit: `group` is the context, `tag` the index
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(transport_op value) {
    switch (value) {
        case transport_op::data: return "data";
        case transport_op::control: return "control";
        case transport_op::operand: return "operand";
    }
    return "?";
}

/// where a port leads
enum class direction : std::uint8_t {
    open = 0,  ///< nowhere
    down = 1,  ///< to a host, or to the lower end of a link
    up = 2,  ///< to the upper end of a link
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(direction value) {
    switch (value) {
        case direction::open: return "open";
        case direction::down: return "down";
        case direction::up: return "up";
    }
    return "?";
}

/// which input an output takes
enum class arbitration : std::uint8_t {
    round_robin = 0,  ///< the first at or after a pointer that moves past each winner
    fixed = 1,  ///< the lowest-numbered
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(arbitration value) {
    switch (value) {
        case arbitration::round_robin: return "round_robin";
        case arbitration::fixed: return "fixed";
    }
    return "?";
}

/// which of several equally good output ports a packet takes
enum class selection : std::uint8_t {
    least_loaded = 0,  ///< not held before held, then fewest chunks outstanding, then lowest port
    round_robin = 1,  ///< the first at or after a pointer per input that moves past each choice
    deterministic = 2,  ///< the lowest port
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(selection value) {
    switch (value) {
        case selection::least_loaded: return "least_loaded";
        case selection::round_robin: return "round_robin";
        case selection::deterministic: return "deterministic";
    }
    return "?";
}

/// how outputs choose a lane
enum class vl_policy : std::uint8_t {
    round_robin = 0,  ///< in turn
    weighted = 1,  ///< by tables
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(vl_policy value) {
    switch (value) {
        case vl_policy::round_robin: return "round_robin";
        case vl_policy::weighted: return "weighted";
    }
    return "?";
}

/// how a router's inputs and outputs find each other
enum class router_allocator : std::uint8_t {
    separable = 0,  ///< each input takes a virtual channel, then each output an input
    islip = 1,  ///< outputs offer, inputs accept, several times
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(router_allocator value) {
    switch (value) {
        case router_allocator::separable: return "separable";
        case router_allocator::islip: return "islip";
    }
    return "?";
}

/// which virtual channel a packet gets
enum class vc_policy : std::uint8_t {
    any = 0,  ///< the first free one at or after a pointer
    keep = 1,  ///< only the first one at or after the number that the packet has here
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(vc_policy value) {
    switch (value) {
        case vc_policy::any: return "any";
        case vc_policy::keep: return "keep";
    }
    return "?";
}

/// which of several ports of its route a packet takes
enum class route_select : std::uint8_t {
    lowest = 0,  ///< the lowest
    least_loaded = 1,  ///< fewest packets on their way to it, then most credits, then at random
    random = 2,  ///< one at random
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(route_select value) {
    switch (value) {
        case route_select::lowest: return "lowest";
        case route_select::least_loaded: return "least_loaded";
        case route_select::random: return "random";
    }
    return "?";
}

/// memory of a chip in which a bit can flip
enum class upset_memory : std::uint8_t {
    buffer = 0,  ///< data of flits in input buffers
    routes = 1,  ///< tables of ports by destination
    reach = 2,  ///< hosts that can be reached going down
    credits = 3,  ///< counters of what is outstanding behind outputs
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(upset_memory value) {
    switch (value) {
        case upset_memory::buffer: return "buffer";
        case upset_memory::routes: return "routes";
        case upset_memory::reach: return "reach";
        case upset_memory::credits: return "credits";
    }
    return "?";
}

/// code of the words of a memory, see hw/format/memory_code.md
enum class protection : std::uint8_t {
    none = 0,  ///< none
    parity = 1,  ///< a bit for each byte: finds an odd number of flips in it
    secded = 2,  ///< 7 bits for each 32: corrects one flip, finds two
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(protection value) {
    switch (value) {
        case protection::none: return "none";
        case protection::parity: return "parity";
        case protection::secded: return "secded";
    }
    return "?";
}

/// what a context of a coding unit does
enum class coding_mode : std::uint8_t {
    off = 0,  ///< nothing: its operands are of an unknown context
    encode = 1,  ///< sends the XOR of each pair of neighbours
    decode = 2,  ///< recovers data from one plain operand and the chain
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(coding_mode value) {
    switch (value) {
        case coding_mode::off: return "off";
        case coding_mode::encode: return "encode";
        case coding_mode::decode: return "decode";
    }
    return "?";
}

/// what a coding unit reports on its event pins
enum class coding_event : std::uint8_t {
    none = 0,  ///< nothing
    not_operand = 1,  ///< a packet of another kind or op came; dropped
    bad_length = 2,  ///< a packet does not hold what its length says, or does not fit a slot; dropped
    check = 3,  ///< wrong check word; dropped
    unknown_context = 4,  ///< no such context, or it is off; dropped
    bad_index = 5,  ///< the context has no such index; dropped
    duplicate = 6,  ///< the operand is there already; dropped
    unequal = 7,  ///< two operands of a pair have different lengths; their pair is left out
    missing = 8,  ///< an operand did not come; its context was given up
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(coding_event value) {
    switch (value) {
        case coding_event::none: return "none";
        case coding_event::not_operand: return "not_operand";
        case coding_event::bad_length: return "bad_length";
        case coding_event::check: return "check";
        case coding_event::unknown_context: return "unknown_context";
        case coding_event::bad_index: return "bad_index";
        case coding_event::duplicate: return "duplicate";
        case coding_event::unequal: return "unequal";
        case coding_event::missing: return "missing";
    }
    return "?";
}

/// along what a broadcast unit sends
enum class broadcast_algorithm : std::uint8_t {
    colours = 0,  ///< a colour's dimensions one after the other, every neighbour in each
    trees = 1,  ///< link-disjoint spanning trees of a torus, two for each dimension
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(broadcast_algorithm value) {
    switch (value) {
        case broadcast_algorithm::colours: return "colours";
        case broadcast_algorithm::trees: return "trees";
    }
    return "?";
}

/// what a broadcast unit reports on its event pins
enum class broadcast_event : std::uint8_t {
    none = 0,  ///< nothing
    duplicate = 1,  ///< a packet that is there or coming in; dropped
    stale = 2,  ///< a packet of a round that has ended here; dropped
    bad_packet = 3,  ///< another kind, or fields out of range; dropped
    early = 4,  ///< a packet of a later round; dropped
    conflict = 5,  ///< another source or length than the round's first packet; dropped
};

/// Name of `value` as scenarios and results spell it.
constexpr std::string_view name_of(broadcast_event value) {
    switch (value) {
        case broadcast_event::none: return "none";
        case broadcast_event::duplicate: return "duplicate";
        case broadcast_event::stale: return "stale";
        case broadcast_event::bad_packet: return "bad_packet";
        case broadcast_event::early: return "early";
        case broadcast_event::conflict: return "conflict";
    }
    return "?";
}

/// configuration bus: address = region << 24 | index, data 32 bits; written while the chip is idle, kept through reset
enum class config_region : std::uint8_t {
    global = 0,  ///< index: see `globals`
    port_direction = 1,  ///< index: port; a `direction`
    buffer_chunks = 2,  ///< index: port; chunks of the input buffer that may be used, 1..NumChunks
    credits = 3,  ///< index: port; chunks of the buffer at the other end of the link (routers: flits of each virtual channel's); also sets the credit counters
    unicast_up = 4,  ///< index: destination * 2 + word; bit p of the 64-bit mask = port p is a minimal next port while up links are allowed
    unicast_down = 5,  ///< the same for packets that may only go down
    reach_total = 6,  ///< index: word; bit string of the hosts that can be reached going down
    reach_port = 7,  ///< index: port << 16 | word; restricted bit string of a down port
    switch_up = 8,  ///< index: switch * 2 + word; bit p of the 64-bit mask = port p is a minimal next port to the switch while up links are allowed
    switch_down = 9,  ///< the same for packets that may only go down
    vc_set = 10,  ///< index: class * 2 + side; bit v: packets of the class may take virtual channel v there (routers)
    node_route = 11,  ///< index: node; bit p = port p leads to it (routers)
    broadcast = 12,  ///< index: see `broadcast` below (broadcast routers)
    neighbour = 13,  ///< index: port; coordinate of the neighbour there in bits 15..0, in the dimension in bits 17..16 (broadcast routers)
    upset = 14,  ///< an `upset_memory` << 24 | bit: a bit of the word with this index flips at the end of the cycle (switches, routers); at any time, in simulation only
    vl_chunks = 15,  ///< index: port << 8 | lane; chunks of the buffer that may be used (VL switches)
    vl_credits = 16,  ///< index: port << 8 | lane; chunks of the buffer at the other end (VL switches)
    lft = 17,  ///< index: LID (VL switches)
    mft = 18,  ///< index: group * 2 + word (VL switches)
    sl2vl = 19,  ///< index: in << 8 | out << 1 | half (VL switches)
    vl_arbitration = 20,  ///< index: port << 8 | table << 6 | entry; VL | weight << 4 (VL switches)
    vl_high_limit = 21,  ///< index: port (VL switches)
    source_ports = 22,  ///< index: source * 2 + word; bit p of the 64-bit mask = packets of the source may come in at port p (chips with max_sources)
};

/// index in config_region::global
enum class config_global : std::uint8_t {
    route_delay = 0,  ///< cycles of routing, 1..15
    arbitration = 1,  ///< an `arbitration`
    selection = 2,  ///< a `selection`
    packet_limit = 3,  ///< longest packet in flits, header and trailer included
    tree_header_flits = 4,  ///< flits that carry the header of a tree worm (header in the flits only)
    up_selection = 5,  ///< a `selection`: which up port a tree worm takes that has to go further up
    rewrite = 6,  ///< 1: each copy of a tree worm keeps only the hosts behind its port; 0: all, so that hosts may get duplicates
    switch_number = 7,  ///< number of this switch in the headers of worms
    tree_up_low = 8,  ///< up ports that tree worms may take, ports 0..31
    tree_up_high = 9,  ///< ports 32..63
    node = 10,  ///< number of this router
    wrap = 11,  ///< bit d: dimension d is a ring (routers)
    table = 12,  ///< 1: routes come from `node_route`, 0: from dimension order (routers)
    allocator = 13,  ///< a `router_allocator`
    iterations = 14,  ///< of allocation, 1..4 (routers)
    reserve = 15,  ///< credits that a virtual channel must have to be given to a packet (routers)
    policy = 16,  ///< a `vc_policy`
    select = 17,  ///< a `route_select` (routers with choice)
    seed = 18,  ///< of the random numbers of the choice, 16 bits (routers with choice)
    hoq_life = 19,  ///< cycles (VL switches)
    vl_policy = 20,  ///< a `vl_policy`
};

/// configuration bus of a coding unit: address = region << 24 | index, data 32 bits; written while the chip is idle, kept through reset
enum class coding_region : std::uint8_t {
    global = 0,  ///< index: see `globals`
    vc_set = 1,  ///< index: class; bit v: packets of the class may take virtual channel v
    context = 2,  ///< index: context << 4 | register, see `context`
    destination = 3,  ///< index: entry; terminal number
};

/// index in coding_region::global
enum class coding_global : std::uint8_t {
    number = 0,  ///< own terminal number
    latency = 1,  ///< stages of the XOR pipe
    patience = 2,  ///< cycles without progress after which a context that has begun is given up; 0: none is
    credits = 3,  ///< flits of each virtual channel's buffer at the other end; also sets the credit counters
    reserve = 4,  ///< credits that a virtual channel must have to be given to a packet
    packet_limit = 5,  ///< longest packet in flits
};

/// register of a context in coding_region::context
enum class coding_register : std::uint8_t {
    mode = 0,  ///< a `coding_mode`
    count = 1,  ///< operands of the chain
    first_destination = 2,  ///< its first entry of the destinations
    destination_count = 3,  ///< how many it has
    op = 4,  ///< `transport_op` of the packets that it sends, as all that follow
    process = 5,  ///< receiving process
    source_process = 6,  ///< sending process
    lane = 7,  ///< rail or lane
    group = 8,  ///< multicast group, or context of the unit that they go to
    message = 9,  ///< number of the message, of index 0
    tag = 10,  ///< tag, of index 0
    vc_class = 11,  ///< class of virtual channels, 0..7
};

/// configuration bus of a link end: address = region << 24 | index, data 32 bits; written at any time, kept through reset; the end is off until `layer` is written
enum class link_region : std::uint8_t {
    global = 0,  ///< index: see `globals`
    far_credits = 1,  ///< index: virtual channel; units of the buffer behind the other end
    own_credits = 2,  ///< index: virtual channel; units of the own chip's buffer as the other end counts them
    upset = 3,  ///< memory << 24 | bit: a stored bit flips at the end of the cycle. Memory 0: counters, index: virtual channel << 2 | 0 S_CC, 1 S_CF, 2 R_CC, 3 R_CF. Memory 1: ring, index: flits behind the oldest one; bits: data, head, tail, virtual channel, free header, whether it begins a unit
};

/// index in link_region::global
enum class link_global : std::uint8_t {
    layer = 0,  ///< 0: off, 1: check, 2: retry
    frame = 1,  ///< flits of a frame, 1..FrameFlits
    window = 2,  ///< outstanding frames, 1..WindowFrames
    window_flits = 3,  ///< outstanding flits: the window's bytes over those of a flit
    replay_timer = 4,  ///< cycles, as all that follow but counts, actions and units
    replay_count = 5,  ///< starts of a replay without progress, 1..255
    ack_spacing = 6,  ///< between acks and nacks
    credit_spacing = 7,  ///< between cf_updates
    credit_timer = 8,  ///< after which a cc_update is due
    signal_timeout = 9,  ///< of low `signal`; 0: never, as the next two
    age_timeout = 10,  ///< of an outstanding frame
    lifetime = 11,  ///< of a virtual channel without credit
    init_action = 12,  ///< 1: what comes before the link is up is discarded
    flush_action = 13,  ///< 1: what comes while it is down is discarded
    reinit = 14,  ///< 1: FLUSH lasts one cycle; 0: until `leave_flush` is written
    leave_flush = 15,  ///< any value: FLUSH is left
    far_unit = 16,  ///< flits of a unit of the buffer behind the other end
    own_unit = 17,  ///< flits of a unit of the own chip's buffer
    ring = 18,  ///< flits that may be in the ring, 1..RingFlits
};

/// registers of the broadcast unit: index in region `broadcast`
enum class broadcast_register : std::uint8_t {
    dims = 0,  ///< bit d: dimension d is part of the community
    algorithm = 1,  ///< a `broadcast_algorithm`
    maps = 2,  ///< 1: packets that a neighbour has are not sent to it
    reverse = 3,  ///< bit p: at the source port p sends the last packet first
    open = 4,  ///< bit p: port p has a neighbour
    host_credits = 5,  ///< flits of the host's buffer; also sets the credit counter; 0: nothing is given to the host
    relay_reverse = 6,  ///< bit p: at all other nodes port p sends the last packet first
};

/// SECDED (39,32) after M. Y. Hsiao, A Class of Optimal Minimum Odd-weight-column SEC-DED Codes, IBM J. Res. Dev. 14 (1970): data bits of each check bit.
inline constexpr std::array<std::uint32_t, 7> secded_rows = {
    0x088c965b,
    0x11352aad,
    0x225a4d36,
    0x446071c7,
    0x878381f8,
    0xf803fe00,
    0xfffc0000,
};

/// one bit each on a chip's error pins, raised for one cycle, the cycle after the cause
enum class chip_error : std::uint16_t {
    overflow = 1u << 0,  ///< a flit came without a free chunk; the input is dead until reset
    missing_head = 1u << 1,  ///< a body flit came outside a packet; dropped
    missing_tail = 1u << 2,  ///< a head flit came inside a packet; taken as a body flit
    too_long = 1u << 3,  ///< a packet passed the packet limit; cut there, the rest is dropped
    short_header = 1u << 4,  ///< a packet ended before its header; dropped
    bad_kind = 1u << 5,  ///< no such packet kind; dropped
    no_route = 1u << 6,  ///< no output port leads to any destination; dropped
    partial_route = 1u << 7,  ///< some destinations of a worm lie behind no port; they get no copy
    credit_overflow = 1u << 8,  ///< more credits came back than were spent; ignored
    bad_vc = 1u << 9,  ///< a flit or a credit of a virtual channel that does not exist; dropped (routers only)
    looping = 1u << 10,  ///< a route leads back to the port of arrival; dropped (VL switches only)
    vl_dropped = 1u << 11,  ///< an output does not have the lane; it gets no copy (VL switches only)
    hoq_dropped = 1u << 12,  ///< a packet waited too long for this output; it gets no copy (VL switches only)
    soft_error = 1u << 13,  ///< bits of a protected memory have flipped that its code does not correct
    bad_source = 1u << 14,  ///< packets of this source may not come in here; dropped
};

/// Number of error pins of a port.
inline constexpr unsigned chip_error_count = 15;

/// Name of error pin `bit`.
constexpr std::string_view error_name(unsigned bit) {
    switch (bit) {
        case 0: return "overflow";
        case 1: return "missing_head";
        case 2: return "missing_tail";
        case 3: return "too_long";
        case 4: return "short_header";
        case 5: return "bad_kind";
        case 6: return "no_route";
        case 7: return "partial_route";
        case 8: return "credit_overflow";
        case 9: return "bad_vc";
        case 10: return "looping";
        case 11: return "vl_dropped";
        case 12: return "hoq_dropped";
        case 13: return "soft_error";
        case 14: return "bad_source";
        default: return "?";
    }
}

}  // namespace polycast::hw::format
