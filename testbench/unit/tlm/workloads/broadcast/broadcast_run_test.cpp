// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/broadcast/broadcast_run.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"
#include "tlm/sim/results/results.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/result_bytes.h"

namespace polycast::tlm::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

std::string top(const std::string& topology, const std::string& unit) {
    return "network: {topology: {" + topology + "}}\nhost: {model: ideal}\nrouter: {broadcast: {" + unit + "}}\n";
}

/// One workload for each of `broadcasts`.
std::string with(std::string text, const std::vector<std::string>& broadcasts) {
    text += "workload:\n";
    for (std::size_t i = 0; i < broadcasts.size(); ++i)
        text += "  - {name: w" + std::to_string(i) + ", kind: broadcast, broadcast: {" + broadcasts[i] + "}}\n";
    return text;
}

struct run {
    explicit run(
        const std::string& text, const std::function<bool()>& stop = [] { return false; },
        const instrumentation& instruments = {})
        : scenario(scenario::load_text(text, "a.yaml")), instances(make_instances(scenario)) {
        for (std::size_t w = 0; w < scenario.values.workloads.size(); ++w)
            points.push_back({&instances[0], w,
                              workload_kind_of(scenario, w).run(scenario, instances[0], w, {}, stop, instruments)});
    }
    const run_result& point(std::size_t w = 0) const { return points[w].result; }
    const broadcast_part& broadcast(std::size_t w = 0) const { return std::get<broadcast_part>(point(w).own); }

    scenario::loaded scenario;
    std::vector<instance> instances;
    std::vector<finished_run> points;
};

/// The table of holders, then a picture for each run.
std::vector<std::string> files_of(const run& what) {
    std::vector<std::string> texts;
    for (const output_file& file : workload_kind_of(what.scenario, 0).files(what.scenario, what.points))
        texts.push_back(file.text);
    return texts;
}

/// Table 1 of Zhang and Deng: 22 steps from either source; 26 by the rules of the page in a rectangle.
TEST(broadcast_point, steps_are_those_of_the_paper) {
    const run one(with(top("kind: bypass_torus, radix: 64, bypass: [8, 24]", "timing: step"),
                       {"dimensions: [0]", "dimensions: [0], sources: [\"1,0\"], patterns: [7]", "patterns: [0]"}));
    EXPECT_EQ(one.instances[0].name, "ibt-64x64-8-24");
    EXPECT_EQ(one.instances[0].size().switches, 4096u);
    EXPECT_EQ(one.instances[0].size().links, 3u * 4096 + 4096);
    EXPECT_TRUE(one.instances[0].plan.network.switches.empty()) << "nothing is listed";
    for (const std::size_t w : {0, 1, 2}) EXPECT_TRUE(one.point(w).passed()) << one.point(w).diagnosis;
    EXPECT_THAT(one.broadcast(0).rounds[0].units, Optional(22u));
    EXPECT_THAT(one.broadcast(1).rounds[0].units, Optional(22u));
    EXPECT_EQ(one.broadcast(1).rounds[0].source, 1u);
    EXPECT_THAT(one.broadcast(2).rounds[0].units, Optional(26u));
    EXPECT_EQ(one.broadcast(0).nodes, 64u);
    EXPECT_EQ(one.broadcast(0).links, 2u * 64 + 64) << "half of the nodes have bypasses along the line";
    EXPECT_EQ(one.broadcast(2).links, 6u * 4096);
    EXPECT_EQ(one.broadcast(2).sends, 4095u * 32);
    EXPECT_EQ(one.broadcast(2).verified_bytes, 4095u * 32 * 8);
    EXPECT_EQ(one.point(2).counts.delivered, 4095u * 32);
}

/// n / 2 + ceil(k / 2) - 1 along a line of a torus, d (n - 1) + ceil(k / 2d) - 1 by its trees.
TEST(broadcast_point, tori_take_the_steps_of_their_formulas) {
    const run one(with(top("kind: torus, radix: 8", "timing: step"),
                       {"dimensions: [1]", "algorithm: trees, sources: [9, 0], rounds: 2"}));
    EXPECT_EQ(one.instances[0].name, "torus-8x8");
    EXPECT_THAT(one.broadcast(0).rounds[0].units, Optional(4u + 16 - 1));
    ASSERT_EQ(one.broadcast(1).rounds.size(), 4u);
    for (const broadcast_round& round : one.broadcast(1).rounds) EXPECT_THAT(round.units, Optional(14u + 8 - 1));
    EXPECT_EQ(one.broadcast(1).rounds[2].source, 9u);
    EXPECT_EQ(one.broadcast(1).rounds[2].begin, 42u);
    EXPECT_EQ(one.point(1).cycles, 84u);
    EXPECT_EQ(one.point(1).counts.expected, 4u * 63 * 32);
    EXPECT_EQ(one.point(1).transfers.size(), 4u);
}

