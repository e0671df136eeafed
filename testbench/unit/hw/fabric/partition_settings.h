// SPDX-License-Identifier: Apache-2.0
/// \file Fabrics and traffic with which partitions are compared.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "testbench/unit/hw/fabric/chip_network.h"

namespace polycast::testbench::unit {

inline hw::fabric::fabric_params mesh(unsigned radix, unsigned wrap = 0) {
    hw::fabric::fabric_params params;
    params.router.radix = radix;
    params.tables.wrap = wrap;
    params.tables.vc_sets = hw::fabric::dateline_sets(params.router.vcs, wrap);
    return params;
}

struct setting {
    std::string name;
    hw::fabric::fabric_params params;
    unsigned longest = 5;
};

inline std::vector<setting> settings() {
    std::vector<setting> all{{"mesh", mesh(8)}, {"torus", mesh(5, 3)}, {"slow_links", mesh(6)}};
    all[2].params.link_delay = 7;
    all[2].params.router.xbar_stages = 3;
    all[2].params.tables.route_delay = 4;
    setting& kept = all.emplace_back("kept_vcs_cut_through", mesh(4));
    kept.params.tables.policy = hw::chips::vc_policy::keep;
    kept.params.tables.reserve = kept.longest;
    setting& cube = all.emplace_back("cube_with_two_host_ports", mesh(3, 5));
    cube.params.router.dimensions = 3;
    cube.params.router.ports = 8;
    setting& islip = all.emplace_back("islip", mesh(4));
    islip.params.tables.allocator = hw::chips::router_allocator::islip;
    islip.params.tables.iterations = 2;
    return all;
}

/// Crowded and quiet stretches in turn.
inline std::vector<hw::fabric::send_order> random_orders(const setting& setting, unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t end) { return static_cast<std::uint32_t>(random() % end); };
    std::vector<hw::fabric::send_order> orders(std::size_t{setting.params.terminals()} * 20);
    for (hw::fabric::send_order& order : orders) {
        order.source = below(setting.params.terminals());
        order.destination = below(3) == 0 ? 0 : below(setting.params.terminals());
        order.birth = below(4) * 400 + below(50);
        order.flits = static_cast<std::uint16_t>(1 + below(setting.longest));
    }
    std::ranges::stable_sort(orders, {}, &hw::fabric::send_order::birth);
    return orders;
}

}  // namespace polycast::testbench::unit
