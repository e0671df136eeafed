// SPDX-License-Identifier: Apache-2.0
/// \file Parameters of the chips, written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
#pragma once

#include <array>
#include <string_view>

#include "hw/chips/parameter.h"
#include "hw/engine/chip.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

/// Parameters of the replicating switch: hw/chips/switch/switch.md says what each does.
struct switch_params {
    unsigned ports = 8;  ///< full-duplex ports (2..64)
    unsigned flit_bytes = 1;  ///< bytes of a flit (1..64)
    unsigned chunk_flits = 8;  ///< flits of a buffer chunk; one credit = one chunk (1..256)
    unsigned chunks = 80;  ///< chunks of each input buffer (2..4096)
    unsigned max_hosts = 32;  ///< longest bit string, size of the tables (1..65536)
    bool header_free = false;  ///< header beside the head flit instead of in the first flits
    unsigned read_ports = 8;  ///< outputs that may read one input buffer in the same cycle (1..ports)
    unsigned xbar_stages = 0;  ///< pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15)
    unsigned max_switches = 32;  ///< size of the tables of routes to switches (1..65536)
    /// bits of a stop's string in headers, the same in a whole network: ports of its largest switch (8, 16, .. 64)
    unsigned header_ports = 8;
    unsigned header_stops = 8;  ///< longest list of a path worm (1..255)
    unsigned protect_buffers = 0;  ///< code of flits in input buffers: 0 none, 1 parity, 2 SECDED (0..2)
    unsigned protect_routes = 0;  ///< code of tables of routes and reachability, likewise (0..2)
    unsigned protect_credits = 0;  ///< code of credit counters, likewise (0..2)
    /// sources in the table of who may send at which port (hw/chips/source_door.md); 0: there is none (0..65536)
    unsigned max_sources = 0;

    bool operator==(const switch_params&) const = default;

    /// Sizes that headers depend on.
    format::header_shape header_shape() const;
    /// Bytes of the longest header that a switch reads.
    unsigned header_bytes() const;
    /// Sizes of the pins.
    engine::pin_shape pin_shape() const;
};

namespace switch_ranges {

inline constexpr range ports{2, 64, "2", "64"};
inline constexpr range flit_bytes{1, 64, "1", "64"};
inline constexpr range chunk_flits{1, 256, "1", "256"};
inline constexpr range chunks{2, 4096, "2", "4096"};
inline constexpr range max_hosts{1, 65536, "1", "65536"};
inline constexpr range read_ports{1, 64, "1", "64"};
inline constexpr range xbar_stages{0, 15, "0", "15"};
inline constexpr range max_switches{1, 65536, "1", "65536"};
inline constexpr range header_ports{8, 64, "8", "64"};
inline constexpr range header_stops{1, 255, "1", "255"};
inline constexpr range protect_buffers{0, 2, "0", "2"};
inline constexpr range protect_routes{0, 2, "0", "2"};
inline constexpr range protect_credits{0, 2, "0", "2"};
inline constexpr range max_sources{0, 65536, "0", "65536"};

}  // namespace switch_ranges

