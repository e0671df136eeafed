// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/broadcast/broadcast_rules.h"

#include <gmock/gmock.h>

#include "testbench/unit/refusal.h"

namespace polycast::tlm::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string rings =
    "network: {topology: {kind: bypass_torus, radix: 16, dimensions: 2, bypass: [4, 8]}}\nhost: {model: ideal}\n";

std::string text_of(const std::string& keys, const std::string& top = rings) {
    return top + "workload:\n  - {name: b, kind: broadcast, broadcast: {" + keys + "}}\n";
}

std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return testbench::unit::refusal([&] { load_text(text, "a.yaml", {}, overrides); });
}

TEST(broadcast_rules, defaults_are_the_papers) {
    const loaded l = load_text(text_of(""), "a.yaml");
    const settings& s = l.values;
    EXPECT_EQ(name_of(s.network.topology.kind), "bypass_torus");
    EXPECT_THAT(s.network.topology.bypass, ElementsAre(4, 8));
    EXPECT_EQ(s.broadcast.timing, broadcast_timing::cycle);
    EXPECT_EQ(s.broadcast.neighbours, neighbour_state::maps);
    EXPECT_EQ(s.broadcast.slots, 32u);
    EXPECT_EQ(s.broadcast.slot_flits, std::nullopt);
    const broadcast_workload& w = s.workloads[0].broadcast;
    EXPECT_EQ(w.packets, 32u);
    EXPECT_EQ(w.bytes, 8u);
    EXPECT_EQ(w.rounds, 1u);
    EXPECT_THAT(dimensions_of(s, w), ElementsAre(0, 1));
    EXPECT_THAT(split_of(s, w), ElementsAre(16, 16));
    EXPECT_THAT(patterns_of(s, w), ElementsAre(1, 1));
    EXPECT_THAT(sources_of(l, 0, rings_of(l)), ElementsAre(0));
}

TEST(broadcast_rules, every_key_arrives) {
    const loaded l = load_text(
        "network: {topology: {kind: torus, radix: 8, dimensions: 3}}\nhost: {model: ideal}\n"
        "router: {broadcast: {neighbours: none, slots: 40, slot_flits: 6, inject: 9}}\n"
        "workload:\n"
        "  - {name: c, kind: broadcast, broadcast: {sources: [5, \"1,2,3\"], rounds: 3, packets: 20, bytes: "
        "64, dimensions: [2, 0], patterns: [3, 8], split: [12, 8], unicasts: 0.1, unicast_flits: 2}}\n"
        "  - {name: t, kind: broadcast, broadcast: {algorithm: trees}}\n",
        "a.yaml");
    const settings& s = l.values;
    EXPECT_EQ(s.broadcast.neighbours, neighbour_state::none);
    EXPECT_EQ(s.broadcast.slots, 40u);
    EXPECT_EQ(s.broadcast.slot_flits, 6u);
    EXPECT_EQ(s.broadcast.inject_flits, 9u);
    const broadcast_workload& w = s.workloads[0].broadcast;
    EXPECT_EQ(w.rounds, 3u);
    EXPECT_EQ(w.bytes, 64u);
    EXPECT_EQ(w.unicasts, ratio(1, 10));
    EXPECT_EQ(w.unicast_flits, 2u);
    EXPECT_THAT(dimensions_of(s, w), ElementsAre(0, 2));
    EXPECT_THAT(split_of(s, w), ElementsAre(12, 8));
    EXPECT_THAT(patterns_of(s, w), ElementsAre(3, 8));
    EXPECT_THAT(sources_of(l, 0, rings_of(l)), ElementsAre(5, 1 + 2 * 8 + 3 * 64));
    EXPECT_THAT(split_of(s, s.workloads[1].broadcast), ElementsAre(6, 6, 5, 5, 5, 5));
    EXPECT_TRUE(patterns_of(s, s.workloads[1].broadcast).empty());
}

TEST(broadcast_rules, steps_are_ideal) {
    const std::string steps = rings + "router: {broadcast: {timing: step}}\n";
    const loaded l = load_text(text_of("", steps), "a.yaml");
    EXPECT_EQ(l.values.broadcast.neighbours, neighbour_state::ideal);
    EXPECT_THAT(l.yaml(), HasSubstr("neighbours: ideal"));
    EXPECT_EQ(load_text(l.yaml(), "b.yaml").yaml(), l.yaml());
    EXPECT_EQ(refusal(text_of("", rings + "router: {broadcast: {timing: step, neighbours: maps}}\n")),
              "a.yaml:3:48: 'timing: step' is the ideal variant: 'neighbours: maps' belongs to 'timing: cycle'; take "
              "'ideal', or 'timing: cycle'");
    EXPECT_THAT(refusal(text_of("", rings + "router: {broadcast: {neighbours: ideal}}\n")),
                StartsWith("a.yaml:3:34: no router knows at once what its neighbours have"));
    EXPECT_THAT(refusal(text_of("", steps), {"network.fidelity=rtl"}),
                HasSubstr("there are no routers that could have another fidelity"));
    EXPECT_THAT(refusal(text_of("", steps), {"trace.chips=all"}), HasSubstr("there are no waves"));
    EXPECT_THAT(refusal(text_of("", steps), {"trace.trigger.event=error"}), HasSubstr("there are no waves"));
    EXPECT_THAT(refusal(text_of("", steps), {"trace.packets=true"}), HasSubstr("there is no log of packets"));
    for (const std::string wish : {"trace.trigger.event=error", "trace.packets=true"})
        EXPECT_EQ(refusal(text_of("", rings), {wish}), "accepted");
    EXPECT_THAT(refusal(text_of("", rings + "router: {broadcast: {timing: step, slots: 3}}\n")),
                HasSubstr("'router.broadcast.slots' has no meaning with 'timing: step'"));
}

