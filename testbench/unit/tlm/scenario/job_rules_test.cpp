// SPDX-License-Identifier: Apache-2.0
// Jobs of hosts: what scenarios say of them, and what is refused.
#include <gmock/gmock.h>

#include "testbench/unit/refusal.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::scenario {
namespace {

using testing::ElementsAre;

const std::string tree = "workload: [{name: tree, kind: multicast}]\n";

settings of(const std::string& host) {
    return load_text("host: {" + host + "}\n" + tree, "a.yaml").values;
}
std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return testbench::unit::refusal([&] { load_text(text, "a.yaml", {}, overrides); });
}
std::string refusal_of(const std::string& host) {
    return refusal("host: {" + host + "}\n" + tree);
}

TEST(job_rules, processes_have_the_job_that_lists_them) {
    const settings s = of("processes: 4, jobs: {a: {processes: [0, 2], id: 7}, b: {processes: [3]}}");
    EXPECT_TRUE(s.host.has_job_ids());
    EXPECT_THAT(s.host.job_ids(), ElementsAre(7, 0, 7, 2)) << "the second job, and one that is in none";
    EXPECT_EQ(s.host.find_job("b")->id, 2u);
    EXPECT_EQ(s.host.find_job("c"), nullptr);
    const settings off = of("processes: 2, check_jobs: false, jobs: {a: {processes: [1]}}");
    EXPECT_FALSE(off.host.has_job_ids());
    EXPECT_THAT(off.host.job_ids(), ElementsAre(0, 1));
    const settings none = of("send_overhead: 1000 cycle");
    EXPECT_FALSE(none.host.has_job_ids());
    EXPECT_THAT(none.host.job_ids(), ElementsAre());
}

TEST(job_rules, a_resolved_scenario_is_the_same_scenario) {
    const loaded once = load_text(
        "host: {processes: 3, check_jobs: false, jobs: {a: {processes: [0, 1], id: 7}, b: {processes: [2]}}}\n" + tree,
        "a.yaml");
    const loaded again = load_text(once.yaml(), "b.yaml");
    EXPECT_EQ(again.yaml(), once.yaml());
    EXPECT_EQ(again.values.host.job_ids(), once.values.host.job_ids());
    EXPECT_EQ(load_text(tree, "a.yaml").yaml().find("jobs"), std::string::npos) << "nothing is said of none";
}

TEST(job_rules, processes_that_cannot_be_are_refused_where_they_stand) {
    EXPECT_EQ(refusal_of("jobs: {a: {processes: [1]}}"),
              "a.yaml:1:31: job 'a' has process 1, and hosts have process 0 alone; take 'host.processes: 2', or "
              "another process");
    EXPECT_EQ(refusal_of("processes: 3, jobs: {a: {processes: [0, 5]}}"),
              "a.yaml:1:48: job 'a' has process 5, and hosts have processes 0..2; take 'host.processes: 6', or another "
              "process");
    EXPECT_EQ(refusal_of("processes: 2, jobs: {a: {processes: [0]}, b: {processes: [1, 0]}}"),
              "a.yaml:1:69: process 0 is in job 'a' and in job 'b'; a process is in one job");
    EXPECT_EQ(refusal_of("processes: 2, jobs: {a: {processes: [1, 1]}}"),
              "a.yaml:1:48: process 1 is in job 'a' twice; a process is in one job");
    EXPECT_EQ(refusal_of("jobs: {a: {processes: []}}"),
              "a.yaml:1:30: job 'a' has no process; such as [0], or leave the job out");
    EXPECT_EQ(refusal_of("processes: 4"),
              "a.yaml:1:19: hosts without rails or jobs have one process, not 4; take 'kind: rails' workloads, give "
              "'host.jobs', or leave it out");
}

TEST(job_rules, ids_and_names_are_refused) {
    EXPECT_EQ(refusal_of("processes: 2, jobs: {a: {processes: [0], id: 2}, b: {processes: [1]}}"),
              "a.yaml:1:60: jobs 'a' and 'b' have the same JobID, 2; take 'id: 1' for 'b'");
    EXPECT_EQ(refusal_of("jobs: {a: {processes: [0], id: 0}}"),
              "a.yaml:1:39: 'host.jobs.a.id' must be 1..4294967295, not 0");
    EXPECT_EQ(refusal_of("jobs: {a.b: {processes: [0]}}"),
              "a.yaml:1:14: a job cannot be called 'a.b'; up to 64 letters, digits, '_' and '-'");
    EXPECT_EQ(refusal_of("jobs: {a: {}}"),
              "a.yaml:1:18: 'host.jobs.a' has no key 'processes'; Processes of the job; no process is in two.");
    EXPECT_EQ(refusal_of("check_jobs: true"),
              "a.yaml:1:20: there are no jobs that could be compared; leave it out, or give 'host.jobs'");
}

TEST(job_rules, hosts_without_interfaces_have_no_jobs) {
    EXPECT_EQ(refusal("network: {topology: {kind: mesh}}\nhost: {model: ideal, jobs: {a: {processes: [0]}}}\n"
                      "workload: [{name: x, kind: unicast}]\n"),
              "a.yaml:2:28: 'host.jobs' has no meaning with 'model: ideal'; it belongs to model: interface");
    EXPECT_EQ(refusal("network: {topology: {kind: sites, sites: [4]}}\nlanes: {latency: 100 cycle}\n"
                      "host: {jobs: {a: {processes: [0]}}}\nworkload: [{name: x, kind: lanes}]\n")
                  .substr(0, 78),
              "a.yaml:3:14: 'host.jobs' has no meaning with 'network.topology.kind: sites'; i");
}

TEST(job_rules, coding_units_know_of_no_jobs) {
    const std::string coded =
        "network: {topology: {kind: mesh}}\nhost: {jobs: {a: {processes: [0]}}}\n"
        "workload: [{name: x, kind: allgather, algorithm: coded}]\n";
    EXPECT_EQ(refusal(coded),
              "a.yaml:3:12: coding units know of no jobs, and packets carry the JobIDs of 'host.jobs'; take 'coding: "
              "host', or leave out 'host.jobs'");
    EXPECT_EQ(refusal(coded, {"workload.0.coding=host"}), "accepted");
    EXPECT_EQ(refusal(coded, {"host.check_jobs=false"}), "accepted");
    EXPECT_EQ(refusal(coded, {"workload.0.algorithm=tree"}), "accepted");
}

}  // namespace
}  // namespace polycast::tlm::scenario