template <>
struct chip_facts<switch_params> {
    static constexpr std::string_view what = "switch";
    static constexpr std::string_view module = "switch";
    static constexpr std::string_view model =
        "switch_p{ports}_f{flit_bytes}_c{chunks}x{chunk_flits}_h{max_hosts}_r{read_ports}_x{xbar_stages}"
        "_s{max_switches}_l{header_stops}x{header_ports}{protect_buffers?_b#|}{protect_routes?_t#|}"
        "{protect_credits?_k#|}{max_sources?_d#|}_{header_free?free|inline}";
    static constexpr std::array<parameter<switch_params>, 15> parameters = {{
        {"ports", "NumPorts", [](const switch_params& p) { return unsigned{p.ports}; },
         [](switch_params& p, unsigned value) { p.ports = value; }},
        {"flit_bytes", "FlitBytes", [](const switch_params& p) { return unsigned{p.flit_bytes}; },
         [](switch_params& p, unsigned value) { p.flit_bytes = value; }},
        {"chunk_flits", "ChunkFlits", [](const switch_params& p) { return unsigned{p.chunk_flits}; },
         [](switch_params& p, unsigned value) { p.chunk_flits = value; }},
        {"chunks", "NumChunks", [](const switch_params& p) { return unsigned{p.chunks}; },
         [](switch_params& p, unsigned value) { p.chunks = value; }},
        {"max_hosts", "MaxHosts", [](const switch_params& p) { return unsigned{p.max_hosts}; },
         [](switch_params& p, unsigned value) { p.max_hosts = value; }},
        {"header_free", "HeaderFree", [](const switch_params& p) { return unsigned{p.header_free}; },
         [](switch_params& p, unsigned value) { p.header_free = value != 0; }},
        {"read_ports", "ReadPorts", [](const switch_params& p) { return unsigned{p.read_ports}; },
         [](switch_params& p, unsigned value) { p.read_ports = value; }},
        {"xbar_stages", "XbarStages", [](const switch_params& p) { return unsigned{p.xbar_stages}; },
         [](switch_params& p, unsigned value) { p.xbar_stages = value; }},
        {"max_switches", "MaxSwitches", [](const switch_params& p) { return unsigned{p.max_switches}; },
         [](switch_params& p, unsigned value) { p.max_switches = value; }},
        {"header_ports", "HeaderPorts", [](const switch_params& p) { return unsigned{p.header_ports}; },
         [](switch_params& p, unsigned value) { p.header_ports = value; }},
        {"header_stops", "HeaderStops", [](const switch_params& p) { return unsigned{p.header_stops}; },
         [](switch_params& p, unsigned value) { p.header_stops = value; }},
        {"protect_buffers", "ProtectBuffers", [](const switch_params& p) { return unsigned{p.protect_buffers}; },
         [](switch_params& p, unsigned value) { p.protect_buffers = value; }},
        {"protect_routes", "ProtectRoutes", [](const switch_params& p) { return unsigned{p.protect_routes}; },
         [](switch_params& p, unsigned value) { p.protect_routes = value; }},
        {"protect_credits", "ProtectCredits", [](const switch_params& p) { return unsigned{p.protect_credits}; },
         [](switch_params& p, unsigned value) { p.protect_credits = value; }},
        {"max_sources", "MaxSources", [](const switch_params& p) { return unsigned{p.max_sources}; },
         [](switch_params& p, unsigned value) { p.max_sources = value; }},
    }};
};

/// \throws input_error if a parameter is outside its range (see hw/chips/switch/switch.md)
const switch_params& checked(const switch_params& p);

/// Parameters of the virtual-channel router: hw/chips/router/router.md says what each does.
struct router_params {
    unsigned ports = 5;  ///< full-duplex ports (2..32, ports x VCs <= 64)
    unsigned vcs = 4;  ///< virtual channels of every port (1..16)
    /// flits of the buffer of an input VC, at least those of the longest header (13 bytes) where it is not free; one
    /// credit is one flit (1..4096)
    unsigned vc_flits = 8;
    unsigned flit_bytes = 16;  ///< bytes of a flit (1..64)
    bool header_free = false;  ///< header beside the head flit instead of in the first flits
    /// dimensions of the mesh or torus; ports 2d and 2d + 1 lead up and down dimension d, the others to hosts and units
    /// (1..4)
    unsigned dimensions = 2;
    /// nodes in a dimension; node number = sum of coordinate d x radix^d; at most 2^24 nodes (2..1024)
    unsigned radix = 8;
    unsigned max_nodes = 0;  ///< entries of the route table; 0: dimension order only (0..65536)
    unsigned xbar_stages = 0;  ///< pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15)
    bool copies = true;  ///< broadcasts are copied, at most 16 ports; 0: broadcasts raise `bad_kind`
    /// a packet may choose among the ports of its route, which needs a route table; 0: the logic is absent
    bool adaptive = false;
    unsigned protect_buffers = 0;  ///< code of flits in input buffers: 0 none, 1 parity, 2 SECDED (0..2)
    unsigned protect_routes = 0;  ///< code of the route table, likewise; needs one (0..2)
    unsigned protect_credits = 0;  ///< code of credit counters, likewise (0..2)
    /// sources in the table of who may send at which port (hw/chips/source_door.md); 0: there is none (0..65536)
    unsigned max_sources = 0;

