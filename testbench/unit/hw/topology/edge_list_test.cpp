// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/edge_list.h"

#include <gmock/gmock.h>

#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using testbench::unit::refusal;
using testing::HasSubstr;

std::string refused(const std::string& text) {
    return refusal([&] { read_edge_list("net.txt", text); });
}

TEST(edge_list, reads_every_statement) {
    const graph network = read_edge_list("net.txt",
                                         "# two switches\n"
                                         "first_port 1\n"
                                         "switch left 4 guid=0x1F\n"
                                         "switch \"the \\\"right\\\" one\" 5\r\n"
                                         "\n"
                                         "host a left:2 guid=0x7  # on port 2\n"
                                         "host b \"the \\\"right\\\" one\"\n"
                                         "link left:4 \"the \\\"right\\\" one\":1\n"
                                         "left \"the \\\"right\\\" one\":5");
    EXPECT_EQ(network.first_port, 1U);
    ASSERT_EQ(network.switches.size(), 2U);
    EXPECT_EQ(network.switches[0].name, "left");
    EXPECT_EQ(network.switches[0].guid, 0x1fU);
    EXPECT_EQ(network.switches[0].ports.size(), 4U);
    EXPECT_EQ(network.switches[1].name, "the \"right\" one");
    EXPECT_EQ(network.switches[1].ports.size(), 5U);
    const std::vector<host_node> hosts{{"a", 7, 0, 1}, {"b", 0, 1, 1}};
    EXPECT_EQ(network.hosts, hosts);
    const std::vector<link> links{{{0, 0}, {1, 4}}, {{0, 3}, {1, 0}}};
    EXPECT_EQ(network.links(), links);
}

TEST(edge_list, fills_in_what_is_left_out) {
    const graph network = read_edge_list("net.txt", "a b\nb c\nb:0 d\n");
    ASSERT_EQ(network.switches.size(), 4U);
    EXPECT_EQ(network.switches[1].ports.size(), 4U);  // three links and a host
    EXPECT_EQ(network.switches[0].ports.size(), 2U);
    EXPECT_EQ(network.hosts.size(), 4U);
    EXPECT_EQ(network.hosts[3], (host_node{"host3", 0, 3, 1}));
    // b:0 is taken by name, so that a-b and b-c take 1 and 2.
    const std::vector<link> links{{{0, 0}, {1, 1}}, {{1, 0}, {3, 0}}, {{1, 2}, {2, 0}}};
    EXPECT_EQ(network.links(), links);
}

TEST(edge_list, adds_hosts_and_open_ports_on_request) {
    const graph network = read_edge_list("net.txt", "ports 8\nhosts 2\n0 1\nhost host1 1:7\n");
    EXPECT_EQ(network.switches[0].ports.size(), 8U);
    ASSERT_EQ(network.hosts.size(), 5U);
    EXPECT_EQ(network.hosts[0], (host_node{"host1", 0, 1, 7}));
    EXPECT_EQ(network.hosts[1], (host_node{"host0", 0, 0, 1}));
    EXPECT_EQ(network.hosts[2].name, "host2") << "host1 is taken";
    EXPECT_EQ(network.switches[0].ports[5].kind, port_end::leads_to::nowhere);
}

TEST(edge_list, an_explicit_port_decides_the_count) {
    const graph network = read_edge_list("net.txt", "hosts 0\na:7 b:0\nhost x a\nhost y b\n");
    EXPECT_EQ(network.switches[0].ports.size(), 8U);
    EXPECT_EQ(network.switches[1].ports.size(), 2U);
}

TEST(edge_list, parallel_links) {
    EXPECT_EQ(read_edge_list("net.txt", "a b\na b\nb a\n").links().size(), 3U);
}

