// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/infiniband.h"

#include <gmock/gmock.h>

#include "hw/routing/updown.h"
#include "hw/topology/topology_file.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using testbench::unit::refusal;
using testing::HasSubstr;

const std::string data = POLYCAST_DATA_DIR;

/// Two switches joined by one cable, an adapter on each; the parts can be exchanged.
struct print_out {
    std::string left_head = "Switch\t4 \"S-0000000000000010\"\t\t# \"left\" base port 0 lid 0 lmc 0\n";
    std::string left_ports =
        "[1]\t\"S-0000000000000020\"[2]\t\t# \"right\" lid 0 4xSDR\n"
        "[3]\t\"H-0000000000000030\"[1](31) \t\t# \"a\" lid 0 4xSDR\n";
    std::string right =
        "switchguid=0x20(20)\nSwitch\t4 \"S-0000000000000020\"\t\t# \"right\" enhanced port 0 lid 0 lmc 0\n"
        "[2]\t\"S-0000000000000010\"[1]\t\t# \"left\" lid 0 4xSDR\n"
        "[4]\t\"H-0000000000000040\"[2](42) \t\t# \"b\" lid 0 4xSDR\n";
    std::string a =
        "Ca\t1 \"H-0000000000000030\"\t\t# \"a\"\n[1](31) \t\"S-0000000000000010\"[3]\t\t# lid 0 lmc 0 \"left\" lid 0 "
        "4xSDR\n";
    std::string b =
        "Ca\t2 \"H-0000000000000040\"\t\t# \"b\"\n[2](42) \t\"S-0000000000000020\"[4]\t\t# lid 0 lmc 0 \"right\" lid 0 "
        "4xSDR\n";
    std::string more;

    std::string text() const {
        return "#\n# Topology file: generated on some day\n#\n\nvendid=0x0\n" + left_head + left_ports + "\n" + right +
               "\n" + a + "\n" + b + "\n" + more;
    }
    graph read() const { return read_ibnetdiscover("net", text()); }
    std::string refused() const {
        return refusal([&] { read(); });
    }
};

std::string refused_ibsim(const std::string& text) {
    return refusal([&] { read_ibsim("net", text); });
}

TEST(ibnetdiscover, irregular32_is_the_network_of_the_print_out) {
    const graph network = read_topology(data + "/irregular32.ibnetdiscover");
    ASSERT_EQ(network.switches.size(), 8U);
    ASSERT_EQ(network.hosts.size(), 32U);
    EXPECT_EQ(network.first_port, 1U);
    for (std::uint32_t s = 0; s < 8; ++s) {
        EXPECT_EQ(network.switches[s].name, "switch" + std::to_string(s));
        EXPECT_EQ(network.switches[s].guid, 0x200000U + s);
        EXPECT_EQ(network.switches[s].id, "S-000000000020000" + std::to_string(s));
        EXPECT_EQ(network.switches[s].ports.size(), 8U);
    }
    for (std::uint32_t h = 0; h < 32; ++h) EXPECT_EQ(network.hosts[h].guid, 0x100000U + 2 * h) << "numbered by GUID";
    EXPECT_EQ(network.hosts[22].name, "node022");
    EXPECT_EQ(network.hosts[22].chip, 5U);
    EXPECT_EQ(network.hosts[22].port, 0U);
    EXPECT_EQ(network.port_text(5, 0), "switch5:1");
    EXPECT_EQ(network.switches[5].ports[2], (port_end{port_end::leads_to::chip, 0, 3}));
    EXPECT_EQ(network.switches[1].ports[2].kind, port_end::leads_to::nowhere);
    EXPECT_EQ(network.links().size(), 12U);
}

TEST(ibnetdiscover, all_print_outs) {
    struct expected {
        const char* file;
        std::size_t switches, hosts, links;
    };
    for (const expected& one : {expected{"irr8s1", 8, 32, 14}, expected{"parallel", 5, 15, 15},
                                expected{"nohost", 6, 8, 7}, expected{"ft3l4a", 48, 64, 128}}) {
        const graph network = read_topology(data + "/" + one.file + ".ibnetdiscover");
        EXPECT_EQ(network.switches.size(), one.switches) << one.file;
        EXPECT_EQ(network.hosts.size(), one.hosts) << one.file;
        EXPECT_EQ(network.links().size(), one.links) << one.file;
    }
}

