// SPDX-License-Identifier: Apache-2.0
// Whole messages of the largest usual size, 32 packets of 8 flits, through a network of broadcast routers in
// SystemVerilog: the same as through cores, to the cycle.
#include <gtest/gtest.h>

#include "hw/workloads/broadcast/broadcast_network.h"
#include "testbench/unit/hw/workloads/broadcast/broadcast_bench.h"
#include "tlm/verilated/rtl_broadcast.h"

namespace polycast::tlm {
namespace {

using hw::broadcast::broadcast_job;
using hw::broadcast::broadcast_network;
using hw::broadcast::broadcast_network_result;
using hw::broadcast::broadcast_traffic_params;
using hw::broadcast::chips_by;
using hw::broadcast::router_network_params;

/// The default set, of which the equivalence tests have the same model.
constexpr const char* model_set = "broadcast_p7_v2x8_f16_d2x8_n0_x0_c1_s32x8_i8_inline";

void expect_same(const broadcast_network_result& core, const broadcast_network_result& rtl) {
    ASSERT_EQ(core.jobs.size(), rtl.jobs.size());
    for (std::size_t job = 0; job < core.jobs.size(); ++job) {
        EXPECT_EQ(core.jobs[job].begun, rtl.jobs[job].begun);
        EXPECT_EQ(core.jobs[job].at_units, rtl.jobs[job].at_units);
        EXPECT_EQ(core.jobs[job].at_hosts, rtl.jobs[job].at_hosts);
    }
    EXPECT_EQ(core.link_sends, rtl.link_sends);
    EXPECT_EQ(core.sent_flits, rtl.sent_flits);
    EXPECT_EQ(core.duplicates, rtl.duplicates);
    EXPECT_EQ(core.stale, rtl.stale);
    EXPECT_EQ(core.unicasts, rtl.unicasts);
    EXPECT_EQ(core.flit_hops, rtl.flit_hops);
    EXPECT_EQ(core.end, rtl.end);
}

TEST(rtl_broadcast_network, cores_and_rtl_do_the_same) {
    model_options options = model_options::defaults();
    options.optimize = "-O1";
    model_library models(options);
    router_network_params params;
    params.topology = {8, 2, {4}};
    params.dimensions = {0, 1};
    params.patterns = {1, 6};
    params.chip = params_of_model<hw::chips::broadcast_params>(model_set);
    const std::vector<broadcast_job> jobs{{0, {16, 16}, 8, 0}, {43, {5, 4}, 3, 0}, {21, {9, 23}, 1, 0}};
    broadcast_traffic_params traffic;
    traffic.unicasts = {.rate = 0.01, .flits = 4, .seed = 2};
    std::uint64_t with_maps = 0;
    for (const bool maps : {true, false}) {
        params.maps = maps;
        broadcast_network cores(params, jobs, traffic);
        ASSERT_EQ(cores.routers(), params.chip) << "a model of its own";
        broadcast_network rtl(params, jobs, traffic, chips_by([&](const auto& chip, const auto& registers) {
                                  return std::make_unique<rtl_broadcast>(chip, registers, models);
                              }));
        const broadcast_network_result core = cores.run();
        expect_same(core, rtl.run());
        EXPECT_GT(core.duplicates + core.stale, with_maps) << "maps spare duplicates";
        if (maps) with_maps = core.duplicates + core.stale;
        EXPECT_GT(core.unicasts, 100u);
    }
}

}  // namespace
}  // namespace polycast::tlm
