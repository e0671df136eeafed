// SPDX-License-Identifier: Apache-2.0
// Verilated routers behind link sockets, in the middle of a mesh and a torus of cores: every pin of every chip is the
// same in every cycle as with cores alone.
#include <gtest/gtest.h>

#include <set>

#include "testbench/unit/tlm/modules/compare_routers.h"
#include "tlm/verilated/rtl_router.h"

namespace polycast::tlm::modules {
namespace {

/// Two by two in the middle of an 8x8 network: each has neighbours of both kinds. 0 and 7 are at the ends of a ring.
const std::set<std::uint32_t> in_rtl{0, 7, 27, 28, 35, 36};

TEST(router_rtl_module, changes_nothing) {
    model_library models;
    const auto make = [&](const fabric_params& params, std::uint32_t node) -> std::unique_ptr<hw::engine::chip> {
        auto core = testbench::unit::make_router(params, node);
        if (!in_rtl.contains(node)) return core;
        return std::make_unique<rtl_router>(params.router, core->tables(), models);
    };
    struct placed_run {
        std::vector<send_order> orders;
        std::unique_ptr<sc_routers> network;
    };
    std::vector<placed_run> runs;
    unsigned seed = 0;
    for (const unsigned wrap : {0u, 3u}) {
        for (const bool mixed : {false, true}) {
            fabric_params params;  // one model of the RTL for all
            params.tables.wrap = wrap;
            params.tables.vc_sets = hw::fabric::dateline_sets(params.router.vcs, wrap);
            auto orders = random_orders(params, 6, ++seed);
            const std::string name = std::string(wrap == 0 ? "mesh" : "torus") + (mixed ? "_mixed" : "_modules");
            const auto in_engine = [mixed](std::uint32_t node) { return mixed && !in_rtl.contains(node); };
            auto network = std::make_unique<sc_routers>(name.c_str(), params, orders, in_engine, make);
            network->state.observe(&network->log);
            runs.push_back({std::move(orders), std::move(network)});
        }
    }
    sc_core::sc_start();
    for (const placed_run& run : runs) expect_same(*run.network, run.orders, false);
}

}  // namespace
}  // namespace polycast::tlm::modules
