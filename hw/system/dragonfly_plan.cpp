// SPDX-License-Identifier: Apache-2.0
#include "hw/system/dragonfly_plan.h"

#include <algorithm>

#include "hw/system/router_plan.h"

namespace polycast::hw::system {

unsigned dragonfly_classes(const topology::dragonfly& shape) {
    return shape.valiant() ? 2 : 1;
}

unsigned dragonfly_vcs(const topology::dragonfly& shape) {
    return 1 + dragonfly_classes(shape);
}

std::array<std::array<chips::vc_set, 2>, 8> dragonfly_vc_sets(const topology::dragonfly& shape, unsigned vcs) {
    const unsigned classes = dragonfly_classes(shape);
    std::array<std::array<chips::vc_set, 2>, 8> sets = {};
    const auto of_level = [&](unsigned level) {
        unsigned set = 0;
        for (unsigned vc = std::min(level, vcs - 1); vc < vcs; vc += classes + 1) set |= 1u << vc;
        return static_cast<chips::vc_set>(set);
    };
    // Ports of global links are those of dimensions, on side 1; at others packets keep what they have.
    for (unsigned number = 0; number < sets.size(); ++number)
        sets[number] = {of_level(0), of_level(1 + number % classes)};
    return sets;
}

system_plan make_plan(const topology::dragonfly& shape, const fabric::fabric_params& routers,
                      const system_params& params) {
    fabric::fabric_params all = routers;
    all.router.ports = shape.ports();
    all.router.dimensions = shape.local_port() / 2;
    all.router.radix = 2;
    system_plan plan = make_table_plan(
        make_dragonfly(shape), all, params, shape.addresses(),
        [&](std::uint32_t router, std::uint32_t address) { return 1u << shape.route(router, address); });
    for (unsigned number = 0; number < all.tables.vc_sets.size(); ++number)
        plan.host.interface.class_vcs[number] = all.tables.vc_sets[number][0];
    if (shape.valiant()) plan.host.interface.paths = {shape.group_hosts(), shape.groups(), routers.tables.seed};
    return plan;
}

}  // namespace polycast::hw::system
