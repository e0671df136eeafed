// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/topology_file.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

#include "hw/topology/irregular.h"
#include "testbench/unit/hw/topology/small_networks.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using testbench::unit::refusal;
using testing::HasSubstr;

constexpr file_format all_formats[] = {file_format::graphml, file_format::edge_list, file_format::ibnetdiscover,
                                       file_format::ibsim};

/// A file that is gone after the test.
class temporary_file {
public:
    explicit temporary_file(const std::string& text)
        : path_(testing::TempDir() + "polycast_topology_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~temporary_file() { std::remove(path_.c_str()); }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

TEST(topology_file, every_format_holds_every_network) {
    std::vector<graph> networks{make_ring(5, 2), make_linked(4, 1, {{0, 1}, {0, 1}, {1, 2}, {2, 3}, {0, 3}})};
    for (std::uint64_t seed = 0; seed < 10; ++seed) networks.push_back(make_irregular({.seed = seed}));
    networks.push_back(make_irregular({100, 12, 500, 0.9, 1, host_placement::even}));
    for (graph network : networks)
        for (const file_format format : all_formats) {
            const bool infiniband = format == file_format::ibnetdiscover || format == file_format::ibsim;
            if (infiniband) network.first_port = 1;  // by their nature
            if (format == file_format::ibnetdiscover) {
                for (std::size_t s = 0; s < network.switches.size(); ++s) network.switches[s].guid = 0x5000 + 2 * s;
                for (std::size_t h = 0; h < network.hosts.size(); ++h) network.hosts[h].guid = 0x9000 + 2 * h;
            }
            const std::string text = write_topology_text(network, format);
            EXPECT_EQ(detect_format(text), format) << name_in(file_formats, format);
            EXPECT_EQ(read_topology_text("net", text), network) << name_in(file_formats, format);
        }
}

TEST(topology_file, print_outs_go_through_every_format) {
    for (const std::string name : {"irregular32", "irr8s1", "parallel", "nohost", "ft3l4a"}) {
        const graph network = read_topology(std::string(POLYCAST_DATA_DIR) + "/" + name + ".ibnetdiscover");
        for (const file_format format : all_formats)
            EXPECT_EQ(read_topology_text("net", write_topology_text(network, format), format), network)
                << name << name_in(file_formats, format);
    }
}

TEST(topology_file, formats_are_told_by_content) {
    EXPECT_EQ(detect_format("\xef\xbb\xbf<?xml version='1.0'?>"), file_format::graphml);
    EXPECT_EQ(detect_format("\n  <graphml>"), file_format::graphml);
    EXPECT_EQ(detect_format("#\n# Topology file: generated on\n"), file_format::ibnetdiscover);
    EXPECT_EQ(detect_format("# my cluster\r\nvendid=0x0\r\n"), file_format::ibnetdiscover);
    EXPECT_EQ(detect_format("Switch\t8 \"S-0000000000200005\"\n"), file_format::ibnetdiscover);
    EXPECT_EQ(detect_format("Switch 8 \"Switch1\"\n"), file_format::ibsim);
    EXPECT_EQ(detect_format("Switch 8"), file_format::ibsim);
    EXPECT_EQ(detect_format("Hca 2 \"x\"\n"), file_format::ibsim);
    EXPECT_EQ(detect_format("# comment\nswitch a 8\n"), file_format::edge_list);
    EXPECT_EQ(detect_format("Switch1 Switch2\n"), file_format::edge_list);
    EXPECT_EQ(detect_format(""), file_format::edge_list);
}

TEST(topology_file, a_named_format_wins) {
    EXPECT_THAT(refusal([] { read_topology_text("net", "a b\n", file_format::graphml); }),
                HasSubstr("not well-formed XML"));
}

TEST(topology_file, other_formats_are_named_with_what_converts_them) {
    const auto refused = [](const std::string& text) { return refusal([&] { read_topology_text("net", text); }); };
    EXPECT_EQ(refused("graph [\n  directed 0\n"),
              "net: is GML, which is not read here; convert it with NetworkX: "
              "networkx.write_graphml(networkx.read_gml('network.gml'), 'network.graphml')");
    EXPECT_THAT(refused("Creator \"yFiles\"\ngraph\n[\n"), HasSubstr("is GML"));
    EXPECT_THAT(refused("graph\n[\n"), HasSubstr("is GML"));
    EXPECT_THAT(refused("\ndigraph \"net\" {\n"), HasSubstr("is DOT of Graphviz"));
    EXPECT_THAT(refused("strict graph{\n"), HasSubstr("is DOT of Graphviz"));
    EXPECT_THAT(refused("{\"nodes\": []}"), HasSubstr("is JSON"));
    EXPECT_THAT(refused("source,target\na,b\n"), HasSubstr("is CSV"));
    EXPECT_EQ(refused("\x1f\x8b\x08"), "net: is compressed by gzip, which is not read here; unpack it with gunzip");
    // What only looks like one of them.
    EXPECT_EQ(refused("graph digraph\n"), "accepted");
    EXPECT_EQ(refused("Creator_1 b\n"), "accepted");
    EXPECT_EQ(refused("\"a,b\" \"c,d\"\n"), "accepted");
}

TEST(topology_file, reads_files) {
    const temporary_file file(
        "\xef\xbb\xbf"
        "a b\r\n");
    EXPECT_EQ(read_topology(file.path()).switches[0].name, "a") << "without the byte order mark";
    const temporary_file wrong("a b\na a\n");
    EXPECT_EQ(refusal([&] { read_topology(wrong.path()); }),
              wrong.path() + ":2:3: a link from switch 'a' to itself; leave such ports open");
    EXPECT_EQ(refusal([] { read_topology("/nowhere/net.txt"); }),
              "/nowhere/net.txt: cannot be read: No such file or directory");
    EXPECT_EQ(refusal([] { read_topology(POLYCAST_DATA_DIR); }),
              POLYCAST_DATA_DIR ": this is a directory, not a topology file");
}

}  // namespace
}  // namespace polycast::hw::topology