TEST(ibnetdiscover, parallel_links_differ_in_the_port_only) {
    const graph network = read_topology(data + "/parallel.ibnetdiscover");
    EXPECT_EQ(network.switches[2].ports[5], (port_end{port_end::leads_to::chip, 3, 3}));
    EXPECT_EQ(network.switches[2].ports[6], (port_end{port_end::leads_to::chip, 3, 4}));
    EXPECT_EQ(network.switches[2].ports[7], (port_end{port_end::leads_to::chip, 3, 5}));
}

TEST(ibnetdiscover, direction_is_that_of_opensm) {
    // Where the numbering follows the GUIDs, both orders are the same.
    const graph network = read_topology(data + "/irr8s1.ibnetdiscover");
    const routing::updown by_guid(network, {routing::updown_options::root_choice::lowest_id, 0, true}), by_id(network);
    for (std::uint32_t s = 0; s < 8; ++s)
        for (unsigned p = 0; p < 8; ++p) EXPECT_EQ(by_guid.direction(s, p), by_id.direction(s, p));
}

TEST(ibnetdiscover, a_port_2_alone_is_a_host) {
    const graph network = print_out{}.read();
    const std::vector<host_node> hosts{{"a", 0x30, 0, 2}, {"b", 0x40, 1, 3}};
    EXPECT_EQ(network.hosts, hosts);
    EXPECT_EQ(network.switches[0].ports[0], (port_end{port_end::leads_to::chip, 1, 1}));
}

TEST(ibnetdiscover, every_cabled_port_of_an_adapter_is_a_host) {
    print_out net;
    net.left_ports += "[4]\t\"H-0000000000000040\"[1](41) \t\t# \"b\" lid 0 4xSDR\n";
    net.b =
        "Ca\t2 \"H-0000000000000040\"\t\t# \"b\"\n[1](41) \t\"S-0000000000000010\"[4]\t\t# lid 0 lmc 0 \"left\" lid 0 "
        "4xSDR\n"
        "[2](42) \t\"S-0000000000000020\"[4]\t\t# lid 0 lmc 0 \"right\" lid 0 4xSDR\n";
    const std::vector<host_node> hosts{{"a", 0x30, 0, 2}, {"b/1", 0x41, 0, 3}, {"b/2", 0x42, 1, 3}};
    EXPECT_EQ(net.read().hosts, hosts);
}

TEST(ibnetdiscover, descriptions_hold_anything_and_may_repeat) {
    print_out net;
    net.left_head = "Switch\t4 \"S-0000000000000010\"\t\t# \"a # \"b\" [1] base port 0\" base port 0 lid 0 lmc 0\n";
    net.left_ports =
        "[1]\t\"S-0000000000000020\"[2]\t\t# \"x \"S-0000000000000010\"[9]\" lid 0 4xSDR\n"
        "[3]\t\"H-0000000000000030\"[1](31) \t\t# \"\" lid 0 4xSDR\n";
    net.a = "Ca\t1 \"H-0000000000000030\"\t\t# \"same\" (scp)\n[1](31) \t\"S-0000000000000010\"[3]\t\t# lid 0\n";
    net.b = "Ca\t2 \"H-0000000000000040\"\t\t# \"same\"\n[2](42) \t\"S-0000000000000020\"[4]\n";
    const graph network = net.read();
    EXPECT_EQ(network.switches[0].name, "a # \"b\" [1] base port 0");
    EXPECT_EQ(network.hosts[0].name, "same (H-0000000000000030)");
    EXPECT_EQ(network.hosts[1].name, "same (H-0000000000000040)");
    EXPECT_EQ(network.switches[1].name, "right");
}

TEST(ibnetdiscover, nodes_without_description_are_named_by_their_ids) {
    print_out net;
    net.a = "Ca\t1 \"H-0000000000000030\"\n[1](31) \t\"S-0000000000000010\"[3]\n";
    net.b = "Ca\t2 \"H-0000000000000040\"\t\t# \"\"\n[2](42) \t\"S-0000000000000020\"[4]\n";
    const graph network = net.read();
    EXPECT_EQ(network.hosts[0].name, "H-0000000000000030");
    EXPECT_EQ(network.hosts[1].name, "H-0000000000000040");
}

TEST(ibnetdiscover, routers_are_hosts) {
    print_out net;
    net.left_ports = "[1]\t\"S-0000000000000020\"[2]\n[3]\t\"R-0000000000000030\"[1](31) \t\t# \"a\" lid 0 4xSDR\n";
    net.a =
        "rtguid=0x30\nRt\t1 \"R-0000000000000030\"\t\t# \"a\"\n[1](31) \t\"S-0000000000000010\"[3]\t\t# lid 0 lmc 0 "
        "\"left\" lid 0 4xSDR\n";
    EXPECT_EQ(net.read().hosts[0], (host_node{"a", 0x30, 0, 2}));
}

