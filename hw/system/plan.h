// SPDX-License-Identifier: Apache-2.0
/// \file The plan of a network: its chips, cables and hosts, whether the engine or SystemC runs it. This file also
/// makes the plan of a graph of replicating switches; mesh_plan.h, fat_tree_plan.h and the workloads make others.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/chips/coding/coding_config.h"
#include "hw/chips/event/event_switch.h"
#include "hw/chips/link/link_config.h"
#include "hw/chips/router/router_config.h"
#include "hw/chips/switch/switch_config.h"
#include "hw/chips/vl_switch/vl_switch_config.h"
#include "hw/engine/network.h"
#include "hw/faults/fault_plan.h"
#include "hw/faults/faulty_chip.h"
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

/// Faults of the wires of a network. A direction has the name of the port that it leads away from, "switch1:3".
struct named_faults {
    static constexpr const char* all_links = "all";

    std::uint64_t seed = 0;
    std::vector<std::pair<std::string, faults::random_flip_rule>> rates;
    std::vector<std::pair<std::string, faults::fault_event>> events;

    /// Of the cable between two ports, whose ends are 0 and 1. \param layer what names all links and asks for frames or
    /// sets is for cables with a layer
    faults::fault_plan of(const std::string& first, const std::string& second, bool layer) const;
};

/// Cables that are two link ends with a wire between them (hw/chips/link/link.md): registers of both ends.
struct link_layers {
    std::optional<chips::link_config> all;  ///< of every cable that has none of its own; nothing: no link ends
    std::map<std::string, std::optional<chips::link_config>> own;  ///< by cable, "switch1:3"

    named_faults faults{};

    std::optional<chips::link_config> of(const std::string& cable) const {
        const auto found = own.find(cable);
        return found == own.end() ? all : found->second;
    }
};

/// A bit that flips in a memory of a chip.
struct named_upset {
    std::string chip;
    faults::timed_upset what;
};

/// What the lengths of a network's packets depend on, beside their payloads.
struct packet_sizes {
    format::header_shape shape;
    unsigned flit_bytes = 1;
    bool header_free = false;  ///< see system_params
    bool jobs = false;         ///< packets carry a JobID
};

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
    std::shared_ptr<const link_layers> link_layer;                  ///< null: cables have none
    std::vector<named_upset> upsets = {};                           ///< of switches and routers
    format::protection protect_buffers = format::protection::none;  ///< codes of memories of switches
    format::protection protect_routes = format::protection::none;
    format::protection protect_credits = format::protection::none;
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

// What a chip is: its parameters and what is written into it.
struct switch_chip {
    chips::switch_params params;
    chips::switch_tables tables;
};
struct vl_switch_chip {
    chips::vl_switch_params params;
    chips::vl_switch_tables tables;
};
struct router_chip {
    chips::router_params params;
    chips::router_tables tables;
};
struct coding_chip {
    chips::coding_params params;
    chips::coding_registers registers;
};
struct broadcast_chip {
    chips::broadcast_params params;
    chips::broadcast_registers registers;
};
struct event_chip {
    chips::event_switch_params params;
};
struct host_place {
    std::uint32_t number = 0;
};

/// No parameters: only the place in the network is known.
using chip_kind = std::variant<std::monostate, switch_chip, router_chip, coding_chip, broadcast_chip, event_chip,
                               host_place, vl_switch_chip>;

struct planned_chip {
    std::string name;
    chip_kind is;
};

struct planned_cable {
    engine::port_id a, b;
    engine::link_params link;
    std::optional<chips::link_config> layer{};  ///< registers of its ends; nothing: it has none
    bool spoilt = false;                        ///< it has no layer, and faults on its wires

    bool is_chip() const { return layer || spoilt; }
};

/// Everything about a network, ready to be built by any object that steps its chips (system_network.h): a list of
/// chips, a list of cables, and hosts with one or more attachments each. A fabric needs the graph alone: where the
/// lists are empty, chips are numbered as add_network() numbers them.
struct system_plan {
    topology::graph network;  ///< the chips are its nodes; for rails and lanes, one of several identical ones
    system_params params;
    std::uint32_t root = 0;             ///< of the up*/down* tree, the first where params.routing gives several
    std::vector<std::uint32_t> levels;  ///< [switch]
    bool by_tables = false;             ///< routers of any graph route by tables; else a mesh or torus
    host::host_params host;             ///< of every host, except its number

    std::vector<planned_chip> chips;  ///< for a graph: switches or routers, hosts, then coding units
    std::vector<planned_cable> cables;
    std::vector<engine::chip_id> hosts;  ///< [host] its chip; port i is attachment i
    std::vector<engine::chip_id> units;  ///< coding units that exist, by their numbers
    std::vector<std::size_t> layered;    ///< cables that are further chips, numbered behind `chips`

    engine::chip_id add(std::string name, chip_kind is);
    void add_host(std::string name);
    /// Joins two ports by a cable as link() says.
    void connect(engine::port_id a, engine::port_id b);
    /// Chips of `network`, still without parameters, whose names begin with `prefix`, and cables. Attachment 0 adds the
    /// hosts; other attachments join the existing hosts at this port. \returns the first chip
    engine::chip_id add_network(const std::string& prefix = {}, unsigned attachment = 0);
    /// A unit at the router of its number: "unit5" at "router5".
    void add_unit(const chips::coding_params& params, chips::coding_registers registers);