    bool operator==(const router_params&) const = default;

    /// The first port after those of the dimensions.
    unsigned first_host_port() const;
    /// Nodes of the mesh or torus.
    unsigned nodes() const;
    /// Sizes of the pins.
    engine::pin_shape pin_shape() const;
};

namespace router_ranges {

inline constexpr range ports{2, 32, "2", "32"};
inline constexpr range vcs{1, 16, "1", "16"};
inline constexpr range vc_flits{1, 4096, "1", "4096"};
inline constexpr range flit_bytes{1, 64, "1", "64"};
inline constexpr range dimensions{1, 4, "1", "4"};
inline constexpr range radix{2, 1024, "2", "1024"};
inline constexpr range max_nodes{0, 65536, "0", "65536"};
inline constexpr range xbar_stages{0, 15, "0", "15"};
inline constexpr range protect_buffers{0, 2, "0", "2"};
inline constexpr range protect_routes{0, 2, "0", "2"};
inline constexpr range protect_credits{0, 2, "0", "2"};
inline constexpr range max_sources{0, 65536, "0", "65536"};

}  // namespace router_ranges

template <>
struct chip_facts<router_params> {
    static constexpr std::string_view what = "router";
    static constexpr std::string_view module = "router";
    static constexpr std::string_view model =
        "router_p{ports}_v{vcs}x{vc_flits}_f{flit_bytes}_d{dimensions}x{radix}_n{max_nodes}_x{xbar_stages}_c{copies}"
        "{adaptive?_adaptive|}{protect_buffers?_b#|}{protect_routes?_t#|}{protect_credits?_k#|}{max_sources?_d#|}"
        "_{header_free?free|inline}";
    static constexpr std::array<parameter<router_params>, 15> parameters = {{
        {"ports", "NumPorts", [](const router_params& p) { return unsigned{p.ports}; },
         [](router_params& p, unsigned value) { p.ports = value; }},
        {"vcs", "NumVcs", [](const router_params& p) { return unsigned{p.vcs}; },
         [](router_params& p, unsigned value) { p.vcs = value; }},
        {"vc_flits", "VcFlits", [](const router_params& p) { return unsigned{p.vc_flits}; },
         [](router_params& p, unsigned value) { p.vc_flits = value; }},
        {"flit_bytes", "FlitBytes", [](const router_params& p) { return unsigned{p.flit_bytes}; },
         [](router_params& p, unsigned value) { p.flit_bytes = value; }},
        {"header_free", "HeaderFree", [](const router_params& p) { return unsigned{p.header_free}; },
         [](router_params& p, unsigned value) { p.header_free = value != 0; }},
        {"dimensions", "Dimensions", [](const router_params& p) { return unsigned{p.dimensions}; },
         [](router_params& p, unsigned value) { p.dimensions = value; }},
        {"radix", "Radix", [](const router_params& p) { return unsigned{p.radix}; },
         [](router_params& p, unsigned value) { p.radix = value; }},
        {"max_nodes", "MaxNodes", [](const router_params& p) { return unsigned{p.max_nodes}; },
         [](router_params& p, unsigned value) { p.max_nodes = value; }},
        {"xbar_stages", "XbarStages", [](const router_params& p) { return unsigned{p.xbar_stages}; },
         [](router_params& p, unsigned value) { p.xbar_stages = value; }},
        {"copies", "Copies", [](const router_params& p) { return unsigned{p.copies}; },
         [](router_params& p, unsigned value) { p.copies = value != 0; }},
        {"adaptive", "Adaptive", [](const router_params& p) { return unsigned{p.adaptive}; },
         [](router_params& p, unsigned value) { p.adaptive = value != 0; }},
        {"protect_buffers", "ProtectBuffers", [](const router_params& p) { return unsigned{p.protect_buffers}; },
         [](router_params& p, unsigned value) { p.protect_buffers = value; }},
        {"protect_routes", "ProtectRoutes", [](const router_params& p) { return unsigned{p.protect_routes}; },
         [](router_params& p, unsigned value) { p.protect_routes = value; }},
        {"protect_credits", "ProtectCredits", [](const router_params& p) { return unsigned{p.protect_credits}; },
         [](router_params& p, unsigned value) { p.protect_credits = value; }},
        {"max_sources", "MaxSources", [](const router_params& p) { return unsigned{p.max_sources}; },
         [](router_params& p, unsigned value) { p.max_sources = value; }},
    }};
};

