// SPDX-License-Identifier: Apache-2.0
// Keys of rails, and what is refused about them.
#include "tlm/workloads/rails/rails_rules.h"

#include <gmock/gmock.h>

#include "testbench/unit/refusal.h"

namespace polycast::tlm::scenario {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string tree = "network: {topology: {kind: fat_tree, nodes: 8}}\n";

std::string on_rails(const std::string& keys, const std::string& top = tree) {
    return top + "workload:\n  - {name: r, kind: rails" + (keys.empty() ? "" : ", " + keys) + "}\n";
}

loaded rails_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return load_text(text, "a.yaml", {}, overrides);
}

std::string rails_refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return testbench::unit::refusal([&] { rails_of(text, overrides); });
}

TEST(rails_rules, defaults_are_the_papers) {
    const loaded l = rails_of(on_rails("rate: 0.3"));
    const settings& s = l.values;
    EXPECT_TRUE(has_rails(s));
    EXPECT_EQ(s.rails.count, 7u);
    EXPECT_EQ(s.rails.matrix, "2");
    EXPECT_EQ(s.rails.retry, 1000u);
    EXPECT_EQ(s.rails.patience, 2000u);
    EXPECT_EQ(s.rails.least_stripe, 1024u);
    EXPECT_EQ(s.host.processes, 1u);
    EXPECT_FALSE(s.measurement.detects_warmup);
    const workload_settings& w = s.workloads[0];
    EXPECT_EQ(w.rails.policy, hw::rails::rail_policy::basic);
    EXPECT_FALSE(w.rails.striping);
    EXPECT_EQ(w.rails.lengths, length_rule::exponential);
    EXPECT_EQ(w.message_bytes, 32768u);
    EXPECT_EQ(longest_message(w), 8u * 32768);
    EXPECT_EQ(load_text(l.yaml(), "b.yaml").yaml(), l.yaml());
    EXPECT_THAT(l.yaml(), HasSubstr("message: 32768 B"));
}

TEST(rails_rules, every_key_arrives) {
    const loaded l = rails_of(on_rails("policy: static, striping: true, message: 2 KiB, longest: 9 KiB, rate: 0.2",
                                       "network: {topology: {kind: mesh}, fidelity: event}\n"
                                       "rails: {count: 3, matrix: my.txt, retry: 50, patience: 9, least_stripe: 64 B}\n"
                                       "host: {processes: 4}\nmeasurement: {warmup: detect}\n"));
    const settings& s = l.values;
    EXPECT_EQ(s.network.all, fidelity::event);
    EXPECT_EQ(s.rails.count, 3u);
    EXPECT_EQ(l.rail_matrix_path(), "my.txt");
    EXPECT_EQ(s.rails.retry, 50u);
    EXPECT_EQ(s.rails.patience, 9u);
    EXPECT_EQ(s.rails.least_stripe, 64u);
    EXPECT_EQ(s.host.processes, 4u);
    EXPECT_TRUE(s.measurement.detects_warmup);
    EXPECT_EQ(s.measurement.warmup, 0u);
    const workload_settings& w = s.workloads[0];
    EXPECT_EQ(w.rails.policy, hw::rails::rail_policy::fixed);
    EXPECT_TRUE(w.rails.striping);
    EXPECT_EQ(w.message_bytes, 2048u);
    EXPECT_EQ(longest_message(w), 9216u);
    EXPECT_EQ(load_text(l.yaml(), "b.yaml").yaml(), l.yaml());
}

