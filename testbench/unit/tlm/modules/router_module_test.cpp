// SPDX-License-Identifier: Apache-2.0
// Meshes and tori of router modules wired in SystemC do what the same chips do on the bare engine, and what a fabric
// does: every packet arrives in the same cycle, every pin is the same in every cycle, wherever the routers live.
#include "tlm/modules/router_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/input_error.h"
#include "testbench/unit/tlm/modules/compare_routers.h"

namespace polycast::tlm::modules {
namespace {

using namespace hw::chips;

struct setting {
    std::string name;
    unsigned radix = 3;
    unsigned wrap = 0;
    unsigned vcs = 4;
    unsigned longest = 5;
    unsigned reserve = 1;
    router_allocator allocator = router_allocator::separable;
    vc_policy policy = vc_policy::any;
    unsigned route_delay = 1;
    unsigned xbar_stages = 0;
    unsigned link_delay = 1;
    unsigned flit_bytes = 16;
    bool header_free = false;
};

const std::vector<setting> settings{
    {.name = "mesh"},
    {.name = "mesh_one_vc", .vcs = 1},
    {.name = "mesh_two_vcs_islip", .vcs = 2, .allocator = router_allocator::islip},
    {.name = "mesh_cut_through_keep", .longest = 8, .reserve = 8, .policy = vc_policy::keep},
    {.name = "mesh_slow", .longest = 20, .route_delay = 3, .xbar_stages = 2, .link_delay = 3},
    {.name = "mesh_free_headers", .flit_bytes = 1, .header_free = true},
    {.name = "torus", .radix = 4, .wrap = 3},
    {.name = "torus_eight_vcs_islip", .radix = 4, .wrap = 3, .vcs = 8, .allocator = router_allocator::islip},
    {.name = "torus_cut_through", .radix = 4, .wrap = 3, .longest = 4, .reserve = 4, .link_delay = 2},
};

fabric_params params_of(const setting& setting) {
    fabric_params params;
    params.router.radix = setting.radix;
    params.router.vcs = setting.vcs;
    params.router.xbar_stages = setting.xbar_stages;
    params.router.flit_bytes = setting.flit_bytes;
    params.router.header_free = setting.header_free;
    params.tables.wrap = setting.wrap;
    params.tables.route_delay = setting.route_delay;
    params.tables.allocator = setting.allocator;
    params.tables.reserve = setting.reserve;
    params.tables.policy = setting.policy;
    params.tables.vc_sets = hw::fabric::dateline_sets(setting.vcs, setting.wrap);
    params.link_delay = setting.link_delay;
    return params;
}

struct placed_run {
    std::vector<send_order> orders;
    std::unique_ptr<sc_routers> network;
};

TEST(router_module, networks_of_modules_equal_the_engine_and_the_fabric) {
    std::vector<placed_run> runs;
    const std::vector<std::pair<std::string, std::function<bool(std::uint32_t)>>> places{
        {"modules", [](std::uint32_t) { return false; }},
        {"mixed", [](std::uint32_t node) { return node % 3 != 0; }},
        {"engine", [](std::uint32_t) { return true; }},
    };
    for (const setting& setting : settings) {
        const fabric_params params = params_of(setting);
        unsigned seed = 0;
        for (const bool watched : {false, true}) {
            for (const auto& [place, in_engine] : places) {
                auto orders = random_orders(params, setting.longest, ++seed);
                const std::string name = setting.name + "_" + place + (watched ? "_watched" : "");
                auto network = std::make_unique<sc_routers>(name.c_str(), params, orders, in_engine);
                if (watched) network->state.observe(&network->log);
                runs.push_back({std::move(orders), std::move(network)});
            }
        }
    }
    run_state other("other");
    EXPECT_THROW(router_module("bad", {.ports = 1}, {}, module_params{}, other), hw::input_error);

    sc_core::sc_start();
    std::uint64_t checked = 0;
    for (const placed_run& run : runs) {
        expect_same(*run.network, run.orders);
        EXPECT_TRUE(run.network->state.quiet());
        checked += run.network->checked_flits();
    }
    EXPECT_GT(checked, 50000u);
}

}  // namespace
}  // namespace polycast::tlm::modules
