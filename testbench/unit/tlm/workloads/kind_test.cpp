// SPDX-License-Identifier: Apache-2.0
// What kinds of workloads ask of a network, and what people read about them.
#include "tlm/workloads/kind.h"

#include <gmock/gmock.h>

#include "hw/workloads/rails/rail_message.h"
#include "tlm/sim/results/results.h"

namespace polycast::tlm::sim {
namespace {

scenario::loaded with(const std::string& rest, const std::string& workload) {
    return scenario::load_text(rest + "workload: [{name: w, " + workload + "}]\n", "a.yaml");
}

unsigned payload_of(const scenario::loaded& scenario) {
    return workload_kind_of(scenario, 0).payload(scenario.values, scenario.values.workloads[0]);
}

constexpr auto mesh = "network: {topology: {kind: mesh, radix: 4}}\npacket: {payload: 320 B}\n";
constexpr auto rails_of_4 =
    "network: {topology: {kind: fat_tree, nodes: 4, arity: 2}}\nrails: {count: 3}\n"
    "packet: {payload: 320 B, header: free}\nrouter: {buffer: 400 flit}\n";

TEST(workload_kind, packets_are_as_long_as_what_is_in_them) {
    EXPECT_EQ(payload_of(with(mesh, "kind: unicast, message: 64 B")), 64u);
    EXPECT_EQ(payload_of(with(mesh, "kind: unicast, message: 640 B")), 320u);
    EXPECT_EQ(payload_of(with(rails_of_4, "kind: rails, policy: basic, message: 64 B, lengths: fixed")),
              64 + hw::rails::stripe_header);
    EXPECT_EQ(payload_of(with(mesh, "kind: allgather, algorithm: tree, message: 64 B")), 64u);
    EXPECT_EQ(payload_of(with(mesh, "kind: allgather, algorithm: combining, message: 64 B")), 320u)
        << "nodes send on several data together";
}

TEST(workload_kind, allgathers_with_units_need_places_and_classes) {
    const auto needs_of = [](const std::string& workload) {
        const scenario::loaded scenario = with(mesh, workload);
        router_needs needs;
        workload_kind_of(scenario, 0).check_routers(scenario, make_instances(scenario)[0], 0, needs);
        return std::pair(needs.hosts, needs.classes);
    };
    EXPECT_EQ(needs_of("kind: allgather, algorithm: coded, group: 4"), std::pair(2u, 4u));
    EXPECT_EQ(needs_of("kind: allgather, algorithm: coded, group: 4, coding: host"), std::pair(1u, 4u));
    EXPECT_EQ(needs_of("kind: allgather, algorithm: tree"), std::pair(1u, 1u));
}

TEST(workload_kind, chips_have_the_names_of_scenarios) {
    const auto first_of = [](const std::string& rest, const std::string& workload) {
        const scenario::loaded scenario = with(rest, workload);
        const hw::topology::graph network = make_instances(scenario)[0].plan.network;
        const hw::topology::graph named = workload_kind_of(scenario, 0).named(scenario, network);
        return named.switches.empty() ? "" : named.switches.front().name;
    };
    EXPECT_EQ(first_of(mesh, "kind: unicast"), "router0");
    EXPECT_EQ(first_of(rails_of_4, "kind: rails, policy: basic"), "rail0.router0");
    const std::string sites = "lanes: {latency: 100 cycle}\nnetwork: {topology: {kind: sites, sites: [4]}, fidelity: ";
    EXPECT_EQ(first_of(sites + "core}\n", "kind: lanes"), "lane0");
    EXPECT_EQ(first_of(sites + "event}\n", "kind: lanes"), "") << "not stepped flit by flit";
}

TEST(workload_kind, latencies_are_in_steps_where_there_are_no_cycles) {
    const auto summary = [](const std::string& timing) {
        const scenario::loaded scenario =
            with("network: {topology: {kind: torus, radix: 4}}\nhost: {model: ideal}\nrouter: {broadcast: {timing: " +
                     timing + "}}\n",
                 "kind: broadcast");
        return summary_text(scenario, {});
    };
    EXPECT_THAT(summary("step"), testing::HasSubstr("latency (steps)"));
    EXPECT_THAT(summary("cycle"), testing::HasSubstr("latency (cycles)"));
}

}  // namespace
}  // namespace polycast::tlm::sim
