// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/refusal.h"

namespace polycast::tlm::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string two_workloads = "workload:\n  - {name: tree, kind: multicast}\n  - {name: other, kind: multicast}\n";

std::vector<sweep_run> swept_runs(const std::string& text, const std::vector<std::string>& overrides = {}) {
    std::vector<sweep_run> runs;
    for_each_run(text, "a.yaml", {}, overrides, [&](const sweep_run& run) { runs.push_back(run); });
    return runs;
}

std::vector<std::string> swept_names(const std::string& text, const std::vector<std::string>& overrides = {}) {
    std::vector<std::string> names;
    for (const sweep_run& run : swept_runs(text, overrides)) names.push_back(run.name);
    return names;
}

std::string sweep_refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return testbench::unit::refusal([&] { swept_runs(text, overrides); });
}

TEST(sweep, paths_of_a_file_start_at_the_file) {
    const std::string text =
        "sweep:\n  workload.app.path: [x.goal, /y.goal]\n  workload.app.placement: [linear, places]\n"
        "workload: [{name: app, kind: program, path: x.goal}]\n";
    std::vector<std::string> given, resolved;
    for_each_run(text, "far/a.yaml", "far", {}, [&](const sweep_run& run) {
        given.push_back(run.overrides[0] + " " + run.overrides[1]);
        resolved.push_back(*run.scenario.program_path(0) + " " + run.scenario.placement_path(0).value_or("none"));
    });
    EXPECT_THAT(given, ElementsAre("workload.app.path=far/x.goal workload.app.placement=linear",
                                   "workload.app.path=far/x.goal workload.app.placement=far/places",
                                   "workload.app.path=/y.goal workload.app.placement=linear",
                                   "workload.app.path=/y.goal workload.app.placement=far/places"));
    EXPECT_THAT(resolved,
                ElementsAre("far/x.goal none", "far/x.goal far/places", "/y.goal none", "/y.goal far/places"));
}

TEST(sweep, is_every_combination_the_last_key_fastest) {
    const std::string text = "sweep:\n  seed: 1..2\n  workload.tree.degree: [3, 7, 15]\n" + two_workloads;
    EXPECT_THAT(swept_names(text), ElementsAre("seed=1,degree=3", "seed=1,degree=7", "seed=1,degree=15",
                                               "seed=2,degree=3", "seed=2,degree=7", "seed=2,degree=15"));
    const std::vector<sweep_run> runs = swept_runs(text, {"packet.payload=64 B"});
    EXPECT_EQ(runs[4].scenario.values.seed, 2u);
    EXPECT_EQ(runs[4].scenario.values.workloads[0].degree, 7u);
    EXPECT_EQ(runs[4].scenario.values.workloads[1].degree, 15u);
    EXPECT_EQ(runs[4].scenario.values.packet.payload_bytes, 64u);
    EXPECT_THAT(runs[4].overrides, ElementsAre("packet.payload=64 B", "seed=2", "workload.tree.degree=7"));
}

TEST(sweep, overrides_of_a_run_give_that_run_alone) {
    const std::string text =
        "sweep:\n  seed: 1..3\n  workload.*.degree: [3, 7]\n  switch.buffer: [640 flit, 1280 flit]\n"
        "  trace.chips: [[switch1, switch2], all]\n  network.chips.switch1: [core, tlm]\n" +
        two_workloads;
    for (const sweep_run& run : swept_runs(text)) {
        const loaded again = load_text(text, "a.yaml", {}, run.overrides);
        EXPECT_EQ(again.yaml(), run.scenario.yaml()) << run.name;
    }
}

TEST(sweep, overrides_of_a_run_leave_out_what_was_left_out) {
    const std::string text = "sweep: {seed: 1..3, workload.tree.degree: [1, 2]}\n" + two_workloads;
    const std::vector<sweep_run> runs = swept_runs(text, {"sweep={seed: 4..5}", "packet.payload=64 B"});
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_THAT(runs[0].overrides, ElementsAre("sweep={}", "packet.payload=64 B", "seed=4"));
    EXPECT_EQ(load_text(text, "a.yaml", {}, runs[0].overrides).yaml(), runs[0].scenario.yaml());
}

TEST(sweep, without_one_has_no_runs) {
    EXPECT_THAT(swept_names(two_workloads, {"seed=3"}), IsEmpty());
    EXPECT_THAT(swept_names("sweep:\n" + two_workloads), IsEmpty());
    EXPECT_THAT(swept_names("sweep: {seed: 1..3}\n" + two_workloads, {"sweep={}"}), IsEmpty());
    EXPECT_THAT(sweep_refusal("sed: 1\n" + two_workloads), StartsWith("a.yaml:1:1: unknown key 'sed'"));
}