TEST(edge_list, says_where_and_what_is_wrong) {
    EXPECT_EQ(refused("a b\nlnk\n"),
              "net.txt:2:1: expected a statement or two switches, but there is only 'lnk'; did you mean 'link'?");
    EXPECT_EQ(refused("a\n"),
              "net.txt:1:1: expected a statement or two switches, but there is only 'a'; a link is two switch names");
    EXPECT_EQ(refused("a b c\n"), "net.txt:1:5: unexpected 'c' after the statement; start a comment with #");
    EXPECT_EQ(refused("a:x b\n"), "net.txt:1:3: expected a port number after ':'");
    EXPECT_EQ(refused("a b\n  a  a:3\n"), "net.txt:2:6: a link from switch 'a' to itself; leave such ports open");
    EXPECT_EQ(refused("a:0 b\nc a:0\n"), "net.txt:2:3: port 0 of switch 'a' is cabled twice");
    EXPECT_EQ(refused("switch a 2\na:2 b\n"), "net.txt:2:1: switch 'a' has no port 2; its ports are 0 to 1");
    EXPECT_EQ(refused("first_port 1\na:0 b\n"), "net.txt:2:1: switch 'a' has no port 0; its ports are 1 to 2");
    EXPECT_EQ(refused("switch a 1\na b\na c\n"), "net.txt:3:1: switch 'a' has no free port left; it has 1 ports");
    EXPECT_EQ(refused("switch a 65\na b\n"), "net.txt:1:8: switch 'a' has 65 ports; a switch has 1 to 64 ports");
    EXPECT_EQ(refused("a:64 b\n"), "net.txt:1:1: switch 'a' needs 65 ports; a switch has 1 to 64 ports");
    EXPECT_EQ(refused("a:99999999999999999 b\n"), "net.txt:1:1: switch 'a' needs 65 ports; a switch has 1 to 64 ports");
    EXPECT_EQ(refused("a b\nswitch a\n"),
              "net.txt:2:8: switch 'a' is already known; declare it once, before it is used");
    EXPECT_EQ(refused("host h a\nhost h b\n"), "net.txt:2:6: there is already a host 'h'");
    EXPECT_EQ(refused("host h\n"), "net.txt:1:7: the host's switch is missing");
    EXPECT_EQ(refused("switch \"a\nx y\n"), "net.txt:1:10: the closing \" is missing");
    EXPECT_EQ(refused("\"\" b\n"), "net.txt:1:3: a statement is empty");
    EXPECT_EQ(refused("switch a guid=5\n"), "net.txt:1:15: expected a GUID like 0x200005");
    EXPECT_EQ(refused("ports 0\n"), "net.txt:1:7: expected a number from 1 to 64");
    EXPECT_EQ(refused("hosts 1\nhosts 1\n"), "net.txt:2:1: 'hosts' is said twice");
    EXPECT_EQ(refused(":3 b\n"), "net.txt:1:1: a statement must not start with ':'");
    EXPECT_EQ(refused(""), "net.txt: the network has no switch");
    EXPECT_EQ(refused("hosts 0\na b\n"), "net.txt: the network has no host; it takes at least two");
    EXPECT_THAT(refused("a b\nc d\n"),
                HasSubstr("net.txt:2:1: the network is not connected: no path leads from switch 'a' to 'c', 'd'"));
    EXPECT_EQ(refused("hosts 64\na b\n"), "net.txt:2:1: switch 'a' needs 65 ports; a switch has 1 to 64 ports");
}

TEST(edge_list, nodes_have_names_and_guids_of_their_own) {
    EXPECT_EQ(refused("switch A\nhost A A\nhost B A\n"),
              "net.txt:2:8: two nodes are called 'A'; every switch and every host needs a name of its own");
    EXPECT_EQ(refused("switch s 4 guid=0x1f\nswitch t 4 guid=0x1f\ns t\n"),
              "net.txt:2:8: 't' is the second node with the GUID 0x1f; every switch and every host needs a GUID of its "
              "own, or none");
    EXPECT_THAT(refused("switch s 4 guid=0x1f\nhost a s guid=0x1f\nhost b s\n"),
                HasSubstr("net.txt:2:8: 'a' is the second node with the GUID 0x1f"));
    const graph network = read_edge_list("net.txt", "host0 b\n");
    EXPECT_EQ(network.hosts[0].name, "host1") << "hosts that nobody named do not take the name of a switch";
}

TEST(edge_list, reads_what_networkx_writes) {
    // write_edgelist (data, no data) and write_weighted_edgelist
    const graph plain = read_edge_list("net.txt", "0 1\n1 2\n");
    EXPECT_EQ(read_edge_list("net.txt", "0 1 {}\n1 2 {}\n"), plain);
    EXPECT_EQ(
        read_edge_list("net.txt", "0 1 {'weight': 2.5, 'colour': '#ff0000'}  # red\n1 2 {'at': {'x': '}\\\'{'}}\n"),
        plain);
    EXPECT_EQ(read_edge_list("net.txt", "0 1 2.5\n1 2 1e3\n"), plain);
    EXPECT_EQ(refused("0 1 {'weight': 2.5\n"), "net.txt:1:5: the closing } is missing");
    EXPECT_EQ(refused("0 1 {} 2\n"), "net.txt:1:8: unexpected '2' after the statement; start a comment with #");
    EXPECT_THAT(refused("0 1 2.5 x\n"), HasSubstr("net.txt:1:9: unexpected 'x'"));
}

TEST(edge_list, refuses_too_many) {
    std::string text = "hosts 0\n";
    for (unsigned h = 0; h <= max_hosts; ++h)
        text += "host h" + std::to_string(h) + " s" + std::to_string(h / 60) + "\n";
    EXPECT_EQ(refused(text), "net.txt:65538:13: more than 65536 hosts");
    text = "switch a\n";
    for (unsigned s = 0; s < max_switches; ++s) text += "switch s" + std::to_string(s) + "\n";
    EXPECT_EQ(refused(text), "net.txt:65537:8: more than 65536 switches");
}

TEST(edge_list, writes_names_that_need_quotes) {
    graph network;
    network.add_switch("a b", 2);
    network.add_switch("link", 2);
    network.connect(0, 1, 1, 1);
    network.attach_host("x\\\"y", 0, 0, 0xab);
    network.attach_host("#", 1, 0);
    EXPECT_EQ(read_edge_list("net.txt", write_edge_list(network)), network);
    EXPECT_EQ(write_edge_list(network),
              "switch \"a b\" 2\nswitch link 2\nhost \"x\\\\\\\"y\" \"a b\":0 guid=0xab\n"
              "host \"#\" link:0\nlink \"a b\":1 link:1\n");
    network.hosts[1].name = network.hosts[0].name;
    EXPECT_THAT(refusal([&] { write_edge_list(network); }), HasSubstr("two nodes are called"));
    network.hosts[1].name = "line\nbreak";
    EXPECT_THAT(refusal([&] { write_edge_list(network); }), HasSubstr("cannot hold the name 'line?break'"));
}

}  // namespace
}  // namespace polycast::hw::topology
