// SPDX-License-Identifier: Apache-2.0
/// \file A network of each kind for programs of up to 16 ranks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hw/system/dragonfly_plan.h"
#include "hw/system/fat_tree_plan.h"
#include "hw/system/mesh_plan.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/workloads/program/program_bench.h"

namespace polycast::hw::programs {

inline constexpr std::string_view program_networks[] = {"switch", "irregular", "adaptive", "mesh",
                                                        "torus",  "fat_tree",  "dragonfly"};

/// Routers whose buffers take packets whole.
inline fabric::fabric_params routers_of(unsigned vcs) {
    fabric::fabric_params made;
    made.router.vcs = vcs;
    made.router.vc_flits = 16;
    made.tables.packet_limit = made.tables.reserve = 16;
    return made;
}

/// \param name one of program_networks; `adaptive`: switches that take minimal ways in turn, so that packets overtake;
/// the fat tree draws its ways up
inline system::system_plan plan_of_network(std::string_view name) {
    system::system_params params;
    params.header_free = true;
    if (name == "switch") return system::make_plan(one_switch(16), params);
    if (name == "adaptive") {
        params.selection = format::selection::round_robin;
        return system::make_plan(topology::make_irregular({6, 12, 16, 1.0, 5}), params);
    }
    if (name == "irregular") return system::make_plan(topology::make_irregular({8, 8, 16, 0.8, 3}), params);
    if (name == "fat_tree") {
        fabric::fabric_params routers = routers_of(2);
        routers.tables.select = chips::route_select::random;
        routers.tables.seed = 7;
        routers.tables.vc_sets = fabric::class_sets(2, 1, 0, false);
        return system::make_plan(topology::fat_tree({4, 16}), routers, {});
    }
    if (name == "dragonfly") {
        const topology::dragonfly shape({2, 4, 2, 0});
        fabric::fabric_params routers = routers_of(2);
        routers.tables.vc_sets = system::dragonfly_vc_sets(shape, 2);
        return system::make_plan(shape, routers, {});
    }
    fabric::fabric_params mesh = routers_of(4);
    mesh.router.radix = 4;
    mesh.tables.wrap = name == "torus" ? 3 : 0;
    mesh.tables.vc_sets = fabric::dateline_sets(mesh.router.vcs, mesh.tables.wrap);
    return system::make_plan(mesh, system::system_params{});
}

}  // namespace polycast::hw::programs
