// SPDX-License-Identifier: Apache-2.0
// Terminals: what sinks find wrong, what is measured, and that traffic is what it is asked to be.
#include "hw/fabric/terminals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "hw/fabric/each_to_each.h"
#include "hw/fabric/open_loop.h"
#include "hw/input_error.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::fabric;
using hw::chips::flit_info;
using hw::chips::vc_policy;
using hw::engine::never;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint16_t both_ends = flit_info::head | flit_info::tail;

fabric_params mesh(unsigned radix, unsigned wrap = 0) {
    fabric_params params;
    params.router.radix = radix;
    params.tables.wrap = wrap;
    params.tables.vc_sets = dateline_sets(params.router.vcs, wrap);
    return params;
}

/// One packet from terminal 0 to terminal 3, handed to sinks by hand.
struct sinks : testing::Test {
    explicit sinks(vc_policy policy = vc_policy::any) : fabric(params_of(policy)), ends(fabric, 0, never) {
        ends.queue({.source = 0, .destination = 3, .birth = 10, .flits = 2});
        ends.queue({.source = 0, .destination = 3, .birth = 10, .flits = 1});
    }
    static fabric_params params_of(vc_policy policy) {
        fabric_params params = mesh(2);
        params.tables.policy = policy;
        return params;
    }
    static constexpr packet_id first = packet_pool::first_handle;
    static constexpr packet_id second = first + 1;
    router_fabric fabric;
    terminals ends;
};
struct keeping_sinks : sinks {
    keeping_sinks() : sinks(vc_policy::keep) {}
};

TEST_F(sinks, take_what_is_right) {
    ends.arrive(20, 3, 0, first, flit_info::head);
    ends.arrive(21, 3, 1, second, both_ends);
    ends.arrive(25, 3, 0, first, flit_info::tail);
    EXPECT_THAT(ends.faults(), IsEmpty());
    EXPECT_EQ(ends.missing(), 0u);
    EXPECT_EQ(ends.statistics().latency.count(), 2u);
    EXPECT_DOUBLE_EQ(ends.statistics().latency.mean(), 13);
    EXPECT_EQ(ends.statistics().last, 25u);
}

TEST_F(sinks, name_a_packet_at_the_wrong_terminal) {
    ends.arrive(20, 2, 0, second, both_ends);
    EXPECT_THAT(ends.faults(),
                Contains(HasSubstr("packet 1 of terminal 0 to terminal 3 (1 flits) arrives at terminal 2")));
}

TEST_F(sinks, name_a_packet_that_lost_a_flit) {
    ends.arrive(20, 3, 0, first, both_ends);
    EXPECT_THAT(ends.faults(), Contains(HasSubstr("arrives with 1 flits")));
}

TEST_F(sinks, name_a_packet_that_comes_twice) {
    ends.arrive(20, 3, 0, second, both_ends);
    ends.arrive(21, 3, 0, second, both_ends);
    EXPECT_THAT(ends.faults(), Contains(HasSubstr("arrives twice")));
}

TEST_F(sinks, name_a_packet_without_a_tail) {
    ends.arrive(20, 3, 0, first, flit_info::head);
    ends.arrive(21, 3, 0, second, both_ends);
    EXPECT_THAT(ends.faults(),
                Contains(HasSubstr("packet 0 of terminal 0 to terminal 3 (2 flits) ends without a tail")));
}

TEST_F(sinks, name_a_flit_inside_of_another_packet) {
    ends.arrive(20, 3, 0, first, flit_info::head);
    ends.arrive(21, 3, 0, second, flit_info::tail);
    EXPECT_THAT(ends.faults(), Contains(HasSubstr("has a flit inside of another packet")));
}

TEST_F(sinks, know_what_has_not_arrived) {
    ends.arrive(20, 3, 0, second, both_ends);
    EXPECT_EQ(ends.missing(), 1u);
    EXPECT_THAT(ends.missing_packets(5), testing::ElementsAre("packet 0 of terminal 0 to terminal 3 (2 flits)"));
}

TEST_F(sinks, any_order_is_right_where_vcs_are_not_kept) {
    ends.arrive(20, 3, 0, second, both_ends);
    ends.arrive(21, 3, 0, first, flit_info::head);
    ends.arrive(22, 3, 0, first, flit_info::tail);
    EXPECT_THAT(ends.faults(), IsEmpty());
}

TEST_F(keeping_sinks, name_a_packet_that_was_overtaken) {
    ends.arrive(20, 3, 0, second, both_ends);
    ends.arrive(21, 3, 0, first, flit_info::head);
    ends.arrive(22, 3, 0, first, flit_info::tail);
    EXPECT_THAT(ends.faults(), Contains(HasSubstr("packet 0 of terminal 0 to terminal 3 (2 flits) arrives behind")));
}

