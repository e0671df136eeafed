// SPDX-License-Identifier: Apache-2.0
// Whole networks of broadcast routers: every algorithm and variant, cores and golden models cycle by cycle, several
// broadcasts behind each other, and what is reported when something goes wrong.
#include "hw/workloads/broadcast/broadcast_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "hw/chips/broadcast/broadcast_router_core.h"
#include "hw/format/header.h"
#include "hw/input_error.h"
#include "testbench/equivalence/golden_broadcast.h"
#include "testbench/unit/hw/workloads/broadcast/broadcast_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::broadcast {
namespace {

using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::Le;

broadcast_router_factory golden_routers() {
    return [](const chips::broadcast_params& params, const chips::broadcast_registers& registers) {
        return std::make_unique<testbench::equivalence::golden_broadcast>(params, registers);
    };
}

std::uint64_t members(const router_network_params& params) {
    std::uint64_t count = 1;
    for (std::size_t i = 0; i < params.dimensions.size(); ++i) count *= params.topology.radix;
    return count;
}

TEST(broadcast_network, a_hop_takes_the_length_and_two_cycles) {
    for (const unsigned flits : {1u, 8u}) {
        for (const unsigned delay : {1u, 5u}) {
            router_network_params params = network_of(2, 1, {});
            params.link_delay = delay;
            const auto result = run(params, {job_of(params, 0, 1, flits)});
            EXPECT_EQ(result.jobs[0].cycles(), flits + 1 + delay);
        }
    }
}

TEST(broadcast_network, the_first_packet_goes_along_a_ring_hop_by_hop) {
    router_network_params params = network_of(16, 1, {});
    for (const unsigned flits : {1u, 3u, 8u}) {
        EXPECT_EQ(run(params, {job_of(params, 5, 1, flits)}).jobs[0].cycles(), 8 * (flits + 2));
        // The others follow without a gap; the halves of the ring do not know of each other.
        EXPECT_EQ(run(params, {job_of(params, 5, 4, flits)}).jobs[0].cycles(), 8 * (flits + 2) + 3 * flits);
    }
}

TEST(broadcast_network, trees_send_every_packet_once_to_every_node) {
    for (const unsigned dimensions : {1u, 2u, 3u}) {
        router_network_params params = network_of(4, dimensions, {});
        params.how = algorithm::trees;
        for (const bool maps : {true, false}) {
            params.maps = maps;
            const auto result = run(params, {job_of(params, 3, 6 * dimensions, 2)});
            EXPECT_EQ(result.sends, (members(params) - 1) * 6 * dimensions);
            EXPECT_EQ(result.duplicates + result.stale, 0u);
            // Link-disjoint: no link carries packets of two trees.
            EXPECT_THAT(result.link_sends, Each(Le(3u)));
        }
    }
}

TEST(broadcast_network, every_node_gets_everything_in_every_variant) {
    const std::vector<router_network_params> networks{network_of(8, 2, {4}), network_of(8, 1, {2, 4}),
                                                      network_of(6, 3, {}),  network_of(5, 2, {}),
                                                      network_of(6, 3, {3}), network_of(3, 4, {})};
    for (router_network_params params : networks) {
        for (const bool maps : {true, false}) {
            params.maps = maps;
            const auto nodes = static_cast<std::uint32_t>(members(params));
            const auto result = run(params, {job_of(params, nodes / 3, 13, 3)});
            EXPECT_GE(result.sends, (nodes - 1) * 13u);
            EXPECT_EQ(result.sends, (nodes - 1) * 13u + result.duplicates + result.stale);
        }
    }
}

TEST(broadcast_network, maps_spare_duplicates) {
    router_network_params params = network_of(16, 2, {4});
    params.patterns = {1, 1};
    const auto with = run(params, {job_of(params, 0, 32, 8)});
    params.maps = false;
    const auto without = run(params, {job_of(params, 0, 32, 8)});
    EXPECT_LT(2 * with.duplicates, without.duplicates);
    EXPECT_LT(with.sends, without.sends);
}

TEST(broadcast_network, patterns_are_those_of_the_sources_links) {
    router_network_params params = network_of(16, 1, {4});
    std::vector<engine::cycle> cycles;
    for (unsigned pattern = 0; pattern < 16; ++pattern) {
        params.patterns = {pattern};
        cycles.push_back(run(params, {job_of(params, 0, 8, 4)}).jobs[0].cycles());
    }
    // Reversing all links numbers the packets anew.
    for (unsigned pattern = 0; pattern < 8; ++pattern) EXPECT_EQ(cycles[pattern], cycles[15 - pattern]);
    EXPECT_GT(cycles[0], cycles[1]) << "all in order is the slowest, as in steps";
}

TEST(broadcast_network, relays_that_send_in_different_orders_spare_time) {
    router_network_params params = network_of(64, 2, {8, 24});
    params.dimensions = {0};
    params.patterns = {4};
    const std::vector<broadcast_job> jobs{job_of(params, 0, 32, 8)};
    const auto mixed = run(params, jobs);
    params.relay_pattern = 0;
    const auto in_order = run(params, jobs);
    // A step is 8 cycles, and 22 steps is the least.
    EXPECT_LT(mixed.jobs[0].cycles(), 1.2 * 8 * 22);
    EXPECT_GT(in_order.jobs[0].cycles(), 1.4 * 8 * 22);
    EXPECT_LT(mixed.duplicates, in_order.duplicates);
    params.relay_pattern = 16;
    EXPECT_THROW(run(params, jobs), input_error);
}

TEST(broadcast_network, lines_of_a_plane_broadcast_at_the_same_time) {
    router_network_params params = network_of(8, 2, {4});
    params.dimensions = {1};
    std::vector<broadcast_job> jobs;
    for (std::uint32_t line = 0; line < 8; ++line) jobs.push_back(job_of(params, line + 8 * (line % 3), 5, 4));
    const auto result = run(params, jobs);
    EXPECT_GE(result.sends, 8u * 7u * 5u);
    params.dimensions = {0};
    EXPECT_THROW(run(params, {job_of(params, 64, 5, 4)}), input_error);
}

TEST(broadcast_network, broadcasts_of_different_sources_overlap) {
    router_network_params params = network_of(8, 2, {4});
    std::vector<broadcast_job> jobs;
    for (const std::uint32_t source : {0u, 63u, 63u, 27u, 8u}) jobs.push_back(job_of(params, source, 9, 4));
    const auto one_by_one = run(params, {jobs[0]}).jobs[0];
    for (const bool maps : {true, false}) {
        params.maps = maps;
        for (const unsigned host_flits : {64u, 1u}) {
            params.host_flits = host_flits;
            for (const unsigned pause : {0u, 11u}) {
                broadcast_traffic_params traffic;
                traffic.host_pause = pause;
                const auto result = run(params, jobs, traffic);
                ASSERT_EQ(result.jobs.size(), 5u);
                for (std::size_t job = 1; job < 5; ++job) {
                    EXPECT_GT(result.jobs[job].begun, result.jobs[job - 1].begun);
                    EXPECT_GT(result.jobs[job].at_units, result.jobs[job - 1].at_units);
                    // Slow hosts hold the round: a neighbour's does not end before.
                    if (pause != 0 && host_flits == 1) {
                        EXPECT_GT(result.jobs[job].begun, result.jobs[job - 1].begun + 9 * 4 * (pause + 1) - 50);
                    }
                }
                if (pause == 0 && host_flits == 64) {
                    EXPECT_EQ(result.jobs[0].cycles(), one_by_one.cycles());
                }
            }
        }
    }
}

TEST(broadcast_network, more_broadcasts_than_rounds_have_numbers) {
    router_network_params params = network_of(4, 1, {});
    std::vector<broadcast_job> jobs;
    for (unsigned job = 0; job < 40; ++job) jobs.push_back(job_of(params, job * 7 % 4, 1 + job % 3, 1 + job % 2));
    EXPECT_EQ(run(params, jobs).jobs.size(), 40u);
}

TEST(broadcast_network, unicasts_go_on_beside_a_broadcast) {
    router_network_params params = network_of(8, 2, {4});
    broadcast_traffic_params traffic;
    const std::vector<broadcast_job> jobs{job_of(params, 9, 32, 8), job_of(params, 50, 32, 8)};
    const auto alone = run(params, jobs, traffic);
    traffic.unicasts = {.rate = 0.05, .flits = 4, .seed = 7};
    const auto beside = run(params, jobs, traffic);
    EXPECT_GT(beside.unicasts, 1000u);
    EXPECT_GT(beside.jobs[1].at_units, alone.jobs[1].at_units) << "the router goes before";
    EXPECT_LT(beside.jobs[1].at_units, 3 * alone.jobs[1].at_units);
}

TEST(broadcast_network, cores_and_golden_models_do_the_same) {
    struct network_case {
        router_network_params params;
        std::vector<broadcast_job> jobs;
        broadcast_traffic_params traffic;
    };
    std::vector<network_case> cases;
    for (const bool maps : {true, false}) {
        router_network_params plane = network_of(8, 2, {4});
        plane.maps = maps;
        plane.patterns = {1, 6};
        plane.host_flits = 5;
        cases.push_back({plane, {job_of(plane, 0, 12, 3), job_of(plane, 33, 7, 1)}, broadcast_traffic_params{}});
        cases.back().traffic.host_pause = 2;
        cases.back().traffic.unicasts = {.rate = 0.03, .flits = 2, .seed = 3};
        router_network_params line = network_of(12, 1, {3});
        line.maps = maps;
        line.patterns = {5};
        line.link_delay = 3;
        line.chip.router.header_free = true;
        line.chip.router.flit_bytes = 2;
        cases.push_back({line, {job_of(line, 5, 32, 2), job_of(line, 4, 1, 8), job_of(line, 11, 9, 1)}, {}});
        cases.back().traffic.unicasts = {.rate = 0.02, .flits = 5, .seed = 9};
        router_network_params trees = network_of(3, 3, {});
        trees.how = algorithm::trees;
        trees.maps = maps;
        trees.chip.router.xbar_stages = 1;
        trees.tables.policy = chips::vc_policy::keep;
        cases.push_back({trees, {job_of(trees, 13, 17, 2)}, {}});
        cases.back().traffic.unicasts = {.rate = 0.05, .flits = 3, .seed = 5};
    }
    for (const network_case& each : cases) {
        const auto core = run(each.params, each.jobs, each.traffic);
        const auto golden = run(each.params, each.jobs, each.traffic, golden_routers());
        for (std::size_t job = 0; job < each.jobs.size(); ++job) {
            EXPECT_EQ(core.jobs[job].begun, golden.jobs[job].begun);
            EXPECT_EQ(core.jobs[job].at_units, golden.jobs[job].at_units);
            EXPECT_EQ(core.jobs[job].at_hosts, golden.jobs[job].at_hosts);
        }
        EXPECT_EQ(core.link_sends, golden.link_sends);
        EXPECT_EQ(core.duplicates, golden.duplicates);
        EXPECT_EQ(core.stale, golden.stale);
        EXPECT_EQ(core.unicasts, golden.unicasts);
        EXPECT_EQ(core.flit_hops, golden.flit_hops);
        EXPECT_EQ(core.end, golden.end);
        EXPECT_LT(core.chip_steps, golden.chip_steps) << "golden models never sleep";
    }
}

TEST(broadcast_network, the_limit_is_reported) {
    router_network_params params = network_of(8, 1, {});
    broadcast_traffic_params traffic;
    traffic.limits.cycles = 30;
    try {
        run(params, {job_of(params, 0, 8, 8)}, traffic);
        FAIL();
    } catch (const delivery_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("cycle 30, the limit, is reached"));
        EXPECT_THAT(error.what(), HasSubstr("the unit of node 1 lacks packets 0, 1, 2, 3, 4, 5, 6, 7 of broadcast 0"));
    }
}

