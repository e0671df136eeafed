// SPDX-License-Identifier: Apache-2.0
#include "hw/system/fat_tree_plan.h"

#include <utility>

#include "hw/chips/router/router_core.h"
#include "hw/system/router_plan.h"
#include "hw/traffic/random.h"

namespace polycast::hw::system {

namespace {

/// Route tables are rounded up to this many nodes, so that trees of nearly the same size share a Verilated model.
constexpr unsigned node_granule = 32;

}  // namespace

system_plan make_plan(const topology::fat_tree& tree, const fabric::fabric_params& routers,
                      const system_params& params) {
    fabric::fabric_params all = routers;
    chips::router_params& router = all.router;
    router.ports = tree.ports();
    // No mesh; without rings a port's number says nothing.
    router.dimensions = 1;
    router.radix = 2;
    router.max_nodes = (tree.nodes() + node_granule - 1) / node_granule * node_granule;
    router.copies = false;
    router.adaptive = all.tables.select != chips::route_select::lowest;
    all.tables.wrap = 0;
    all.tables.table = true;
    system_plan plan = make_router_plan(topology::make_fat_tree(tree), all, params);
    plan.fat_tree = true;
    for (std::uint32_t chip = 0; chip < plan.switch_count(); ++chip) {
        chips::router_tables tables = all.tables;
        tables.node = chip;
        tables.seed = static_cast<std::uint16_t>(traffic::random_stream(tables.seed, chip)());
        for (unsigned port = 0; port < router.ports; ++port) {
            const bool open = plan.network.switches[chip].ports[port].kind == topology::port_end::leads_to::nowhere;
            tables.credits.push_back(open ? 0 : router.vc_flits);
        }
        for (std::uint32_t leaf = 0; leaf < tree.nodes(); ++leaf)
            tables.route.push_back(static_cast<std::uint32_t>(tree.route(chip, leaf)));
        // What is wrong with one is wrong with all.
        if (chip == 0) const chips::router_core checked(router, tables);
        plan.chips[chip].is = router_chip{router, std::move(tables)};
    }
    return plan;
}

}  // namespace polycast::hw::system