TEST(broadcast_point, results_have_the_wave_over_time) {
    const run one(with(top("kind: torus, radix: 4, dimensions: 1", "timing: step"), {"packets: 2, patterns: [0]"}));
    const nlohmann::ordered_json found = results_json(one.scenario, one.points)["points"][0];
    EXPECT_EQ(found["workload"]["split"], nlohmann::json({2}));
    const auto& b = found["broadcast"];
    EXPECT_EQ(b["timing"], "step");
    EXPECT_EQ(b["neighbours"], "ideal");
    // 0 sends packet 0 both ways, then 1; 2 gets packet 0 in step 2 and 1 in step 3.
    EXPECT_EQ(b["timeline"]["times"], nlohmann::json({0, 1, 2, 3}));
    EXPECT_EQ(b["timeline"]["utilisation"], nlohmann::json({0, 2 / 8., 3 / 8., 1 / 8.}));
    EXPECT_EQ(b["timeline"]["held"], nlohmann::json({2 / 4., 4 / 4., 7 / 4., 2.}));
    EXPECT_EQ(b["timeline"]["complete"], nlohmann::json({1, 1, 3, 4}));
    EXPECT_EQ(b["rounds"][0]["hosts"], nullptr);
    EXPECT_EQ(b["sends"], 6);
    EXPECT_EQ(b["sends_per_link"], 6 / 8.);
    EXPECT_EQ(files_of(one)[0],
              "point,time,packets,nodes\n"
              "torus-4/w0,0,0,3\ntorus-4/w0,0,2,1\n"
              "torus-4/w0,1,0,1\ntorus-4/w0,1,1,2\ntorus-4/w0,1,2,1\n"
              "torus-4/w0,2,1,1\ntorus-4/w0,2,2,3\n"
              "torus-4/w0,3,2,4\n");
    const nlohmann::ordered_json wave = nlohmann::ordered_json::parse(files_of(one)[1]);
    EXPECT_EQ(wave["cells"], nlohmann::json({"ff000000", "ff800080", "ffff80ff", "ffffffff"}));
    EXPECT_EQ(wave["source"], nlohmann::json({0}));
    EXPECT_EQ(wave["holders"][2], nlohmann::json({0, 1, 3}));
}

TEST(broadcast_point, units_do_the_same_cycle_by_cycle) {
    const std::string rings = "kind: bypass_torus, radix: 8, bypass: [4]";
    const std::vector<std::string> work{"dimensions: [0]", "patterns: [1, 3]", "sources: [0, \"3,5\"], rounds: 3"};
    const run maps(with(top(rings, "neighbours: maps"), work));
    const run none(with(top(rings, "neighbours: none"), work));
    for (std::size_t w = 0; w < work.size(); ++w) {
        for (const run* one : {&maps, &none}) {
            const broadcast_part& found = one->broadcast(w);
            EXPECT_TRUE(one->point(w).passed()) << one->point(w).diagnosis;
            EXPECT_EQ(one->point(w).counts.expected, found.rounds.size() * (found.nodes - 1) * 32);
            EXPECT_EQ(found.sends, one->point(w).counts.expected + found.duplicates + found.stale);
            // A packet of 21 bytes is two flits, filled up.
            EXPECT_EQ(found.verified_bytes, one->point(w).counts.expected * (2 * 16 - 13));
            EXPECT_GE(*found.most_sends, found.sends / found.links);
            for (const broadcast_round& round : found.rounds) EXPECT_GE(round.hosts.value(), round.units.value());
        }
        EXPECT_LT(maps.broadcast(w).duplicates, none.broadcast(w).duplicates);
    }
    const std::vector<link_load>& links = maps.point(1).links;
    EXPECT_EQ(links.size(), 2u * (2 * 64 + 32 + 64)) << "half of the ring: two bypasses of a node are one cable";
    std::uint64_t sent = 0;
    for (const link_load& link : links)
        if (link.from.chip < 64 && link.to.chip < 64) sent += link.packets;
    EXPECT_EQ(sent, maps.broadcast(1).sends);
    EXPECT_GT(maps.broadcast(2).rounds[1].begin, maps.broadcast(2).rounds[0].begin) << "one after the other";
    const broadcast_wave& wave = maps.broadcast(1).wave;
    EXPECT_THAT(wave.samples.back().holders.back(), 64u);
    EXPECT_EQ(wave.samples.back().time, maps.broadcast(1).rounds[0].units);
}