TEST(broadcast_rules, other_workloads_and_networks_are_refused) {
    EXPECT_THAT(refusal(rings + "workload: [{name: u, kind: unicast}]\n"),
                StartsWith("a.yaml:3:28: with 'network.topology.kind: bypass_torus' all workloads are broadcasts"));
    const std::string torus = "network: {topology: {kind: torus}}\nhost: {model: ideal}\n";
    EXPECT_THAT(refusal(torus + "router: {broadcast: {timing: step}}\nworkload: [{name: u, kind: unicast}]\n"),
                HasSubstr("with 'router.broadcast.timing: step' all workloads are broadcasts"));
    EXPECT_EQ(refusal(text_of("", torus)), "accepted");
    EXPECT_THAT(refusal(text_of("", "network: {topology: {kind: mesh}}\nhost: {model: ideal}\n")),
                HasSubstr("'kind: broadcast' belongs to tori"));
    EXPECT_THAT(refusal(text_of("", "network: {topology: {kind: irregular}}\n")),
                HasSubstr("take 'network.topology.kind: torus' or 'bypass_torus'"));
    EXPECT_THAT(refusal(text_of("", "network: {topology: {kind: torus}}\n")), HasSubstr("belongs to ideal hosts"));
    for (const std::string model : {"network.fidelity=tlm", "network.fidelity=rtl", "network.chips={router1: tlm}"})
        EXPECT_EQ(refusal(text_of(""), {model}), "accepted");
}

TEST(broadcast_rules, impossible_networks_say_why) {
    const auto with = [](const std::string& topology) {
        return refusal(
            text_of("", "network:\n  topology: {kind: bypass_torus, " + topology + "}\nhost: {model: ideal}\n"));
    };
    EXPECT_THAT(with("radix: 64, bypass: [7]"), StartsWith("a.yaml:2:53: iBT(64^2; <7>) is not symmetric: d k = 2"));
    EXPECT_THAT(with("radix: 9, bypass: [4]"), HasSubstr("has to divide n = 9"));
    EXPECT_THAT(with("radix: 8, bypass: [1]"), HasSubstr("leads where a torus link leads"));
    EXPECT_THAT(with("radix: 8, bypass: []"), "accepted");
    EXPECT_THAT(with("radix: 8"), HasSubstr("has no key 'bypass'"));
    EXPECT_THAT(with("radix: 8, bypass: [4, x]"), HasSubstr("'network.topology.bypass' must hold whole numbers"));
    EXPECT_THAT(with("radix: 8, bypass: 4"), HasSubstr("must be a list of numbers, not '4'; such as [8, 24]"));
    EXPECT_THAT(with("radix: 5000, bypass: [8]"), HasSubstr("nodes, more than 16777216"));
}

TEST(broadcast_rules, impossible_broadcasts_say_why) {
    EXPECT_THAT(refusal(text_of("algorithm: trees")),
                StartsWith("a.yaml:4:55: the trees are those of a torus: bypass links take no part"));
    EXPECT_THAT(refusal(text_of("packets: 33")),
                HasSubstr("a message of 33 packets does not fit the 32 slots of a broadcast unit; raise "
                          "'router.broadcast.slots', or send fewer packets"));
    EXPECT_THAT(refusal(text_of("", rings + "router: {broadcast: {slots: 8}}\n")),
                HasSubstr("a.yaml:3:29: a message of 32 packets does not fit the 8 slots"));
    EXPECT_EQ(refusal(text_of("packets: 33", rings + "router: {broadcast: {timing: step}}\n")), "accepted");
    EXPECT_THAT(refusal(text_of("dimensions: []")), HasSubstr("is empty"));
    EXPECT_THAT(refusal(text_of("dimensions: [2]")), HasSubstr("there is no dimension 2; dimensions are 0..1"));
    EXPECT_THAT(refusal(text_of("dimensions: [1, 1]")), HasSubstr("names dimension 1 twice"));
    EXPECT_THAT(refusal(text_of("split: [32]")), HasSubstr("1 number of packets for 2 colours"));
    EXPECT_THAT(refusal(text_of("split: [16, 15]")), HasSubstr("these are 31 packets, and the message has 32"));
    EXPECT_EQ(refusal(text_of("split: [16, 16]")), "accepted");
    EXPECT_THAT(refusal(text_of("patterns: [1, 2, 3]")), HasSubstr("3 patterns for 2 colours"));
    EXPECT_THAT(refusal(text_of("patterns: [16]")), HasSubstr("there is no pattern 16; patterns are 0..15"));
    for (const char* none : {"256", "\"16,0\"", "\"1,2,3\"", "x", "\"1,\"", "-1", "\"1;2\""})
        EXPECT_THAT(refusal(text_of(std::string("sources: [") + none + "]")), HasSubstr("is no node")) << none;
    EXPECT_THAT(refusal(text_of("sources: []")), HasSubstr("is empty"));
}

}  // namespace
}  // namespace polycast::tlm::scenario