/// \throws input_error if a parameter is outside its range (see hw/chips/router/router.md)
const router_params& checked(const router_params& p);

/// Parameters of the VL switch: hw/chips/vl_switch/vl_switch.md says what each does.
struct vl_switch_params {
    unsigned ports = 8;  ///< full-duplex ports (2..64)
    unsigned vls = 2;  ///< virtual lanes (1..15)
    unsigned flit_bytes = 4;  ///< bytes of a flit (1..64)
    unsigned chunk_flits = 8;  ///< flits of a buffer chunk; one credit = one chunk (1..256)
    unsigned chunks = 80;  ///< chunks of each lane of an input (2..4096)
    unsigned max_lids = 64;  ///< LIDs (2..49152)
    unsigned max_groups = 16;  ///< groups (0..16383)
    bool header_free = false;  ///< header beside the head flit instead of in the first flits
    unsigned read_ports = 8;  ///< outputs that may read one input in the same cycle (1..ports)
    unsigned xbar_stages = 0;  ///< pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15)
    bool weighted = false;  ///< tables of VL arbitration exist
    /// sources in the table of who may send at which port (hw/chips/source_door.md); 0: there is none (0..65536)
    unsigned max_sources = 0;

    bool operator==(const vl_switch_params&) const = default;

    /// Sizes of the pins.
    engine::pin_shape pin_shape() const;
};

namespace vl_switch_ranges {

inline constexpr range ports{2, 64, "2", "64"};
inline constexpr range vls{1, 15, "1", "15"};
inline constexpr range flit_bytes{1, 64, "1", "64"};
inline constexpr range chunk_flits{1, 256, "1", "256"};
inline constexpr range chunks{2, 4096, "2", "4096"};
inline constexpr range max_lids{2, 49152, "2", "49152"};
inline constexpr range max_groups{0, 16383, "0", "16383"};
inline constexpr range read_ports{1, 64, "1", "64"};
inline constexpr range xbar_stages{0, 15, "0", "15"};
inline constexpr range max_sources{0, 65536, "0", "65536"};

}  // namespace vl_switch_ranges

