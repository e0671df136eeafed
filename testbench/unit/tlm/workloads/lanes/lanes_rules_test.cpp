// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/lanes/lanes_rules.h"

#include <gmock/gmock.h>

#include "testbench/unit/refusal.h"

namespace polycast::tlm::scenario {
namespace {

using hw::collectives::lane_algorithm;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string on_sites(const std::string& sites, const std::string& lanes, const std::string& workload) {
    return "network: {topology: {kind: sites, sites: " + sites + "}, fidelity: event}\nlanes: {" + lanes +
           "}\nworkload:\n  - {name: b, " + workload + "}\n";
}

std::string broadcast(const std::string& keys) {
    return "kind: lanes, message: 1 MiB, lanes: {" + keys + "}";
}

std::string lanes_refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return testbench::unit::refusal([&] { load_text(text, "a.yaml", {}, overrides); });
}

TEST(lanes_rules, defaults_fit_the_paper) {
    const loaded l = load_text(
        "network: {topology: {kind: sites}, fidelity: event}\nworkload:\n  - {name: b, kind: lanes, message: 1 MiB}\n",
        "a.yaml");
    const settings& s = l.values;
    EXPECT_THAT(s.network.topology.sites, ElementsAre(32));
    EXPECT_FALSE(s.network.topology.has_routers());
    EXPECT_EQ(s.lanes.interfaces, 2u);
    EXPECT_EQ(s.lanes.bandwidth, ratio(125'000'000));
    EXPECT_EQ(s.host.cycle_ns, ratio(8));
    EXPECT_EQ(s.lanes.latency, ratio(240'000));
    EXPECT_EQ(s.lanes.wan_latency, ratio(1'250'000));
    EXPECT_EQ(s.lanes.wan_bandwidth, std::nullopt);
    EXPECT_EQ(s.lanes.window, std::nullopt);
    EXPECT_EQ(s.packet.payload_bytes, 8192u);
    EXPECT_EQ(s.host.send_overhead, 0u);
    EXPECT_EQ(s.host.ni_receive, 8u);
    EXPECT_EQ(s.patience, 100'000'000u);
    EXPECT_EQ(s.workloads[0].message_bytes, 1u << 20);
    EXPECT_EQ(s.workloads[0].lanes.algorithm, lane_algorithm::multi_lane);
    EXPECT_EQ(s.workloads[0].lanes.piece, 65536u);
    EXPECT_EQ(s.workloads[0].lanes.streams, 1u);
    const hw::collectives::lane_network network = lane_network_of(s, s.workloads[0]);
    EXPECT_DOUBLE_EQ(network.bandwidth, 250e6);
    EXPECT_DOUBLE_EQ(network.latency, 1.92e-3);
    EXPECT_DOUBLE_EQ(network.wide_latency, 10e-3);
    EXPECT_EQ(network.window, 0);
}

TEST(lanes_rules, every_key_arrives) {
    const loaded l = load_text(
        on_sites("[16, 16]",
                 "interfaces: 1, bandwidth: 10 Gbit/s, latency: 20 us, wan_latency: 5 ms, wan_bandwidth: 40 Gbit/s, "
                 "window: 100 kB",
                 broadcast("algorithm: binary, piece: 8 KiB") + ", streams: 3") +
            "  - {name: s, kind: streams, streams: 7, round_trips: 4}\npacket: {payload: 1460 B}\nhost: "
            "{send_overhead: "
            "1 us, ni_send: 2 us, ni_receive: 40 cycle}\nwatchdog: {patience: 1 s}\n",
        "a.yaml");
    const settings& s = l.values;
    EXPECT_EQ(s.lanes.interfaces, 1u);
    EXPECT_EQ(s.host.cycle_ns, ratio(4, 5));
    EXPECT_EQ(s.lanes.latency, ratio(25'000));
    EXPECT_EQ(s.lanes.wan_latency, ratio(6'250'000));
    EXPECT_EQ(s.lanes.wan_bandwidth, ratio(5'000'000'000));
    EXPECT_EQ(s.lanes.window, 100'000u);
    EXPECT_EQ(s.packet.payload_bytes, 1460u);
    EXPECT_EQ(s.host.send_overhead, 1250u);
    EXPECT_EQ(s.host.ni_send, 2500u);
    EXPECT_EQ(s.host.ni_receive, 40u);
    EXPECT_EQ(s.patience, 1'250'000'000u);
    EXPECT_EQ(s.workloads[0].lanes.algorithm, lane_algorithm::binary);
    EXPECT_EQ(s.workloads[0].lanes.piece, 8192u);
    EXPECT_EQ(s.workloads[0].lanes.streams, 3u);
    EXPECT_EQ(s.workloads[1].kind, traffic_kind::streams);
    EXPECT_EQ(s.workloads[1].lanes.streams, 7u);
    EXPECT_EQ(s.workloads[1].lanes.round_trips, 4u);
    const hw::collectives::lane_network network = lane_network_of(s, s.workloads[0]);
    EXPECT_DOUBLE_EQ(network.bandwidth, 1.25e9);
    EXPECT_DOUBLE_EQ(network.window, 100e3);
    EXPECT_EQ(network.streams, 3u);
}

TEST(lanes_rules, the_resolved_scenario_says_the_same) {
    const loaded l = load_text(on_sites("[3, 4]", "window: 1 MB", broadcast("algorithm: chain")) +
                                   "  - {name: s, kind: streams, streams: 2}\n",
                               "a.yaml");
    EXPECT_EQ(load_text(l.yaml(), "b.yaml").yaml(), l.yaml());
    EXPECT_THAT(l.yaml(), HasSubstr("payload: 8192 B"));
    EXPECT_THAT(l.yaml(), testing::Not(HasSubstr("receive_memory")));
}

TEST(lanes_rules, lists_stand_for_entries) {
    const loaded l =
        load_text(on_sites("[32]", "",
                           "kind: lanes, message: [1 KiB, 1 MiB], lanes: {algorithm: [binary, multi_lane], "
                           "piece: [64 KiB]}"),
                  "a.yaml");
    std::vector<std::string> names;
    for (const workload_settings& w : l.values.workloads) names.push_back(w.name);
    EXPECT_THAT(names, ElementsAre("b-1KiB-binary-64KiB", "b-1KiB-multi_lane-64KiB", "b-1MiB-binary-64KiB",
                                   "b-1MiB-multi_lane-64KiB"));
    EXPECT_EQ(l.values.workloads[1].message_bytes, 1024u);
    EXPECT_EQ(l.values.workloads[2].lanes.algorithm, lane_algorithm::binary);
    EXPECT_THAT(lanes_refusal(on_sites("[32]", "", broadcast("algorithm: []"))),
                HasSubstr("'algorithm' is empty; give at least one value"));
}

TEST(lanes_rules, what_lanes_cannot_be_is_refused_where_it_stands) {
    const auto lanes = [](const std::string& keys) { return lanes_refusal(on_sites("[32]", keys, broadcast(""))); };
    EXPECT_EQ(lanes("interfaces: 3"), "a.yaml:2:21: 'lanes.interfaces' must be 1..2, not 3");
    EXPECT_THAT(lanes("interfaces: 0"), HasSubstr("'lanes.interfaces' must be 1..2, not 0"));
    EXPECT_THAT(lanes("bandwidth: 0 Gbit/s"), HasSubstr("a.yaml:2:20: 'lanes.bandwidth' must be 1..1000000000000 B/s"));
    EXPECT_THAT(lanes("wan_bandwidth: 0 B/s"), HasSubstr("'lanes.wan_bandwidth' must be 1..1000000000000 B/s"));
    EXPECT_THAT(lanes("latency: 0 ms"), HasSubstr("'lanes.latency' must be"));
    EXPECT_THAT(lanes("latency: 1 light-year"), HasSubstr("accepted: cycle, ns, us, ms, s"));
    EXPECT_EQ(lanes("window: 8191"),
              "a.yaml:2:17: a window of 8191 B never lets a packet of 8192 B go; take a window of 8192 B or more, or a "
              "smaller 'packet.payload'");
    EXPECT_EQ(lanes("window: 8192"), "accepted");
    EXPECT_THAT(lanes("windows: 8192"), HasSubstr("did you mean 'window'?"));
}

TEST(lanes_rules, sites_have_nodes) {
    const auto sites = [](const std::string& text) { return lanes_refusal(on_sites(text, "", broadcast(""))); };
    EXPECT_EQ(sites("[16, 0]"), "a.yaml:1:47: site 1 has no nodes; leave it out, or give it one or more");
    EXPECT_THAT(sites("[]"), HasSubstr("'network.topology.sites' is empty; such as [16, 16]"));
    EXPECT_THAT(sites("[1]"), HasSubstr("a single node has nobody to send to; take 2 or more"));
    EXPECT_EQ(sites("[1, 1]"), "accepted");
    EXPECT_THAT(sites("[16384, 1]"), HasSubstr("sites have 16385 nodes together; at most 16384"));
}

TEST(lanes_rules, what_broadcasts_cannot_be_is_refused_where_it_stands) {
    const auto of = [](const std::string& workload) { return lanes_refusal(on_sites("[16, 16]", "", workload)); };
    EXPECT_THAT(of(broadcast("piece: 0")),
                AllOf(StartsWith("a.yaml:4:"), HasSubstr("'workload[0].lanes.piece' must be 1..1000000000 B, not 0")));
    EXPECT_THAT(of(broadcast("algorithm: multilane")), HasSubstr("did you mean 'multi_lane'?"));
    EXPECT_THAT(of("kind: lanes, message: 0"), HasSubstr("'workload[0].message' must be"));
    EXPECT_THAT(of("kind: lanes, streams: 2"),
                HasSubstr("a stream without a window is as fast as its lane: more of them make no difference"));
    EXPECT_THAT(lanes_refusal(on_sites("[5000]", "", broadcast("algorithm: van_de_geijn"))), HasSubstr("4096"));
    EXPECT_THAT(of("kind: streams"), HasSubstr("streams are limited by a window, and 'lanes.window' is 'none'"));
    EXPECT_THAT(lanes_refusal(on_sites("[2]", "window: 100 kB", "kind: streams")),
                HasSubstr("streams go from one site to another one, and there is one"));
    EXPECT_THAT(lanes_refusal(on_sites("[1, 1]", "window: 100 kB", "kind: streams, message: 5 MB")),
                HasSubstr("streams have no end"));
    EXPECT_THAT(lanes_refusal(on_sites("[1, 1]", "window: 100 kB", "kind: streams, streams: 129")),
                HasSubstr("must be 1..128, not 129"));
    EXPECT_EQ(lanes_refusal(on_sites("[1, 1]", "window: 100 kB", "kind: streams, streams: 128")), "accepted");
}

TEST(lanes_rules, lanes_are_interfaces_on_sites) {
    const std::string good = on_sites("[16, 16]", "", broadcast(""));
    EXPECT_THAT(lanes_refusal(good + "host: {model: ideal}\n"),
                HasSubstr("'lanes' has no meaning with 'host.model: ideal'; it belongs to host.model: interface"));
    EXPECT_THAT(lanes_refusal("network: {topology: {kind: sites}, fidelity: event}\nhost: {model: ideal}\nworkload:\n  "
                              "- {name: b, kind: lanes}\n"),
                StartsWith("a.yaml:2:15: lanes are network interfaces, and ideal hosts have none"));
    EXPECT_THAT(lanes_refusal("workload:\n  - {name: b, kind: lanes}\n"),
                StartsWith("a.yaml:2:21: 'kind: lanes' runs on sites of nodes with lanes"));
    EXPECT_THAT(lanes_refusal("network: {topology: {kind: fat_tree}}\nworkload:\n  - {name: b, kind: streams}\n"),
                StartsWith("a.yaml:1:28: 'kind: streams' runs on sites of nodes with lanes"));
    for (const std::string other : {"unicast", "rails", "broadcast"})
        EXPECT_THAT(lanes_refusal(on_sites("[4]", "", "kind: " + other)),
                    HasSubstr("'network.topology.kind: sites' is for broadcasts over lanes"));
    EXPECT_THAT(lanes_refusal(good + "  - {name: u, kind: unicast}\n"),
                HasSubstr("nodes of sites run 'kind: lanes' and 'kind: streams', and this is 'unicast'"));
    EXPECT_THAT(lanes_refusal(good, {"network.fidelity=core"}), HasSubstr("flit by flit there is one site"));
    EXPECT_THAT(lanes_refusal(good, {"network.fidelity=rtl"}), HasSubstr("flit by flit there is one site"));
    const std::string one = on_sites("[4]", "", broadcast(""));
    for (const std::string model : {"tlm", "rtl"})
        EXPECT_EQ(lanes_refusal(one, {"network.fidelity=" + model}), "accepted");
    EXPECT_EQ(lanes_refusal(one, {"network.fidelity=core", "network.chips={lane0: tlm}"}), "accepted");
    EXPECT_EQ(lanes_refusal(on_sites("[4]", "", broadcast("")), {"network.fidelity=core"}), "accepted");
    EXPECT_THAT(lanes_refusal("network: {fidelity: event}\nworkload:\n  - {name: u, kind: unicast}\n"),
                HasSubstr("'network.fidelity: event' belongs to rails and lanes"));
    for (const std::string wish : {"trace.chips=all", "trace.trigger.event=error"}) {
        EXPECT_EQ(lanes_refusal(one, {"network.fidelity=core", wish}), "accepted");
        EXPECT_THAT(lanes_refusal(good, {wish}), HasSubstr("packets as events are on no pins that waves could show"));
    }
    EXPECT_EQ(lanes_refusal(good, {"trace.packets=true"}), "accepted");
    EXPECT_THAT(lanes_refusal(good, {"network.chips.lane0=core"}), HasSubstr("no other fidelity beside them"));
}

TEST(lanes_rules, keys_without_a_meaning_are_not_ignored) {
    const std::string good = on_sites("[16, 16]", "", broadcast(""));
    for (const std::string key : {"packet.header=free", "host.receive_overhead=5", "host.overheads=packet",
                                  "ni.wait=poll", "ni.arbitration=round_robin", "ni.charge_completions=true",
                                  "ni.receive_memory=64", "ni.send_memory=64", "ni.groups=9", "network.link.delay=4"}) {
        const std::string path = key.substr(0, key.find('='));
        EXPECT_THAT(lanes_refusal(good, {key}), HasSubstr("has no meaning with 'network.topology.kind: sites'"))
            << path;
    }
    EXPECT_THAT(lanes_refusal(good, {"host.cycle=5 ns"}), HasSubstr("'host.cycle' has no meaning"));
    EXPECT_THAT(lanes_refusal(good, {"switch.flit=8"}), HasSubstr("'switch' has no meaning"));
}

}  // namespace
}  // namespace polycast::tlm::scenario
