// SPDX-License-Identifier: Apache-2.0
#include "hw/system/plan.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "hw/format/header.h"
#include "hw/format/packet_size.h"
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
    routing::router_check_input input{plan.router_at(0).params, plan.router_at(0).tables};
    input.tables.table = false;
    input.tables.route.clear();
    input.classes = classes;
    input.longest_unicast = longest;
    return routing::check_router_routes(input);
}

routing::router_check_result check_tables(const system_plan& plan, unsigned classes, unsigned longest) {
    std::vector<chips::router_tables> tables;
    for (std::uint32_t index = 0; index < plan.switch_count(); ++index) tables.push_back(plan.router_at(index).tables);
    return routing::check_table_routes({&plan.network, plan.router_at(0).params, tables, classes, longest,
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

unsigned packet_flits(format::packet_kind kind, unsigned payload, const packet_sizes& sizes) {
    const unsigned body = format::body_flits(payload, sizes.flit_bytes, sizes.header_free, sizes.jobs);
    if (sizes.header_free) return body;
    return format::header_flits(format::longest_header_bytes(kind, sizes.shape), sizes.flit_bytes) + body;
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
    if (routes.roots().size() > 1 && params.worms == routing::worm_links::spanning_tree)
        throw input_error("worms on the links of a spanning tree need one root, not " +
                          std::to_string(routes.roots().size()));
    plan.root = routes.root();
    const auto hosts = static_cast<unsigned>(plan.network.hosts.size());
    const unsigned max_hosts = rounded_up(hosts, host_granule);
    const unsigned max_switches = rounded_up(plan.network.switches.size(), switch_granule);
    const unsigned header_ports = header_shape_of(plan.network, params.header_stops).ports;
    std::vector<chips::switch_tables> all_tables = routing::make_tables(routes, max_hosts, params.worms);
    plan.add_network();
    const unsigned chunks = params.buffer_flits / params.chunk_flits;
    for (std::uint32_t index = 0; index < plan.network.switches.size(); ++index) {
        plan.levels.push_back(routes.level(index));
        const auto ports = static_cast<unsigned>(plan.network.switches[index].ports.size());
        if (params.read_ports > ports) {
            throw input_error("switch " + plan.network.switches[index].name + " has " + std::to_string(ports) +
                              " ports, so not " + std::to_string(params.read_ports) + " read ports");
        }
        plan.chips[index].is =
            switch_chip{{ports, params.flit_bytes, params.chunk_flits, chunks, max_hosts, params.header_free,
                         params.read_ports == 0 ? ports : params.read_ports, params.crossbar_delay - 1, max_switches,
                         header_ports, params.header_stops, static_cast<unsigned>(params.protect_buffers),
                         static_cast<unsigned>(params.protect_routes), static_cast<unsigned>(params.protect_credits)},
                        std::move(all_tables[index])};
        chips::switch_tables& tables = plan.switch_at(index).tables;
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
    interface.header_bytes = plan.switch_at(0).params.pin_shape().header_bytes;
    interface.chunk_flits = params.chunk_flits;
    interface.credits = chunks;
    interface.host = 0;
    interface.hosts = hosts;
    ni::check_params(interface);
    return plan;
}

engine::chip_id system_plan::add(std::string name, chip_kind is) {
    chips.push_back({std::move(name), std::move(is)});
    return static_cast<engine::chip_id>(chips.size() - 1);
}

void system_plan::add_host(std::string name) {
    hosts.push_back(add(std::move(name), host_place{static_cast<std::uint32_t>(hosts.size())}));
}

void system_plan::connect(engine::port_id a, engine::port_id b) {
    cables.push_back({a, b, link()});
    planned_cable& made = cables.back();
    if (params.link_layer) {
        made.layer = params.link_layer->of(port_text(a));
        made.spoilt = !made.layer && !params.link_layer->faults.of(port_text(a), port_text(b), false).empty();
    }
    if (made.is_chip()) layered.push_back(cables.size() - 1);
}

engine::chip_id system_plan::add_network(const std::string& prefix, unsigned attachment) {
    const auto first = static_cast<engine::chip_id>(chips.size());
    for (const topology::switch_node& node : network.switches) add(prefix + node.name, {});
    for (const topology::link& link : network.links())
        connect({first + link.a.chip, link.a.port}, {first + link.b.chip, link.b.port});
    for (std::size_t number = 0; number < network.hosts.size(); ++number) {
        const topology::host_node& node = network.hosts[number];
        if (attachment == 0) add_host(node.name);
        connect({first + node.chip, node.port}, {hosts[number], attachment});
    }
    return first;
}

void system_plan::add_unit(const chips::coding_params& coding, chips::coding_registers registers) {
    const std::uint32_t router = registers.number % switch_count();
    const unsigned port = router_at(router).params.first_host_port() + registers.number / switch_count();
    const std::string name = "unit" + std::to_string(registers.number - network.hosts.size());
    units.push_back(add(name, coding_chip{coding, std::move(registers)}));
    connect({router, port}, {units.back(), 0});
}

engine::port_id system_plan::unit_port(std::uint32_t index) const {
    const auto cable = std::ranges::find(cables, engine::port_id{units[index], 0}, &planned_cable::b);
    return cable->a;
}

unsigned system_plan::ports(engine::chip_id id) const {
    const chip_kind& is = chips[id].is;
    if (const auto* chip = std::get_if<switch_chip>(&is)) return chip->params.ports;
    if (const auto* chip = std::get_if<router_chip>(&is)) return chip->params.ports;
    if (const auto* chip = std::get_if<vl_switch_chip>(&is)) return chip->params.ports;
    if (const auto* chip = std::get_if<broadcast_chip>(&is)) return chip->params.router.ports;
    if (const auto* chip = std::get_if<event_chip>(&is)) return chip->params.ports;
    if (std::holds_alternative<std::monostate>(is)) return static_cast<unsigned>(network.switches[id].ports.size());
    return is_host(id) ? host.interfaces : 1;
}

std::vector<std::vector<engine::port_id>> system_plan::peers() const {
    std::vector<std::vector<engine::port_id>> all;
    for (engine::chip_id id = 0; id < chips.size(); ++id)
        all.emplace_back(ports(id), engine::port_id{engine::chip_network::no_chip, 0});
    for (const planned_cable& cable : cables) {
        all[cable.a.chip][cable.a.port] = cable.b;
        all[cable.b.chip][cable.b.port] = cable.a;
    }
    return all;
}

std::vector<engine::chip_id> system_plan::neighbourhoods() const {
    std::vector<engine::chip_id> all(chips.size());
    std::iota(all.begin(), all.end(), 0u);
    for (const planned_cable& cable : cables)
        if (!forwards(cable.b.chip) && cable.b.port == 0) all[cable.b.chip] = cable.a.chip;
    return all;
}

std::string system_plan::port_text(engine::port_id port) const {
    if (is_cable(port.chip)) return name_of(port.chip) + " end " + std::to_string(port.port);
    const std::string& name = !chips.empty()       ? chips[port.chip].name
                              : is_host(port.chip) ? network.hosts[port.chip - switch_count()].name
                                                   : network.switches[port.chip].name;
    const bool many = forwards(port.chip) || (is_host(port.chip) && host.interfaces > 1);
    return many ? name + ":" + std::to_string(port.port + network.first_port) : name;
}

std::vector<unsigned> system_plan::credits(engine::port_id from) const {
    const chip_kind& is = chips[from.chip].is;
    if (const auto* chip = std::get_if<switch_chip>(&is)) return {chip->tables.credits[from.port]};
    if (const auto* chip = std::get_if<vl_switch_chip>(&is)) {
        const auto first = chip->tables.credits.begin() + from.port * chip->params.vls;
        return {first, first + chip->params.vls};
    }
    if (const auto* chip = std::get_if<router_chip>(&is))
        return std::vector<unsigned>(vcs(), chip->tables.credits[from.port]);
    if (const auto* chip = std::get_if<coding_chip>(&is)) return std::vector<unsigned>(vcs(), chip->registers.credits);
    std::vector<unsigned> all(vcs(), host.interface.credits);
    // The last virtual channel is the broadcast unit's; between routers its flits need no credits.
    if (const auto* chip = std::get_if<broadcast_chip>(&is)) {
        all.assign(vcs(), chip->registers.router.credits[from.port]);
        all.back() = from.port == chip->params.host_port() ? chip->registers.host_credits : 0;
    } else if (const auto* first = std::get_if<broadcast_chip>(&chips.front().is)) {
        all.back() = first->params.inject_flits;
    }
    return all;
}

bool system_plan::keeps_order() const {
    if (has_lids()) return true;  // a pair has one LID and one service level
    if (!has_routers()) return params.selection == format::selection::deterministic;
    const chips::router_tables& tables = router_at(0).tables;
    if (tables.select != format::route_select::lowest) return false;
    return std::ranges::all_of(tables.vc_sets,
                               [](const auto& sides) { return std::has_single_bit(sides[0] | sides[1] | 0u); });
}

namespace {

/// Chips with parameters that their models refuse; the first few.
std::vector<std::string> chip_problems(const system_plan& plan) {
    constexpr std::size_t most = 3;
    std::vector<std::string> problems;
    for (const planned_chip& chip : plan.chips) {
        try {
            std::visit(
                [](const auto& is) {
                    if constexpr (requires { chips::checked(is.params); }) chips::checked(is.params);
                },
                chip.is);
        } catch (const input_error& refused) {
            problems.push_back("'" + chip.name + "': " + refused.what());
        }
        if (problems.size() == most) break;
    }
    return problems;
}

}  // namespace

routing::route_check_result check_plan(const system_plan& plan, const traffic_needs& needs) {
    if (std::vector<std::string> problems = chip_problems(plan); !problems.empty())
        return {std::move(problems), {}, 0, 0};
    const auto flits = [&](format::packet_kind kind, unsigned payload) {
        return payload == 0 ? 0 : packet_flits(kind, payload, plan.sizes());
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
    std::vector<chips::switch_tables> tables;
    std::vector<chips::switch_params> params;
    for (std::uint32_t index = 0; index < plan.switch_count(); ++index) {
        tables.push_back(plan.switch_at(index).tables);
        params.push_back(plan.switch_at(index).params);
    }
    input.tables = tables;
    input.params = params;
    input.longest_unicast_flits = flits(format::packet_kind::unicast, needs.unicast_payload);
    input.longest_tree_flits = flits(format::packet_kind::tree, needs.tree_payload);
    input.longest_ssr_flits = flits(format::packet_kind::ssr, needs.ssr_payload);
    input.longest_path_flits = flits(format::packet_kind::path, needs.path_payload);
    input.forwarders = forwarders;
    return routing::check_routes(input);
}

}  // namespace polycast::hw::system
