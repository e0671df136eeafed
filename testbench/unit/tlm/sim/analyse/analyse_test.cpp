// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/analyse/analyse.h"
#include "testbench/unit/tlm/sim/analyse/printed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"

namespace polycast::tlm::sim {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The spec's example, and a scenario.
const std::string example = POLYCAST_DATA_DIR "/ordered_chains.txt";
const std::string scenario = POLYCAST_SCENARIOS "/first_light.yaml";

plan_options example_options() {
    plan_options options;
    options.where.file = example;
    options.roots = {"6"};
    options.source = "host20";
    for (const unsigned chip : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u})
        for (const unsigned host : {2 * chip, 2 * chip + 1})
            options.destinations.push_back("host" + std::to_string(host));
    return options;
}

using test::printed;

std::string printed(const plan_options& options) {
    return printed([&] { return analyse_plan(options); });
}

json plan_of(plan_options options) {
    options.json = true;
    return json::parse(printed(options));
}

std::string refusal(const plan_options& options) {
    return testbench::unit::refusal([&] { printed(options); });
}

std::vector<std::vector<int>> numbers_of(const json& chains) {
    std::vector<std::vector<int>> found;
    for (const json& chain : chains) {
        found.emplace_back();
        for (const json& here : chain) found.back().push_back(here["number"]);
    }
    return found;
}

TEST(analyse, plans_of_the_example) {
    const json got = plan_of(example_options());
    EXPECT_EQ(got["root"]["name"], "6");
    EXPECT_EQ(got["source"]["number"], 20);
    EXPECT_EQ(got["destinations"].size(), 16u);
    std::map<std::string, int> steps;
    for (const auto& [name, scheme] : got["schemes"].items()) {
        steps[name] = scheme["steps"];
        EXPECT_EQ(scheme["phases"].size(), scheme["steps"]);
        EXPECT_GT(scheme["predicted_latency"], 4000);
    }
    EXPECT_EQ(steps, (std::map<std::string, int>{{"tree", 1},
                                                 {"path_greedy", 2},
                                                 {"path_less_greedy", 2},
                                                 {"ssr_greedy", 3},
                                                 {"ssr_less_greedy", 4},
                                                 {"ni", 5},
                                                 {"hybrid_greedy", 2},
                                                 {"hybrid_less_greedy", 2},
                                                 {"software", 5},
                                                 {"unicasts", 16}}));
    const json& path = got["schemes"]["path_less_greedy"];
    EXPECT_EQ(path["scheme"], "path");
    EXPECT_EQ(path["phasing"], "less_greedy");
    EXPECT_THAT(numbers_of(path["chains"]),
                ElementsAre(ElementsAre(5, 3, 9), ElementsAre(1, 7), ElementsAre(4, 8), ElementsAre(2)));
    EXPECT_EQ(path["phases"], json::parse("[[0], [1, 2, 3]]"));
    const json& third = path["worms"][2];
    EXPECT_EQ(third["sender"]["name"], "host10");
    EXPECT_EQ(third["kind"], "path");
    EXPECT_EQ(third["step"], 2);
    EXPECT_THAT(numbers_of(json::array({third["stops"]})), ElementsAre(ElementsAre(4, 8)));
    EXPECT_EQ(third["stops"][1]["hosts"][0]["name"], "host16");
    EXPECT_EQ(third["hosts"].size(), 4u);
    EXPECT_TRUE(got["schemes"]["tree"]["chains"].empty());
}

TEST(analyse, text_names_chains_steps_and_worms) {
    const std::string text = printed(example_options());
    EXPECT_THAT(text, HasSubstr("chains   5 > 3 > 9; 1 > 7; 4 > 8; 2\n"));
    EXPECT_THAT(text, HasSubstr("ssr, less greedy             4      8"));
    EXPECT_THAT(text, HasSubstr("host20 -> 5 (host10 host11), 3 (host6 host7), 9 (host18 host19)\n"));
    plan_options only = example_options();
    only.scheme = "ssr";
    only.phases = "greedy";
    EXPECT_THAT(printed(only), Not(HasSubstr("tree")));
}

TEST(analyse, options_of_a_plan) {
    plan_options options = example_options();
    options.stops = 2;
    options.bytes = 1000;
    options.fanout = "3";
    json got = plan_of(options);
    EXPECT_EQ(got["packets"], 8);
    EXPECT_EQ(got["schemes"]["path_greedy"]["worms"].size(), 5u) << "9 has a worm of its own";
    EXPECT_EQ(got["schemes"]["ni"]["fanout"], 3);
    EXPECT_TRUE(got["schemes"]["tree"]["fanout"].is_null());
    options.fanout = "timing";
    options.order = "listed";
    got = plan_of(options);
    EXPECT_TRUE(got["schemes"]["ni"]["chains"].empty());
    EXPECT_EQ(got["schemes"]["ni"]["fanout"], 2) << "of 1 to 5, by timing";
    EXPECT_EQ(got["schemes"]["ni"]["worms"][0]["sender"]["number"], 20);
    // By number, and on a scenario's network.
    options = {};
    options.where = {scenario, {"seed=3"}, 2};
    options.source = "4";
    options.destinations = {"host0", "7"};
    got = plan_of(options);
    EXPECT_EQ(got["destinations"][1]["name"], "host7");
    EXPECT_EQ(got["schemes"]["unicasts"]["steps"], 2);
}