template <>
struct chip_facts<vl_switch_params> {
    static constexpr std::string_view what = "vl_switch";
    static constexpr std::string_view module = "vl_switch";
    static constexpr std::string_view model =
        "vl_switch_p{ports}_v{vls}_f{flit_bytes}_c{chunks}x{chunk_flits}_l{max_lids}_g{max_groups}_r{read_ports}"
        "_x{xbar_stages}{weighted?_weighted|}{max_sources?_d#|}_{header_free?free|inline}";
    static constexpr std::array<parameter<vl_switch_params>, 12> parameters = {{
        {"ports", "NumPorts", [](const vl_switch_params& p) { return unsigned{p.ports}; },
         [](vl_switch_params& p, unsigned value) { p.ports = value; }},
        {"vls", "NumVls", [](const vl_switch_params& p) { return unsigned{p.vls}; },
         [](vl_switch_params& p, unsigned value) { p.vls = value; }},
        {"flit_bytes", "FlitBytes", [](const vl_switch_params& p) { return unsigned{p.flit_bytes}; },
         [](vl_switch_params& p, unsigned value) { p.flit_bytes = value; }},
        {"chunk_flits", "ChunkFlits", [](const vl_switch_params& p) { return unsigned{p.chunk_flits}; },
         [](vl_switch_params& p, unsigned value) { p.chunk_flits = value; }},
        {"chunks", "NumChunks", [](const vl_switch_params& p) { return unsigned{p.chunks}; },
         [](vl_switch_params& p, unsigned value) { p.chunks = value; }},
        {"max_lids", "MaxLids", [](const vl_switch_params& p) { return unsigned{p.max_lids}; },
         [](vl_switch_params& p, unsigned value) { p.max_lids = value; }},
        {"max_groups", "MaxGroups", [](const vl_switch_params& p) { return unsigned{p.max_groups}; },
         [](vl_switch_params& p, unsigned value) { p.max_groups = value; }},
        {"header_free", "HeaderFree", [](const vl_switch_params& p) { return unsigned{p.header_free}; },
         [](vl_switch_params& p, unsigned value) { p.header_free = value != 0; }},
        {"read_ports", "ReadPorts", [](const vl_switch_params& p) { return unsigned{p.read_ports}; },
         [](vl_switch_params& p, unsigned value) { p.read_ports = value; }},
        {"xbar_stages", "XbarStages", [](const vl_switch_params& p) { return unsigned{p.xbar_stages}; },
         [](vl_switch_params& p, unsigned value) { p.xbar_stages = value; }},
        {"weighted", "Weighted", [](const vl_switch_params& p) { return unsigned{p.weighted}; },
         [](vl_switch_params& p, unsigned value) { p.weighted = value != 0; }},
        {"max_sources", "MaxSources", [](const vl_switch_params& p) { return unsigned{p.max_sources}; },
         [](vl_switch_params& p, unsigned value) { p.max_sources = value; }},
    }};
};

/// \throws input_error if a parameter is outside its range (see hw/chips/vl_switch/vl_switch.md)
const vl_switch_params& checked(const vl_switch_params& p);

/// Parameters of the XOR coding unit: hw/chips/coding/coding_unit.md says what each does.
struct coding_params {
    unsigned vcs = 4;  ///< virtual channels of its port (1..16)
    /// flits of the buffer of a VC, at least those of a header (13 bytes) where it is not free (1..4096)
    unsigned vc_flits = 8;
    unsigned flit_bytes = 16;  ///< bytes of a flit (1..64)
    bool header_free = false;  ///< header beside the head flit instead of in the first flits
    unsigned contexts = 16;  ///< contexts (1..1024)
    unsigned slots = 64;  ///< operands that can be stored (2..4096)
    /// flits of a slot: all of a packet but its header flits; all of it where the header is free (1..4096)
    unsigned slot_flits = 8;
    unsigned indices = 64;  ///< longest chain (2..4096)
    unsigned destinations = 64;  ///< of all contexts together (1..4096)
    unsigned max_latency = 64;  ///< most stages of the XOR pipe (0..64)
    bool check_route = false;  ///< check words cover destination and hops, too (hw/format/check_word.md)

    bool operator==(const coding_params&) const = default;

    /// Sizes of the pins.
    engine::pin_shape pin_shape() const;
    /// What check words cover.
    format::check_cover cover() const;
    /// Header flits of a packet that it takes or sends.
    unsigned header_flits() const;
    /// Flits behind the header flits of a packet with `length` bytes of payload.
    unsigned body_flits(unsigned length) const;
};

namespace coding_ranges {

inline constexpr range vcs{1, 16, "1", "16"};
inline constexpr range vc_flits{1, 4096, "1", "4096"};
inline constexpr range flit_bytes{1, 64, "1", "64"};
inline constexpr range contexts{1, 1024, "1", "1024"};
inline constexpr range slots{2, 4096, "2", "4096"};
inline constexpr range slot_flits{1, 4096, "1", "4096"};
inline constexpr range indices{2, 4096, "2", "4096"};
inline constexpr range destinations{1, 4096, "1", "4096"};
inline constexpr range max_latency{0, 64, "0", "64"};

}  // namespace coding_ranges