TEST(sweep, of_a_list_on_the_command_line) {
    EXPECT_THAT(swept_names(two_workloads, {"workload.*.degree=[3,7]", "seed=1..2"}),
                ElementsAre("degree=3,seed=1", "degree=3,seed=2", "degree=7,seed=1", "degree=7,seed=2"));
    // Keys that take lists are swept by lists of lists; lists of values of others make workloads.
    EXPECT_THAT(swept_names(two_workloads, {"trace.chips=[switch1,switch2]"}), IsEmpty());
    EXPECT_THAT(swept_names(two_workloads, {"trace.chips=[[switch1],[switch2]]"}), ElementsAre("chips=1", "chips=2"));
    EXPECT_THAT(swept_names(two_workloads, {"workload.tree.message=[64 B,128 B]"}), IsEmpty());
    EXPECT_THAT(swept_names(two_workloads, {"network.topology=[{switches: 8},{switches: 16}]"}),
                ElementsAre("topology=1", "topology=2"));
}

TEST(sweep, ranges_have_units_and_steps) {
    const std::vector<sweep_run> runs = swept_runs(two_workloads, {"packet.payload=64..160 B step 32"});
    ASSERT_EQ(runs.size(), 4u);
    EXPECT_EQ(runs[3].scenario.values.packet.payload_bytes, 160u);
    EXPECT_EQ(runs[3].name, "payload=160B");
    EXPECT_THAT(swept_names(two_workloads, {"network.topology.connectivity=0.5..0.8 step 0.1"}),
                ElementsAre("connectivity=0.5", "connectivity=0.6", "connectivity=0.7", "connectivity=0.8"));
    for (const std::string bad : {"3..1", "1..", "..4", "1..4 step 0", "1..4 step x", "0..1000000"})
        EXPECT_THAT(sweep_refusal(two_workloads, {"seed=" + bad}),
                    StartsWith("-s seed=" + bad + ": 'seed' cannot sweep over"));
    const std::string large = "999999999999999999e18";
    EXPECT_THAT(sweep_refusal(two_workloads, {"seed=" + large + ".." + large + " step 1/999999999999999967"}),
                HasSubstr("'seed' is too large: '999999999999999999e18.."));
    // A name with two dots is no range.
    EXPECT_THAT(swept_names(two_workloads, {"name=a..b"}), IsEmpty());
}

TEST(sweep, keys_can_go_together) {
    const std::string text =
        "sweep:\n  seed, packet.payload: [[1, 64 B], [2, 128 B]]\n  workload.tree.degree: [3, 7]\n" + two_workloads;
    EXPECT_THAT(swept_names(text), ElementsAre("seed=1,payload=64B,degree=3", "seed=1,payload=64B,degree=7",
                                               "seed=2,payload=128B,degree=3", "seed=2,payload=128B,degree=7"));
    EXPECT_THAT(swept_names(two_workloads, {"seed,packet.payload=[[1, 64 B], [2, 128 B]]"}),
                ElementsAre("seed=1,payload=64B", "seed=2,payload=128B"));
    EXPECT_THAT(sweep_refusal("sweep:\n  seed, packet.payload: [[1, 64 B], [2]]\n" + two_workloads),
                StartsWith("a.yaml:2:37: 'seed,packet.payload' must have a list of 2 values for each run, not a list"));
}

TEST(sweep, an_override_takes_the_place_of_a_key) {
    const std::string text =
        "sweep:\n  seed, packet.payload: [[1, 64 B], [2, 64 B]]\n  workload.tree.degree: [3, 7]\n" + two_workloads;
    EXPECT_THAT(swept_names(text, {"workload[0].degree=5"}), ElementsAre("seed=1,payload=64B", "seed=2,payload=64B"));
    EXPECT_THAT(swept_names(text, {"seed=9"}), ElementsAre("payload=64B,degree=3", "payload=64B,degree=7"));
    EXPECT_THAT(swept_names(text, {"workload.*.degree=[1,2]", "seed=9", "packet.payload=64 B"}),
                ElementsAre("degree=1", "degree=2"));
    EXPECT_THAT(swept_names(text, {"seed=[5,6]"}),
                ElementsAre("seed=5,payload=64B,degree=3", "seed=5,payload=64B,degree=7", "seed=6,payload=64B,degree=3",
                            "seed=6,payload=64B,degree=7"));
    EXPECT_THAT(swept_names(text, {"sweep.workload.tree.degree=[4]"}),
                ElementsAre("seed=1,payload=64B,degree=4", "seed=2,payload=64B,degree=4"));
}

TEST(sweep, an_override_of_a_part_of_a_key_is_refused) {
    const std::string text = "sweep: {workload.*.degree: [3, 7]}\n" + two_workloads;
    EXPECT_THAT(
        sweep_refusal(text, {"workload.tree.degree=5"}),
        StartsWith("-s workload.tree.degree=5: 'workload.*.degree' is swept, of which 'workload.tree.degree' is a "
                   "part; give 'workload.*.degree', or"));
    EXPECT_THAT(swept_names("sweep: {workload.tree.degree: [3, 7]}\n" + two_workloads, {"workload.*.degree=5"}),
                IsEmpty());
}

TEST(sweep, sections_nest) {
    EXPECT_THAT(swept_names("sweep:\n  workload:\n    tree: {degree: [3, 7]}\n" + two_workloads),
                ElementsAre("degree=3", "degree=7"));
}

