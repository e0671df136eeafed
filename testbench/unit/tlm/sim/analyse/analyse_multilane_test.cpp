// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "hw/input_error.h"
#include "testbench/unit/tlm/sim/analyse/printed.h"
#include "tlm/sim/analyse/analyse.h"

namespace polycast::tlm::sim {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

std::string printed(const multilane_options& options) {
    try {
        return test::printed([&] { return analyse_multilane(options); });
    } catch (const hw::input_error& error) {
        return error.what();
    }
}

multilane_options nodes_on(std::uint32_t nodes, std::uint32_t sites = 1) {
    multilane_options options;
    options.nodes = nodes;
    options.sites = sites;
    options.bytes = 32'000'000;
    return options;
}

json analysed(multilane_options options) {
    options.json = true;
    return json::parse(printed(options));
}

TEST(analyse_multilane, one_site_of_32) {
    const json got = analysed(nodes_on(32));
    EXPECT_NEAR(got["seconds"]["multi_lane"], 0.1376, 1e-9);
    EXPECT_NEAR(got["seconds"]["binary"], 0.2656, 1e-9);
    EXPECT_NEAR(got["seconds"]["van_de_geijn"], 0.2672, 1e-9);
    EXPECT_NEAR(got["printed_seconds"]["van_de_geijn"], 0.283458, 1e-6);
    EXPECT_EQ(got["seconds"].size(), 6u);
    EXPECT_EQ(got["depth"]["multi_lane"], 5);
    // Pieces of 64 KiB: 4 more of them at half the bandwidth, on 5 hops.
    EXPECT_NEAR(got["model_seconds"]["multi_lane"], 0.1376 + 4 * 65'536 / 125e6, 1e-9);
    std::map<std::string, std::map<int, int>> receipts;
    for (const json& edge : got["edges"]["multi_lane"]) {
        ++receipts[edge["half"]][edge["child"]];
        EXPECT_EQ(edge["lanes"].size(), 1u);
        EXPECT_EQ(edge["bytes"], 16'000'000);
        EXPECT_EQ(edge["first_byte"], edge["half"] == "A" ? 0 : 16'000'000);
    }
    for (const char* half : {"A", "B"}) {
        EXPECT_EQ(receipts[half].size(), 31u);
        for (const auto& [child, count] : receipts[half]) EXPECT_EQ(count, 1) << child;
    }
    EXPECT_EQ(got["edges"]["chain"][30],
              json::parse(R"({"parent": 30, "child": 31, "lanes": [0, 1], "first_byte": 0, "bytes": 32000000,
                              "pipelined": false, "between_sites": false})"));
}

TEST(analyse_multilane, sites) {
    multilane_options options = nodes_on(32, 2);
    options.window = 100'000;
    const json got = analysed(options);
    EXPECT_EQ(got["sites"], json::parse("[16, 16]"));
    EXPECT_EQ(got["printed_seconds"]["chain"], nullptr);
    EXPECT_NEAR(got["printed_seconds"]["binary"], 0.40168, 1e-9);
    EXPECT_EQ(got["stream_bandwidth"][0], json::parse(R"({"streams": 1, "bytes_per_second": 5000000.0})"));
    EXPECT_EQ(got["stream_bandwidth"].back(), json::parse(R"({"streams": 32, "bytes_per_second": 125000000.0})"));
    options.nodes = 0;
    options.sites = 1;
    options.site_nodes = {16, 16};
    EXPECT_EQ(analysed(options), got);
    const std::string text = printed(options);
    EXPECT_THAT(text, HasSubstr("32 nodes on 2 sites of 16, 16"));
    EXPECT_THAT(text, HasSubstr("       1        40.0      4.0%\n"));
    EXPECT_THAT(text, HasSubstr("     8  A to 16*                B to 24*\n"));
}

TEST(analyse_multilane, one_lane) {
    multilane_options options = nodes_on(3);
    options.lanes = 1;
    EXPECT_EQ(analysed(options)["bandwidth"], 125e6);
    options.bandwidth = 1e9;
    EXPECT_EQ(analysed(options)["bandwidth"], 1e9);
}

TEST(analyse_multilane, one_algorithm) {
    multilane_options options = nodes_on(6);
    options.algorithm = "van-de-geijn";
    const json got = analysed(options);
    EXPECT_EQ(got["edges"].size(), 1u);
    EXPECT_EQ(got["seconds"].size(), 1u);
    EXPECT_THAT(printed(options), HasSubstr("     1  1-2 to 5, 1-2 to 3 (both lanes as one link)\n"));
    options.algorithm = "binary";
    EXPECT_THAT(printed(options), HasSubstr("     0  1                       2\n     1  3                       4\n"));
    options.algorithm = "chain";
    EXPECT_THAT(printed(options), HasSubstr("     4  5 (both lanes as one link)\n"));
}

TEST(analyse_multilane, picture) {
    multilane_options options = nodes_on(7);
    options.dot = true;
    const std::string text = printed(options);
    EXPECT_THAT(text, HasSubstr("multi_lane, 7 nodes; edges: lane and half"));
    EXPECT_THAT(text, HasSubstr("  0 -> 1 [color=\"#0072b2\", label=\"0 A\"];\n"));
    EXPECT_THAT(text, HasSubstr("  2 -> 4 [color=\"#0072b2\", style=dashed, constraint=false];\n"));
    options.algorithm = "chain";
    EXPECT_THAT(printed(options), HasSubstr("  5 -> 6 [color=\"#0072b2\", label=\"0+1\"];\n"));
    options.algorithm = "";
    options.nodes = 3000;
    EXPECT_THAT(printed(options), HasSubstr("5998 edges are too many to draw (at most 1500)"));
}

TEST(analyse_multilane, refusals) {
    EXPECT_EQ(printed({}), "a broadcast to how many nodes?; --nodes NUMBER, or --site-nodes NUMBER,NUMBER,...");
    EXPECT_EQ(printed(nodes_on(1)), "a broadcast from one node to none; 2 nodes or more");
    EXPECT_EQ(printed(nodes_on(3, 4)), "3 nodes on 4 sites: a site without nodes; at most as many sites as nodes");
    const auto changed = [](auto change) {
        multilane_options options = nodes_on(8);
        change(options);
        return printed(options);
    };
    EXPECT_EQ(changed([](multilane_options& o) { o.lanes = 3; }), "--lanes 3: broadcasts run over 1 or 2 lanes");
    EXPECT_EQ(changed([](multilane_options& o) { o.bandwidth = 0; }),
              "lanes without bandwidth; more than 0 bytes a second");
    EXPECT_EQ(changed([](multilane_options& o) { o.bytes = 0; }), "a broadcast of no bytes; 1 or more");
    EXPECT_EQ(changed([](multilane_options& o) { o.piece = 0; }), "pieces of no bytes; 1 or more");
    EXPECT_EQ(changed([](multilane_options& o) { o.algorithm = "binari"; }),
              "--algorithm binari: there is no such choice; did you mean 'binary'?");
    EXPECT_THAT(changed([](multilane_options& o) {
                    o.site_nodes = {4, 0};
                }),
                HasSubstr("--site-nodes 4,0: 4 nodes, not 8; leave out --nodes"));
    EXPECT_EQ(changed([](multilane_options& o) {
                  o.nodes = 0;
                  o.site_nodes = {4, 0};
              }),
              "sites of 4,0 nodes: a site without nodes; every site has 1 or more");
    EXPECT_EQ(changed([](multilane_options& o) {
                  o.nodes = 0;
                  o.sites = 3;
                  o.site_nodes = {4, 4};
              }),
              "--site-nodes 4,4: 2 sites, not 3; leave out --sites");
}

}  // namespace
}  // namespace polycast::tlm::sim