TEST(broadcast_point, unicasts_go_beside_and_take_time) {
    const std::string unit = top("kind: torus, radix: 4", "neighbours: maps");
    const run one(with(unit, {"packets: 16", "packets: 16, unicasts: 0.3, unicast_flits: 2"}));
    EXPECT_TRUE(one.point(1).passed()) << one.point(1).diagnosis;
    EXPECT_GT(one.broadcast(1).rounds[0].units.value(), one.broadcast(0).rounds[0].units.value());
}

TEST(broadcast_point, what_units_cannot_do_is_refused_at_its_key) {
    const auto refusal = [](const std::string& text) -> std::string {
        return testbench::unit::refusal([&] { make_instances(scenario::load_text(text, "a.yaml")); });
    };
    const std::string host = "network: {topology: {kind: torus, radix: 4}}\nhost: {model: ideal}\n";
    EXPECT_THAT(
        refusal(with(host + "router: {flit: 12 B}\n", {""})),
        HasSubstr("a.yaml:3:16: a header of 13 bytes does not fit a flit of 12: broadcast units read it from the "
                  "first one; take 13 B or more"));
    EXPECT_THAT(refusal(with(host + "router: {broadcast: {slot_flits: 3}}\n", {"bytes: 36"})),
                HasSubstr("a packet of 4 flits (13 B header, 36 B payload) does not fit a slot, which has 3 flits"));
    EXPECT_THAT(refusal(with(host, {"bytes: 1100"})), HasSubstr("does not fit a slot, which has at most 64 flits"));
    EXPECT_THAT(refusal(with(host + "router: {packet_limit: 2}\n", {"unicast_flits: 3"})),
                HasSubstr("'router.packet_limit' of 2 flits is less than the longest packet"));
    EXPECT_THAT(refusal(with(top("kind: torus, radix: 300", ""), {""})),
                HasSubstr("or take 'router.broadcast.timing: step'"));
    EXPECT_THAT(refusal(with(host + "trace: {chips: [router99]}\n", {""})), HasSubstr("no switch 'router99'"));
}

TEST(broadcast_point, runs_can_be_stopped_and_tell_how_far_they_are) {
    const std::vector<std::string> work{""};
    const std::string rings = "kind: torus, radix: 16";
    for (const char* timing : {"timing: step", "timing: cycle"}) {
        const run stopped(with(top(rings, timing), work), [] { return true; });
        EXPECT_TRUE(stopped.point().stopped()) << timing;
        double last = 0;
        instrumentation instruments;
        instruments.progress = [&last](double share) {
            EXPECT_GE(share, last);
            last = share;
        };
        const run whole(
            with(top(rings, timing), work), [] { return false; }, instruments);
        EXPECT_TRUE(whole.point().passed());
        EXPECT_LE(last, 1);
    }
}

TEST(broadcast_point, threads_change_nothing) {
    const std::string text = with(top("kind: torus, radix: 16, dimensions: 3", "timing: step"), {"sources: [777]"});
    const run one(text);
    const run two("network: {threads: 3, topology: {kind: torus, radix: 16, dimensions: 3}}" +
                  text.substr(text.find("\nhost:")));
    EXPECT_EQ(two.scenario.values.network.threads, 3u);
    EXPECT_EQ(results_json(one.scenario, one.points).dump(), results_json(two.scenario, two.points).dump());
    EXPECT_EQ(files_of(one), files_of(two));
}

TEST(broadcast_point, results_survive_the_way_from_a_process) {
    run one(with(top("kind: torus, radix: 4", "timing: step"), {"packets: 3"}));
    const std::string before = results_json(one.scenario, one.points).dump();
    const std::vector<std::string> files = files_of(one);
    one.points[0].result = from_bytes(to_bytes(one.points[0].result));
    EXPECT_EQ(results_json(one.scenario, one.points).dump(), before);
    EXPECT_EQ(files_of(one), files);
}

}  // namespace
}  // namespace polycast::tlm::sim
