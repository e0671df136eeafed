// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/router_deadlock.h"

#include <gmock/gmock.h>

#include "hw/fabric/fabric_config.h"

namespace polycast::hw::routing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

router_check_input network(unsigned radix, unsigned dimensions, bool torus, unsigned vcs, bool dateline = true) {
    router_check_input input;
    input.params.radix = radix;
    input.params.dimensions = dimensions;
    input.params.ports = 2 * dimensions + 1;
    input.params.vcs = vcs;
    input.tables.wrap = torus ? (1u << dimensions) - 1 : 0;
    input.tables.vc_sets = fabric::class_sets(vcs, 1, input.tables.wrap, dateline);
    input.longest_unicast = 1;
    return input;
}

TEST(router_deadlock, dimension_order_on_meshes_never_waits_in_a_circle) {
    for (const unsigned dimensions : {1u, 2u, 3u}) {
        const router_check_result found = check_router_routes(network(4, dimensions, false, 2));
        EXPECT_THAT(found.problems, ElementsAre());
        EXPECT_GT(found.dependencies, 0u);
    }
}

/// On a line of k routers k - 2 hops up are followed by another one, and as many down.
TEST(router_deadlock, dependencies_of_a_line_are_counted) {
    EXPECT_EQ(check_router_routes(network(5, 1, false, 1)).dependencies, 6u);
    EXPECT_EQ(check_router_routes(network(5, 1, false, 3)).dependencies, 6u * 9);
    router_check_input keep = network(5, 1, false, 3);
    keep.tables.policy = chips::vc_policy::keep;
    EXPECT_EQ(check_router_routes(keep).dependencies, 6u * 3);
}

/// 2-D: along each of 2 x 4 lines 4, and behind each hop in x that can end there one up and one down, where there is a
/// router.
TEST(router_deadlock, dependencies_of_a_mesh_are_counted) {
    const unsigned straight = 2 * 4 * 4;
    const unsigned turns = (4 * 6) * 2 - 6 * 2;
    EXPECT_EQ(check_router_routes(network(4, 2, false, 1)).dependencies, straight + turns);
}

TEST(router_deadlock, rings_without_a_dateline_are_refused) {
    for (const unsigned radix : {5u, 6u, 8u}) {
        const router_check_result found = check_router_routes(network(radix, 2, true, 4, false));
        ASSERT_EQ(found.problems.size(), 1u) << radix;
        EXPECT_THAT(found.problems[0], HasSubstr("packets can wait for each other in a circle: router0:0 VC 0 -> "));
        EXPECT_EQ(found.cycle.size(), radix);
        EXPECT_TRUE(check_router_routes(network(radix, 2, true, 4, true)).good());
    }
}

/// Of four neither: half way round goes up from even places only.
TEST(router_deadlock, rings_of_four_need_no_dateline) {
    EXPECT_TRUE(check_router_routes(network(4, 2, true, 1, false)).good());
    EXPECT_TRUE(check_router_routes(network(3, 2, true, 1, false)).good());
    EXPECT_TRUE(check_router_routes(network(2, 3, true, 1, false)).good());
}

TEST(router_deadlock, classes_that_share_virtual_channels_are_followed_together) {
    router_check_input input = network(5, 1, true, 4);
    input.classes = 2;
    // Each class alone is free of circles; the second takes the halves the other way round.
    std::swap(input.tables.vc_sets[1][0], input.tables.vc_sets[1][1]);
    EXPECT_FALSE(check_router_routes(input).good());
    input.classes = 1;
    EXPECT_TRUE(check_router_routes(input).good());
}

TEST(router_deadlock, broadcasts_go_along_trees_without_circles) {
    for (const bool torus : {false, true}) {
        for (const unsigned radix : {3u, 4u, 5u}) {
            router_check_input input = network(radix, 2, torus, 4);
            const std::uint64_t unicasts = check_router_routes(input).dependencies;
            input.longest_broadcast = 1;
            const router_check_result both = check_router_routes(input);
            EXPECT_THAT(both.problems, ElementsAre());
            EXPECT_GT(both.dependencies, unicasts) << "both kinds are followed";
            input.longest_unicast = 0;
            input.tables.vc_sets = fabric::class_sets(4, 1, input.tables.wrap, false);
            EXPECT_EQ(check_router_routes(input).good(), !torus || radix == 3);
        }
    }
}

