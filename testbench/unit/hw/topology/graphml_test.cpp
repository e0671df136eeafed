// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/graphml.h"

#include <gmock/gmock.h>

#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using testbench::unit::refusal;
using testing::HasSubstr;

const std::string keys =
    "<key id='k' for='node' attr.name='kind'/><key id='n' for='node' attr.name='name'/>\n"
    "<key id='p' for='node' attr.name='ports'/><key id='g' for='node' attr.name='guid'/>\n"
    "<key id='sp' for='edge' attr.name='source_port'/><key id='tp' for='edge' attr.name='target_port'/>\n"
    "<key id='f' for='graph' attr.name='first_port'/><key id='h' for='graph' attr.name='hosts'/>\n"
    "<key id='c' for='all' attr.name='colour'/>\n";  // the graph starts in line 6

std::string in_graph(const std::string& inside, const std::string& direction = "undirected") {
    return "<graphml>" + keys + "<graph edgedefault='" + direction + "'>\n" + inside + "</graph></graphml>\n";
}

std::string refused(const std::string& text) {
    return refusal([&] { read_graphml("net.graphml", text); });
}

TEST(graphml, reads_nodes_edges_and_data) {
    const graph network = read_graphml(
        "net.graphml",
        in_graph("<data key='f'>1</data>\n"
                 "<node id='a'><data key='n'> left one </data><data key='p'>4</data><data key='g'>0x1F</data></node>\n"
                 "<node id='b'><data key='k'>switch</data><data key='c'>red</data></node>\n"
                 "<node id='x'><data key='k'> host </data></node><node id='y'><data key='k'>host</data></node>\n"
                 "<edge source='a' target='b'><data key='sp'>4</data><data key='tp'>2</data></edge>\n"
                 "<edge source='x' target='a' targetport='2'/>\n"
                 "<edge source='b' target='y'/>\n"));
    EXPECT_EQ(network.first_port, 1U);
    ASSERT_EQ(network.switches.size(), 2U);
    EXPECT_EQ(network.switches[0].name, "left one");
    EXPECT_EQ(network.switches[0].guid, 0x1fU);
    EXPECT_EQ(network.switches[0].ports.size(), 4U);
    EXPECT_EQ(network.switches[1].ports.size(), 2U);
    const std::vector<link> links{{{0, 3}, {1, 1}}};
    EXPECT_EQ(network.links(), links);
    const std::vector<host_node> hosts{{"x", 0, 0, 1}, {"y", 0, 1, 0}};
    EXPECT_EQ(network.hosts, hosts);
}

TEST(graphml, reads_what_other_tools_write) {
    // networkx.write_graphml of a triangle: no data at all.
    const graph network =
        read_graphml("net.graphml",
                     "<?xml version='1.0' encoding='utf-8'?>\n"
                     "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
                     "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
                     "<graph edgedefault=\"undirected\"><node id=\"0\" /><node id=\"1\" /><node id=\"2\" />"
                     "<edge source=\"0\" target=\"1\" /><edge source=\"0\" target=\"2\" />"
                     "<edge source=\"1\" target=\"2\" /></graph></graphml>");
    EXPECT_EQ(network.switches.size(), 3U);
    EXPECT_EQ(network.links().size(), 3U);
    EXPECT_EQ(network.hosts.size(), 3U);
}

