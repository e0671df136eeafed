// SPDX-License-Identifier: Apache-2.0
#include "hw/system/mesh_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hw/chips/router/router_core.h"
#include "hw/chips/router/router_route.h"
#include "hw/input_error.h"
#include "hw/system/router_plan.h"
#include "hw/topology/mesh.h"

namespace polycast::hw::system {

namespace {

/// Masks of one port for every terminal.
std::vector<std::uint32_t> route_table(const chips::router_params& router, chips::router_tables tables) {
    tables.table = false;
    const chips::route_rules rules(router, tables);
    const chips::route_place place(rules, tables.node, tables.credits);
    std::vector<std::uint32_t> masks(router.max_nodes);
    for (std::uint32_t to = 0; to < masks.size(); ++to) {
        const std::uint16_t way = chips::route_unicast(rules, place, {}, to, 0).info;
        masks[to] = 1u << (way & chips::flit_info::output_mask);
    }
    return masks;
}

topology::graph graph_of(const chips::router_params& router, unsigned wrap) {
    if (wrap != 0 && wrap + 1 != 1u << router.dimensions)
        throw input_error("some dimensions are rings and some are not", "take a mesh or a torus");
    topology::graph network = topology::make_mesh({router.radix, router.dimensions, wrap != 0, 1});
    for (topology::switch_node& node : network.switches) node.ports.resize(router.ports);
    return network;
}

}  // namespace

system_plan make_plan(const fabric::fabric_params& mesh, const system_params& params) {
    chips::router_params router = mesh.router;
    if (router.ports <= router.first_host_port())
        throw input_error("routers of " + std::to_string(router.ports) + " ports have none for a host");
    if (mesh.tables.table) router.max_nodes = mesh.terminals();
    system_plan plan =
        make_router_plan(graph_of(router, mesh.tables.wrap), {router, mesh.tables, mesh.link_delay}, params);
    plan.host.interface.units = router.nodes() * (router.ports - router.first_host_port() - 1);
    ni::check_params(plan.host.interface);
    for (std::uint32_t node = 0; node < plan.switch_count(); ++node) {
        chips::router_tables tables = mesh.tables;
        tables.node = node;
        tables.credits = fabric::port_credits(router, tables.wrap, node);
        std::fill(tables.credits.begin() + router.first_host_port() + 1, tables.credits.end(), 0u);
        if (tables.table) tables.route = route_table(router, tables);
        // What is wrong with one is wrong with all.
        if (node == 0) const chips::router_core checked(router, tables);
        plan.chips[node].is = router_chip{router, std::move(tables)};
    }
    return plan;
}

}  // namespace polycast::hw::system
