// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/graph.h"

#include <gmock/gmock.h>

#include "testbench/unit/hw/topology/small_networks.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using testbench::unit::refusal;

TEST(graph, keeps_both_ends_in_step) {
    const graph ring = make_ring(3, 2);
    EXPECT_EQ(ring.switches[0].ports[2], (port_end{port_end::leads_to::chip, 1, 3}));
    EXPECT_EQ(ring.switches[1].ports[3], (port_end{port_end::leads_to::chip, 0, 2}));
    EXPECT_EQ(ring.hosts[3].chip, 1U);
    EXPECT_EQ(ring.switches[1].ports[1], (port_end{port_end::leads_to::host, 3, 0}));
    const std::vector<link> expected{{{0, 2}, {1, 3}}, {{0, 3}, {2, 2}}, {{1, 2}, {2, 3}}};
    EXPECT_EQ(ring.links(), expected);
    EXPECT_FALSE(find_problem(ring));
}

TEST(graph, refuses_impossible_cables) {
    graph network = make_ring(2, 1);
    network.first_port = 1;
    EXPECT_EQ(refusal([&] { network.connect(0, 0, 1, 0); }), "switch0:1 is already cabled to host 'host0'");
    EXPECT_EQ(refusal([&] { network.connect(0, 1, 1, 0); }), "switch0:2 is already cabled to switch1:3");
    EXPECT_EQ(refusal([&] { network.connect(0, 3, 1, 0); }), "switch 'switch0' has no port 4; its ports are 1 to 3");
    EXPECT_EQ(refusal([&] { network.attach_host("x", 7, 0); }), "there is no switch number 7");
    network.add_switch("loose", 2);
    EXPECT_EQ(refusal([&] { network.connect(2, 0, 2, 1); }),
              "a link from switch 'loose' to itself; leave such ports open");
    EXPECT_EQ(refusal([&] { network.add_switch("wide", 65); }),
              "switch 'wide' has 65 ports; a switch has 1 to 64 ports");
    EXPECT_EQ(refusal([&] { network.add_switch("none", 0); }), "switch 'none' has 0 ports; a switch has 1 to 64 ports");
}

TEST(graph, identifies_switches_by_name_id_guid_and_number) {
    graph network = make_ring(4, 1);
    network.switches[1].name = "2";
    network.switches[2].guid = 0x2f;
    network.switches[3].id = "S-0000000000000030";
    EXPECT_EQ(network.identify_switch("switch0"), 0U);
    EXPECT_EQ(network.identify_switch("2"), 1U) << "names before numbers";
    EXPECT_EQ(network.identify_switch("3"), 3U);
    EXPECT_EQ(network.identify_switch("0x2f"), 2U);
    EXPECT_EQ(network.identify_switch("S-0000000000000030"), 3U);
    for (const char* none : {"4", "0x30", "0x0", "0x", "", "-1", "1 ", "switch9", "99999999999999999999"})
        EXPECT_EQ(network.identify_switch(none), std::nullopt) << none;
    EXPECT_EQ(network.propose_switch("swich3"), "did you mean 'switch3'?");
    EXPECT_EQ(network.propose_switch("S-0000000000000031"), "did you mean 'S-0000000000000030'?");
    EXPECT_EQ(network.propose_switch("0x2e"), "did you mean '0x2f'?");
    EXPECT_EQ(network.propose_switch("something else"), "");
}

TEST(graph, names_what_is_cut_off) {
    graph network = make_ring(2, 1);
    network.add_switch("island", 3);
    EXPECT_EQ(refusal([&] { validate(network, "net.txt"); }),
              "net.txt: the network is not connected: no path leads from switch 'switch0' to 'island'; cable the parts "
              "to each "
              "other or remove one");
    for (int i = 0; i < 5; ++i) network.add_switch("far" + std::to_string(i), 3);
    EXPECT_THAT(refusal([&] { validate(network); }), testing::HasSubstr("'island', 'far0', 'far1', 'far2' and 2 more"));
}

TEST(graph, refuses_too_few_hosts_and_mismatched_ends) {
    EXPECT_EQ(refusal([] { validate(graph{}); }), "the network has no switch");
    EXPECT_EQ(refusal([] { validate(make_ring(2, 0)); }), "the network has no host; it takes at least two");
    graph network = make_ring(3, 1);
    network.switches[1].ports[2].port = 0;
    EXPECT_EQ(refusal([&] { validate(network); }), "switch0:1 leads to a port that does not lead back");
    network = make_ring(3, 1);
    network.hosts[2].port = 2;
    EXPECT_EQ(refusal([&] { validate(network); }), "switch2:0 leads to a host that is cabled elsewhere");
}

TEST(graph, finds_names_and_proposes_near_ones) {
    const graph ring = make_ring(3, 2);
    EXPECT_EQ(ring.switch_named("switch2"), 2U);
    EXPECT_EQ(ring.find_host("host5"), 5U);
    EXPECT_EQ(ring.find_switch("host5"), std::nullopt);
    EXPECT_EQ(refusal([&] { ring.switch_named("swich1"); }), "there is no switch 'swich1'; did you mean 'switch1'?");
    EXPECT_EQ(refusal([&] { ring.host_named("zebra"); }), "there is no host 'zebra'");
}

}  // namespace
}  // namespace polycast::hw::topology