TEST(terminals, refuse_packets_that_cannot_be_carried) {
    router_fabric fabric(mesh(2));
    terminals ends(fabric, 0, never);
    EXPECT_THROW(ends.queue({.source = 4}), hw::input_error);
    EXPECT_THROW(ends.queue({.destination = 4}), hw::input_error);
    EXPECT_THROW(ends.queue({.destination = 1, .flits = 0}), hw::input_error);
    EXPECT_THROW(ends.queue({.destination = 1, .flits = 65}), hw::input_error);
    fabric_params no_vcs = mesh(2);
    no_vcs.tables.vc_sets[3] = {};
    router_fabric without(no_vcs);
    terminals others(without, 0, never);
    EXPECT_THROW(others.queue({.destination = 1, .service_class = 3}), hw::input_error);
    EXPECT_EQ(others.missing(), 0u) << "a packet that is refused takes no record";
}

TEST(latency_histogram, is_exact_below_2048_and_close_above) {
    latency_histogram histogram;
    EXPECT_EQ(histogram.percentile(50), 0u);
    for (std::uint64_t value = 1; value <= 1000; ++value) histogram.add(value);
    EXPECT_EQ(histogram.percentile(50), 500u);
    EXPECT_EQ(histogram.percentile(99), 990u);
    EXPECT_EQ(histogram.percentile(100), 1000u);
    EXPECT_DOUBLE_EQ(histogram.mean(), 500.5);
    for (const std::uint64_t value : {2047u, 2048u, 4095u, 4096u, 1000000u, 4000000000u}) {
        latency_histogram single;
        single.add(value);
        EXPECT_LE(single.percentile(50), value);
        EXPECT_GE(single.percentile(50) * 1025 / 1024 + 1, value);
    }
}

TEST(pattern, sends_where_its_name_says) {
    hw::chips::router_params router;
    router.radix = 8;
    hw::traffic::random_stream random(1);
    const auto to = [&](std::string_view name, std::uint32_t node) {
        return pattern_on(router, {name})->destination(node, 0, {random, true});
    };
    EXPECT_EQ(to("transpose", 3 + 8 * 5), 5 + 8 * 3);
    EXPECT_EQ(to("bit_complement", 3 + 8 * 5), 63 - (3 + 8 * 5));
    EXPECT_EQ(to("tornado", 6 + 8 * 1), 1 + 8 * 4);
    EXPECT_TRUE(pattern_on(router, {"transpose"})->silent(9));
    EXPECT_FALSE(pattern_on(router, {"uniform"})->silent(9));
    std::map<std::uint32_t, unsigned> counts;
    for (unsigned draw = 0; draw < 63000; ++draw) ++counts[to("uniform", 9)];
    EXPECT_EQ(counts.size(), 63u);
    EXPECT_EQ(counts.count(9), 0u);
    for (const auto& [node, count] : counts) EXPECT_NEAR(count, 1000, 200) << node;
    const auto hot = pattern_on(router, {"hotspot", {5, 6}, {{"fraction", 0.5}}});
    counts.clear();
    for (unsigned draw = 0; draw < 10000; ++draw) ++counts[hot->destination(9, 0, {random, true})];
    EXPECT_NEAR(counts[5], 2580, 200);
    EXPECT_NEAR(counts[6], 2580, 200);
    EXPECT_THROW(pattern_on(router, {"hotspot"}), hw::input_error);
    EXPECT_THROW(pattern_on(router, {"hotspot", {64}}), hw::input_error);
}

struct run_result {
    double latency;
    double accepted;
    std::uint64_t packets;
    std::uint64_t flit_hops;
    bool operator==(const run_result&) const = default;
};

/// `drain`: after cycle 6000 nothing is born, and everything has to arrive.
run_result run_open_loop(const fabric_params& params, const hw::traffic::pattern_params& where,
                         open_loop_params traffic) {
    router_fabric fabric(params);
    terminals ends(fabric, 1000, 6000);
    traffic.until = 6000;
    open_loop source(ends, fabric.nodes(), pattern_on(params.router, where), traffic);
    fabric.run(never, source);
    EXPECT_THAT(ends.faults(), IsEmpty());
    EXPECT_EQ(ends.missing(), 0u);
    const terminal_statistics& all = ends.statistics();
    return {all.latency.mean(), static_cast<double>(all.accepted) / 5000 / fabric.nodes(), all.packets,
            fabric.flit_hops()};
}

TEST(open_loop, every_pattern_arrives_whole_on_meshes_and_tori) {
    for (const unsigned wrap : {0u, 3u}) {
        for (const hw::traffic::pattern_kind* kind : hw::traffic::pattern_kinds()) {
            hw::traffic::pattern_params where{kind->name};
            if (kind->hosts) where.hosts = {0, 27};
            for (const unsigned flits : {1u, 20u, 64u}) {
                const run_result result =
                    run_open_loop(mesh(8, wrap), where, {.load = 0.08, .flits_min = 1, .flits_max = flits});
                EXPECT_GT(result.packets, 100u);
            }
        }
    }
}

