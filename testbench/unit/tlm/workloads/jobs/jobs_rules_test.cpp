// SPDX-License-Identifier: Apache-2.0
// Workloads of several jobs at once: keys in keys, and what is refused.
#include "tlm/workloads/jobs/jobs_rules.h"

#include <gmock/gmock.h>

#include "testbench/unit/refusal.h"

namespace polycast::tlm::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string hosts = "host: {processes: 2, jobs: {a: {processes: [0]}, b: {processes: [1]}}}\n";

std::string text_of(const std::string& jobs) {
    return hosts + "workload:\n  - name: both\n    kind: jobs\n    jobs: {" + jobs + "}\n";
}
std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return testbench::unit::refusal([&] { load_text(text, "a.yaml", {}, overrides); });
}

TEST(jobs_rules, each_job_has_a_workload) {
    const loaded l = load_text(text_of("a: {kind: multicast, scheme: tree, degree: 3}, b: {kind: unicast, "
                                       "rate: 0.1 flit/host/cycle, message: 40 B}"),
                               "a.yaml");
    const jobs_workload& jobs = l.values.workloads.front().jobs;
    EXPECT_THAT(jobs.names, ElementsAre("a", "b"));
    EXPECT_FALSE(jobs.alone);
    EXPECT_EQ(l.values.workloads.size(), 1u);
    EXPECT_EQ(jobs.entries[0].kind, traffic_kind::multicast);
    EXPECT_EQ(jobs.entries[0].degree, 3u);
    EXPECT_EQ(jobs.entries[0].message_bytes, 128u) << "the default";
    EXPECT_EQ(jobs.entries[1].kind, traffic_kind::unicast);
    EXPECT_EQ(jobs.entries[1].message_bytes, 40u);
    EXPECT_EQ(*jobs.entries[1].rate, ratio(1, 10));
    EXPECT_EQ(load_text(l.yaml(), "b.yaml").yaml(), l.yaml());
}

TEST(jobs_rules, a_job_is_a_scenario_of_its_own) {
    const loaded l = load_text(text_of("b: {kind: list, message: 9 B, list: [{at: 5 cycle, source: 0, destination: 1}, "
                                       "{at: 7 cycle, source: 1, destination: 0, bytes: 70 B}]}"),
                               "a.yaml");
    const loaded one = of_job(l, 0, 0);
    ASSERT_EQ(one.values.workloads.size(), 1u);
    EXPECT_EQ(one.values.workloads[0].name, "b");
    EXPECT_EQ(one.values.workloads[0].message_bytes, 70u) << "the longest";
    EXPECT_TRUE(one.given.contains("workload[0].message"));
    EXPECT_FALSE(one.given.contains("workload[0].jobs"));
    EXPECT_TRUE(one.given.contains("host.processes"));
    EXPECT_EQ(testbench::unit::refusal([&] { one.fail("workload[0].list[1].source", "no"); }), "a.yaml:5:113: no");
}

TEST(jobs_rules, hostile_jobs_have_keys_of_their_own) {
    const loaded l = load_text(text_of("a: {kind: unicast}, b: {kind: hostile, seed: 9, rate: 1/50, attempts: 7, "
                                       "attacks: [forge, worms]}"),
                               "a.yaml");
    const hostile_workload& w = l.values.workloads[0].jobs.entries[1].hostile;
    EXPECT_EQ(w.seed, 9u);
    EXPECT_EQ(w.rate, ratio(1, 50));
    EXPECT_EQ(w.attempts, 7u);
    EXPECT_THAT(w.attacks, ElementsAre("forge", "worms"));
    const loaded usual = load_text(text_of("a: {kind: unicast}, b: {kind: hostile}"), "a.yaml");
    EXPECT_EQ(usual.values.workloads[0].jobs.entries[1].hostile.rate, ratio(1, 1000));
    EXPECT_THAT(usual.values.workloads[0].jobs.entries[1].hostile.attacks, ElementsAre());
    EXPECT_EQ(load_text(l.yaml(), "b.yaml").yaml(), l.yaml());
    EXPECT_EQ(refusal(text_of("a: {kind: unicast}, b: {kind: hostile, attacks: [forge, worm]}")),
              "a.yaml:5:68: there is no attack 'worm'; did you mean 'worms'?");
    EXPECT_THAT(refusal(text_of("a: {kind: unicast}, b: {kind: hostile, degree: 3}")),
                HasSubstr("'workload[0].jobs.b.degree' has no meaning with 'kind: hostile'; it belongs to kind: "));
    EXPECT_THAT(refusal(text_of("a: {kind: unicast, attempts: 3}")),
                HasSubstr("'workload[0].jobs.a.attempts' has no meaning with 'kind: unicast'"));
}