TEST(sweep, names_are_unique_and_fit_for_files) {
    EXPECT_THAT(swept_names(two_workloads, {"workload.tree.degree=[3,7]", "workload.other.degree=[1]"}),
                ElementsAre("workload.tree.degree=3,workload.other.degree=1",
                            "workload.tree.degree=7,workload.other.degree=1"));
    EXPECT_THAT(swept_names(two_workloads, {"host.bus=[800/3 MB/s,800/3 GB/s,1 B/cycle,2 B/cycle]"}),
                ElementsAre("bus=800_3", "run2", "bus=1", "bus=2"));
}

TEST(sweep, a_kind_that_is_swept_drops_what_the_file_says_about_another) {
    const std::string text =
        "sweep: {network.topology.kind: [irregular, fat_tree]}\nnetwork: {topology: {switches: 16}}\n" + two_workloads;
    ASSERT_EQ(sweep_refusal(text), "accepted");
    const std::vector<sweep_run> runs = swept_runs(text);
    EXPECT_EQ(runs[0].scenario.values.network.topology.switches, 16u);
    EXPECT_EQ(name_of(runs[1].scenario.values.network.topology.kind), "fat_tree");
}

TEST(sweep, says_where_and_what_is_wrong) {
    const auto in_file = [](const std::string& sweep) {
        return sweep_refusal("sweep:\n  " + sweep + "\n" + two_workloads);
    };
    EXPECT_EQ(in_file("sed: [1, 2]"), "a.yaml:2:3: unknown key 'sed'; did you mean 'seed'? (in the run sed=1)");
    EXPECT_EQ(in_file("seed: [1, two]"),
              "a.yaml:2:13: 'seed' must be a number, not 'two'; such as 1 (in the run seed=two)");
    EXPECT_THAT(in_file("workload.tre.degree: [3]"),
                StartsWith("a.yaml:2:3: 'workload' has no entry 'tre'; did you mean 'tree'"));
    EXPECT_EQ(
        in_file("seed: 4"),
        "a.yaml:2:9: 'seed' must have a list of values to sweep over, not '4'; such as [1, 2, 3], or 1..3 for numbers");
    EXPECT_EQ(in_file("seed: []"), "a.yaml:2:9: 'seed' is empty; give at least one value");
    EXPECT_EQ(in_file("seed: [1, 2, 1]"), "a.yaml:2:16: 'seed' has this value twice");
    EXPECT_THAT(in_file("workload.tree.degree: [3]\n  workload[0].degree: [4]"),
                HasSubstr("a.yaml:3:3: 'workload[0].degree' is swept twice"));
    EXPECT_THAT(sweep_refusal("sweep: [seed]\n" + two_workloads),
                HasSubstr("'sweep' must be a section of keys, not a list"));
    EXPECT_THAT(in_file("seed: 1..1000\n  network.topology.seed: 1..1000"), HasSubstr("more than 100000 runs"));
    // What is wrong in some combinations only.
    EXPECT_THAT(in_file("switch.buffer: [640 flit, 8 flit]"), HasSubstr("(in the run buffer=8flit)"));
}

TEST(sweep, limits_are_seen_at_once) {
    std::string keys;
    for (int i = 0; i < 20000; ++i) keys += "  a" + std::to_string(i) + ": [1]\n";
    EXPECT_EQ(sweep_refusal("sweep:\n" + keys + two_workloads), "a.yaml:258:3: the sweep has more than 256 keys");
    std::string deep;
    for (int i = 0; i < 200; ++i) {
        deep += "  ? b" + std::to_string(i);
        for (int level = 0; level < 2400; ++level) deep += ".a";
        deep += "\n  : [1]\n";
    }
    EXPECT_THAT(sweep_refusal("sweep:\n" + deep + two_workloads), HasSubstr("goes down 2401 levels"));
}

TEST(sweep, one_run_is_not_several) {
    try {
        load_text("name: a\nsweep: {seed: 1..3}\n" + two_workloads, "a.yaml");
        FAIL();
    } catch (const hw::input_error& error) {
        EXPECT_THAT(error.what(), StartsWith("a.yaml:2:9: 'seed' is swept: this stands for several runs; "));
    }
    EXPECT_EQ(load_text("sweep: {seed: 1..3}\n" + two_workloads, "a.yaml", {}, {"seed=2"}).values.seed, 2u);
}

TEST(sweep, paths_start_where_they_were_given) {
    std::vector<sweep_run> runs;
    const auto keep = [&](const sweep_run& run) { runs.push_back(run); };
    const std::string text = "network: {topology: {kind: file, path: x}}\n" + two_workloads;
    for_each_run("sweep: {network.topology.path: [net.txt, /abs.txt]}\n" + text, "in/a.yaml", "in", {}, keep);
    for_each_run(text, "in/a.yaml", "in", {"network.topology.path=[net.txt]"}, keep);
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_THAT(runs[0].overrides, ElementsAre("network.topology.path=in/net.txt"));
    EXPECT_THAT(runs[1].overrides, ElementsAre("network.topology.path=/abs.txt"));
    EXPECT_THAT(runs[2].overrides, ElementsAre("network.topology.path=net.txt"));
}

}  // namespace
}  // namespace polycast::tlm::scenario