TEST(router_deadlock, lines_show_the_same_cycles_as_all_routers) {
    unsigned refused = 0, accepted = 0;
    for (const unsigned dimensions : {1u, 2u, 3u})
        for (const unsigned radix : {2u, 3u, 4u, 5u, 6u})
            for (unsigned wrap = 0; wrap < 1u << dimensions; ++wrap)
                for (const bool dateline : {false, true})
                    for (const auto policy : {chips::vc_policy::any, chips::vc_policy::keep})
                        for (const unsigned broadcast : {0u, 1u}) {
                            router_check_input input = network(radix, dimensions, true, 4);
                            input.tables.wrap = wrap;
                            input.tables.vc_sets = fabric::class_sets(4, 1, wrap, dateline);
                            input.tables.policy = policy;
                            input.longest_broadcast = broadcast;
                            const router_check_result all = check_router_routes(input);
                            const router_check_result lines = check_router_lines(input);
                            EXPECT_EQ(lines.problems, all.problems) << radix << ' ' << dimensions << ' ' << wrap;
                            EXPECT_EQ(lines.cycle, all.cycle);
                            ++(all.good() ? accepted : refused);
                        }
    EXPECT_GT(refused, 20u);
    EXPECT_GT(accepted, 20u);
}

TEST(router_deadlock, packets_must_fit) {
    router_check_input input = network(4, 2, false, 2);
    input.longest_unicast = 9;
    input.tables.packet_limit = 8;
    EXPECT_THAT(check_router_routes(input).problems,
                ElementsAre("packets of 9 flits are longer than the limit of 8 flits"));
    input = network(4, 2, false, 2);
    input.tables.reserve = 9;
    EXPECT_THAT(check_router_routes(input).problems,
                ElementsAre("a virtual channel is taken only with room for 9 flits, but its buffer has 8 flits"));
    input = network(4, 2, false, 2);
    input.longest_broadcast = 4;
    EXPECT_THAT(check_router_routes(input).problems,
                ElementsAre("copies of a packet of 4 flits wait for each other where a virtual channel is taken with "
                            "room for 1 flit"));
    input = network(4, 2, true, 2);
    input.tables.vc_sets[0][0] = 0;
    EXPECT_THAT(check_router_routes(input).problems,
                ElementsAre("class 0 has no virtual channel for ways across the end of a ring"));
}

TEST(class_sets, divide_the_channels) {
    using sides = std::array<chips::vc_set, 2>;
    const auto mesh = fabric::class_sets(4, 4, 0, true);
    EXPECT_EQ(mesh[0], (sides{1, 1}));
    EXPECT_EQ(mesh[3], (sides{8, 8}));
    EXPECT_EQ(mesh[4], (sides{15, 15}));
    const auto torus = fabric::class_sets(8, 4, 3, true);
    EXPECT_EQ(torus[0], (sides{1, 2}));
    EXPECT_EQ(torus[3], (sides{64, 128}));
    EXPECT_EQ(fabric::class_sets(4, 1, 3, true), fabric::dateline_sets(4, 3));
    EXPECT_THROW(fabric::class_sets(7, 4, 3, true), std::runtime_error);
    EXPECT_NO_THROW(fabric::class_sets(7, 4, 3, false));
}

/// Two leaves with a host at port 0 each, and two roots: leaf l is cabled by port 1 + r to port l of root r.
struct small_tree {
    small_tree() {
        for (const char* name : {"leaf0", "leaf1"}) network.add_switch(name, 3);
        for (const char* name : {"root0", "root1"}) network.add_switch(name, 3);
        for (const std::uint32_t leaf : {0u, 1u}) {
            for (const std::uint32_t root : {0u, 1u}) network.connect(leaf, 1 + root, 2 + root, leaf);
            network.attach_host("host" + std::to_string(leaf), leaf, 0);
        }
        params.ports = 3;
        params.vcs = 2;
        params.dimensions = 1;
        params.radix = 2;
        params.max_nodes = 2;
        params.copies = false;
        params.adaptive = true;
        chips::router_tables router;
        router.table = true;
        router.credits.assign(3, params.vc_flits);
        router.vc_sets = fabric::class_sets(2, 1, 0, false);
        tables.assign(4, router);
        tables[0].route = {1, 6};
        tables[1].route = {6, 1};
        tables[2].route = tables[3].route = {1, 2};
        select(chips::route_select::random);
    }
    void select(chips::route_select by) {
        for (chips::router_tables& router : tables) router.select = by;
    }
    router_check_result check(unsigned classes = 1) const {
        return check_table_routes({&network, params, tables, classes, 4});
    }