TEST(ibnetdiscover, widths_speeds_and_full_information_are_skipped) {
    for (const std::string end : {"1xSDR", "12xNDR", "4xFDR10", "???", "4xHDR s=4 w=2 v=5", "8x??? slot 3"}) {
        print_out net;
        net.left_ports = "[1]\t\"S-0000000000000020\"[2]\t\t# \"right\" lid 77 " + end + "\n" +
                         "[3]\t\"H-0000000000000030\"[1](31) \t\t# \"a\" lid 3 " + end + "\n";
        EXPECT_EQ(net.read(), print_out{}.read()) << end;
    }
}

TEST(ibnetdiscover, chassis_of_grouped_print_outs) {
    print_out net;
    net.left_ports =
        "[1][ext 12]\t\"S-0000000000000020\"[2][ext 7]\t\t# \"right\" lid 0 4xSDR\n"
        "[3]\t\"H-0000000000000030\"[1](31) \t\t# \"a\" lid 0 4xSDR\n";
    net.more =
        "\nChassis 1 (guid 0x8f10400411f56)\nHostname: abc\n\n# Spine Nodes\nvendid=0x0\nsysimgguid=0x1\t\t# Chassis 1 "
        "slot 2\n"
        "switchguid=0x20(20)\t# ISR9288 Spine 2\n" +
        net.right.substr(net.right.find("Switch")) + "\nNon-Chassis Nodes\n";
    EXPECT_EQ(net.read(), print_out{}.read()) << "right is printed twice";
}

TEST(ibnetdiscover, numbering_does_not_depend_on_the_order_of_discovery) {
    const print_out net;
    const std::string other = net.b + "\n" + net.right + "\n" + net.a + "\n" + net.left_head + net.left_ports;
    EXPECT_EQ(read_ibnetdiscover("net", other), net.read());
}

TEST(ibnetdiscover, windows_line_ends_and_a_missing_last_one) {
    std::string text;
    for (const char letter : print_out{}.text()) text += letter == '\n' ? "\r\n" : std::string(1, letter);
    while (text.back() == '\n' || text.back() == '\r') text.pop_back();
    EXPECT_EQ(read_ibnetdiscover("net", text), print_out{}.read());
}

