// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/instances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "testbench/unit/refusal.h"
#include "tlm/workloads/messages/messages_params.h"

namespace polycast::tlm::sim {
namespace {

const std::string good = "workload:\n  - {name: tree, kind: multicast}\n";

scenario::loaded load(const std::vector<std::string>& overrides, const std::string& text = good) {
    return scenario::load_text(text, "a.yaml", {}, overrides);
}

std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return testbench::unit::refusal([&] { make_instances(load(overrides, text)); });
}

TEST(instances, ten_different_networks_by_default) {
    const std::vector<instance> made = make_instances(load({}));
    ASSERT_EQ(made.size(), 10u);
    EXPECT_EQ(made[0].name, "irregular-1");
    EXPECT_EQ(made[9].name, "irregular-10");
    for (const instance& one : made) {
        EXPECT_EQ(one.plan.network.switches.size(), 8u);
        EXPECT_EQ(one.plan.network.hosts.size(), 32u);
    }
    EXPECT_NE(made[0].plan.network, made[1].plan.network);
}

TEST(instances, doors_let_in_hosts_and_the_roots_that_interfaces_forward_for) {
    const auto doors = [](const std::vector<std::string>& more) {
        std::vector<std::string> all{"network.topology.instances=1", "workload.tree.degree=4"};
        all.insert(all.end(), more.begin(), more.end());
        const hw::system::system_plan plan = make_instances(load(all))[0].plan;
        std::vector<hw::chips::source_range> found;
        for (hw::engine::chip_id chip = 0; chip < plan.switch_count(); ++chip)
            for (const hw::chips::source_door& door : plan.switch_at(chip).tables.doors)
                found.insert(found.end(), door.sources.begin(), door.sources.end());
        EXPECT_EQ(plan.switch_at(0).params.max_sources, found.empty() ? 0u : 32u);
        std::ranges::sort(found, {}, &hw::chips::source_range::first);
        return found;
    };
    EXPECT_EQ(doors({}).size(), 0u);
    const std::vector<hw::chips::source_range> alone = doors({"host.check_source=true"});
    ASSERT_EQ(alone.size(), 32u);
    for (std::uint32_t host = 0; host < 32; ++host) EXPECT_EQ(alone[host], (hw::chips::source_range{host, host}));
    const std::vector<hw::chips::source_range> roots = doors({"host.check_source=true", "workload.tree.scheme=ni"});
    ASSERT_EQ(roots.size(), 32u);
    for (const hw::chips::source_range& each : roots) EXPECT_EQ(each, (hw::chips::source_range{0, 31}));
}

TEST(instances, settings_reach_the_plan) {
    const std::vector<instance> made = make_instances(load({"network.topology.instances=1",
                                                            "switch.flit=4",
                                                            "switch.chunk=4",
                                                            "switch.buffer=80",
                                                            "switch.crossbar_delay=3",
                                                            "switch.route_delay=2",
                                                            "switch.read_ports=2",
                                                            "network.link.delay=5",
                                                            "packet.header=free",
                                                            "host.send_overhead=7",
                                                            "host.bus=2 B/cycle",
                                                            "host.overlapped=true",
                                                            "switch.arbitration=fixed",
                                                            "network.routing.selection=round_robin",
                                                            "network.routing.root=switch3",
                                                            "network.worms=spanning_tree",
                                                            "switch.up_selection=deterministic",
                                                            "switch.rewrite_headers=false",
                                                            "switch.stops=5",
                                                            "host.overheads=packet"}));
    const hw::system::system_plan& plan = made[0].plan;
    EXPECT_EQ(plan.root, 3u);
    EXPECT_EQ(plan.params.link_delay, 5u);
    EXPECT_EQ(plan.switch_at(0).params.flit_bytes, 4u);
    EXPECT_EQ(plan.switch_at(0).params.chunk_flits, 4u);
    EXPECT_EQ(plan.switch_at(0).params.chunks, 20u);
    EXPECT_EQ(plan.switch_at(0).params.xbar_stages, 2u);
    EXPECT_EQ(plan.switch_at(0).params.read_ports, 2u);
    EXPECT_TRUE(plan.switch_at(0).params.header_free);
    EXPECT_EQ(plan.switch_at(0).tables.route_delay, 2u);
    EXPECT_EQ(plan.switch_at(0).tables.packet_limit, 32u);
    EXPECT_EQ(plan.switch_at(0).tables.arbitration, hw::format::arbitration::fixed);
    EXPECT_EQ(plan.switch_at(0).tables.selection, hw::format::selection::round_robin);
    EXPECT_EQ(plan.switch_at(0).tables.up_selection, hw::format::selection::deterministic);
    EXPECT_FALSE(plan.switch_at(0).tables.rewrite);
    EXPECT_EQ(plan.switch_at(3).tables.tree_up, 0u) << "the root of the tree";
    EXPECT_EQ(std::popcount(plan.switch_at(0).tables.tree_up), 1);
    EXPECT_EQ(plan.switch_at(0).params.header_stops, 5u);
    EXPECT_EQ(plan.host.interface.header_stops, 5u);
    EXPECT_TRUE(plan.host.overheads_per_packet);
    EXPECT_EQ(plan.host.send_overhead, 7u);
    EXPECT_EQ(plan.host.interface.bus_cycles_per_byte, (boost::rational<std::int64_t>(1, 2)));
    EXPECT_TRUE(plan.params.firmware_times.overlapped);
}

/// The spec's DMA of b bytes: ceil(3b/4) cycles.
TEST(instances, the_default_bus_is_the_papers) {
    EXPECT_EQ(make_instances(load({"network.topology.instances=1"}))[0].plan.host.interface.bus_cycles_per_byte,
              (boost::rational<std::int64_t>(3, 4)));
}

TEST(instances, workloads_reach_the_traffic) {
    const scenario::loaded l =
        load({},
             "workload: [{name: a, kind: multicast, scheme: unicasts, destinations: [host3, 5], source: 7},"
             " {name: b, kind: unicast, pattern: hotspot, hotspot: {hosts: [1], fraction: 0.5}, rate: 1/100, message: "
             "100}]\n");
    const hw::topology::graph network = make_instances(l)[0].plan.network;
    const hw::traffic::workload_params a = workload_params_of(l, 0, network);
    EXPECT_EQ(a.kind, hw::traffic::workload_kind::multicast);
    EXPECT_EQ(a.how, hw::traffic::forwarding::nobody);
    EXPECT_EQ(l.values.workloads[0].multicast.scheme.how, hw::collectives::scheme_of("unicasts"));
    EXPECT_EQ(a.destinations, (std::vector<std::uint32_t>{3, 5}));
    EXPECT_EQ(a.source, 7u);
    const hw::traffic::workload_params b = workload_params_of(l, 1, network);
    EXPECT_EQ(b.pattern.name, "hotspot");
    EXPECT_EQ(b.pattern.hosts, (std::vector<std::uint32_t>{1}));
    EXPECT_DOUBLE_EQ(b.pattern.numbers.at("fraction"), 0.5);
    EXPECT_DOUBLE_EQ(b.gap, 10000);
}

// The upper row of a fat tree of 64 hosts: by GUID, id, number, and name.
TEST(instances, several_roots_of_a_file) {
    const std::string path = POLYCAST_DATA_DIR "/ft3l4a.ibnetdiscover";
    std::string roots = "0x200020, S-0000000000200021, 34";
    for (int i = 3; i < 16; ++i) roots += (i < 10 ? ", l2w0" : ", l2w") + std::to_string(i);
    const auto levels = [&](const std::string& root) {
        const auto made = make_instances(
            load({"network.topology={kind: file, path: '" + path + "'}", "network.routing.root=" + root}));
        return made[0].plan.levels;
    };
    const std::vector<std::uint32_t> one = levels("l2w00"), all = levels("[" + roots + "]");
    EXPECT_EQ(std::ranges::count(one, 0u), 1);
    EXPECT_EQ(std::ranges::max(one), 4u);
    EXPECT_EQ(std::ranges::count(all, 0u), 16);
    EXPECT_EQ(std::ranges::max(all), 2u);
}

class instance_refusals : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(instance_refusals, names_the_place_and_a_way_out) {
    const auto& [text, message] = GetParam();
    if (text.starts_with("-s ")) {
        EXPECT_EQ(refusal(good, {text.substr(3)}), message);
    } else {
        EXPECT_EQ(refusal(text), message);
    }
}

INSTANTIATE_TEST_SUITE_P(
    golden, instance_refusals,
    testing::Values(
        std::tuple(
            "-s switch.buffer=128",
            "-s switch.buffer=128: a tree worm of 170 flits (14 B header, 24 B transport header, 128 B payload, 4 B "
            "check word) does not fit "
            "'switch.buffer' of 128 flits: replication is free of deadlock only where a buffer takes the longest "
            "packet "
            "whole; raise 'switch.buffer' to 176 flit, or lower 'packet.payload' and the messages"),
        std::tuple("-s switch.buffer=16",
                   "-s switch.buffer=16: a tree worm of 170 flits (14 B header, 24 B transport header, 128 B payload, "
                   "4 B check word) does not fit 'switch.buffer' of 16 flits: replication is free of deadlock only "
                   "where a buffer takes the longest packet whole; raise 'switch.buffer' to 176 flit, widen "
                   "'switch.flit', or take 'packet.header: free': the header alone is too long"),
        std::tuple("network: {topology: {switches: 1000, ports: 16, hosts: 8000, placement: even, instances: 1}}\n"
                   "workload: [{name: a, kind: multicast, message: 1}]\n",
                   "a.yaml:2:12: a tree worm of 1039 flits (1010 B header, 24 B transport header, 1 B payload, 4 B "
                   "check word) does not fit 'switch.buffer' of 640 flits: replication is free of deadlock only where "
                   "a buffer takes the longest packet whole; raise 'switch.buffer' to 1040 flit, widen 'switch.flit', "
                   "or take 'packet.header: free': the header alone is too long"),
        std::tuple("workload: [{name: a, kind: multicast, scheme: path}]\nswitch: {stops: 255}\n",
                   "a.yaml:2:17: a path worm of 933 flits (777 B header, 24 B transport header, 128 B payload, 4 B "
                   "check word) does not fit 'switch.buffer' of 640 flits: replication is free of deadlock only where "
                   "a buffer takes the longest packet whole; raise 'switch.buffer' to 936 flit, lower 'switch.stops', "
                   "widen 'switch.flit', or take 'packet.header: free': the header alone is too long"),
        std::tuple("workload: [{name: a, kind: multicast, scheme: path}]\nswitch: {stops: 180}\n",
                   "a.yaml:2:17: a path worm of 708 flits (552 B header, 24 B transport header, 128 B payload, 4 B "
                   "check word) does not fit 'switch.buffer' of 640 flits: replication is free of deadlock only where "
                   "a buffer takes the longest packet whole; raise 'switch.buffer' to 712 flit, lower 'switch.stops', "
                   "or lower 'packet.payload' and the messages"),
        std::tuple("workload: [{name: a, kind: multicast, scheme: ssr}]\nswitch: {packet_limit: 100 flit}\n",
                   "a.yaml:2:24: an SSR worm of 169 flits (13 B header, 24 B transport header, 128 B payload, 4 B "
                   "check word) is longer than 'switch.packet_limit' of 100 flits; raise 'switch.packet_limit' to 176 "
                   "flit, or lower 'packet.payload' and the messages"),
        std::tuple("-s switch.packet_limit=100",
                   "-s switch.packet_limit=100: a tree worm of 170 flits (14 B header, 24 B transport header, 128 B "
                   "payload, 4 B check word) "
                   "is longer "
                   "than 'switch.packet_limit' of 100 flits; raise 'switch.packet_limit' to 176 flit, or lower "
                   "'packet.payload' and the messages"),
        std::tuple("-s switch.packet_limit=641",
                   "-s switch.packet_limit=641: 'switch.packet_limit' of 641 flits is more than 'switch.buffer' of 640 "
                   "flits holds"),
        std::tuple("network: {topology: {switches: 100, hosts: 200, placement: even, instances: 1}}\n"
                   "switch: {stops: 35}\n"
                   "workload: [{name: a, kind: multicast, scheme: hybrid, degree: 34}, {name: b, kind: multicast, "
                   "scheme: hybrid, degree: 35}]\n",
                   "a.yaml:2:17: the route of a path worm with 35 stops has 107 B, but an entry of an interface's "
                   "group table holds 104 B; lower 'switch.stops' to 34"),
        std::tuple("network: {topology: {switches: 300, ports: 64, hosts: 2000, placement: even, instances: 1}}\n"
                   "switch: {stops: 255, buffer: 4096 flit}\n"
                   "workload: [{name: a, kind: multicast, scheme: path, degree: 1999}]\n",
                   "a.yaml:2:17: the route of a path worm with 255 stops has 2552 B, but a command of an interface "
                   "holds 2016 B; lower 'switch.stops' to 201"),
        std::tuple("network: {topology: {switches: 500, ports: 64, hosts: 16200, placement: even, instances: 1}}\n"
                   "packet: {header: free}\n"
                   "workload: [{name: a, kind: multicast}]\n",
                   "a.yaml:3:12: the bit string of a tree worm to 16200 hosts has 2025 B, but a command of an "
                   "interface holds 2016 B; take another scheme"),
        std::tuple("-s switch.read_ports=9",
                   "-s switch.read_ports=9: 'switch.read_ports' is 9, but switch 'switch0' has 8 ports"),
        std::tuple("-s ni.hosts.hots3=iss",
                   "-s ni.hosts.hots3=iss: there is no host 'hots3' in the network; did you mean 'host3'?"),
        std::tuple("-s ni.processor=isss",
                   "-s ni.processor=isss: 'ni.processor' cannot be 'isss'; did you mean 'iss'?"),
        std::tuple("-s workload.0.degree=32",
                   "-s workload.0.degree=32: 'workload[0].degree' of 32 is too many: 32 hosts have 31 others each"),
        std::tuple("-s network.chips.swich3=rtl",
                   "-s network.chips.swich3=rtl: there is no switch 'swich3' in the network; did you mean 'switch3'?"),
        std::tuple(
            "-s trace.chips=[switch1, switsh2]",
            "-s trace.chips=[switch1, switsh2]: there is no switch 'switsh2' in the network; did you mean 'switch2'?"),
        std::tuple("-s network.routing.root=zzz",
                   "-s network.routing.root=zzz: there is no switch 'zzz' in the network; known: switch0, switch1, "
                   "switch2, switch3, "
                   "switch4, switch5, switch6, switch7"),
        std::tuple(
            "-s network.routing.root=[switch1, swich3]",
            "-s network.routing.root=[switch1, swich3]: there is no switch 'swich3' in the network; did you mean "
            "'switch3'?"),
        std::tuple("-s network.routing.root=[switch1, 1]",
                   "-s network.routing.root=[switch1, 1]: switch 'switch1' is a root twice; name it once"),
        std::tuple("-s network.routing.root=[]",
                   "-s network.routing.root=[]: 'network.routing.root' is empty; name at least one"),
        std::tuple("network: {worms: spanning_tree, routing: {root: [switch1, switch2]}}\nworkload: [{name: a, kind: "
                   "multicast}]\n",
                   "a.yaml:1:18: 'network.worms: spanning_tree' needs one root, and there are 2; take 'network.worms: "
                   "updown', or one root"),
        std::tuple("-s network.routing.tie=guid",
                   "-s network.routing.tie=guid: 'network.routing.tie: guid' needs switches with GUIDs, which this "
                   "network does not "
                   "have; take 'tie: id'"),
        std::tuple("-s network.topology={kind: file, path: /nowhere/net}",
                   "-s network.topology={kind: file, path: /nowhere/net}: there is no topology file '/nowhere/net'"),
        std::tuple("workload: [{name: a, kind: multicast, destinations: [host1, hots2]}]\n",
                   "a.yaml:1:61: there is no host 'hots2' in the network; did you mean 'host2'?"),
        std::tuple("workload: [{name: a, kind: multicast, destinations: [1, 40]}]\n",
                   "a.yaml:1:57: host 40 does not exist; hosts are 0..31"),
        std::tuple("workload: [{name: a, kind: multicast, destinations: [1, host1]}]\n",
                   "a.yaml:1:57: host 'host1' is given twice"),
        std::tuple("workload: [{name: a, kind: multicast, destinations: [1, 2], source: host2}]\n",
                   "a.yaml:1:57: 'workload[0].source' is among its destinations; leave it out"),
        std::tuple("ni: {groups: 2}\nworkload: [{name: a, kind: multicast, scheme: ni, degree: 31, fanout: 31}, {name: "
                   "b, kind: multicast, scheme: hybrid}]\n",
                   "a.yaml:1:14: a group of up to 8 worms may take 3 entries of an interface's group table, but "
                   "'ni.groups' is 2; raise 'ni.groups'"),
        std::tuple("ni: {groups: 1}\nworkload: [{name: a, kind: multicast, scheme: ni, degree: 31, fanout: 19}]\n",
                   "a.yaml:1:14: a group of up to 19 hosts may take 2 entries of an interface's group table, but "
                   "'ni.groups' is 1; raise 'ni.groups'"),
        std::tuple("network: {topology: {switches: 500, ports: 64, hosts: 16000, placement: even, instances: 1}}\n"
                   "workload: [{name: a, kind: multicast, scheme: ni, degree: 15999, fanout: 5000}]\n",
                   "a.yaml:2:74: a host may have to send to 5000 others, but a group of an interface holds 4095"),
        std::tuple("workload: [{name: a, kind: unicast, pattern: hotspot, hotspot: {hosts: [32]}}]\n",
                   "a.yaml:1:73: host 32 does not exist; hosts are 0..31")));

}  // namespace
}  // namespace polycast::tlm::sim
