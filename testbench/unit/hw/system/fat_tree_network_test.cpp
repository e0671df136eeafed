// SPDX-License-Identifier: Apache-2.0
// Hosts with interfaces at the leaves of fat trees of virtual-channel routers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/input_error.h"
#include "hw/system/fat_tree_plan.h"
#include "hw/system/prediction.h"
#include "testbench/unit/hw/system/scheme_run.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::system {
namespace {

using chips::route_select;
using collectives::scheme;
using collectives::scheme_of;
using fabric::fabric_params;
using testing::HasSubstr;
using topology::fat_tree;
using topology::fat_tree_params;

constexpr route_select all_selects[] = {route_select::lowest, route_select::least_loaded, route_select::random};

/// Two virtual channels of 128 flits of two bytes, six cycles of routing, wormhole: Coll et al., "Static Allocation of
/// Multirail Networks".
fabric_params rail(route_select select = route_select::least_loaded) {
    fabric_params routers;
    routers.router.vcs = 2;
    routers.router.vc_flits = 128;
    routers.router.flit_bytes = 2;
    routers.router.header_free = true;
    routers.tables.route_delay = 6;
    routers.tables.reserve = 1;
    routers.tables.packet_limit = 200;
    routers.tables.select = select;
    routers.tables.vc_sets = fabric::class_sets(2, 1, 0, false);
    return routers;
}

traffic::workload_params unicasts(std::string_view pattern, std::uint32_t bytes) {
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.pattern.name = pattern;
    work.bytes = bytes;
    return work;
}

traffic::workload_params from_to(std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
    traffic::workload_params work = unicasts("hotspot", bytes);
    work.source = from;
    work.pattern.hosts = {to};
    work.pattern.numbers["fraction"] = 1;
    return work;
}

traffic::workload_params multicast(std::uint32_t degree, std::uint32_t bytes) {
    traffic::workload_params work;
    work.degree = degree;
    work.bytes = bytes;
    return work;
}

/// t_hs + DMA + t_ns + link + what a head takes through the routers, links included + the packet's other flits + t_nr +
/// DMA + t_hr.
engine::cycle formula(unsigned routers, unsigned cycles_per_router, unsigned flits) {
    return 4000 + 2 * 96 + 1 + engine::cycle{cycles_per_router} * routers + flits - 1;
}

/// Hosts and interfaces that are hardly noticed.
system_params quick() {
    system_params params;
    params.host.send_overhead = params.host.receive_overhead = 1;
    params.host.interface.bus_cycles_per_byte = {1, 4};
    params.firmware_times = paper_costs(1, 1);
    return params;
}

TEST(fat_tree_network, latency_of_a_packet_equals_the_formula) {
    const fat_tree tree({4, 32});
    struct pair {
        std::uint32_t from, to;
        unsigned routers;
    };
    for (const pair& one : {pair{5, 6, 1}, pair{5, 3, 3}, pair{5, 20, 5}, pair{31, 0, 5}}) {
        for (const route_select select : all_selects) {
            fabric_params routers = rail(select);
            const scheme_result free = run_scheme(make_plan(tree, routers, {}), from_to(one.from, one.to, 128), {});
            EXPECT_EQ(free.problem(), "");
            EXPECT_EQ(free.latency(), formula(one.routers, 6 + 1 + 1, 64)) << one.from << " to " << one.to;
            // 13 bytes of header in seven flits: routing begins with the last.
            routers.router.header_free = false;
            const scheme_result in_flits = run_scheme(make_plan(tree, routers, {}), from_to(one.from, one.to, 128), {});
            EXPECT_EQ(in_flits.problem(), "");
            const unsigned flits = packet_flits(format::packet_kind::unicast, 128, {{32, 8, 0}, 2, false});
            EXPECT_EQ(in_flits.latency(), formula(one.routers, 6 + 1 + 1 + 6, flits)) << one.from << " to " << one.to;
        }
    }
}

struct tree_case {
    const char* name;
    fat_tree_params tree;
    fabric_params routers;
};

std::vector<tree_case> cases() {
    std::vector<tree_case> all{{"quaternary", {4, 32}, rail()},
                               {"lowest", {4, 20}, rail(route_select::lowest)},
                               {"random", {3, 17}, rail(route_select::random)},
                               {"binary", {2, 13}, rail()},
                               {"one switch", {5, 5}, rail()},
                               {"a level too many", {3, 7, 3}, rail(route_select::random)}};
    all.push_back({"cut-through, iSLIP", {4, 18}, rail()});
    fabric_params& whole = all.back().routers;
    whole.router.vc_flits = whole.tables.reserve = 200;
    whole.tables.allocator = chips::router_allocator::islip;
    all.push_back({"shallow", {2, 9}, rail()});
    fabric_params& shallow = all.back().routers;
    shallow.router.vc_flits = 3;
    shallow.router.xbar_stages = 2;
    shallow.link_delay = 5;
    all.push_back({"one virtual channel", {4, 16}, rail()});
    fabric_params& single = all.back().routers;
    single.router.vcs = 1;
    single.tables.vc_sets.fill({1, 1});
    all.push_back({"keep", {4, 16}, rail(route_select::lowest)});
    all.back().routers.tables.policy = chips::vc_policy::keep;
    return all;
}

TEST(fat_tree_network, everything_arrives_whole_everywhere) {
    for (const tree_case& one : cases()) {
        const system_plan plan = make_plan(fat_tree(one.tree), one.routers, {});
        traffic_needs needs;
        needs.unicast_payload = 128;
        EXPECT_THAT(check_plan(plan, needs).problems, testing::IsEmpty()) << one.name;
        const scheme_result got = run_scheme(plan, unicasts("each_to_each", 300), {});
        EXPECT_EQ(got.problem(), "") << one.name;
        const std::uint64_t hosts = plan.network.hosts.size();
        EXPECT_EQ(got.counts.delivered, 3 * hosts * (hosts - 1)) << one.name;
    }
}

TEST(fat_tree_network, tables_that_turn_up_again_are_refused) {
    system_plan plan = make_plan(fat_tree({4, 32}), rail(), {});
    traffic_needs needs;
    needs.unicast_payload = 128;
    const routing::route_check_result good = check_plan(plan, needs);
    EXPECT_THAT(good.problems, testing::IsEmpty());
    EXPECT_GT(good.dependencies, 0u);
    // What comes down to switch 0 of level 1 for host 0 turns round.
    plan.router_at(8).tables.route[0] = 0xf0;
    EXPECT_THAT(check_plan(plan, needs).problems, testing::Not(testing::IsEmpty()));
}

TEST(fat_tree_network, one_way_and_one_virtual_channel_keep_the_order) {
    fabric_params routers = rail(route_select::lowest);
    routers.router.vcs = 1;
    routers.tables.vc_sets.fill({1, 1});
    const auto run = [&] {
        const system_plan plan = make_plan(fat_tree({4, 16}), routers, quick());
        traffic::workload_params work = unicasts("uniform", 1000);
        work.gap = 1000;
        work.end = 10000;
        const scheme_result got = run_scheme(plan, work, {});
        EXPECT_EQ(got.problem(), "");
        EXPECT_EQ(plan.keeps_order(), routers.tables.select == route_select::lowest);
        return got.counts.misordered;
    };
    EXPECT_EQ(run(), 0u);
    routers.tables.select = route_select::random;
    EXPECT_GT(run(), 0u);
}

TEST(fat_tree_network, packets_that_choose_use_all_up_links) {
    const fat_tree tree({4, 16});
    engine::cycle slowest = 0;
    for (const route_select select : all_selects) {
        traffic::workload_params work = unicasts("permutation", 4096);
        work.messages = 16;
        run_details details;
        std::vector<std::uint64_t> flits(tree.arity());
        details.inspect = [&](const system_network& network) {
            for (std::uint32_t chip = 0; chip < tree.switches_at(0); ++chip) {
                for (unsigned up = 0; up < tree.arity(); ++up)
                    flits[up] += network.network().statistics({chip, tree.arity() + up}).flits;
            }
        };
        const scheme_result got = run_scheme(make_plan(tree, rail(select), quick()), work, {}, details);
        EXPECT_EQ(got.problem(), "");
        engine::cycle end = 0;
        for (const traffic::transfer_record& one : got.transfers) end = std::max(end, one.completed);
        if (select == route_select::lowest) {
            slowest = end;
            EXPECT_EQ(flits[1] + flits[2] + flits[3], 0u);
            continue;
        }
        EXPECT_LT(2 * end, slowest) << "four links instead of one";
        const auto mean = static_cast<double>(flits[0] + flits[1] + flits[2] + flits[3]) / 4;
        for (const std::uint64_t count : flits) EXPECT_NEAR(static_cast<double>(count), mean, mean / 4);
    }
}

TEST(fat_tree_network, multicasts_by_unicasts_programs_and_interfaces) {
    const system_plan plan = make_plan(fat_tree({3, 14}), rail(), {});
    for (const scheme how : {scheme_of("unicasts"), scheme_of("software"), scheme_of("ni")}) {
        const scheme_result got = run_scheme(plan, multicast(13, 700), by(how));
        EXPECT_EQ(got.problem(), "") << how->name;
        EXPECT_EQ(got.counts.delivered, 6u * 13);
    }
    EXPECT_THROW(make_planner(plan, by(scheme_of("tree")), 128), input_error);
}

TEST(fat_tree_network, forwarding_trees_follow_the_numbers) {
    const system_plan plan = make_plan(fat_tree({4, 16}), rail(), {});
    std::vector<std::uint32_t> others;
    for (std::uint32_t host = 1; host < 16; ++host) others.push_back(16 - host);
    const collectives::multicast_plan made = make_planner(plan, by(scheme_of("software")), 128)(0, others);
    ASSERT_FALSE(made.participants.front().sends.empty());
    EXPECT_EQ(made.participants.front().sends.front().hosts.front(), 8u) << "the middle of 0 1 2 3 ...";
}

TEST(fat_tree_network, prediction_is_exact_for_a_multicast_alone) {
    const system_plan plan = make_plan(fat_tree({4, 32}), rail(), {});
    for (const scheme how : {scheme_of("software"), scheme_of("ni")}) {
        multicast_choice choice = by(how);
        choice.fanout = multicast_choice::fanout_choice::timing;
        traffic::workload_params work = multicast(0, 300);
        work.source = 6;
        work.destinations = {0, 1, 3, 4, 9, 12, 14, 15, 22, 31};
        const scheme_result got = run_scheme(plan, work, choice);
        EXPECT_EQ(got.problem(), "");
        const collectives::multicast_plan made =
            make_planner(plan, choice, work.bytes)(*work.source, work.destinations);
        EXPECT_EQ(predict(plan, made, forwarding_of(choice), work.bytes).latency, got.latency()) << how->name;
    }
}

TEST(fat_tree_network, heavy_load_does_not_deadlock) {
    for (const route_select select : all_selects) {
        for (const unsigned flits : {2u, 128u}) {
            fabric_params routers = rail(select);
            routers.router.vc_flits = flits;
            traffic::workload_params work = unicasts("uniform", 320);
            work.gap = 100;
            work.end = 10000;
            const scheme_result got = run_scheme(make_plan(fat_tree({4, 32}), routers, quick()), work, {});
            EXPECT_EQ(got.problem(), "") << flits;
            EXPECT_GT(got.counts.delivered, 3000u);
        }
    }
}

TEST(fat_tree_network, routers_know_their_place) {
    fabric_params routers = rail();
    routers.tables.seed = 40000;
    const system_plan plan = make_plan(fat_tree({4, 32}), routers, {});
    ASSERT_EQ(plan.switch_count(), 32u);
    EXPECT_EQ(plan.router_at(31).params.ports, 8u);
    EXPECT_EQ(plan.router_at(31).params.max_nodes, 32u);
    EXPECT_TRUE(plan.router_at(31).params.adaptive);
    EXPECT_EQ(plan.router_at(31).tables.node, 31u);
    EXPECT_EQ(plan.router_at(31).tables.seed, static_cast<std::uint16_t>(traffic::random_stream(40000, 31)()));
    EXPECT_NE(plan.router_at(31).tables.seed, plan.router_at(30).tables.seed);
    EXPECT_THAT(plan.router_at(31).tables.credits, testing::ElementsAre(128, 128, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(plan.router_at(0).tables.credits, testing::Each(128u));
    EXPECT_EQ(plan.router_at(0).tables.route[4], 0xf0u);
    EXPECT_EQ(make_plan(fat_tree({4, 33}), routers, {}).router_at(0).params.max_nodes, 64u);
    EXPECT_EQ(plan.host.interface.hosts, 32u);
    routers.tables.select = route_select::lowest;
    EXPECT_FALSE(make_plan(fat_tree({4, 32}), routers, {}).router_at(0).params.adaptive);
}

TEST(fat_tree_network, what_cannot_be_is_refused) {
    const auto refused = [](auto change, const std::string& why) {
        fabric_params routers = rail();
        fat_tree_params tree;
        change(routers, tree);
        EXPECT_THAT(testbench::unit::refusal([&] { make_plan(fat_tree(tree), routers, {}); }), HasSubstr(why));
    };
    refused([](fabric_params& routers, fat_tree_params&) { routers.tables.reserve = 129; }, "begins with 129 credits");
    refused([](fabric_params&, fat_tree_params& tree) { tree.arity = 17; }, "ports must be 2..32, not 34");
    refused([](fabric_params& routers, fat_tree_params&) { routers.router.vcs = 9; }, "ports times virtual channels");
}

}  // namespace
}  // namespace polycast::hw::system