TEST(broadcast_network, what_makes_no_network_or_broadcast_is_refused) {
    const router_network_params good = network_of(8, 2, {4});
    const auto refusal = [&](const auto& change) {
        router_network_params params = good;
        broadcast_job job = job_of(good, 3, 8, 8);
        change(params, job);
        return testbench::unit::refusal([&] { broadcast_network network(params, {job}); });
    };
    EXPECT_EQ(refusal([](auto&, auto&) {}), "accepted");
    EXPECT_THAT(refusal([](auto& p, auto&) { p.dimensions = {1, 0}; }), HasSubstr("in ascending order"));
    EXPECT_THAT(refusal([](auto& p, auto&) { p.dimensions = {2}; }), HasSubstr("dimensions 0 to 1"));
    EXPECT_THAT(refusal([](auto& p, auto&) { p.how = algorithm::trees; }), HasSubstr("has bypass links"));
    EXPECT_THAT(refusal([](auto& p, auto&) { p.patterns = {1}; }), HasSubstr("1 packet-sending patterns"));
    EXPECT_THAT(refusal([](auto& p, auto&) { p.patterns = {1, 16}; }), HasSubstr("pattern 16"));
    EXPECT_THAT(refusal([](auto& p, auto&) { p.host_flits = 0; }), HasSubstr("without a buffer"));
    EXPECT_THAT(refusal([](auto&, auto& j) { j.source = 64; }), HasSubstr("no such node"));
    EXPECT_THAT(refusal([](auto&, auto& j) { j.split = {8}; }), HasSubstr("split into 1 parts"));
    EXPECT_THAT(refusal([](auto&, auto& j) { j.split = {30, 3}; }), HasSubstr("33 packets"));
    EXPECT_THAT(refusal([](auto&, auto& j) { j.split = {0, 0}; }), HasSubstr("0 packets"));
    EXPECT_THAT(refusal([](auto&, auto& j) { j.flits = 9; }), HasSubstr("packets of 9 flits"));
}

}  // namespace
}  // namespace polycast::hw::broadcast