TEST(graphml, names_are_labels_and_ids_where_labels_repeat) {
    const graph network = read_graphml(
        "net.graphml",
        "<graphml xmlns:y='http://www.yworks.com/xml/graphml'><key id='d0' for='node' attr.name='label'/>"
        "<key id='d1' for='node' attr.name='type'/><key id='d6' for='node' yfiles.type='nodegraphics'/><graph>"
        "<node id='n0'><data key='d6'><y:ShapeNode><y:Fill/><y:NodeLabel> core "
        "</y:NodeLabel></y:ShapeNode></data></node>"
        "<node id='n1'><data key='d0'>leaf</data></node><node id='n2'><data key='d0'>leaf</data></node>"
        "<node id='n3'><data key='d1'>host</data></node><node id='n4'><data key='d1'>host</data></node>"
        "<node id='n5'><data key='d1'>spine</data></node>"
        "<edge source='n0' target='n1'/><edge source='n0' target='n2'/><edge source='n0' target='n5'/>"
        "<edge source='n1' target='n3'/><edge source='n2' target='n4'/></graph></graphml>");
    std::vector<std::string> names;
    for (const switch_node& node : network.switches) names.push_back(node.name);
    for (const host_node& node : network.hosts) names.push_back(node.name);
    EXPECT_THAT(names, testing::ElementsAre("core", "leaf (n1)", "leaf (n2)", "n5", "n3", "n4"));
    EXPECT_EQ(network.identify_switch("n0"), 0U) << "names do not hide ids";
}

TEST(graphml, data_of_nodes_that_mean_nothing_are_warned_of_once) {
    std::vector<std::string> warnings;
    const graph network = read_graphml(
        "net.graphml",
        "<graphml><key id='a' for='node' attr.name='hosts'/><key id='b' for='node' attr.name='Name'/>"
        "<key id='c' for='node' attr.name='Kind'/><key id='d' for='node' attr.name='port'/>"
        "<key id='e' for='node' attr.name='colour'/><graph><node id='x'><data key='a'>4</data></node><node id='y'/>"
        "<edge source='x' target='y'/></graph></graphml>",
        [&warnings](const std::string& text) { warnings.push_back(text); });
    EXPECT_EQ(network.hosts.size(), 2U);
    EXPECT_THAT(warnings,
                testing::ElementsAre("net.graphml: data of nodes that mean nothing here are ignored: 'hosts', "
                                     "'Name', 'Kind', 'port'; known are kind, type, name, label, ports and guid"));
}

TEST(graphml, nodes_have_guids_of_their_own) {
    EXPECT_THAT(refused(in_graph("<node id='a'><data key='g'>0x1</data></node>\n"
                                 "<node id='b'><data key='g'>0x1</data></node><edge source='a' target='b'/>")),
                HasSubstr("net.graphml:8:2: 'b' is the second node with the GUID 0x1"));
}

TEST(graphml, parallel_edges_and_directions) {
    const std::string nodes = "<node id='a'/><node id='b'/>\n";
    const std::string there = "<edge source='a' target='b'/>\n", back = "<edge source='b' target='a'/>\n";
    EXPECT_EQ(read_graphml("net.graphml", in_graph(nodes + there + there + back)).links().size(), 3U);
    EXPECT_EQ(read_graphml("net.graphml", in_graph(nodes + there + there, "directed")).links().size(), 2U);
    EXPECT_EQ(refused(in_graph(nodes + there + back, "directed")),
              "net.graphml:9:2: a cable is listed in both directions; write an undirected graph, or give every edge "
              "its ports");
}