/// The variance of a count as in workload_test.cpp, with (1 - 1 / 20)^2 for the peak; 32,000 packets are born in the
/// window. In a burst a packet comes every half cycle and a source sends one each cycle, so packet k of a burst waits
/// k / 2 cycles; the mean k of a geometric burst of 8 is 7.
TEST(open_loop, bursts_come_at_the_same_rate_and_wait_for_each_other) {
    const run_result steady = run_open_loop(mesh(8), {}, {.load = 0.1});
    const run_result bursts = run_open_loop(mesh(8), {"bursty", {}, {{"peak", 20}}}, {.load = 0.1});
    EXPECT_NEAR(bursts.accepted, 0.1, 5 * std::sqrt(32000 * 15 * 0.9025) / (64 * 5000));
    EXPECT_GT(bursts.latency, steady.latency + 3);
}

TEST(open_loop, load_and_latency_are_what_they_should_be) {
    const run_result result = run_open_loop(mesh(8), {}, {.load = 0.1});
    EXPECT_NEAR(result.accepted, 0.1, 0.002);
    EXPECT_NEAR(static_cast<double>(result.flit_hops) / static_cast<double>(result.packets), 16.0 / 3, 0.05);
    EXPECT_GT(result.latency, 5 + 3 * 16.0 / 3 - 0.2);
    EXPECT_LT(result.latency, 5 + 3 * 16.0 / 3 + 1.5);
    const run_result longer = run_open_loop(mesh(8), {}, {.load = 0.1, .flits_min = 3, .flits_max = 7});
    EXPECT_NEAR(longer.accepted, 0.1, 0.005);
}

/// Flits per node and cycle that arrive at a load beyond saturation, on an 8x8 mesh.
double saturation(hw::chips::router_allocator allocator, unsigned iterations) {
    fabric_params params = mesh(8);
    params.tables.allocator = allocator;
    params.tables.iterations = iterations;
    router_fabric fabric(params);
    terminals ends(fabric, 4000, 10000);
    open_loop source(ends, fabric.nodes(), pattern_on(params.router), {.load = 0.43});
    fabric.run(10000, source);
    return static_cast<double>(ends.statistics().accepted) / 6000 / fabric.nodes();
}

TEST(open_loop, saturation_of_uniform_traffic) {
    EXPECT_GT(saturation(hw::chips::router_allocator::separable, 1), 0.40);
    EXPECT_GT(saturation(hw::chips::router_allocator::separable, 2), 0.42);
    EXPECT_GT(saturation(hw::chips::router_allocator::islip, 2), 0.42);
}

TEST(open_loop, same_seed_same_run) {
    const auto run = [](std::uint64_t seed) {
        return run_open_loop(mesh(8), {}, {.load = 0.2, .flits_max = 5, .seed = seed});
    };
    EXPECT_EQ(run(1), run(1));
    EXPECT_NE(run(1), run(2));
}

TEST(open_loop, an_idle_network_is_skipped) {
    router_fabric fabric(mesh(8));
    terminals ends(fabric, 0, never);
    open_loop source(ends, fabric.nodes(), pattern_on(fabric.params().router), {.load = 1e-7, .until = 10'000'000});
    fabric.run(never, source);
    EXPECT_NEAR(static_cast<double>(ends.statistics().packets), 64, 30);
    EXPECT_EQ(fabric.router_steps(), fabric.flit_hops() + ends.statistics().packets);
    EXPECT_LT(ends.statistics().latency.percentile(100), 50u);
}

TEST(open_loop, refuses_what_makes_no_sense) {
    router_fabric fabric(mesh(2));
    terminals ends(fabric, 0, never);
    const auto uniform = pattern_on(fabric.params().router);
    EXPECT_THROW(open_loop(ends, 4, uniform, {.load = 0}), hw::input_error);
    EXPECT_THROW(open_loop(ends, 4, uniform, {.flits_min = 3, .flits_max = 2}), hw::input_error);
}

TEST(open_loop, steady_traffic_takes_no_more_memory) {
    router_fabric fabric(mesh(8));
    terminals ends(fabric, 0, never);
    open_loop source(ends, fabric.nodes(), pattern_on(fabric.params().router), {.load = 0.1});
    fabric.run(20000, source);
    const std::size_t before = fabric.memory_bytes() + ends.memory_bytes() + source.memory_bytes();
    fabric.run(40000, source);
    EXPECT_EQ(fabric.memory_bytes() + ends.memory_bytes() + source.memory_bytes(), before);
}

TEST(each_to_each, everybody_hears_everybody) {
    for (const auto& [radix, least] : std::map<unsigned, std::uint64_t>{{4, 16}, {8, 128}}) {
        router_fabric fabric(mesh(radix));
        terminals ends(fabric, 0, never);
        each_to_each source(ends, fabric.nodes(), 1);
        fabric.run(never, source);
        EXPECT_EQ(ends.statistics().packets, std::uint64_t{fabric.nodes()} * (fabric.nodes() - 1));
        EXPECT_THAT(ends.faults(), IsEmpty());
        EXPECT_EQ(ends.missing(), 0u);
        EXPECT_GT(ends.statistics().last, least);
        EXPECT_LT(ends.statistics().last, least * 2 + 30);
    }
}

}  // namespace
}  // namespace polycast::testbench::unit
