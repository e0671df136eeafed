// SPDX-License-Identifier: Apache-2.0
#include "hw/system/router_plan.h"

#include <string>
#include <utility>

#include "hw/chips/router/router_core.h"
#include "hw/input_error.h"
#include "hw/traffic/random.h"

namespace polycast::hw::system {

namespace {

/// Route tables are rounded up to this many entries, so that networks of nearly the same size share a Verilated model.
constexpr unsigned node_granule = 32;

void set_interface(ni::ni_params& interface, const chips::router_params& router, const chips::router_tables& tables) {
    interface.host = 0;
    interface.flit_bytes = router.flit_bytes;
    interface.header_bytes = router.pin_shape().header_bytes;
    interface.header_stops = 0;  // no worms
    interface.chunk_flits = 1;
    interface.credits = router.vc_flits;
    interface.vcs = router.vcs;
    interface.reserve = tables.reserve;
    for (std::size_t number = 0; number < interface.class_vcs.size(); ++number)
        interface.class_vcs[number] = static_cast<chips::vc_set>(tables.vc_sets[number][0] | tables.vc_sets[number][1]);
}

}  // namespace

system_plan make_router_plan(topology::graph network, const fabric::fabric_params& routers,
                             const system_params& params) {
    const chips::router_params& router = routers.router;
    const chips::router_tables& tables = routers.tables;
    if (tables.reserve > router.vc_flits)
        throw input_error("a packet begins with " + std::to_string(tables.reserve) + " credits, but buffers have " +
                              std::to_string(router.vc_flits) + " flits for a virtual channel",
                          "deepen them, shorten the packets, or let packets begin with fewer credits (wormhole)");
    system_plan plan;
    plan.params = params;
    plan.params.flit_bytes = router.flit_bytes;
    plan.params.header_free = router.header_free;
    plan.params.chunk_flits = 1;
    plan.params.buffer_flits = router.vc_flits;
    plan.params.packet_limit = tables.packet_limit;
    plan.params.route_delay = tables.route_delay;
    plan.params.crossbar_delay = router.xbar_stages + 1;
    plan.params.link_delay = routers.link_delay;
    plan.network = std::move(network);
    plan.add_network();
    plan.host = params.host;
    set_interface(plan.host.interface, router, tables);
    plan.host.interface.hosts = static_cast<std::uint32_t>(plan.network.hosts.size());
    ni::check_params(plan.host.interface);
    return plan;
}

system_plan make_table_plan(topology::graph network, const fabric::fabric_params& routers, const system_params& params,
                            std::uint32_t addresses, const table_routes& routes) {
    fabric::fabric_params all = routers;
    chips::router_params& router = all.router;
    router.max_nodes = (addresses + node_granule - 1) / node_granule * node_granule;
    router.copies = false;
    router.adaptive = all.tables.select != chips::route_select::lowest;
    all.tables.wrap = 0;
    all.tables.table = true;
    system_plan plan = make_router_plan(std::move(network), all, params);
    plan.by_tables = true;
    for (std::uint32_t chip = 0; chip < plan.switch_count(); ++chip) {
        chips::router_tables tables = all.tables;
        tables.node = chip;
        tables.seed = static_cast<std::uint16_t>(traffic::random_stream(tables.seed, chip)());
        for (const topology::port_end& end : plan.network.switches[chip].ports)
            tables.credits.push_back(end.kind == topology::port_end::leads_to::nowhere ? 0 : router.vc_flits);
        for (std::uint32_t address = 0; address < addresses; ++address) tables.route.push_back(routes(chip, address));
        // What is wrong with one is wrong with all.
        if (chip == 0) const chips::router_core checked(router, tables);
        plan.chips[chip].is = router_chip{router, std::move(tables)};
    }
    return plan;
}

}  // namespace polycast::hw::system