template <>
struct chip_facts<coding_params> {
    static constexpr std::string_view what = "coding unit";
    static constexpr std::string_view module = "coding";
    static constexpr std::string_view model =
        "coding_v{vcs}x{vc_flits}_f{flit_bytes}_k{contexts}_s{slots}x{slot_flits}_i{indices}_d{destinations}"
        "_l{max_latency}{check_route?_route|}_{header_free?free|inline}";
    static constexpr std::array<parameter<coding_params>, 11> parameters = {{
        {"vcs", "NumVcs", [](const coding_params& p) { return unsigned{p.vcs}; },
         [](coding_params& p, unsigned value) { p.vcs = value; }},
        {"vc_flits", "VcFlits", [](const coding_params& p) { return unsigned{p.vc_flits}; },
         [](coding_params& p, unsigned value) { p.vc_flits = value; }},
        {"flit_bytes", "FlitBytes", [](const coding_params& p) { return unsigned{p.flit_bytes}; },
         [](coding_params& p, unsigned value) { p.flit_bytes = value; }},
        {"header_free", "HeaderFree", [](const coding_params& p) { return unsigned{p.header_free}; },
         [](coding_params& p, unsigned value) { p.header_free = value != 0; }},
        {"contexts", "NumContexts", [](const coding_params& p) { return unsigned{p.contexts}; },
         [](coding_params& p, unsigned value) { p.contexts = value; }},
        {"slots", "NumSlots", [](const coding_params& p) { return unsigned{p.slots}; },
         [](coding_params& p, unsigned value) { p.slots = value; }},
        {"slot_flits", "SlotFlits", [](const coding_params& p) { return unsigned{p.slot_flits}; },
         [](coding_params& p, unsigned value) { p.slot_flits = value; }},
        {"indices", "NumIndices", [](const coding_params& p) { return unsigned{p.indices}; },
         [](coding_params& p, unsigned value) { p.indices = value; }},
        {"destinations", "NumDestinations", [](const coding_params& p) { return unsigned{p.destinations}; },
         [](coding_params& p, unsigned value) { p.destinations = value; }},
        {"max_latency", "MaxLatency", [](const coding_params& p) { return unsigned{p.max_latency}; },
         [](coding_params& p, unsigned value) { p.max_latency = value; }},
        {"check_route", "CheckRoute", [](const coding_params& p) { return unsigned{p.check_route}; },
         [](coding_params& p, unsigned value) { p.check_route = value != 0; }},
    }};
};

/// \throws input_error if a parameter is outside its range (see hw/chips/coding/coding_unit.md)
const coding_params& checked(const coding_params& p);

struct broadcast_registers;

/// Parameters of the broadcast router: hw/chips/broadcast/broadcast_unit.md says what each does.
struct broadcast_params {
    router_params router = {.vcs = 2};
    unsigned slots = 32;  ///< packets of a message (1..64)
    unsigned slot_flits = 8;  ///< flits of a packet (1..64)
    unsigned inject_flits = 8;  ///< flits of the buffer behind the host port (1..64)

    bool operator==(const broadcast_params&) const = default;

    /// Virtual channel of pipelined broadcasts.
    unsigned unit_vc() const;
    /// At which the unit takes and gives its packets.
    unsigned host_port() const;
    /// Sizes of the pins.
    engine::pin_shape pin_shape(const broadcast_registers& registers) const;
};

namespace broadcast_ranges {

inline constexpr range ports{4, 16, "4", "16"};
inline constexpr range vcs{2, 15, "2", "15"};
inline constexpr range vc_flits{1, 4096, "1", "4096"};
inline constexpr range flit_bytes{1, 64, "1", "64"};
inline constexpr range dimensions{1, 4, "1", "4"};
inline constexpr range radix{2, 1024, "2", "1024"};
inline constexpr range max_nodes{0, 65536, "0", "65536"};
inline constexpr range xbar_stages{0, 15, "0", "15"};
inline constexpr range slots{1, 64, "1", "64"};
inline constexpr range slot_flits{1, 64, "1", "64"};
inline constexpr range inject_flits{1, 64, "1", "64"};

}  // namespace broadcast_ranges