TEST(rails_rules, lengths_lists_and_policies) {
    EXPECT_EQ(longest_message(rails_of(on_rails("lengths: fixed, message: 100 B")).values.workloads[0]), 100u);
    EXPECT_EQ(longest_message(rails_of(on_rails("message: 1000000000 B")).values.workloads[0]), 1'000'000'000u);
    const loaded l = rails_of(on_rails("policy: dynamic, rate: [0.1, 0.2]"), {"workload.*.policy=local_dynamic"});
    ASSERT_EQ(l.values.workloads.size(), 2u);
    EXPECT_EQ(l.values.workloads[1].name, "r-0.2");
    EXPECT_EQ(l.values.workloads[1].rails.policy, hw::rails::rail_policy::local_dynamic);
    EXPECT_FALSE(rails_of(on_rails(""), {"rails.matrix=1"}).rail_matrix_path());
}

TEST(rails_rules, a_matrix_is_found_from_the_scenario) {
    const loaded l = load_text(on_rails("", tree + "rails: {matrix: my.txt}\n"), "some/a.yaml", "some");
    EXPECT_EQ(l.rail_matrix_path(), "some/my.txt");
}

TEST(rails_rules, other_runs_have_no_rails) {
    const loaded l = rails_of(tree + "workload: [{name: u, kind: unicast}]\n");
    EXPECT_FALSE(has_rails(l.values));
    EXPECT_EQ(l.values.workloads[0].message_bytes, 128u);
    EXPECT_THAT(l.yaml(), Not(HasSubstr("rails")));
    const std::string unicast = "workload: [{name: u, kind: unicast}]\n";
    EXPECT_EQ(
        rails_refusal(tree + "rails: {count: 2}\n" + unicast),
        "a.yaml:2:8: 'rails' belongs to 'kind: rails', and no workload is of it; take 'kind: rails' workloads, or "
        "leave it out");
    EXPECT_THAT(rails_refusal(tree + unicast, {"network.fidelity=event"}),
                HasSubstr("'network.fidelity: event' belongs to rails and lanes; take 'network.fidelity: core'"));
    EXPECT_THAT(rails_refusal(tree + unicast, {"host.processes=4"}),
                HasSubstr("hosts without rails or jobs have one process, not 4"));
    EXPECT_THAT(rails_refusal(tree + unicast, {"measurement.warmup=detect"}),
                HasSubstr("'measurement.warmup: detect' belongs to rails; give a number of cycles"));
}

TEST(rails_rules, networks_that_cannot_be_rails) {
    EXPECT_EQ(rails_refusal(on_rails("", "network: {topology: {kind: mesh}}\nhost: {model: ideal}\n")),
              "a.yaml:2:15: rails need hosts with network interfaces, and 'host.model' is 'ideal'; take 'host.model: "
              "interface'");
    EXPECT_THAT(rails_refusal(on_rails("",
                                       "rails: {count: 2}\nnetwork: {topology: {kind: mesh}}\n"
                                       "host: {model: ideal}\n")),
                StartsWith("a.yaml:1:8: 'rails' has no meaning with 'host.model: ideal'"));
    EXPECT_EQ(
        rails_refusal(on_rails("", "")),
        "a.yaml:2:21: rails are networks of routers, and 'network.topology.kind' is 'irregular'; take 'fat_tree', "
        "'mesh' or 'torus'");
    EXPECT_THAT(rails_refusal(on_rails("", "network: {topology: {kind: irregular}}\n")), StartsWith("a.yaml:1:28: "));
    EXPECT_THAT(rails_refusal(on_rails("", "network: {topology: {kind: bypass_torus, radix: 16, bypass: [4, 8]}}\n")),
                HasSubstr("'network.topology.kind' is 'bypass_torus'"));
    for (const std::string model : {"core", "tlm", "rtl"})
        EXPECT_EQ(rails_refusal(on_rails(""), {"network.fidelity=" + model}), "accepted");
    EXPECT_EQ(rails_refusal(on_rails(""), {"network.chips={rail0.router0: tlm}"}), "accepted");
    EXPECT_THAT(rails_refusal(on_rails(""), {"network.fidelity=event", "network.chips={rail0.router0: core}"}),
                HasSubstr("packets as events have no other fidelity beside them"));
    EXPECT_THAT(rails_refusal(on_rails("", "network: {topology: {kind: torus}, fidelity: event}\n")),
                HasSubstr("packets as events know no virtual channels, which rings need"));
    for (const std::string wish : {"trace.chips=all", "trace.trigger.event=error"}) {
        EXPECT_EQ(rails_refusal(on_rails(""), {wish}), "accepted");
        EXPECT_THAT(rails_refusal(on_rails(""), {"network.fidelity=event", wish}),
                    HasSubstr("packets as events are on no pins that waves could show"));
    }
    for (const std::string model : {"core", "event"})
        EXPECT_EQ(rails_refusal(on_rails(""), {"network.fidelity=" + model, "trace.packets=true"}), "accepted");
}

TEST(rails_rules, numbers_out_of_range) {
    const auto with = [](const std::string& keys) {
        return rails_refusal(on_rails("", tree + "rails: {" + keys + "}\n"));
    };
    EXPECT_EQ(with("count: 0"), "a.yaml:2:16: 'rails.count' must be 1..64, not 0");
    EXPECT_THAT(with("count: 65"), HasSubstr("'rails.count' must be 1..64, not 65"));
    EXPECT_THAT(with("retry: 1"), HasSubstr("'rails.retry' must be 2..1000000000 cycle, not 1"));
    EXPECT_THAT(with("patience: 0"), HasSubstr("'rails.patience' must be 1.."));
    EXPECT_THAT(with("least_stripe: 0"), HasSubstr("'rails.least_stripe' must be 1.."));
    EXPECT_THAT(with("counts: 2"), HasSubstr("unknown key 'counts' in 'rails'; did you mean 'count'?"));
    EXPECT_THAT(rails_refusal(on_rails("rate: 0")), HasSubstr("'workload[0].rate' must be 1/1000000000..1"));
    EXPECT_THAT(rails_refusal(on_rails("rate: -0.1")), HasSubstr("'workload[0].rate' must be 1/1000000000..1"));
    EXPECT_THAT(rails_refusal(on_rails(""), {"host.bus=0"}), HasSubstr("'host.bus' must be 1/1000000.."));
    EXPECT_THAT(rails_refusal(on_rails(""), {"host.processes=0"}), HasSubstr("'host.processes' must be 1..64"));
    EXPECT_THAT(rails_refusal(on_rails("longest: 5, message: 6")),
                HasSubstr("the longest message of 5 B is shorter than the mean of 6 B; take 48 B, or 'auto'"));
    EXPECT_THAT(rails_refusal(on_rails("lengths: fixed, longest: 5")),
                HasSubstr("'workload[0].longest' has no meaning with 'lengths: fixed'"));
}

TEST(rails_rules, workloads_that_cannot_be) {
    EXPECT_EQ(rails_refusal(on_rails("policy: statik")),
              "a.yaml:3:36: 'workload[0].policy' cannot be 'statik'; did you mean 'static'?");
    EXPECT_EQ(rails_refusal(on_rails("") + "  - {name: u, kind: unicast}\n"),
              "a.yaml:4:21: hosts on rails run 'kind: rails' alone, and this is 'unicast'; take 'rails', or another "
              "scenario");
    EXPECT_THAT(rails_refusal(on_rails("pattern: tornado")),
                HasSubstr("'pattern: tornado' needs the coordinates of a grid; take another pattern"));
    EXPECT_THAT(rails_refusal(on_rails("pattern: hotspot, hotspot: {hosts: []}")), HasSubstr("is empty"));
    EXPECT_THAT(rails_refusal(on_rails("pattern: each_to_each, rate: 0.1")),
                HasSubstr("'workload[0].rate' has no meaning with 'pattern: each_to_each'"));
    EXPECT_THAT(rails_refusal(tree + "workload: [{name: u, kind: unicast, striping: true}]\n"),
                HasSubstr("'workload[0].striping' has no meaning with 'kind: unicast'"));
}

TEST(rails_rules, nobody_reserves_a_rail_for_too_long) {
    rails_of(on_rails("policy: dynamic, message: 16777204 B, lengths: fixed"));
    rails_of(on_rails("policy: basic, message: 17 MiB, lengths: fixed"));
    EXPECT_THAT(rails_refusal(on_rails("policy: dynamic, message: 16777205 B, lengths: fixed")),
                HasSubstr("messages of 16777204 B at most, and the longest is 16777205 B"));
    EXPECT_THAT(rails_refusal(on_rails("policy: dynamic, message: 3 MiB")), HasSubstr("the longest is 25165824 B"));
}

}  // namespace
}  // namespace polycast::tlm::scenario
