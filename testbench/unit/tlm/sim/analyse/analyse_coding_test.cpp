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

network_coding_options network(std::uint32_t k, std::optional<std::uint32_t> group = std::nullopt) {
    network_coding_options options;
    options.k = k;
    options.group = group;
    options.json = true;
    return options;
}

std::string printed(const network_coding_options& options) {
    return test::printed([&] { return analyse_network_coding(options); });
}

json analysed(const network_coding_options& options) {
    return json::parse(printed(options));
}

TEST(analyse_network_coding, the_known_example) {
    const json got = analysed(network(16, 32));
    EXPECT_EQ(got["steps"],
              json::parse(R"({"B": {"unicasts": 7936, "hops": 11264}, "D": {"unicasts": 1736, "hops": 6696},
        "E": {"unicasts": 53816, "hops": 76384}, "F": {"unicasts": 1792, "hops": 18432}})"));
    EXPECT_EQ(got["steps_as_published"]["E"], json::parse(R"({"unicasts": 7688, "hops": 10912})"));
    EXPECT_EQ(got["delivered"], 112'776);
    EXPECT_EQ(got["as_published"], 47'304);
    EXPECT_EQ(got["uncoded_hierarchy"], 97'024);
    EXPECT_EQ(got["combining"], 97'024);
    EXPECT_EQ(got["base"], 139'264);
    EXPECT_EQ(got["floor"], 65'280);
    EXPECT_EQ(got["unicasts"]["delivered"], 65'280);
    EXPECT_EQ(got["unicasts"]["combining"], 7936 + 56 + 56 * 31);
    EXPECT_EQ(got["best_group"], json::parse(R"({"delivered": 32, "as_published": 32})"));
    EXPECT_EQ(got["group_sizes"].size(), 7u);
    EXPECT_EQ(got["group_sizes"][4]["extent"], json::parse("[4, 8]"));
    EXPECT_EQ(got["group_sizes"][4]["member_hops"], 10);
    EXPECT_EQ(got["group_sizes"][4]["group_hops"], 10);
    EXPECT_EQ(got["group_sizes"][4]["delivered"], 112'776);
    EXPECT_EQ(got["levels"][0]["steps"], got["steps"]);
    EXPECT_EQ(analysed(network(16)), got) << "without a size the best";
}

TEST(analyse_network_coding, options) {
    network_coding_options options = network(4, 4);
    EXPECT_EQ(analysed(options)["best_group"]["as_published"], 4);
    options.base = "all_at_once";
    EXPECT_EQ(analysed(options)["base"], 640);
    options.torus = true;
    EXPECT_EQ(analysed(options)["base"], 512);
    EXPECT_EQ(analysed(options)["topology"], "torus");
    options.sources = 5;
    EXPECT_EQ(analysed(options)["floor"], 5 * 15);
    EXPECT_EQ(analysed(options)["unicasts"]["delivered"], 5 * 15);
    options = network(8, 16);
    options.variant = "every-node";
    EXPECT_EQ(analysed(options)["steps"]["E"]["unicasts"], 0);
    options = network(4, 16);
    EXPECT_EQ(analysed(options)["delivered"], 320) << "one group: the base alone";
    options = network(4, 4);
    const json inner = analysed(options);
    options.placement = "centre";
    EXPECT_LT(inner["delivered"], analysed(options)["delivered"]);
}

TEST(analyse_network_coding, recursion) {
    network_coding_options options = network(16, 64);
    const json flat = analysed(options);
    options.recursive = true;
    const json best = analysed(options);
    ASSERT_EQ(best["levels"].size(), 2u);
    EXPECT_EQ(best["steps"]["D"]["hops"].get<int>(),
              best["levels"][0]["steps"]["D"]["hops"].get<int>() + best["levels"][1]["steps"]["D"]["hops"].get<int>());
    EXPECT_EQ(best["levels"][0]["steps"]["E"], flat["steps"]["E"]);
    for (const std::uint32_t size : {2u, 4u, 8u, 16u, 32u}) {
        options.inner_groups = {size};
        const json given = analysed(options);
        EXPECT_EQ(given["inner_groups"], json::array({size}));
        EXPECT_LE(best["delivered"], given["delivered"]);
    }
    options.inner_groups = {16, 4};
    EXPECT_EQ(analysed(options)["levels"].size(), 3u);
}

TEST(analyse_network_coding, text) {
    network_coding_options options = network(16, 32);
    options.json = false;
    const std::string text = printed(options);
    EXPECT_THAT(text, HasSubstr("16-ary 2-mesh, 256 nodes, 256 sources\n8 groups of 32 nodes, 4 x 8\n"));
    EXPECT_THAT(text, HasSubstr("delivered                      65280              112776     81.0%\n"));
    EXPECT_THAT(text, HasSubstr("              112776               47304               97024  best\n"));
}

TEST(analyse_network_coding, refusals) {
    const auto said = [](auto change) -> std::string {
        network_coding_options options = network(16, 32);
        change(options);
        try {
            printed(options);
        } catch (const hw::input_error& wrong) {
            return wrong.what();
        }
        return {};
    };
    using options = network_coding_options;
    EXPECT_EQ(said([](options& o) { o.base = "tre"; }), "--base tre: there is no such choice; did you mean 'tree'?");
    EXPECT_EQ(said([](options& o) { o.placement = "corner"; }),
              "--placement corner: there is no such choice; one of inner, centre");
    EXPECT_THAT(said([](options& o) { o.variant = "x"; }), HasSubstr("--variant x: there is no such choice"));
    EXPECT_EQ(said([](options& o) { o.sources = 0; }), "--sources 0: 1 to 256 are possible");
    EXPECT_EQ(said([](options& o) { o.sources = 257; }), "--sources 257: 1 to 256 are possible");
    EXPECT_EQ(said([](options& o) { o.group = 24; }),
              "groups of 24 nodes: no rectangles of this size fill 16x16 nodes; 16 or 32 do");
    EXPECT_EQ(said([](options& o) {
                  o.group = 2;
                  o.recursive = true;
              }),
              "--recursive: groups of 2 nodes have no groups in them; a larger --group");
    EXPECT_THAT(said([](options& o) { o.k = 24; }), HasSubstr("power of two"));
    EXPECT_THAT(said([](options& o) { o.n = 9; }), HasSubstr("more than 1048576 nodes"));
}

}  // namespace
}  // namespace polycast::tlm::sim