template <>
struct chip_facts<broadcast_params> {
    static constexpr std::string_view what = "broadcast unit";
    static constexpr std::string_view module = "broadcast_router";
    static constexpr std::string_view model =
        "broadcast_p{ports}_v{vcs}x{vc_flits}_f{flit_bytes}_d{dimensions}x{radix}_n{max_nodes}_x{xbar_stages}"
        "_c{copies}_s{slots}x{slot_flits}_i{inject_flits}_{header_free?free|inline}";
    static constexpr std::array<parameter<broadcast_params>, 13> parameters = {{
        {"ports", "NumPorts", [](const broadcast_params& p) { return unsigned{p.router.ports}; },
         [](broadcast_params& p, unsigned value) { p.router.ports = value; }},
        {"vcs", "NumVcs", [](const broadcast_params& p) { return unsigned{p.router.vcs}; },
         [](broadcast_params& p, unsigned value) { p.router.vcs = value; }},
        {"vc_flits", "VcFlits", [](const broadcast_params& p) { return unsigned{p.router.vc_flits}; },
         [](broadcast_params& p, unsigned value) { p.router.vc_flits = value; }},
        {"flit_bytes", "FlitBytes", [](const broadcast_params& p) { return unsigned{p.router.flit_bytes}; },
         [](broadcast_params& p, unsigned value) { p.router.flit_bytes = value; }},
        {"header_free", "HeaderFree", [](const broadcast_params& p) { return unsigned{p.router.header_free}; },
         [](broadcast_params& p, unsigned value) { p.router.header_free = value != 0; }},
        {"dimensions", "Dimensions", [](const broadcast_params& p) { return unsigned{p.router.dimensions}; },
         [](broadcast_params& p, unsigned value) { p.router.dimensions = value; }},
        {"radix", "Radix", [](const broadcast_params& p) { return unsigned{p.router.radix}; },
         [](broadcast_params& p, unsigned value) { p.router.radix = value; }},
        {"max_nodes", "MaxNodes", [](const broadcast_params& p) { return unsigned{p.router.max_nodes}; },
         [](broadcast_params& p, unsigned value) { p.router.max_nodes = value; }},
        {"xbar_stages", "XbarStages", [](const broadcast_params& p) { return unsigned{p.router.xbar_stages}; },
         [](broadcast_params& p, unsigned value) { p.router.xbar_stages = value; }},
        {"copies", "Copies", [](const broadcast_params& p) { return unsigned{p.router.copies}; },
         [](broadcast_params& p, unsigned value) { p.router.copies = value != 0; }},
        {"slots", "NumSlots", [](const broadcast_params& p) { return unsigned{p.slots}; },
         [](broadcast_params& p, unsigned value) { p.slots = value; }},
        {"slot_flits", "SlotFlits", [](const broadcast_params& p) { return unsigned{p.slot_flits}; },
         [](broadcast_params& p, unsigned value) { p.slot_flits = value; }},
        {"inject_flits", "InjectFlits", [](const broadcast_params& p) { return unsigned{p.inject_flits}; },
         [](broadcast_params& p, unsigned value) { p.inject_flits = value; }},
    }};
};

/// \throws input_error if a parameter is outside its range (see hw/chips/broadcast/broadcast_unit.md)
const broadcast_params& checked(const broadcast_params& p);

