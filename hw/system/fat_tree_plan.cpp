// SPDX-License-Identifier: Apache-2.0
#include "hw/system/fat_tree_plan.h"

#include "hw/system/router_plan.h"

namespace polycast::hw::system {

system_plan make_plan(const topology::fat_tree& tree, const fabric::fabric_params& routers,
                      const system_params& params) {
    fabric::fabric_params all = routers;
    all.router.ports = tree.ports();
    // No mesh; without rings a port's number says nothing.
    all.router.dimensions = 1;
    all.router.radix = 2;
    return make_table_plan(
        topology::make_fat_tree(tree), all, params, tree.nodes(),
        [&](std::uint32_t router, std::uint32_t leaf) { return static_cast<std::uint32_t>(tree.route(router, leaf)); });
}

}  // namespace polycast::hw::system