    const switch_chip& switch_at(engine::chip_id id) const { return std::get<switch_chip>(chips[id].is); }
    switch_chip& switch_at(engine::chip_id id) { return std::get<switch_chip>(chips[id].is); }
    const vl_switch_chip& vl_switch_at(engine::chip_id id) const { return std::get<vl_switch_chip>(chips[id].is); }
    vl_switch_chip& vl_switch_at(engine::chip_id id) { return std::get<vl_switch_chip>(chips[id].is); }
    const router_chip& router_at(engine::chip_id id) const { return std::get<router_chip>(chips[id].is); }
    router_chip& router_at(engine::chip_id id) { return std::get<router_chip>(chips[id].is); }
    const coding_chip& unit_at(std::uint32_t index) const { return std::get<coding_chip>(chips[units[index]].is); }
    coding_chip& unit_at(std::uint32_t index) { return std::get<coding_chip>(chips[units[index]].is); }
    engine::chip_id host_chip(std::uint32_t number) const {
        return chips.empty() ? switch_count() + number : hosts[number];
    }
    /// Switches or routers of the graph.
    std::uint32_t switch_count() const { return static_cast<std::uint32_t>(network.switches.size()); }
    bool has_routers() const { return !chips.empty() && std::holds_alternative<router_chip>(chips.front().is); }
    /// VL switches: forwarding tables and virtual lanes.
    bool has_lids() const { return host.interface.lids != nullptr; }
    bool is_host(engine::chip_id id) const {
        if (chips.empty()) return id >= switch_count();
        return !is_cable(id) && std::holds_alternative<host_place>(chips[id].is);
    }
    /// Neither a host nor a coding unit nor a cable.
    bool forwards(engine::chip_id id) const {
        if (is_host(id) || is_cable(id)) return false;
        return chips.empty() || !std::holds_alternative<coding_chip>(chips[id].is);
    }
    /// Two link ends and their wire, or a plain wire with faults, as one chip: port 0 is at `a` of the cable, port 1 at
    /// `b`.
    bool is_cable(engine::chip_id id) const { return !layered.empty() && id >= chips.size(); }
    const planned_cable& cable_at(engine::chip_id id) const { return cables[layered[id - chips.size()]]; }
    std::size_t chip_count() const { return chips.size() + layered.size(); }
    /// Of chips and cables; a cable has the name of its lower end, "switch1:3".
    std::string name_of(engine::chip_id id) const { return is_cable(id) ? port_text(cable_at(id).a) : chips[id].name; }
    /// The router's port that a coding unit is at.
    engine::port_id unit_port(std::uint32_t index) const;
    unsigned ports(engine::chip_id id) const;
    /// [chip][port] the other end of the cable; its chip is engine::chip_network::no_chip where there is none.
    std::vector<std::vector<engine::port_id>> peers() const;
    /// Where a chip that is attached to others belongs: a host's first switch, a unit's router; else the chip itself.
    std::vector<engine::chip_id> neighbourhoods() const;
    /// "switch3:2" with the port number of the user's file, "host7" where there is one port, "switch1:3 end 1".
    std::string port_text(engine::port_id port) const;
    /// Virtual channels of every link.
    unsigned vcs() const { return host.interface.vcs; }
    /// [virtual channel] credits of the sender at a port.
    std::vector<unsigned> credits(engine::port_id from) const;
    /// Credits with which a packet begins on a virtual channel.
    unsigned reserve() const { return has_routers() || has_lids() ? host.interface.reserve : 1; }
    /// Packets of a pair of hosts stay in order under any traffic.
    bool keeps_order() const;

    /// What interfaces put into headers: bit strings with one bit per host.
    format::header_shape header_shape() const { return host.interface.header_shape(); }
    packet_sizes sizes() const { return {header_shape(), params.flit_bytes, params.header_free, host.interface.jobs}; }
    engine::link_params link() const { return {params.link_delay, params.chunk_flits}; }
};

/// Flits of a packet with `payload` bytes and the longest header of its kind on the links of a network, header and
/// trailer included.
unsigned packet_flits(format::packet_kind kind, unsigned payload, const packet_sizes& sizes);

/// What the length of headers depends on in a network whose path worms have at most `stops` stops.
format::header_shape header_shape_of(const topology::graph& network, unsigned stops);

/// \throws input_error on parameters out of range, or a topology that is not valid.
system_plan make_plan(topology::graph network, const system_params& params);

/// What a workload asks of a network.
struct traffic_needs {
    unsigned unicast_payload = 0;  ///< longest payload of a unicast packet; 0: none is sent
    unsigned tree_payload = 0;     ///< of a tree worm
    unsigned ssr_payload = 0;      ///< of an SSR worm
    unsigned path_payload = 0;     ///< of a path worm
    unsigned classes = 1;          ///< classes of virtual channels that packets use: 0 .. classes - 1; routers only
    /// Most packets that one interface may have to hold at once because it forwards them; 0: none forwards.
    std::uint64_t forwarded = 0;
};

/// The static checks of hw/routing on a plan. They include interfaces that forward more than their receive memory
/// holds.
routing::route_check_result check_plan(const system_plan& plan, const traffic_needs& needs);

}  // namespace polycast::hw::system