    topology::graph network;
    chips::router_params params;
    std::vector<chips::router_tables> tables;
};

TEST(router_deadlock, every_port_of_a_choice_is_followed) {
    small_tree tree;
    const router_check_result both = tree.check();
    EXPECT_THAT(both.problems, ElementsAre());
    EXPECT_EQ(both.channels, 4u * 3 * 2);
    EXPECT_EQ(both.dependencies, 2u * 2 * 4);  // each leaf, each root, each pair of VCs
    for (chips::router_tables& router : tree.tables) router.policy = chips::vc_policy::keep;
    EXPECT_EQ(tree.check().dependencies, 2u * 2 * 2);
    for (chips::router_tables& router : tree.tables) router.policy = chips::vc_policy::any;
    tree.select(chips::route_select::lowest);
    EXPECT_EQ(tree.check().dependencies, 2u * 4);  // one root only
}

TEST(router_deadlock, channels_that_no_packet_comes_to_do_not_count) {
    small_tree tree;
    for (chips::router_tables& router : tree.tables) router.policy = chips::vc_policy::keep;
    table_check_input input{&tree.network, tree.params, tree.tables, 1, 4};
    EXPECT_EQ(check_table_routes(input).dependencies, 2u * 2 * 2);
    input.begin.fill(1);
    EXPECT_EQ(check_table_routes(input).dependencies, 2u * 2);
}

TEST(router_deadlock, one_port_of_a_choice_can_close_a_circle) {
    small_tree tree;
    // Root 0 may also send down to the other leaf, which sends it up again.
    tree.tables[2].route = {3, 3};
    const router_check_result found = tree.check();
    ASSERT_EQ(found.problems.size(), 1u);
    EXPECT_THAT(found.problems.front(), HasSubstr("circle: leaf0:1 VC 0 -> root0:0 VC 0 -> leaf0:1 VC 0"));
    EXPECT_THAT(found.cycle, ElementsAre("leaf0:1 VC 0", "root0:0 VC 0"));
    tree.select(chips::route_select::lowest);
    EXPECT_FALSE(tree.check().good());  // the lowest port of root 0 is the wrong one for host 1
    tree.tables[2].route = {3, 2};
    EXPECT_TRUE(tree.check().good());
}

TEST(router_deadlock, ways_of_tables_have_to_end_at_their_hosts) {
    small_tree wrong;
    wrong.tables[1].route = {6, 0};
    EXPECT_THAT(wrong.check().problems, ElementsAre("the way to host1 ends at leaf1"));
    wrong.tables[1].route = {7, 1};
    EXPECT_THAT(wrong.check().problems, ElementsAre("the way to host0 leads from leaf1 to host1"));
    wrong.tables[1].route = {6, 1};
    wrong.tables[3].route = {1, 6};
    EXPECT_THAT(wrong.check().problems, ElementsAre("the way to host1 leads from root1 to an open port"));
    wrong.tables[3].credits[2] = 0;  // now it is no possible port
    EXPECT_THAT(wrong.check().problems, ElementsAre());
}

TEST(router_deadlock, packets_of_tables_have_to_fit) {
    small_tree small;
    for (chips::router_tables& router : small.tables) router.packet_limit = 3;
    small.tables.front().vc_sets[1] = {0, 0};
    EXPECT_THAT(small.check(2).problems, ElementsAre("packets of 4 flits are longer than the limit of 3 flits",
                                                     "class 1 has no virtual channel"));
}

}  // namespace
}  // namespace polycast::hw::routing
