// SPDX-License-Identifier: Apache-2.0
#include "hw/system/mesh_plan.h"

#include <string>

#include "hw/chips/router_core.h"
#include "hw/chips/router_route.h"
#include "hw/fabric/fabric_config.h"
#include "hw/input_error.h"
#include "hw/topology/mesh.h"

namespace polycast::hw::system {

namespace {

/// Masks of one port for every terminal.
std::vector<std::uint32_t> route_table(const chips::router_params& router, const chips::router_tables& tables) {
    const chips::route_rules rules(router, tables);
    const chips::route_place place(rules, tables.node, tables.credits);
    std::vector<std::uint32_t> masks(router.max_nodes);
    for (std::uint32_t to = 0; to < masks.size(); ++to) {
        const std::uint16_t way = chips::route_unicast(rules, place, {}, to, 0).info;
        masks[to] = 1u << (way & chips::flit_info::output_mask);
    }
    return masks;
}

chips::router_params router_of(const mesh_params& mesh, const system_params& params) {
    chips::router_params router;
    router.dimensions = mesh.dimensions;
    router.radix = mesh.radix;
    router.ports = router.first_host_port() + 1;
    router.vcs = mesh.vcs;
    router.vc_flits = mesh.vc_flits;
    router.flit_bytes = params.flit_bytes;
    router.header_free = params.header_free;
    router.max_nodes = mesh.table ? router.nodes() * (router.ports - router.first_host_port()) : 0;
    router.xbar_stages = params.crossbar_delay - 1;
    router.copies = router.ports <= chips::most_copy_ports;
    return router;
}

chips::router_tables tables_of(const mesh_params& mesh, const system_params& params) {
    chips::router_tables tables;
    tables.wrap = mesh.torus ? (1u << mesh.dimensions) - 1 : 0;
    tables.route_delay = params.route_delay;
    tables.allocator = mesh.allocator;
    tables.iterations = mesh.iterations;
    tables.packet_limit = params.packet_limit == 0 ? mesh.vc_flits : params.packet_limit;
    tables.reserve = mesh.reserve == 0 ? tables.packet_limit : mesh.reserve;
    tables.policy = mesh.policy;
    tables.vc_sets = mesh.vc_sets.value_or(fabric::dateline_sets(mesh.vcs, tables.wrap));
    return tables;
}

}  // namespace

system_plan make_plan(const mesh_params& mesh, const system_params& params) {
    if (params.crossbar_delay == 0 || params.crossbar_delay > 16)
        throw input_error("the crossbar takes 1..16 cycles, not " + std::to_string(params.crossbar_delay));
    if (mesh.vcs == 0 || mesh.vcs > chips::most_vcs)
        throw input_error("a port has 1..16 virtual channels, not " + std::to_string(mesh.vcs));
    const chips::router_params router = router_of(mesh, params);
    const chips::router_tables common = tables_of(mesh, params);
    if (common.reserve > mesh.vc_flits)
        throw input_error("a packet begins with " + std::to_string(common.reserve) + " credits, but buffers have " +
                              std::to_string(mesh.vc_flits) + " flits for a virtual channel",
                          "deepen them, shorten the packets, or let packets begin with fewer credits (wormhole)");
    system_plan plan;
    plan.params = params;
    plan.params.chunk_flits = 1;
    plan.params.buffer_flits = mesh.vc_flits;
    plan.params.packet_limit = common.packet_limit;
    plan.network = topology::make_mesh({mesh.radix, mesh.dimensions, mesh.torus, 1});
    for (std::uint32_t node = 0; node < plan.chips(); ++node) {
        chips::router_tables tables = common;
        tables.node = node;
        tables.credits = fabric::port_credits(router, common.wrap, node);
        if (mesh.table) tables.route = route_table(router, tables);
        tables.table = mesh.table;
        // What is wrong with one is wrong with all.
        if (node == 0) const chips::router_core checked(router, tables);
        plan.routers.push_back(router);
        plan.router_tables.push_back(std::move(tables));
    }
    plan.host = params.host;
    ni::ni_params& interface = plan.host.interface;
    interface.flit_bytes = params.flit_bytes;
    interface.header_bytes = router.pin_shape().header_bytes;
    interface.header_ports = 8;
    interface.header_stops = 0;  // no worms
    interface.chunk_flits = 1;
    interface.credits = mesh.vc_flits;
    interface.vcs = mesh.vcs;
    interface.reserve = common.reserve;
    for (std::size_t number = 0; number < interface.class_vcs.size(); ++number)
        interface.class_vcs[number] = static_cast<chips::vc_set>(common.vc_sets[number][0] | common.vc_sets[number][1]);
    interface.host = 0;
    interface.hosts = static_cast<std::uint32_t>(plan.network.hosts.size());
    ni::check_params(interface);
    return plan;
}

}  // namespace polycast::hw::system
