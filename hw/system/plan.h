// SPDX-License-Identifier: Apache-2.0
/// \file From a topology and a handful of parameters to everything that the chips of a network of replicating switches,
/// or of virtual-channel routers (mesh_plan.h, fat_tree_plan.h), need, whatever runs it: the bare engine or SystemC.
#pragma once

#include <string>
#include <vector>

#include "hw/chips/coding/coding_config.h"
#include "hw/chips/router/router_config.h"
#include "hw/chips/switch/switch_config.h"
#include "hw/engine/network.h"
#include "hw/host/host_chip.h"
#include "hw/ni/native_processor.h"
#include "hw/routing/deadlock.h"
#include "hw/routing/updown.h"
#include "hw/topology/graph.h"

namespace polycast::hw::system {

/// The papers' times of firmware: `ni_send` (t_ns) for every copy of a packet, `ni_receive` (t_nr) for every packet
/// that arrives, nothing else. `overlapped`: receiving costs the sending side nothing. Sivaram et al.,
/// OSU-CISRC-10/98-TR41, section 5.
ni::native_params paper_costs(engine::cycle ni_send = 1000, engine::cycle ni_receive = 1000, bool overlapped = false);

/// Defaults: Sivaram et al., OSU-CISRC-10/98-TR41, section 5.
struct system_params {
    unsigned flit_bytes = 1;
    unsigned chunk_flits = 8;
    unsigned buffer_flits = 640;  ///< of each switch input, a whole number of chunks
    unsigned packet_limit = 0;    ///< longest packet in flits, header and trailer included; 0: what fits the buffer
    bool header_free = false;     ///< header beside the head flit at no cost in flits, as the papers count
    unsigned read_ports = 0;      ///< outputs that may read one input buffer in the same cycle; 0: all
    unsigned route_delay = 1;     ///< cycles, 1..15
    unsigned crossbar_delay = 1;  ///< cycles, 1..16
    unsigned link_delay = 1;      ///< cycles, 1 or more
    format::arbitration arbitration = format::arbitration::round_robin;
    format::selection selection = format::selection::least_loaded;     ///< among minimal next ports
    format::selection up_selection = format::selection::least_loaded;  ///< of the up port of a tree worm
    bool rewrite = true;        ///< copies of a tree worm keep only the hosts behind their port
    unsigned header_stops = 8;  ///< longest list of a path worm, 1..255
    routing::updown_options routing;
    routing::worm_links worms = routing::worm_links::updown;  ///< links that tree worms go along
    host::host_params host;  ///< numbers and sizes (flit, header, chunk, credits) of its interface come from make_plan
    ni::native_params firmware_times = paper_costs();  ///< of native_processors()
};

/// Everything about the chips of a network, ready to be built: of switches, or of routers, which stand in the places of
/// the switches of the graph. Chips are numbered: first those, then the hosts, then coding units.
struct system_plan {
    topology::graph network;
    system_params params;
    std::uint32_t root = 0;                           ///< of the up*/down* tree
    std::vector<std::uint32_t> levels;                ///< [switch]
    std::vector<chips::switch_params> switches;       ///< [switch]; none in a network of routers
    std::vector<chips::switch_tables> tables;         ///< [switch]
    std::vector<chips::router_params> routers;        ///< [router], all equal; none in a network of switches
    std::vector<chips::router_tables> router_tables;  ///< [router]
    bool by_tables = false;                           ///< routers of any graph go by tables; else a mesh or torus
    chips::coding_params coding;                      ///< of every coding unit
    std::vector<chips::coding_registers> units;       ///< coding units that there are, by their numbers
    host::host_params host;                           ///< of every host, but for its number

    bool has_routers() const { return !routers.empty(); }
    /// Switches or routers.
    std::uint32_t chips() const { return static_cast<std::uint32_t>(network.switches.size()); }
    engine::chip_id host_chip(std::uint32_t number) const { return chips() + number; }
    engine::chip_id unit_chip(std::uint32_t index) const {
        return host_chip(static_cast<std::uint32_t>(network.hosts.size()) + index);
    }
    engine::chip_id all_chips() const { return unit_chip(static_cast<std::uint32_t>(units.size())); }
    /// The router's port that a coding unit is at, and its name: "unit5" at "router5".
    engine::port_id unit_port(std::uint32_t index) const;
    std::string unit_name(std::uint32_t index) const;
    /// Virtual channels of every link.
    unsigned vcs() const { return host.interface.vcs; }
    /// That the sender at a port of a switch or router has, for each virtual channel.
    unsigned credits(std::uint32_t chip, unsigned port) const {
        return has_routers() ? router_tables[chip].credits[port] : tables[chip].credits[port];
    }
    /// Packets of a pair of hosts stay in order, whatever they meet.
    bool keeps_order() const;

    /// What interfaces put into headers: strings as long as there are hosts.
    format::header_shape header_shape() const { return host.interface.header_shape(); }
    engine::link_params link() const { return {params.link_delay, params.chunk_flits}; }
};

/// Flits of a packet with `payload` bytes and the longest header of its kind on the links of a network, header and
/// trailer included.
unsigned packet_flits(format::packet_kind kind, unsigned payload, const format::header_shape& shape,
                      unsigned flit_bytes, bool header_free);

/// What the length of headers depends on in a network whose path worms have at most `stops` stops.
format::header_shape header_shape_of(const topology::graph& network, unsigned stops);

/// \throws input_error on parameters out of range, or a topology that is none.
system_plan make_plan(topology::graph network, const system_params& params);

/// What a workload asks of a network.
struct traffic_needs {
    unsigned unicast_payload = 0;  ///< longest payload of a unicast packet; 0: none is sent
    unsigned tree_payload = 0;     ///< of a tree worm
    unsigned ssr_payload = 0;      ///< of an SSR worm
    unsigned path_payload = 0;     ///< of a path worm
    unsigned classes = 1;          ///< of virtual channels that packets are of: 0 .. classes - 1; routers only
    /// Most packets that one interface may have to hold at once because it forwards them; 0: none forwards.
    std::uint64_t forwarded = 0;
};

/// The static checks of hw/routing on a plan. Interfaces that forward more than their receive memory holds
/// are part of it.
routing::route_check_result check_plan(const system_plan& plan, const traffic_needs& needs);

}  // namespace polycast::hw::system
