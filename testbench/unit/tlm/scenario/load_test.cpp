// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/load.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <tuple>

#include "hw/topology/dragonfly.h"
#include "testbench/unit/refusal.h"

namespace polycast::tlm::scenario {
namespace {

const std::string good = "workload:\n  - {name: tree, kind: multicast}\n";

const std::string ideal = "network: {topology: {kind: mesh}}\nhost: {model: ideal}\nworkload: [";
const std::string mesh = ideal + "{name: x, kind: unicast}]\n";

std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return testbench::unit::refusal([&] { load_text(text, "a.yaml", {}, overrides); });
}

TEST(load, keys_of_one_name_belong_to_their_kinds) {
    const std::string dragonfly = "network: {topology: {kind: dragonfly}}\n" + good;
    const auto hosts_of = [](const settings& s) {
        return std::any_cast<const hw::topology::dragonfly_params&>(s.network.topology.shape).hosts;
    };
    EXPECT_EQ(hosts_of(load_text(dragonfly, "a.yaml").values), 2u);
    const loaded given = load_text(dragonfly, "a.yaml", {}, {"network.topology.hosts=3"});
    EXPECT_EQ(hosts_of(given.values), 3u);
    EXPECT_EQ(hosts_of(load_text(given.yaml(), "b.yaml").values), 3u);
    EXPECT_EQ(load_text(good, "a.yaml", {}, {"network.topology.hosts=40"}).values.network.topology.hosts, 40u);
    EXPECT_EQ(refusal(dragonfly, {"network.topology.hosts=40"}),
              "-s network.topology.hosts=40: 'network.topology.hosts' must be 1..32, not 40");
    EXPECT_EQ(refusal(good, {"network.topology.hosts=1"}),
              "-s network.topology.hosts=1: 'network.topology.hosts' must be 2..65536, not 1");
    EXPECT_EQ(refusal(good, {"network.topology.kind=mesh", "network.topology.hosts=4"}),
              "-s network.topology.hosts=4: 'network.topology.hosts' has no meaning with 'kind: mesh'; it belongs to "
              "kind: irregular or dragonfly");
    // Where another kind is chosen, keys that mean nothing with it no longer count; this one does.
    EXPECT_EQ(hosts_of(load_text("network: {topology: {hosts: 5, ports: 6}}\n" + good, "a.yaml", {},
                                 {"network.topology.kind=dragonfly"})
                           .values),
              5u);
}

TEST(load, a_file_that_a_command_has_written_has_no_place_of_its_own) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("load_written_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "one.yaml").string();
    std::ofstream(path) << "network: {topology: {kind: file, path: dumps/net}}\n" << good << "seeds: 3\n";
    const auto refused = [&](const std::string& writer) {
        return testbench::unit::refusal([&] { load_file(path, {}, writer); });
    };
    EXPECT_EQ(refused(""), path + ":4:1: unknown key 'seeds'; did you mean 'seed'?");
    EXPECT_EQ(refused("fabric run dumps"), "fabric run dumps: unknown key 'seeds'; did you mean 'seed'?");
    std::ofstream(path) << "network: {topology: {kind: file, path: dumps/net}}\n" << good;
    EXPECT_EQ(load_file(path).topology_path(), (folder / "dumps/net").string());
    const loaded written = load_file(path, {}, "fabric run dumps");
    EXPECT_EQ(written.topology_path(), "dumps/net");
    EXPECT_EQ(testbench::unit::refusal([&] { written.fail("network.topology.path", "is not there"); }),
              "fabric run dumps: is not there");
    std::filesystem::remove_all(folder);
}

TEST(load, defaults_are_the_papers) {
    const settings s = load_text(good, "a.yaml").values;
    EXPECT_EQ(s.network.topology.switches, 8u);
    EXPECT_EQ(s.network.topology.ports, 8u);
    EXPECT_EQ(s.network.topology.hosts, 32u);
    EXPECT_DOUBLE_EQ(s.network.topology.connectivity, 0.8);
    EXPECT_EQ(s.network.topology.instances, 10u);
    EXPECT_EQ(s.chip.flit_bytes, 1u);
    EXPECT_EQ(s.chip.buffer_flits, 640u);
    EXPECT_EQ(s.chip.chunk_flits, 8u);
    EXPECT_FALSE(s.chip.packet_limit_flits.has_value());
    EXPECT_FALSE(s.chip.read_ports.has_value());
    EXPECT_EQ(s.packet.payload_bytes, 128u);
    EXPECT_EQ(s.host.send_overhead, 1000u);
    EXPECT_EQ(s.host.bus, ratio(4, 3));
    EXPECT_FALSE(s.host.overlapped);
    EXPECT_EQ(s.host.overheads, overhead_rule::message);
    EXPECT_EQ(s.network.worms, hw::routing::worm_links::updown);
    EXPECT_EQ(s.chip.up_selection, hw::format::selection::least_loaded);
    EXPECT_TRUE(s.chip.rewrite_headers);
    EXPECT_EQ(s.chip.stops, 8u);
    ASSERT_EQ(s.workloads.size(), 1u);
    EXPECT_EQ(s.workloads[0].degree, 15u);
    EXPECT_FALSE(s.workloads[0].rate.has_value());
    EXPECT_FALSE(s.workloads[0].destinations.has_value());
    ASSERT_TRUE(s.trace.chips.has_value());
    EXPECT_TRUE(s.trace.chips->empty());
    EXPECT_FALSE(s.trace.trigger.event.has_value());
    EXPECT_FALSE(s.network.topology.format.has_value());
}

TEST(load, a_root_or_several) {
    const auto with = [](const std::string& root) {
        const loaded l =
            load_text("network: {routing: {root: " + root + "}}\nworkload: [{name: a, kind: multicast}]\n", "a.yaml");
        EXPECT_EQ(load_text(l.yaml(), "again.yaml").yaml(), l.yaml());
        return l.values.network;
    };
    using names = std::vector<std::string>;
    EXPECT_TRUE(with("best").best_root);
    EXPECT_FALSE(with("lowest").best_root);
    EXPECT_EQ(with("lowest").roots, names{});
    EXPECT_EQ(with("switch3").roots, names{"switch3"});
    EXPECT_EQ(with("3").roots, names{"3"});
    EXPECT_EQ(with("0x8f10400411a08").roots, names{"0x8f10400411a08"});
    EXPECT_EQ(with("[switch3, 0x1f, 5]").roots, (names{"switch3", "0x1f", "5"}));
    EXPECT_EQ(with("[best]").roots, names{"best"}) << "in a list a switch of that name";
}

TEST(load, every_kind_of_value_arrives) {
    const loaded l = load_text(
        "name: a-1\nseed: 7\n"
        "network:\n  topology: {kind: file, path: net.txt, format: edge_list}\n  fidelity: tlm\n  chips: {switch3: "
        "rtl, switch1: core}\n"
        "  routing: {root: best, selection: deterministic, tie: guid}\n  worms: spanning_tree\n"
        "switch: {flit: 32 bit, buffer: 2 KiB, chunk: 4, packet_limit: 64 flit, route_delay: 10 ns, read_ports: 2, "
        "arbitration: fixed, up_selection: round_robin, rewrite_headers: false, stops: 255}\n"
        "packet: {header: free, payload: 16 flit}\n"
        "host: {bus: 1 GB/s, cycle: 2 ns, overlapped: true, send_overhead: 1 us, overheads: packet}\n"
        "workload:\n"
        "  - {name: m, kind: multicast, scheme: unicasts, destinations: [3, host4], source: 5, messages: 2, message: "
        "64}\n"
        "  - {name: u, kind: unicast, pattern: hotspot, hotspot: {hosts: [1], fraction: 25 %}, rate: 0.05 "
        "flit/host/cycle}\n"
        "measurement: {warmup: 0, window: 1 ms, drain_limit: 5 cycle, batches: 4}\n"
        "watchdog: {patience: 500}\n"
        "trace: {chips: all, networks: all, from: 3, to: 9, format: vcd, on_failure: 0, trigger: {event: full}}\n",
        "dir/a.yaml", "dir");
    const settings& s = l.values;
    EXPECT_EQ(s.name, "a-1");
    EXPECT_EQ(name_of(s.network.topology.kind), "file");
    EXPECT_EQ(l.topology_path(), "dir/net.txt");
    EXPECT_EQ(s.network.topology.format, hw::topology::file_format::edge_list);
    EXPECT_EQ(s.network.all, fidelity::tlm);
    EXPECT_EQ(s.network.chips.at("switch3"), fidelity::rtl);
    EXPECT_EQ(s.network.tie, tie_break::guid);
    EXPECT_EQ(s.network.selection, hw::format::selection::deterministic);
    EXPECT_EQ(s.chip.flit_bytes, 4u);
    EXPECT_EQ(s.chip.buffer_flits, 512u);
    EXPECT_EQ(s.chip.packet_limit_flits, 64u);
    EXPECT_EQ(s.chip.route_delay, 5u);
    EXPECT_EQ(s.chip.read_ports, 2u);
    EXPECT_EQ(s.chip.up_selection, hw::format::selection::round_robin);
    EXPECT_FALSE(s.chip.rewrite_headers);
    EXPECT_EQ(s.chip.stops, 255u);
    EXPECT_EQ(s.network.worms, hw::routing::worm_links::spanning_tree);
    EXPECT_EQ(s.host.overheads, overhead_rule::packet);
    EXPECT_EQ(s.packet.header, header_place::free);
    EXPECT_EQ(s.packet.payload_bytes, 64u);
    EXPECT_EQ(s.host.bus, ratio(2));
    EXPECT_EQ(s.host.send_overhead, 500u);
    EXPECT_TRUE(s.host.overlapped);
    EXPECT_EQ(s.workloads[0].degree, 2u);
    EXPECT_EQ(s.workloads[0].destinations, (std::vector<std::string>{"3", "host4"}));
    EXPECT_EQ(s.workloads[0].source, "5");
    EXPECT_EQ(s.workloads[1].pattern.name, "hotspot");
    EXPECT_EQ(s.workloads[1].pattern.numbers.at("fraction"), 0.25);
    EXPECT_EQ(s.workloads[1].rate, ratio(1, 20));
    EXPECT_EQ(s.measurement.window, 500000u);
    EXPECT_FALSE(s.trace.chips.has_value());
    EXPECT_FALSE(s.trace.networks.has_value());
    EXPECT_EQ(s.trace.to, 9u);
    EXPECT_EQ(s.trace.format, tlm::trace::wave_format::vcd);
    EXPECT_EQ(s.trace.trigger.event, tlm::trace::trigger_event::full);
}

TEST(load, every_kind_of_value_of_routers_arrives) {
    const loaded l = load_text(
        "network: {topology: {kind: torus, radix: 4, dimensions: 3}}\n"
        "router: {flit: 32 B, vcs: 6, vc_classes: 2, dateline: false, vc_policy: keep, buffer: 512 B, packet_limit: 4,"
        " switching: wormhole, route_delay: 10 ns, crossbar_delay: 3, allocator: islip, iterations: 2}\n"
        "host: {model: ideal}\n"
        "workload:\n"
        "  - {name: u, kind: unicast, pattern: bit_complement, flits: 2, most_flits: 4, rate: [0.1, 1/5]}\n"
        "  - {name: a, kind: allgather, algorithm: every_node, base: all_at_once, group: 8, inner_groups: [2],"
        " placement: centre, sources: 5, flits: 3, coding: host, coding_overhead: 7, mode: free}\n"
        "  - {name: b, kind: allgather, xor_latency: 4, operands: 9}\n",
        "a.yaml");
    const settings& s = l.values;
    EXPECT_EQ(name_of(s.network.topology.kind), "torus");
    EXPECT_TRUE(s.network.topology.has_routers());
    EXPECT_EQ(s.network.topology.radix, 4u);
    EXPECT_EQ(s.network.topology.dimensions, 3u);
    EXPECT_EQ(s.router.flit_bytes, 32u);
    EXPECT_EQ(s.router.vcs, 6u);
    EXPECT_EQ(s.router.vc_classes, 2u);
    EXPECT_FALSE(s.router.dateline);
    EXPECT_EQ(s.router.policy, hw::chips::vc_policy::keep);
    EXPECT_EQ(s.router.buffer_flits, 16u) << "in flits of routers";
    EXPECT_EQ(s.router.packet_limit_flits, 4u);
    EXPECT_FALSE(s.router.cut_through);
    EXPECT_EQ(s.router.route_delay, 2u);
    EXPECT_EQ(s.router.crossbar_delay, 3u);
    EXPECT_EQ(s.router.allocator, hw::chips::router_allocator::islip);
    EXPECT_EQ(s.router.iterations, 2u);
    ASSERT_EQ(s.workloads.size(), 4u);
    EXPECT_EQ(s.workloads[0].name, "u-0.1");
    EXPECT_EQ(s.workloads[1].name, "u-1_5");
    EXPECT_EQ(s.workloads[1].pattern.name, "bit_complement");
    EXPECT_EQ(s.workloads[1].rate, ratio(1, 5));
    EXPECT_EQ(s.workloads[1].flits, 2u);
    EXPECT_EQ(s.workloads[1].most_flits, 4u);
    const workload_settings& a = s.workloads[2];
    EXPECT_EQ(a.algorithm, allgather_algorithm::every_node);
    EXPECT_EQ(a.base, hw::collectives::coding_base::all_at_once);
    EXPECT_EQ(a.group, 8u);
    EXPECT_EQ(a.inner_groups, std::vector<unsigned>{2});
    EXPECT_EQ(a.placement, hw::collectives::node_placement::centre);
    EXPECT_EQ(a.sources, 5u);
    EXPECT_EQ(a.flits, 3u);
    EXPECT_EQ(a.coding, hw::collectives::allgather_coder::host);
    EXPECT_EQ(a.coding_overhead, 7u);
    EXPECT_EQ(a.mode, hw::collectives::allgather_pace::free_running);
    EXPECT_EQ(s.workloads[3].xor_latency, 4u);
    EXPECT_EQ(s.workloads[3].operand_flits, 9u);
    EXPECT_EQ(s.workloads[3].group, std::nullopt);
}

TEST(load, a_list_of_rates_makes_a_workload_each) {
    const loaded l = load_text(mesh, "a.yaml", {}, {"workload.x.rate=[0.1, 0.2, single]"});
    ASSERT_EQ(l.values.workloads.size(), 3u);
    EXPECT_EQ(l.values.workloads[1].name, "x-0.2");
    EXPECT_EQ(l.values.workloads[1].rate, ratio(1, 5));
    EXPECT_EQ(l.values.workloads[2].name, "x-single");
    EXPECT_FALSE(l.values.workloads[2].rate.has_value());
}

TEST(load, the_resolved_scenario_loads_to_itself) {
    for (const std::string& text :
         {good, mesh, std::string("workload: [{name: u, kind: unicast, rate: 1/300}]\nswitch: {buffer: 80 chunk}\n"),
          std::string("workload: [{name: m, kind: multicast, destinations: [1, 2]}]\nnetwork: {chips: {a b: rtl}, "
                      "topology: {kind: file, path: 'x: y.net'}}\n")}) {
        const std::string once = load_text(text, "a.yaml").yaml();
        EXPECT_EQ(load_text(once, "b.yaml").yaml(), once);
    }
    const loaded file = load_text(good + "network: {topology: {kind: file, path: x}}\n", "a.yaml");
    EXPECT_EQ(load_text(file.yaml({{"network.topology.path", "topology/x"}}), "b.yaml").topology_path(), "topology/x");
}

TEST(load, overrides_win_in_order) {
    const auto with = [](const std::vector<std::string>& overrides) {
        return load_text(good + "switch: {buffer: 64}\n", "a.yaml", {}, overrides).values;
    };
    EXPECT_EQ(with({"switch.buffer=80 flit"}).chip.buffer_flits, 80u);
    EXPECT_EQ(with({"switch.buffer=80", "switch.buffer=96"}).chip.buffer_flits, 96u);
    EXPECT_EQ(with({"network.fidelity=rtl"}).network.all, fidelity::rtl);
    EXPECT_EQ(with({"network.chips.switch3=rtl"}).network.chips.at("switch3"), fidelity::rtl);
    for (const char* path : {"workload.0", "workload.tree", "workload.*", "workload[0]"})
        EXPECT_EQ(with({std::string(path) + ".degree=3"}).workloads[0].degree, 3u) << path;
    EXPECT_EQ(with({"workload=[{name: x, kind: unicast}]"}).workloads[0].name, "x");
    EXPECT_EQ(with({"workload.0.destinations=[1, 2, 3]"}).workloads[0].degree, 3u);
}

TEST(load, an_override_of_the_kind_drops_what_the_file_says_of_its_own) {
    const std::string text = good + "network: {topology: {switches: 4}}\n";
    EXPECT_EQ(load_text(text, "a.yaml", {}, {"network.topology.kind=file", "network.topology.path=x"})
                  .values.network.topology.path,
              "x");
    EXPECT_EQ(refusal(text, {"network.topology.kind=file", "network.topology.path=x", "network.topology.ports=3"}),
              "-s network.topology.ports=3: 'network.topology.ports' has no meaning with 'kind: file'; it belongs to "
              "kind: irregular");
}

TEST(load, files) {
    const std::string path = testing::TempDir() + "polycast_load_test.yaml";
    std::ofstream(path) << good;
    EXPECT_EQ(load_file(path).values.workloads[0].name, "tree");
    EXPECT_THROW(load_file("/nowhere/x.yaml"), hw::input_error);
    EXPECT_THROW(load_file(testing::TempDir()), hw::input_error);
    EXPECT_THROW(load_file("/dev/zero"), hw::input_error);
    std::remove(path.c_str());
}

/// Text of a scenario (or of a single option), the whole message.
class refusals : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(refusals, names_the_place_and_a_way_out) {
    const auto& [text, message] = GetParam();
    if (text.starts_with("-s ")) {
        EXPECT_EQ(refusal(good, {text.substr(3)}), message);
    } else {
        EXPECT_EQ(refusal(text), message);
    }
}

INSTANTIATE_TEST_SUITE_P(
    golden, refusals,
    testing::Values(
        // structure
        std::tuple("[1, 2]", "a.yaml:1:1: a scenario is a list of keys with values, such as 'workload: ...'"),
        std::tuple("seed: 3\n",
                   "a.yaml:1:1: 'workload' is missing; List of workloads; each runs alone on every network."),
        std::tuple("workload: 3\n", "a.yaml:1:11: 'workload' must be a list, not '3'; start each entry with '- '"),
        std::tuple("workload: []\n", "a.yaml:1:11: 'workload' is empty"),
        std::tuple("workload: [null]\n", "a.yaml:1:12: 'workload[0]' is empty"),
        std::tuple("workload: [{name: x}]\n", "a.yaml:1:12: 'workload[0]' has no key 'kind'; What is sent."),
        std::tuple("network: 3\nworkload: [{name: x, kind: unicast}]\n",
                   "a.yaml:1:10: 'network' must be a section of keys, not '3'"),
        std::tuple("workload: [{name: x, kind: unicast}, {name: x, kind: unicast}]\n",
                   "a.yaml:1:45: 'workload[1].name' is 'x', as is that of 'workload[0]'"),
        // keys
        std::tuple("sed: 3\n", "a.yaml:1:1: unknown key 'sed'; did you mean 'seed'?"),
        std::tuple("switch:\n  bufer: 3\n", "a.yaml:2:3: unknown key 'bufer' in 'switch'; did you mean 'buffer'?"),
        std::tuple("switch: {ports: 3}\n",
                   "a.yaml:1:10: unknown key 'ports' in 'switch'; did you mean 'network.topology.ports'?"),
        std::tuple("packet: {zzzzzz: 3}\n",
                   "a.yaml:1:10: unknown key 'zzzzzz' in 'packet'; known: header, check, payload"),
        std::tuple(
            "network: {topology: {kind: irregular, path: x}}\n",
            "a.yaml:1:45: 'network.topology.path' has no meaning with 'kind: irregular'; it belongs to kind: file"),
        std::tuple(
            "workload: [{name: x, kind: unicast, degree: 3}]\n",
            "a.yaml:1:45: 'workload[0].degree' has no meaning with 'kind: unicast'; it belongs to kind: multicast"),
        std::tuple("workload: [{name: x, kind: unicast, pattern: each_to_each, rate: 1}]\n",
                   "a.yaml:1:66: 'workload[0].rate' has no meaning with 'pattern: each_to_each'; it belongs to "
                   "pattern: uniform or permutation or hotspot or transpose or bit_complement or tornado or "
                   "bursty"),
        std::tuple("network: {topology: {kind: file}}\n",
                   "a.yaml:1:21: 'network.topology' has no key 'path'; Topology file; relative to the scenario, or on "
                   "the command line to the current folder."),
        // routers
        std::tuple(ideal + "{name: x, kind: unicast, rate: []}]\n",
                   "a.yaml:3:43: 'rate' is empty; give at least one value"),
        std::tuple(ideal + "{name: x, kind: unicast, rate: [0.1, [2]]}]\n",
                   "a.yaml:3:49: 'workload[1].rate' must be a number, not a list; such as single"),
        std::tuple("network: {topology: {kind: mesh, switches: 4}}\n",
                   "a.yaml:1:44: 'network.topology.switches' has no meaning with 'kind: mesh'; it belongs to kind: "
                   "irregular"),
        std::tuple("network: {topology: {kind: mesh}}\nswitch: {chunk: 3}\n",
                   "a.yaml:2:9: 'switch' has no meaning with 'network.topology.kind: mesh'; it belongs to "
                   "network.topology.kind: irregular or file"),
        std::tuple("router: {vcs: 3}\n",
                   "a.yaml:1:9: 'router' has no meaning with 'network.topology.kind: irregular'; it belongs to "
                   "network.topology.kind: mesh or torus or bypass_torus or fat_tree or dragonfly"),
        std::tuple(mesh + "router: {vcs: 17}\n", "a.yaml:4:15: 'router.vcs' must be 1..16, not 17"),
        std::tuple(mesh + "router: {vcs: aut}\n", "a.yaml:4:15: 'router.vcs' must be a number, not 'aut'; or 'auto'"),
        std::tuple(mesh + "router: {switching: wormhoe}\n",
                   "a.yaml:4:21: 'router.switching' cannot be 'wormhoe'; did you mean 'wormhole'?"),
        std::tuple(mesh + "ni: {groups: 3}\n",
                   "a.yaml:4:5: 'ni' has no meaning with 'host.model: ideal'; it belongs to host.model: interface"),
        std::tuple(
            "host: {model: ideal}\nworkload: [{name: x, kind: unicast}]\n",
            "a.yaml:1:15: 'host.model: ideal' belongs to meshes and tori, and 'network.topology.kind' is 'irregular'; "
            "take 'network.topology.kind: mesh' or 'torus', or 'host.model: interface'"),
        std::tuple(
            "-s host.model=ideal",
            "-s host.model=ideal: 'host.model: ideal' belongs to meshes and tori, and 'network.topology.kind' is "
            "'irregular'; take 'network.topology.kind: mesh' or 'torus', or 'host.model: interface'"),
        std::tuple(mesh + "router: {routing: table}\n",
                   "a.yaml:4:19: with ideal hosts routers take no route table; take 'dimension_order', or 'host.model: "
                   "interface'"),
        std::tuple(ideal + "{name: x, kind: multicast}]\n",
                   "a.yaml:3:28: ideal hosts send no multicasts; take 'kind: unicast' or 'allgather', or 'host.model: "
                   "interface'"),
        std::tuple("workload: [{name: x, kind: unicast, pattern: tornado}]\n",
                   "a.yaml:1:46: 'pattern: tornado' needs the coordinates of a grid; take another pattern, or "
                   "'network.topology.kind: mesh' or 'torus'"),
        std::tuple("workload: [{name: x, kind: unicast, pattern: bursty}]\n",
                   "a.yaml:1:46: 'pattern: bursty' needs a rate; give 'rate', such as '0.1 flit/host/cycle'"),
        std::tuple("workload: [{name: x, kind: unicast, pattern: bursty, bursty: {peak: 0.5}, rate: 0.1}]\n",
                   "a.yaml:1:69: 'workload[0].bursty.peak' must be 1..1000000, not 0.5"),
        std::tuple("workload: [{name: x, kind: allgather}]\n",
                   "a.yaml:1:28: 'kind: allgather' belongs to meshes and tori, and 'network.topology.kind' is "
                   "'irregular'; take "
                   "'network.topology.kind: mesh' or 'torus'"),
        std::tuple("network: {topology: {kind: mesh, radix: 4}}\n"
                   "workload: [{name: x, kind: allgather, mode: steps}]\n",
                   "a.yaml:2:45: 'workload[0].mode: steps' belongs to 'host.model: ideal'; take 'mode: free', or "
                   "'host.model: ideal'"),
        std::tuple("network: {topology: {kind: mesh, radix: 4}}\n"
                   "workload: [{name: x, kind: allgather, algorithm: replication}]\n",
                   "a.yaml:2:50: 'workload[0].algorithm: replication' belongs to 'host.model: ideal'; take another "
                   "algorithm, or 'host.model: ideal'"),
        std::tuple(ideal + "{name: x, kind: unicast, message: 3 B}]\n",
                   "a.yaml:3:46: 'workload[0].message' has no meaning with 'host.model: ideal'; it belongs to "
                   "host.model: interface"),
        std::tuple(ideal + "{name: x, kind: unicast, flits: 4, most_flits: 2}]\n",
                   "a.yaml:3:59: 'workload[0].most_flits' of 2 is less than 'flits' of 4"),
        std::tuple(ideal + "{name: x, kind: allgather, rate: 0.1}]\n",
                   "a.yaml:3:45: 'workload[0].rate' has no meaning with 'kind: allgather'; it belongs to kind: unicast "
                   "or multicast or rails"),
        std::tuple(ideal + "{name: x, kind: allgather, algorithm: tree, group: 4}]\n",
                   "a.yaml:3:63: 'algorithm: tree' has no groups but to deal 'sources' over; leave it out, or give "
                   "'sources'"),
        std::tuple(ideal + "{name: x, kind: allgather, inner_groups: [8, two]}]\n",
                   "a.yaml:3:57: 'workload[0].inner_groups' must hold numbers of nodes; such as [8, 2]"),
        // lists
        std::tuple("workload: [{name: x, kind: list}]\n",
                   "a.yaml:1:12: 'workload[0]' has no key 'list'; The messages."),
        std::tuple("workload: [{name: x, kind: list, list: []}]\n", "a.yaml:1:40: 'workload[0].list' is empty"),
        std::tuple("workload: [{name: x, kind: list, list: [{at: 1, source: 0}]}]\n",
                   "a.yaml:1:41: 'workload[0].list[0]' has no destination; name a host, or with tables a 'group'"),
        std::tuple("workload: [{name: x, kind: list, list: [{at: 0, source: 0, destination: 1}]}]\n",
                   "a.yaml:1:46: 'workload[0].list[0].at' must be 1..1000000000000 cycle, not 0"),
        std::tuple("workload: [{name: x, kind: list, list: [{at: 1, source: 0, destination: 1, sl: 2}]}]\n",
                   "a.yaml:1:80: 'workload[0].list[0].sl' has no meaning with 'network.routing.kind: updown'; it "
                   "belongs to network.routing.kind: tables"),
        std::tuple("workload: [{name: x, kind: list, rate: 0.1, list: [{at: 1, source: 0, destination: 1}]}]\n",
                   "a.yaml:1:40: 'workload[0].rate' has no meaning with 'kind: list'; it belongs to kind: unicast "
                   "or multicast or rails"),
        std::tuple(ideal + "{name: x, kind: list, list: [{at: 1, source: 0, destination: 1}]}]\n",
                   "a.yaml:3:40: 'workload[0].list' has no meaning with 'host.model: ideal'; it belongs to host.model: "
                   "interface"),
        // values
        std::tuple("seed:\n", "a.yaml:1:1: 'seed' has no value; leave the key out for its default"),
        std::tuple("seed: [1]\n", "a.yaml:1:7: 'seed' must be a number, not a list; such as 1"),
        std::tuple("seed: abc\n", "a.yaml:1:7: 'seed' must be a number, not 'abc'; such as 1"),
        std::tuple("seed: '3'\n", "a.yaml:1:7: 'seed' must be a number, not a text; leave out the quotes"),
        std::tuple("seed: -1\n", "a.yaml:1:7: 'seed' must be at least 0, not -1"),
        std::tuple("seed: 1.5\n", "a.yaml:1:7: 'seed' must be a whole number, not 1.5"),
        std::tuple("seed: 3 B\n", "a.yaml:1:7: 'seed' cannot be given in 'B'; it takes no unit"),
        std::tuple("seed: 999999999999999999e18\n", "a.yaml:1:7: 'seed' is too large: '999999999999999999e18'"),
        std::tuple("seed: .nan\n", "a.yaml:1:7: 'seed' must be a number, not '.nan'; such as 1"),
        std::tuple("switch: {buffer: -8}\n", "a.yaml:1:18: 'switch.buffer' must be 2..1048576 flit, not -8"),
        std::tuple("switch: {buffer: 3 cycle}\n",
                   "a.yaml:1:18: 'switch.buffer' cannot be given in 'cycle'; accepted: flit, chunk, B, KiB"),
        std::tuple("switch: {packet_limit: atuo}\n",
                   "a.yaml:1:24: 'switch.packet_limit' must be a number, not 'atuo'; or 'auto'"),
        std::tuple("switch: {route_delay: 7 ns}\n",
                   "a.yaml:1:23: 'switch.route_delay' must be a whole number of cycles, not 1.4 (7 ns)"),
        std::tuple("host: {cycle: 0 ns}\n", "a.yaml:1:15: 'host.cycle' must be 1/1000..1000000 ns, not 0 ns"),
        std::tuple("host: {overlapped: yes}\n", "a.yaml:1:20: 'host.overlapped' must be true or false, not 'yes'"),
        std::tuple("network: {fidelity: rlt}\n",
                   "a.yaml:1:21: 'network.fidelity' cannot be 'rlt'; did you mean 'rtl'?"),
        std::tuple("network: {fidelity: verilog}\n",
                   "a.yaml:1:21: 'network.fidelity' cannot be 'verilog'; known: core, tlm, rtl, own, event"),
        std::tuple("network: {chips: [a]}\n",
                   "a.yaml:1:18: 'network.chips' must be a section of names, not a list; such as {switch3: rtl}"),
        std::tuple("network: {chips: {a: rlt}}\n",
                   "a.yaml:1:22: 'network.chips.a' cannot be 'rlt'; did you mean 'rtl'?"),
        std::tuple(
            "name: a/b\n",
            "a.yaml:1:7: 'name' cannot be 'a/b'; up to 64 letters, digits, '.', '_' and '-', not starting with '.'"),
        std::tuple("workload: [{name: x, kind: unicast}]\ntrace: {chips: switch1}\n",
                   "a.yaml:2:16: 'trace.chips' must be a list of names or 'all', not 'switch1'; such as [a, b]"),
        std::tuple("workload: [{name: x, kind: unicast}]\ntrace: {chips: [a, a]}\n",
                   "a.yaml:2:20: 'trace.chips' names 'a' twice"),
        // together
        std::tuple(good + "switch: {buffer: 63}\n",
                   "a.yaml:3:18: 'switch.buffer' of 63 flits is no whole number of chunks of 8 flits; take 64 flits"),
        std::tuple(good + "switch: {buffer: 8}\n",
                   "a.yaml:3:18: 'switch.buffer' of 8 flits is 1 chunks of 8 flits, and a switch has 2..4096; change "
                   "'switch.buffer' or 'switch.chunk'"),
        std::tuple(good + "trace: {from: 9, to: 3}\n", "a.yaml:3:22: 'trace.to' lies before 'trace.from'"),
        std::tuple("workload: [{name: x, kind: multicast, degree: 3, destinations: [1, 2]}]\n",
                   "a.yaml:1:47: 'workload[0].degree' is 3, but 2 destinations are given; leave the degree out"),
        std::tuple("workload: [{name: x, kind: multicast, destinations: []}]\n",
                   "a.yaml:1:53: 'workload[0].destinations' is empty"),
        std::tuple("workload: [{name: x, kind: multicast, rate: 1/100, messages: 3}]\n",
                   "a.yaml:1:62: 'workload[0].messages' has no meaning with a rate; 'measurement.window' says how long "
                   "is counted"),
        std::tuple("workload: [{name: x, kind: multicast, rate: 1/100, source: 3}]\n",
                   "a.yaml:1:60: 'workload[0].source' has no meaning with a rate, at which every host sends; leave it "
                   "out, or 'rate: single'"),
        std::tuple("workload: [{name: x, kind: unicast, pattern: hotspot, hotspot: {hosts: []}}]\n",
                   "a.yaml:1:72: 'workload[0].hotspot.hosts' is empty"),
        // schemes
        std::tuple("workload: [{name: x, kind: multicast, scheme: hybird}]\n",
                   "a.yaml:1:47: 'workload[0].scheme' cannot be 'hybird'; did you mean 'hybrid'?"),
        std::tuple("workload: [{name: x, kind: multicast, scheme: ni, fanout: tming}]\n",
                   "a.yaml:1:59: 'workload[0].fanout' must be a number, not 'tming'; or 'best' or 'timing'"),
        std::tuple(
            "workload: [{name: x, kind: multicast, scheme: tree, phases: greedy}]\n",
            "a.yaml:1:61: 'workload[0].phases' has no meaning with 'scheme: tree'; it belongs to scheme: path or "
            "ssr or hybrid"),
        std::tuple("workload: [{name: x, kind: multicast, scheme: path, worms: ssr}]\n",
                   "a.yaml:1:60: 'workload[0].worms' has no meaning with 'scheme: path'; it belongs to scheme: hybrid"),
        std::tuple("workload: [{name: x, kind: multicast, scheme: hybrid, worms: tree}]\n",
                   "a.yaml:1:62: 'workload[0].worms' cannot be 'tree'; known: path, ssr"),
        std::tuple(
            "workload: [{name: x, kind: multicast, scheme: hybrid, fanout: 2}]\n",
            "a.yaml:1:63: 'workload[0].fanout' has no meaning with 'scheme: hybrid'; it belongs to scheme: ni or "
            "software"),
        std::tuple(
            "workload: [{name: x, kind: multicast, scheme: software, forwarding: fcfs}]\n",
            "a.yaml:1:69: 'workload[0].forwarding' has no meaning with 'scheme: software'; it belongs to scheme: "
            "ni or hybrid"),
        std::tuple(
            "workload: [{name: x, kind: multicast, scheme: ni, order: listed}]\n",
            "a.yaml:1:58: 'workload[0].order: listed' needs 'destinations', which are random here; give them, or "
            "take another order"),
        std::tuple("measurement: {duplicates: count}\n" + good,
                   "a.yaml:1:27: 'measurement.duplicates: count' belongs to 'switch.rewrite_headers: false': with "
                   "rewriting there are none; leave it out"),
        // options
        std::tuple("-s seed", "-s seed: no '='; write key.path=value"),
        std::tuple("-s =3", "-s =3: '' is no path of a key; write key.path=value"),
        std::tuple("-s sed=3", "-s sed=3: unknown key 'sed'; did you mean 'seed'?"),
        std::tuple("-s seed=", "-s seed=: 'seed' has no value; leave the key out for its default"),
        std::tuple("-s seed=[", "-s seed=[: broken YAML: end of sequence flow not found"),
        std::tuple("-s switch.buffer=2 s",
                   "-s switch.buffer=2 s: 'switch.buffer' cannot be given in 's'; accepted: flit, chunk, B, KiB"),
        std::tuple("-s workload.tre.degree=3",
                   "-s workload.tre.degree=3: 'workload' has no entry 'tre'; did you mean 'tree'?"),
        std::tuple("-s workload.4.degree=3", "-s workload.4.degree=3: 'workload' has 1 entries, counted from 0"),
        std::tuple("-s workload.0.name.x=3", "-s workload.0.name.x=3: 'workload.0.name' has no keys below it")));

}  // namespace
}  // namespace polycast::tlm::scenario