/// Parameters of the link end: hw/chips/link/link.md says what each does.
struct link_end_params {
    unsigned vcs = 1;  ///< virtual channels (1..16)
    unsigned flit_bytes = 16;  ///< bytes of a flit (1..64)
    unsigned header_bytes = 0;  ///< bytes of a free header; 0: headers are in the flits (0..4096)
    bool beside = false;  ///< trailers and ordered sets on 64 wires beside the flit
    unsigned frame = 8;  ///< flits of the longest frame (1..256)
    unsigned ring = 64;  ///< flits of the ring (1..16777216)
    unsigned window = 19;  ///< frames that may be outstanding (1..524288)
    unsigned sequence_bits = 20;  ///< bits of sequence numbers; with layer `check` 20 (3..20)
    unsigned protect_rings = 0;  ///< code of flits in the ring: 0 none, 1 parity, 2 SECDED (0..2)
    unsigned protect_counters = 0;  ///< code of credit counters, likewise (0..2)

    bool operator==(const link_end_params&) const = default;

    /// Sizes of the pins.
    engine::pin_shape pin_shape() const;
};

namespace link_end_ranges {

inline constexpr range vcs{1, 16, "1", "16"};
inline constexpr range flit_bytes{1, 64, "1", "64"};
inline constexpr range header_bytes{0, 4096, "0", "4096"};
inline constexpr range frame{1, 256, "1", "256"};
inline constexpr range ring{1, 16777216, "1", "16777216"};
inline constexpr range window{1, 524288, "1", "524288"};
inline constexpr range sequence_bits{3, 20, "3", "20"};
inline constexpr range protect_rings{0, 2, "0", "2"};
inline constexpr range protect_counters{0, 2, "0", "2"};

}  // namespace link_end_ranges

template <>
struct chip_facts<link_end_params> {
    static constexpr std::string_view what = "link end";
    static constexpr std::string_view module = "link_end";
    static constexpr std::string_view model =
        "link_end_v{vcs}_f{flit_bytes}_h{header_bytes}_n{frame}_r{ring}_w{window}_s{sequence_bits}"
        "{protect_rings?_g#|}{protect_counters?_k#|}_{beside?beside|inline}";
    static constexpr std::array<parameter<link_end_params>, 10> parameters = {{
        {"vcs", "NumVcs", [](const link_end_params& p) { return unsigned{p.vcs}; },
         [](link_end_params& p, unsigned value) { p.vcs = value; }},
        {"flit_bytes", "FlitBytes", [](const link_end_params& p) { return unsigned{p.flit_bytes}; },
         [](link_end_params& p, unsigned value) { p.flit_bytes = value; }},
        {"header_bytes", "HeaderBytes", [](const link_end_params& p) { return unsigned{p.header_bytes}; },
         [](link_end_params& p, unsigned value) { p.header_bytes = value; }},
        {"beside", "Beside", [](const link_end_params& p) { return unsigned{p.beside}; },
         [](link_end_params& p, unsigned value) { p.beside = value != 0; }},
        {"frame", "FrameFlits", [](const link_end_params& p) { return unsigned{p.frame}; },
         [](link_end_params& p, unsigned value) { p.frame = value; }},
        {"ring", "RingFlits", [](const link_end_params& p) { return unsigned{p.ring}; },
         [](link_end_params& p, unsigned value) { p.ring = value; }},
        {"window", "WindowFrames", [](const link_end_params& p) { return unsigned{p.window}; },
         [](link_end_params& p, unsigned value) { p.window = value; }},
        {"sequence_bits", "SeqBits", [](const link_end_params& p) { return unsigned{p.sequence_bits}; },
         [](link_end_params& p, unsigned value) { p.sequence_bits = value; }},
        {"protect_rings", "ProtectRings", [](const link_end_params& p) { return unsigned{p.protect_rings}; },
         [](link_end_params& p, unsigned value) { p.protect_rings = value; }},
        {"protect_counters", "ProtectCounters", [](const link_end_params& p) { return unsigned{p.protect_counters}; },
         [](link_end_params& p, unsigned value) { p.protect_counters = value; }},
    }};
};

/// \throws input_error if a parameter is outside its range (see hw/chips/link/link.md)
const link_end_params& checked(const link_end_params& p);

}  // namespace polycast::hw::chips