TEST(jobs_rules, jobs_are_those_of_the_hosts) {
    EXPECT_EQ(refusal("workload: [{name: x, kind: jobs, jobs: {a: {kind: unicast}}}]\n"),
              "a.yaml:1:28: 'kind: jobs' needs hosts with jobs; give 'host.processes: 2' and 'host.jobs: {a: "
              "{processes: [0]}, b: {processes: [1]}}'");
    EXPECT_EQ(refusal(text_of("a: {kind: unicast}, bb: {kind: unicast}")),
              "a.yaml:5:36: 'host.jobs' has no job 'bb'; did you mean 'b'?");
    EXPECT_EQ(refusal(hosts + "workload: [{name: x, kind: jobs}]\n").substr(0, 48),
              "a.yaml:2:12: 'workload[0]' has no key 'jobs'; Jo");
    EXPECT_EQ(refusal(text_of("")), "a.yaml:5:11: there is no job; name those of 'host.jobs'");
    EXPECT_EQ(refusal(text_of("b: {kind: hostile}")),
              "a.yaml:5:11: all jobs are hostile, and nothing is to be delivered; add one of kind 'unicast', "
              "'multicast' or 'list'");
}

TEST(jobs_rules, workloads_that_jobs_cannot_run_are_refused) {
    EXPECT_THAT(refusal(text_of("a: {kind: allgather}")),
                HasSubstr("a.yaml:5:22: 'workload[0].jobs.a.kind' cannot be 'allgather'; known: unicast, multicast, "
                          "list, hostile"));
    EXPECT_THAT(refusal(text_of("a: {kind: jobs}")), HasSubstr("'workload[0].jobs.a.kind' cannot be 'jobs'"));
}

TEST(jobs_rules, rules_of_the_kind_hold_with_the_jobs_path) {
    EXPECT_EQ(refusal(text_of("a: {kind: multicast, degree: 2, destinations: [1, 2, 3]}")),
              "a.yaml:5:41: 'workload[0].jobs.a.degree' is 2, but 3 destinations are given; leave the degree out");
    EXPECT_EQ(refusal(text_of("a: {kind: unicast, rate: 0.1 flit/host/cycle, messages: 3}")),
              "a.yaml:5:68: 'workload[0].jobs.a.messages' has no meaning with a rate; 'measurement.window' says how "
              "long is counted");
    EXPECT_THAT(refusal(text_of("a: {kind: multicast, scheme: trees}")),
                HasSubstr("a.yaml:5:41: 'workload[0].jobs.a.scheme' cannot be 'trees'; did you mean 'tree'?"));
    EXPECT_THAT(refusal(text_of("a: {kind: unicast, destinations: [1]}")),
                HasSubstr("'workload[0].jobs.a.destinations' has no meaning with 'kind: unicast'"));
}

TEST(jobs_rules, options_reach_the_jobs) {
    const loaded l =
        load_text(text_of("a: {kind: unicast}, b: {kind: hostile}"), "a.yaml", {},
                  {"workload.both.jobs.a.message=77", "workload.0.alone=true", "workload.0.jobs.b.seed=4"});
    EXPECT_EQ(l.values.workloads[0].jobs.entries[0].message_bytes, 77u);
    EXPECT_TRUE(l.values.workloads[0].jobs.alone);
    EXPECT_EQ(l.values.workloads[0].jobs.entries[1].hostile.seed, 4u);
}

}  // namespace
}  // namespace polycast::tlm::scenario