TEST(graphml, says_where_and_what_is_wrong) {
    EXPECT_EQ(refused("<graphml>\n  <graph>\n</graphml>"),
              "net.graphml:3:3: not well-formed XML: Start-end tags mismatch");
    EXPECT_EQ(refused("<html/>"), "net.graphml:1:2: expected a <graphml> element");
    EXPECT_EQ(refused("<graphml/>"), "net.graphml:1:2: expected a <graph> in <graphml>");
    EXPECT_THAT(refused("<graphml><graph/>\n<graph/></graphml>"), HasSubstr("net.graphml:2:2: more than one <graph>"));
    EXPECT_EQ(refused("<graphml>\n<key id='a' for='edge' attr.name='sourceprt'/></graphml>"),
              "net.graphml:2:2: unknown edge data 'sourceprt'; did you mean 'source_port'?");
    EXPECT_EQ(refused(in_graph("<nde id='a'/>\n")), "net.graphml:7:2: unknown element <nde> in <graph>");
    EXPECT_EQ(refused(in_graph("<node/>\n")), "net.graphml:7:2: a <node> without id");
    EXPECT_EQ(refused(in_graph("<node id='a'/>\n<node id='a'/>")), "net.graphml:8:2: there is already a node 'a'");
    EXPECT_EQ(refused(in_graph("<node id='a'>\n <data key='k'>swich</data></node>")),
              "net.graphml:8:3: node 'a' is of unknown kind 'swich'; did you mean 'switch'?");
    EXPECT_EQ(refused(in_graph("<node id='a'>\n <data key='kk'>host</data></node>")),
              "net.graphml:8:3: there is no <key> 'kk'; did you mean 'k'?");
    EXPECT_EQ(refused(in_graph("<node id='a'><data key='p'>many</data></node>")),
              "net.graphml:7:15: ports is 'many'; expected a number");
    EXPECT_EQ(refused(in_graph("<node id='a'><data key='p'>65</data></node>")),
              "net.graphml:7:2: switch 'a' has 65 ports; a switch has 1 to 64 ports");
    EXPECT_EQ(refused(in_graph("<node id='a'><data key='g'>12</data></node>")),
              "net.graphml:7:15: guid is '12'; expected a GUID like 0x200005");
    EXPECT_EQ(refused(in_graph("<node id='abc'/>\n<edge source='abc' target='abd'/>")),
              "net.graphml:8:2: there is no node 'abd'; did you mean 'abc'?");
    EXPECT_EQ(refused(in_graph("<node id='a'/><edge source='a'/>")), "net.graphml:7:16: an <edge> without target");
    EXPECT_EQ(refused(in_graph("<node id='a'/><edge source='a' target='a'/>")),
              "net.graphml:7:16: a link from switch 'a' to itself; leave such ports open");
    EXPECT_EQ(refused(in_graph("<hyperedge/>")), "net.graphml:7:2: a hyperedge joins more than two nodes: not a cable");
    EXPECT_EQ(refused(in_graph("<node id='a'><graph/></node>")),
              "net.graphml:7:15: graphs inside of nodes are not supported");
    EXPECT_EQ(refused(in_graph("<data key='f'>2</data>")), "net.graphml:7:2: first_port is 2; it must be 0 to 1");
    const std::string hosts =
        "<node id='a'/><node id='x'><data key='k'>host</data></node><node id='y'><data key='k'>host</data></node>\n";
    EXPECT_EQ(refused(in_graph(hosts + "<edge source='x' target='y'/>")),
              "net.graphml:8:2: an edge between two hosts; hosts are cabled to switches");
    EXPECT_EQ(refused(in_graph(hosts + "<edge source='x' target='a'/>\n<edge source='x' target='a'/>")),
              "net.graphml:9:2: host 'x' is cabled twice; a host has one port: use two hosts");
    EXPECT_EQ(
        refused(in_graph(hosts + "<edge source='a' target='x'><data key='tp'>3</data></edge>")),
        "net.graphml:8:2: a port is given for host 'x', which has only one; did the tool turn the edge round? Directed "
        "graphs keep their ends apart");
    EXPECT_EQ(refused(in_graph(hosts + "<edge source='x' target='a'/>")),
              "net.graphml:7:61: host 'y' is not cabled; give it one edge, to a switch");
    EXPECT_THAT(refused(in_graph("<node id='a'/>\n<node id='b'/>")),
                HasSubstr("net.graphml:8:2: the network is not connected"));
}

TEST(graphml, writes_what_it_reads) {
    graph network;
    network.first_port = 1;
    network.add_switch("a <&> \"b\"", 3, 0xabcdef);
    network.add_switch("two", 2);
    network.connect(0, 1, 1, 1);
    network.attach_host("x", 0, 2, 5);
    network.attach_host("y", 1, 0);
    EXPECT_EQ(read_graphml("net.graphml", write_graphml(network)), network);
    network.hosts[0].name = " x";
    EXPECT_THAT(refusal([&] { write_graphml(network); }), HasSubstr("cannot hold the name"));
}

}  // namespace
}  // namespace polycast::hw::topology