TEST(ibnetdiscover, says_where_and_what_is_wrong) {
    print_out net;
    net.left_head = "Swich\t4 \"S-0000000000000010\"\n";
    EXPECT_EQ(net.refused(), "net:6:1: unknown line 'Swich?4 \"S-0000000000000010\"'; did you mean 'Switch'?");
    net = {};
    net.left_head = "Switch\t65 \"S-0000000000000010\"\n";
    EXPECT_EQ(net.refused(), "net:6:8: 'S-0000000000000010' has 65 ports; a switch has 1 to 64 ports");
    net = {};
    net.left_head = "Switch\tmany \"S-0000000000000010\"\n";
    EXPECT_EQ(net.refused(), "net:6:8: expected the number of ports of this Switch");
    net = {};
    net.left_head = "Switch\t4 S-0000000000000010\n";
    EXPECT_EQ(net.refused(), "net:6:10: expected a node's id in quotes");
    net = {};
    net.left_head = "Switch\t4 \"S-0000000000000010\n";
    EXPECT_EQ(net.refused(), "net:6:29: the closing \" of a node's id is missing");
    net = {};
    net.left_head = "\n";
    EXPECT_EQ(net.refused(),
              "net:7:1: a port line outside of a node's record; records start with Switch, Ca, Hca or Rt");
    net = {};
    net.left_ports += "[5]\t\"S-0000000000000020\"[3]\n";
    EXPECT_EQ(net.refused(), "net:9:2: 'S-0000000000000010' has no port 5; its ports are 1 to 4");
    net = {};
    net.left_ports += "[4]\t\"S-0000000000000020\"[9]\n";
    EXPECT_EQ(net.refused(), "net:9:1: 'S-0000000000000020' has no port 9; its ports are 1 to 4");
    net = {};
    net.left_ports += "[1]\t\"S-0000000000000020\"[3]\n";
    EXPECT_EQ(net.refused(), "net:9:1: port 1 of 'S-0000000000000010' is cabled twice (line 7)");
    net = {};
    net.left_ports += "[4]\t\"S-0000000000000020\"[3]\n";
    EXPECT_EQ(
        net.refused(),
        "net:9:1: the cable from 'S-0000000000000010' port 4 to 'S-0000000000000020' port 3 is not listed from its "
        "other end; is the file cut short?");
    net = {};
    net.left_ports += "[4]\t\"S-0000000000000020\"[2]\n";
    EXPECT_EQ(
        net.refused(),
        "net:9:1: the cable from 'S-0000000000000010' port 4 to 'S-0000000000000020' port 2 is told differently by "
        "its other end (line 13)");
    net = {};
    net.b.clear();
    EXPECT_EQ(net.refused(), "net:13:1: 'H-0000000000000040' is cabled, but has no record; is the file cut short?");
    net = {};
    net.left_ports += "[4]\t\"S-0000000000000010\"[2]\n[2]\t\"S-0000000000000010\"[4]\n";
    EXPECT_EQ(net.refused(), "net:10:1: a link from switch 'S-0000000000000010' to itself; leave such ports open");
    net = {};
    net.more = "Ca\t1 \"H-0000000000000050\"\t\t# \"c\"\n";
    EXPECT_EQ(net.refused(), "net:21:1: adapter 'H-0000000000000050' is not cabled; remove it");
    net = {};
    net.more =
        "Ca\t1 \"H-0000000000000050\"\n[1]\t\"H-0000000000000060\"[1]\n\nCa\t1 "
        "\"H-0000000000000060\"\n[1]\t\"H-0000000000000050\"[1]\n";
    EXPECT_EQ(net.refused(), "net:22:1: a cable between two adapters; adapters are cabled to switches");
    net = {};
    net.more = "Ca\t3 \"H-0000000000000040\"\n";
    EXPECT_EQ(net.refused(), "net:21:1: there is already a node 'H-0000000000000040' (line 18)");
    net = {};
    net.more = "Switch\t4 \"S-0000000000000050\"\t\t# \"far\" base port 0 lid 0 lmc 0\n";
    EXPECT_THAT(net.refused(),
                HasSubstr("net:21:1: the network is not connected: no path leads from switch 'left' to 'far'"));
    net = {};
    net.left_ports += "[4]\t\"S-0000000000000020\"[3] strange\n";
    EXPECT_EQ(net.refused(), "net:9:29: unexpected 'strange' after a cable");
    net = {};
    net.left_ports += "[4](xyz)\t\"S-0000000000000020\"[3]\n";
    EXPECT_EQ(net.refused(), "net:9:5: expected a port GUID and a closing )");
    net = {};
    net.more = "switchguid\n";
    EXPECT_EQ(net.refused(), "net:21:11: expected a GUID like =0x200005");
    EXPECT_EQ(refusal([] { read_ibnetdiscover("net", ""); }), "net: the network has no switch");
}

TEST(ibnetdiscover, refuses_the_other_lists) {
    EXPECT_THAT(refusal([] { read_ibnetdiscover("net", "SW     2  1 0x0000000000200000 4x SDR - CA 1 1\n"); }),
                HasSubstr("net:1:1: unknown line"));
}

TEST(ibsim, reads_the_examples_of_its_package) {
    // net and net.2sw2path4hca2port of Debian's ibsim-utils, in their own words.
    const graph network = read_ibsim(
        "net",
        "# Net configuration file example\n\n"
        "Switch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\n[2]\t\"Hca2\"[2]\n[3]\t\"Switch2\"[3]\n[4]\t\"Switch2\"[4]\n\n"
        "Switch 8 \"Switch2\"\n[3]\t\"Switch1\"[3]\n[4]\t\"Switch1\"[4]\n\n"
        "Hca\t2 \"Hca1\"\n[1]\t\"Switch1\"[1]\n\nHca\t2 \"Hca2\"\n[2]\t\"Switch1\"[2]\n");
    EXPECT_EQ(network.switches[1].name, "Switch2");
    EXPECT_EQ(network.links().size(), 2U);
    const std::vector<host_node> hosts{{"Hca1", 0, 0, 0}, {"Hca2", 0, 0, 1}};
    EXPECT_EQ(network.hosts, hosts);
    const graph dual = read_ibsim(
        "net",
        "Switch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\n[2]\t\"Hca1\"[2]\n[3]\t\"Switch2\"[3]\n[5]\t\"Switch2\"[5]\n\n"
        "Switch 8 \"Switch2\"\n[1]\t\"Hca2\"[1]\n[2]\t\"Hca2\"[2]\n[3]\t\"Switch1\"[3]\n[5]\t\"Switch1\"[5]\n\n"
        "Hca\t2 \"Hca1\"\n[1]\t\"Switch1\"[1]\n[2]\t\"Switch1\"[2]\n\n"
        "Hca\t2 \"Hca2\"\n[1]\t\"Switch2\"[1]\n[2]\t\"Switch2\"[2]\n");
    ASSERT_EQ(dual.hosts.size(), 4U);
    EXPECT_EQ(dual.hosts[1], (host_node{"Hca1/2", 0, 0, 1}));
}

