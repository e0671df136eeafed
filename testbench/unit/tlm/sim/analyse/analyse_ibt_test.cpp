// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hw/input_error.h"
#include "testbench/unit/tlm/sim/analyse/printed.h"
#include "tlm/sim/analyse/analyse.h"

namespace polycast::tlm::sim {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

ibt_options network(std::uint32_t n, unsigned d, std::vector<std::uint32_t> bypass = {}) {
    ibt_options options;
    options.n = n;
    options.d = d;
    options.bypass = std::move(bypass);
    options.json = true;
    return options;
}

std::string printed(const ibt_options& options) {
    return test::printed([&] { return analyse_ibt(options); });
}

json analysed(const ibt_options& options) {
    return json::parse(printed(options));
}

TEST(analyse_ibt, the_table) {
    ibt_options options = network(64, 2, {8, 24});
    options.source = {1, 0};
    const json got = analysed(options);
    EXPECT_EQ(got["network"], "iBT(64^2; <8,24>)");
    EXPECT_EQ(got["nodes"], 4096);
    EXPECT_EQ(got["degree"], 6);
    EXPECT_EQ(got["links"], 3 * 4096);
    EXPECT_EQ(got["diameter"], 10);
    EXPECT_NEAR(got["mean_distance"].get<double>(), 6.634, 0.0005);
    EXPECT_NEAR(got["alpha"]["diameter"].get<double>(), 1 - 10.0 / 64, 1e-12);
    EXPECT_EQ(got["beta"]["m"], 16);
    EXPECT_NEAR(got["beta"]["diameter"].get<double>(), 1 - 10.0 / 24, 1e-12);
    EXPECT_EQ(got["line_steps"], json::parse("[37, 22, 37, 22, 37, 22, 37, 22]"));
    EXPECT_EQ(got["best_line_steps"], 22);
    EXPECT_EQ(got["runs"]["line"]["patterns"], json::parse("[1]"));
    EXPECT_EQ(got["rectangular_steps"], 26);
    EXPECT_EQ(got["global_steps"], 26);
    EXPECT_EQ(got["runs"]["global"]["split"], json::parse("[16, 16]"));
    EXPECT_EQ(got["runs"]["global"]["links"], 6 * 4096);
    EXPECT_EQ(got["sends"]["global"], 4095 * 32);
    EXPECT_LE(got["floors"]["global"], 26);
    EXPECT_FALSE(got.contains("tree_steps"));
}

TEST(analyse_ibt, a_torus) {
    const json got = analysed(network(8, 3));
    EXPECT_EQ(got["line_steps"], json::parse("[35, 19]"));
    EXPECT_EQ(got["line_patterns"], json::parse("[0, 1]"));
    EXPECT_EQ(got["tree_steps"], 3 * 7 + 6 - 1);
    EXPECT_EQ(got["runs"]["trees"]["split"], json::parse("[6, 6, 5, 5, 5, 5]"));
    EXPECT_FALSE(got.contains("alpha"));
    EXPECT_EQ(analysed(network(9, 1))["runs"].size(), 3u) << "no planes";
}

TEST(analyse_ibt, parts) {
    ibt_options options = network(16, 2, {4});
    const auto keys = [&options](const char* only) {
        options.only = only;
        std::vector<std::string> found;
        const json got = analysed(options);
        const json runs = got.value("runs", json::object());
        for (const auto& [kind, run] : runs.items()) found.push_back(kind);
        if (got.contains("diameter")) found.emplace_back("diameter");
        return found;
    };
    EXPECT_THAT(keys("diameter"), ElementsAre("diameter"));
    EXPECT_THAT(keys("line"), ElementsAre("line"));
    EXPECT_THAT(keys("rectangular"), ElementsAre("rectangular"));
    EXPECT_THAT(keys("global"), ElementsAre("global"));
    options = network(6, 2);
    EXPECT_THAT(keys("trees"), ElementsAre("trees"));
    options.algorithm = "colours";
    EXPECT_THAT(keys(""), ElementsAre("global", "line", "rectangular", "diameter"));
    options.algorithm = "trees";
    EXPECT_THAT(keys(""), ElementsAre("trees", "diameter"));
}

TEST(analyse_ibt, instruments) {
    ibt_options options = network(16, 2, {4});
    options.packets = 8;
    options.patterns = {1};
    options.split = {4, 4};
    const json got = analysed(options);
    EXPECT_EQ(got["line_patterns"], json::parse("[1]"));
    EXPECT_EQ(got["line_steps"], json::parse("[7]"));
    EXPECT_EQ(got["rectangular_steps"], 10);
    EXPECT_EQ(got["runs"]["rectangular"]["patterns"], json::parse("[1, 1]"));
    EXPECT_EQ(got["runs"]["rectangular"]["runs"], 1);
    options.dimension = 1;
    options.threads = 3;
    options.bytes = 0;
    EXPECT_EQ(analysed(options)["runs"]["line"]["dimensions"], json::parse("[1]"));
    EXPECT_EQ(analysed(options)["rectangular_steps"], 10);
}

TEST(analyse_ibt, history) {
    ibt_options options = network(12, 2, {4});
    options.only = "global";
    options.packets = 4;
    options.history = true;
    const json history = analysed(options)["runs"]["global"]["history"];
    EXPECT_EQ(history["links"], 6 * 144);
    std::uint64_t receipts = 0;
    for (const json& step : history["steps"]) {
        receipts += step["receipts"].get<std::uint64_t>();
        EXPECT_EQ(step["busy_links"], step["receipts"]);
        std::uint64_t nodes = 0;
        for (const json& count : step["holders"]) nodes += count.get<std::uint64_t>();
        EXPECT_EQ(nodes, 144u);
        EXPECT_FALSE(step.contains("held"));
    }
    EXPECT_EQ(receipts, 143u * 4);
    EXPECT_EQ(history["steps"].back()["holders"], json::parse("[0, 0, 0, 0, 144]"));
    options.holdings = true;
    const json held = analysed(options)["runs"]["global"]["history"]["steps"][0]["held"];
    EXPECT_EQ(held.size(), 144u);
    EXPECT_EQ(held[0], 4);
    EXPECT_EQ(held[1], 1) << "its neighbour has the first packet";
}

TEST(analyse_ibt, text) {
    ibt_options options = network(8, 2);
    options.json = false;
    const std::string text = printed(options);
    EXPECT_THAT(text, HasSubstr("Torus(8^2): 64 nodes of degree 4, 128 links\ndiameter 8, mean distance 4.0000\n"));
    EXPECT_THAT(text, HasSubstr("trees               21"));
    EXPECT_THAT(text, HasSubstr("line by pattern: 0: 35, 1: 19\n"));
}

TEST(analyse_ibt, refusals) {
    const auto said = [](auto change) -> std::string {
        ibt_options options = network(16, 2, {4});
        change(options);
        try {
            printed(options);
        } catch (const hw::input_error& wrong) {
            return wrong.what();
        }
        return {};
    };
    using options = ibt_options;
    EXPECT_THAT(said([](options& o) { o.n = 15; }), HasSubstr("not symmetric: d k = 2 x 1 = 2 has to divide n = 15"));
    EXPECT_EQ(said([](options& o) { o.only = "linne"; }),
              "--only linne: there is no such choice; did you mean 'line'?");
    EXPECT_EQ(said([](options& o) { o.algorithm = "x"; }),
              "--algorithm x: there is no such choice; one of colours, trees, all");
    EXPECT_EQ(said([](options& o) { o.source = {1}; }),
              "--source 1: it takes as many coordinates as the network has dimensions, 2");
    EXPECT_EQ(said([](options& o) {
                  o.source = {1, 16};
              }),
              "--source 1,16: there is no coordinate 16; 0 to 15 are possible");
    EXPECT_EQ(said([](options& o) { o.dimension = 2; }),
              "--dimension 2: there is none with this number; 0 to 1 are possible");
    EXPECT_EQ(said([](options& o) { o.packets = 65; }), "--packets 65: 1 to 64 are possible");
    EXPECT_EQ(said([](options& o) { o.packets = 0; }), "--packets 0: 1 to 64 are possible");
    EXPECT_EQ(said([](options& o) { o.algorithm = "trees"; }),
              "the link-disjoint trees are those of a torus; leave out --bypass, or use colours");
    EXPECT_EQ(said([](options& o) { o.split = {16, 15}; }), "--split 16,15: 31 packets, not 32; --packets 31");
    EXPECT_EQ(said([](options& o) { o.split = {32}; }),
              "--split 32: a rectangular broadcast has 2 parts, not 1; --only chooses a broadcast");
    EXPECT_EQ(said([](options& o) {
                  o.patterns = {1, 2};
              }),
              "--pattern 1,2: 2 patterns, but a line broadcast has 1 colour; one is that of all colours, and --only "
              "chooses a broadcast");
    EXPECT_EQ(said([](options& o) { o.patterns = {16}; }), "packet-sending pattern 16; 0 to 15 are possible");
    EXPECT_EQ(said([](options& o) {
                  o = network(16, 1);
                  o.only = "rectangular";
              }),
              "--only rectangular: a network with --d 1 has no planes; --only line");
    EXPECT_EQ(said([](options& o) {
                  o = network(129, 2);
                  o.holdings = true;
              }),
              "--holdings: the network has more than 16384 nodes; --history alone");
}

}  // namespace
}  // namespace polycast::tlm::sim
