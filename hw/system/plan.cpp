// SPDX-License-Identifier: Apache-2.0
#include "hw/system/plan.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "hw/routing/router_deadlock.h"
#include "hw/routing/tables.h"

namespace polycast::hw::system {

namespace {

/// Bit strings are rounded up to this many hosts, so that networks of nearly the same size share a Verilated model.
constexpr unsigned host_granule = 32;
constexpr unsigned switch_granule = 32;
constexpr unsigned port_granule = 8;

unsigned rounded_up(std::size_t count, unsigned granule) {
    return static_cast<unsigned>((count + granule - 1) / granule * granule);
}

/// Tables of meshes and tori have the ways of dimension order.
routing::router_check_result check_grid(const system_plan& plan, unsigned classes, unsigned longest) {
    routing::router_check_input input{plan.routers.front(), plan.router_tables.front()};
    input.tables.table = false;
    input.tables.route.clear();
    input.classes = classes;
    input.longest_unicast = longest;
    return routing::check_router_routes(input);
}

routing::router_check_result check_tables(const system_plan& plan, unsigned classes, unsigned longest) {
    return routing::check_table_routes({&plan.network, plan.routers.front(), plan.router_tables, classes, longest,
                                        plan.host.interface.class_vcs, plan.host.interface.paths});
}

}  // namespace

ni::native_params paper_costs(engine::cycle ni_send, engine::cycle ni_receive, bool overlapped) {
    ni::native_params params;
    params.cycles[NI_OPERATION_SEND] = ni_send;
    params.cycles[NI_OPERATION_RECEIVE] = ni_receive;
    params.overlapped = overlapped;
    return params;
}

unsigned packet_flits(format::packet_kind kind, unsigned payload, const format::header_shape& shape,
                      unsigned flit_bytes, bool header_free) {
    if (header_free) return format::header_flits(payload, flit_bytes);
    return format::header_flits(format::longest_header_bytes(kind, shape), flit_bytes) +
           format::header_flits(format::transport_bytes + payload + format::check_bytes, flit_bytes);
}

format::header_shape header_shape_of(const topology::graph& network, unsigned stops) {
    std::size_t most_ports = 1;
    for (const topology::switch_node& node : network.switches) most_ports = std::max(most_ports, node.ports.size());
    return {static_cast<unsigned>(network.hosts.size()), rounded_up(most_ports, port_granule), stops};
}

system_plan make_plan(topology::graph network, const system_params& params) {
    if (params.flit_bytes == 0 || params.flit_bytes > 64)
        throw input_error("a flit has 1..64 bytes, not " + std::to_string(params.flit_bytes));
    if (params.chunk_flits == 0) throw input_error("a chunk has at least one flit");
    if (params.buffer_flits % params.chunk_flits != 0) {
        throw input_error(
            "a buffer of " + std::to_string(params.buffer_flits) + " flits is no whole number of chunks of " +
                std::to_string(params.chunk_flits) + " flits",
            "take " + std::to_string((params.buffer_flits / params.chunk_flits + 1) * params.chunk_flits));
    }
    if (params.packet_limit > params.buffer_flits) {
        throw input_error("the packet limit of " + std::to_string(params.packet_limit) +
                              " flits is more than a buffer of " + std::to_string(params.buffer_flits) + " flits holds",
                          "replication is free of deadlock only where a buffer takes the longest packet whole");
    }
    if (params.crossbar_delay == 0 || params.crossbar_delay > 16)
        throw input_error("the crossbar takes 1..16 cycles, not " + std::to_string(params.crossbar_delay));
    topology::validate(network);

    system_plan plan;
    plan.params = params;
    plan.network = std::move(network);
    const routing::updown routes(plan.network, params.routing);
    plan.root = routes.root();
    const auto hosts = static_cast<unsigned>(plan.network.hosts.size());
    const unsigned max_hosts = rounded_up(hosts, host_granule);
    const unsigned max_switches = rounded_up(plan.network.switches.size(), switch_granule);
    const unsigned header_ports = header_shape_of(plan.network, params.header_stops).ports;
    plan.tables = routing::make_tables(routes, max_hosts, params.worms);
    const unsigned chunks = params.buffer_flits / params.chunk_flits;
    for (std::uint32_t index = 0; index < plan.network.switches.size(); ++index) {
        plan.levels.push_back(routes.level(index));
        const auto ports = static_cast<unsigned>(plan.network.switches[index].ports.size());
        if (params.read_ports > ports) {
            throw input_error("switch " + plan.network.switches[index].name + " has " + std::to_string(ports) +
                              " ports, so not " + std::to_string(params.read_ports) + " read ports");
        }
        plan.switches.push_back({ports, params.flit_bytes, params.chunk_flits, chunks, max_hosts, params.header_free,
                                 params.read_ports == 0 ? ports : params.read_ports, params.crossbar_delay - 1,
                                 max_switches, header_ports, params.header_stops});
        chips::switch_tables& tables = plan.tables[index];
        tables.route_delay = params.route_delay;
        tables.arbitration = params.arbitration;
        tables.selection = params.selection;
        tables.up_selection = params.up_selection;
        tables.rewrite = params.rewrite;
        tables.packet_limit = params.packet_limit == 0 ? params.buffer_flits : params.packet_limit;
        tables.tree_header_flits =
            params.header_free ? 1 : format::header_flits(format::tree_header_bytes(hosts), params.flit_bytes);
        tables.buffer_chunks.assign(ports, chunks);
        tables.credits.assign(ports, chunks);
    }
    plan.host = params.host;
    ni::ni_params& interface = plan.host.interface;
    interface.flit_bytes = params.flit_bytes;
    interface.header_ports = header_ports;
    interface.header_stops = params.header_stops;
    interface.header_bytes = plan.switches.front().pin_shape().header_bytes;
    interface.chunk_flits = params.chunk_flits;
    interface.credits = chunks;
    interface.host = 0;
    interface.hosts = hosts;
    ni::check_params(interface);
    return plan;
}

engine::port_id system_plan::unit_port(std::uint32_t index) const {
    const std::uint32_t number = units[index].number;
    return {number % chips(), routers.front().first_host_port() + number / chips()};
}

std::string system_plan::unit_name(std::uint32_t index) const {
    return "unit" + std::to_string(units[index].number - network.hosts.size());
}

bool system_plan::keeps_order() const {
    if (!has_routers()) return params.selection == format::selection::deterministic;
    if (router_tables.front().select != format::route_select::lowest) return false;
    const auto& sets = router_tables.front().vc_sets;
    return std::ranges::all_of(sets, [](const auto& sides) { return std::has_single_bit(sides[0] | sides[1] | 0u); });
}

routing::route_check_result check_plan(const system_plan& plan, const traffic_needs& needs) {
    const auto flits = [&](format::packet_kind kind, unsigned payload) {
        return payload == 0
                   ? 0
                   : packet_flits(kind, payload, plan.header_shape(), plan.params.flit_bytes, plan.params.header_free);
    };
    std::vector<std::uint32_t> forwarders;
    const unsigned slots = plan.host.interface.receive_slots;
    if (slots != 0 && needs.forwarded > slots) {
        forwarders.resize(plan.network.hosts.size());
        std::iota(forwarders.begin(), forwarders.end(), 0u);
    }
    if (plan.has_routers()) {
        const unsigned longest = flits(format::packet_kind::unicast, needs.unicast_payload);
        routing::router_check_result found =
            plan.by_tables ? check_tables(plan, needs.classes, longest) : check_grid(plan, needs.classes, longest);
        if (!forwarders.empty())
            found.problems.push_back("interfaces that forward more packets than the " + std::to_string(slots) +
                                     " that their receive memory holds can wait for each other");
        return {std::move(found.problems), std::move(found.cycle), found.channels, found.dependencies};
    }
    routing::route_check_input input;
    input.network = &plan.network;
    input.tables = plan.tables;
    input.params = plan.switches;
    input.longest_unicast_flits = flits(format::packet_kind::unicast, needs.unicast_payload);
    input.longest_tree_flits = flits(format::packet_kind::tree, needs.tree_payload);
    input.longest_ssr_flits = flits(format::packet_kind::ssr, needs.ssr_payload);
    input.longest_path_flits = flits(format::packet_kind::path, needs.path_payload);
    input.forwarders = forwarders;
    return routing::check_routes(input);
}

}  // namespace polycast::hw::system
