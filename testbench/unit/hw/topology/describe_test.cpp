// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/describe.h"

#include <gmock/gmock.h>

#include "hw/topology/irregular.h"
#include "hw/topology/topology_file.h"
#include "testbench/unit/hw/topology/small_networks.h"

namespace polycast::hw::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(describe, figures_of_a_small_network) {
    // 0 above 1 and 2, 1-2 on one level, 3 below both, two cables 1-3; one open port at 3.
    graph network = make_linked(4, 2, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {1, 3}, {2, 3}});
    network.switches[3].ports.emplace_back();
    const description found = describe(network, routing::updown(network));
    EXPECT_EQ(found.switches, 4U);
    EXPECT_EQ(found.hosts, 8U);
    EXPECT_EQ(found.links, 6U);
    EXPECT_EQ(found.open_ports, 1U);
    EXPECT_EQ(found.parallel_links, 1U);
    EXPECT_EQ(found.same_level_links, 1U);
    EXPECT_EQ(found.cross_level_links, 2U);
    EXPECT_THAT(found.switches_at_level, ElementsAre(1, 2, 1));
    EXPECT_EQ(found.least_degree, 2U);
    EXPECT_EQ(found.largest_degree, 4U);
    EXPECT_DOUBLE_EQ(found.mean_degree, 3);
    EXPECT_EQ(found.least_hosts, 2U);
    EXPECT_EQ(found.root_links, 2U);
    EXPECT_EQ(found.diameter, 2U);
    // Ordered pairs of switches: 0-3 at distance 2, the other five at 1; four pairs of hosts for each; 8 at distance 0.
    EXPECT_DOUBLE_EQ(found.mean_distance, 2 * 4 * (2 + 5) / 56.0);
    EXPECT_EQ(found.legal_diameter, 2U);
    EXPECT_DOUBLE_EQ(found.mean_legal_distance, found.mean_distance);
}

TEST(describe, legal_paths_may_be_longer) {
    const graph ring = make_ring(6, 1);
    const routing::updown routes(ring);
    const description found = describe(ring, routes);
    EXPECT_EQ(found.diameter, 3U);
    EXPECT_EQ(found.legal_diameter, 4U);  // 2 to 4 must go round by the root: 3, between them, lies below both
    EXPECT_DOUBLE_EQ(found.mean_legal_distance, routes.mean_legal_distance());
    EXPECT_GT(found.mean_legal_distance, found.mean_distance);
}

TEST(describe, the_print_out) {
    const graph network = read_topology(POLYCAST_DATA_DIR "/irregular32.ibnetdiscover");
    const description found =
        describe(network, routing::updown(network, {routing::updown_options::root_choice::lowest_id, 0, true}));
    EXPECT_EQ(found.links, 12U);
    EXPECT_EQ(found.open_ports, 8U);
    EXPECT_EQ(found.roots, std::vector<std::uint32_t>{0});
    EXPECT_TRUE(found.distances_known);
}

TEST(describe, leaves_distances_of_huge_networks_out) {
    graph network;
    for (std::uint32_t s = 0; s <= describe_distances_up_to; ++s) network.add_switch("s", 3);
    for (std::uint32_t s = 1; s <= describe_distances_up_to; ++s) network.connect(s - 1, 1, s, 0);
    network.attach_host("a", 0, 0);
    network.attach_host("b", 1, 2);
    const description found = describe(network, routing::updown(network));
    EXPECT_FALSE(found.distances_known);
    EXPECT_EQ(found.switches_at_level.size(), describe_distances_up_to + 1);
}

TEST(describe, draws_dot) {
    graph network = make_linked(2, 1, {{0, 1}});
    network.first_port = 1;
    network.switches[1].name = "the \"second\"";
    const std::string text =
        write_dot(network, routing::updown(network, {routing::updown_options::root_choice::given, 1}));
    EXPECT_THAT(text, HasSubstr("s1 [shape=box, style=filled, fillcolor=\"#f4c7a1\", label=\"the \\\"second\\\"\"];"));
    EXPECT_THAT(text, HasSubstr("{ rank=same; s1; }\n  { rank=same; s0; }"));
    EXPECT_THAT(text, HasSubstr("s1 -> s0 [taillabel=\"2\", headlabel=\"2\"];"));
    EXPECT_THAT(text, HasSubstr("s0 -> h0 [taillabel=\"1\"];"));
}

}  // namespace
}  // namespace polycast::hw::topology