TEST(analyse, pictures) {
    plan_options options = example_options();
    options.dot = true;
    std::string dot = printed(options);
    EXPECT_THAT(dot, testing::StartsWith("digraph"));
    EXPECT_THAT(dot, HasSubstr("path, less greedy from host20: 2 steps"));
    EXPECT_THAT(dot, HasSubstr("s6 -> s5 [dir=none, color=\"#b0b8c0\", style=solid"));
    EXPECT_THAT(dot, HasSubstr("s1 -> s4 [dir=none, color=\"#b0b8c0\", style=dashed"));
    EXPECT_THAT(dot, HasSubstr("s3 -> s9 [color=\"#0072b2\"")) << "step 1";
    EXPECT_THAT(dot, HasSubstr("s6 -> s2 [color=\"#d55e00\"")) << "step 2";
    options.scheme = "ni";
    dot = printed(options);
    EXPECT_THAT(dot, HasSubstr("h20 -> h10 [color=\"#0072b2\""));
}

TEST(analyse, refusals) {
    plan_options options = example_options();
    const auto with = [&](const std::function<void(plan_options&)>& change) {
        plan_options changed = options;
        change(changed);
        return refusal(changed);
    };
    EXPECT_EQ(with([](plan_options& o) { o.destinations.clear(); }),
              "a multicast needs a destination; name at least one host");
    EXPECT_EQ(with([](plan_options& o) { o.source = "host4"; }),
              "the source host4 is among the destinations; leave it out: it has the message");
    EXPECT_EQ(with([](plan_options& o) { o.source = "hots20"; }), "there is no host 'hots20'; did you mean 'host20'?");
    EXPECT_EQ(with([](plan_options& o) { o.source = "22"; }),
              "host 22 does not exist, by name or number; the numbers are 0 to 21");
    EXPECT_EQ(with([](plan_options& o) { o.destinations.push_back("4"); }),
              "the destination host4 is named twice; name it once");
    EXPECT_EQ(with([](plan_options& o) { o.roots = {"11"}; }),
              "switch 11 does not exist, by name or number; the numbers are 0 to 10");
    EXPECT_EQ(with([](plan_options& o) { o.scheme = "pth"; }),
              "--scheme pth: there is no such choice; did you mean 'path'?");
    EXPECT_EQ(with([](plan_options& o) { o.phases = "lazy"; }),
              "--phases lazy: there is no such choice; one of greedy, less_greedy");
    EXPECT_EQ(with([](plan_options& o) { o.fanout = "0"; }),
              "--fanout 0: a node has 1 or more children; best, timing, or a number");
    EXPECT_THAT(with([](plan_options& o) { o.where.overrides = {"seed=1"}; }), HasSubstr("scenarios end in .yaml"));
    EXPECT_THAT(with([](plan_options& o) { o.where.file = "none"; }), HasSubstr("cannot be read"));
}

json k_binomial(std::uint64_t nodes, std::uint64_t packets, unsigned k = 0) {
    return json::parse(printed([&] { return analyse_k_binomial({nodes, packets, k, true}); }));
}

TEST(analyse, k_binomial_trees) {
    json got = k_binomial(32, 26);
    EXPECT_EQ(got["best_k"], json::parse("[1, 2]"));
    EXPECT_EQ(got["k"], 2) << "of equal ones the largest";
    EXPECT_EQ(got["steps"], json::parse(R"({"1": 56, "2": 56, "3": 81, "4": 106, "5": 130})"));
    got = k_binomial(16, 3, 4);
    EXPECT_EQ(got["k"], 4);
    EXPECT_EQ(got["children"][0], json::parse("[8, 4, 2, 1]"));
    EXPECT_EQ(got["children"].size(), 16u);
    const std::string text = printed([] { return analyse_k_binomial({32, 3, 0, false}); });
    EXPECT_THAT(text, HasSubstr("32 nodes, 3 packets: best k 2\n"));
    EXPECT_THAT(text, HasSubstr("   2  10  best\n"));
    for (const k_binomial_options& wrong : {k_binomial_options{1, 1}, k_binomial_options{1u << 21, 1},
                                            k_binomial_options{4, 0}, k_binomial_options{4, 1, 4}})
        EXPECT_THROW(analyse_k_binomial(wrong), hw::input_error);
}

}  // namespace
}  // namespace polycast::tlm::sim