TEST(ibsim, options_defaults_and_guids) {
    const graph network =
        read_ibsim("net",
                   "width=4\nspeed=1\ndevid=0x5a\nswitchguid=0x77\nSwitch 2 \"s\" # spine one base port 0 lid 0\n"
                   "# a comment between the ports\n[1] \"x\" w=12 s=1 # fast\n[2] \"y\"[1]\nhcaguids=0x9\n"
                   "Hca 1 \"x\"\n[1] \"s\"\nCa 1 \"y\"\n[1] \"s\"[2] w=4\n");
    EXPECT_EQ(network.switches[0].guid, 0x77U);
    EXPECT_EQ(network.switches[0].name, "spine one");
    EXPECT_EQ(network.hosts[0], (host_node{"x", 9, 0, 0}));
    EXPECT_EQ(network.hosts[1], (host_node{"y", 0, 0, 1}));
}

TEST(ibsim, guids_are_decimal_without_0x) {
    const graph network = read_ibsim("net",
                                     "switchguid=16\nSwitch 2 \"s\"\n[1] \"a\"\n[2] \"b\"\n"
                                     "Ca 1 \"a\"\n[1] \"s\"[1]\nCa 1 \"b\"\n[1] \"s\"[2]\n");
    EXPECT_EQ(network.switches[0].guid, 16U);
}

TEST(ibsim, refuses_what_it_cannot_follow) {
    EXPECT_EQ(refused_ibsim("include \"other\"\n"),
              "net:1:1: ibsim's 'include' is not supported; write the network into one file");
    EXPECT_EQ(refused_ibsim("do Unlink \"a\"\n"),
              "net:1:1: ibsim's 'do' is not supported; write the network into one file");
    EXPECT_EQ(refused_ibsim("module=\"m\"\n"),
              "net:1:1: ibsim's 'module' is not supported; write the network into one file");
    EXPECT_EQ(refused_ibsim("Switch 2 \"a\"\n@[1] \"alias\"\n"),
              "net:2:1: port aliases are not supported; name the other node and its port");
    EXPECT_EQ(refused_ibsim("Switch 2 \"a\"\n\nSwitch 2 \"a\"\n"), "net:3:1: there is already a node 'a' (line 1)");
    EXPECT_EQ(refused_ibsim("Switch 2 \"a\"\n[1] \"b\" w=x\n"), "net:2:9: unexpected 'x' after a cable");
    EXPECT_EQ(refused_ibsim("Switch 2 \"a\"\n[0] \"b\"\n"), "net:2:2: 'a' has no port 0; its ports are 1 to 2");
}

TEST(ibnetdiscover, writes_what_it_reads) {
    for (const std::string file : {"irregular32", "irr8s1", "parallel", "nohost", "ft3l4a"}) {
        const graph network = read_topology(data + "/" + file + ".ibnetdiscover");
        EXPECT_EQ(read_ibnetdiscover("net", write_ibnetdiscover(network)), network) << file;
    }
    graph network = print_out{}.read();
    network.switches[0].name = "a # \"b\" base port 0 lid";
    network.hosts[1].name = " \"";
    EXPECT_EQ(read_ibnetdiscover("net", write_ibnetdiscover(network)), network);
    network.hosts[1].guid = 0x10;
    EXPECT_EQ(refusal([&] { write_ibnetdiscover(network); }),
              "InfiniBand tells nodes by their GUIDs, but two have 0x10");
    network.hosts[1].guid = 0;
    EXPECT_EQ(read_ibnetdiscover("net", write_ibnetdiscover(network)).hosts[1].guid, 0x100000U);
}

TEST(ibsim, writes_what_it_reads) {
    const graph network = print_out{}.read();
    EXPECT_EQ(read_ibsim("net", write_ibsim(network)), network);
    graph bad = network;
    bad.hosts[0].name = bad.switches[0].name;
    EXPECT_EQ(refusal([&] { write_ibsim(bad); }),
              "an ibsim net file tells nodes by their names, but two are called 'left'");
    for (const std::string name : {"a\"", "x@y", "", "S-0000000000000011", "a\nb"}) {
        bad.hosts[0].name = name;
        EXPECT_THAT(refusal([&] { write_ibsim(bad); }), HasSubstr("cannot hold the name"));
    }
}

}  // namespace
}  // namespace polycast::hw::topology
