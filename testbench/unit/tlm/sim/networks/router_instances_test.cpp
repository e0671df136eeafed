// SPDX-License-Identifier: Apache-2.0
// Scenarios of meshes and tori whose hosts have network interfaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/refusal.h"
#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {
namespace {

using testing::HasSubstr;

scenario::loaded load(const std::vector<std::string>& overrides, const std::string& workload) {
    return scenario::load_text("network: {topology: {kind: mesh, radix: 4}}\nworkload: [" + workload + "]\n", "a.yaml",
                               {}, overrides);
}

const std::string multicast = "{name: a, kind: multicast, scheme: ni, degree: 5, message: 512 B}";

std::string refusal(const std::vector<std::string>& overrides, const std::string& workload = multicast) {
    return testbench::unit::refusal([&] { make_instances(load(overrides, workload)); });
}

TEST(router_instances, doors_let_in_hosts) {
    const std::vector<instance> made =
        make_instances(load({"host.check_source=true"}, "{name: a, kind: unicast, message: 64 B}"));
    for (std::uint32_t node = 0; node < 16; ++node) {
        const hw::system::router_chip& router = made[0].plan.router_at(node);
        EXPECT_EQ(router.params.max_sources, 32u);
        ASSERT_EQ(router.tables.doors.size(), 1u);
        EXPECT_EQ(router.tables.doors[0].sources, (std::vector<hw::chips::source_range>{{node, node}}));
    }
}

TEST(router_instances, settings_reach_the_plan) {
    const std::vector<instance> made = make_instances(
        load({"network.topology.kind=torus", "router.flit=8", "router.vcs=6", "router.vc_policy=keep",
              "router.allocator=islip", "router.iterations=2", "router.route_delay=2", "router.crossbar_delay=3",
              "network.link.delay=4", "host.send_overhead=7", "ni.receive_memory=unlimited", "host.bus=2 B/cycle"},
             multicast));
    ASSERT_EQ(made.size(), 1u);
    EXPECT_EQ(made[0].name, "torus-4x4");
    const hw::system::system_plan& plan = made[0].plan;
    ASSERT_TRUE(plan.has_routers());
    EXPECT_EQ(plan.switch_count(), 16u);
    EXPECT_EQ(plan.router_at(0).params.flit_bytes, 8u);
    EXPECT_EQ(plan.router_at(0).params.vcs, 6u);
    EXPECT_EQ(plan.router_at(0).params.xbar_stages, 2u);
    EXPECT_FALSE(plan.router_at(0).params.header_free);
    const hw::chips::router_tables& tables = plan.router_at(5).tables;
    EXPECT_EQ(tables.node, 5u);
    EXPECT_EQ(tables.policy, hw::chips::vc_policy::keep);
    EXPECT_EQ(tables.allocator, hw::chips::router_allocator::islip);
    EXPECT_EQ(tables.iterations, 2u);
    EXPECT_EQ(tables.route_delay, 2u);
    EXPECT_EQ(tables.wrap, 3u);
    // 13 bytes of header in two flits; transport header, 128 bytes and the check word in twenty.
    EXPECT_EQ(tables.packet_limit, 22u);
    EXPECT_EQ(tables.reserve, 22u) << "cut-through";
    EXPECT_EQ(plan.router_at(0).params.vc_flits, 22u);
    EXPECT_EQ(plan.params.link_delay, 4u);
    EXPECT_EQ(plan.host.send_overhead, 7u);
    EXPECT_EQ(plan.host.interface.vcs, 6u);
    EXPECT_EQ(plan.host.interface.credits, 22u);
    EXPECT_EQ(plan.host.interface.bus_cycles_per_byte, (boost::rational<std::int64_t>(1, 2)));
}

TEST(router_instances, tables_free_headers_and_wormhole) {
    const std::vector<instance> made = make_instances(load(
        {"router.routing=table", "packet.header=free", "router.switching=wormhole", "router.buffer=4"}, multicast));
    const hw::system::system_plan& plan = made[0].plan;
    EXPECT_TRUE(plan.router_at(0).params.header_free);
    EXPECT_EQ(plan.host.interface.header_bytes, plan.router_at(0).params.pin_shape().header_bytes);
    EXPECT_EQ(plan.router_at(0).tables.reserve, 1u);
    EXPECT_EQ(plan.router_at(0).params.vc_flits, 4u);
    ASSERT_EQ(plan.router_at(5).tables.route.size(), 16u);
    EXPECT_EQ(plan.router_at(5).tables.route[5], 0b10000u) << "the host";
    EXPECT_EQ(plan.router_at(5).tables.route[15], 0b00001u) << "up the first dimension first";
}

TEST(router_instances, settings_of_a_fat_tree_reach_the_plan) {
    const std::vector<instance> made = make_instances(scenario::load_text(
        "seed: 70000\n"
        "network: {topology: {kind: fat_tree, arity: 3, nodes: 20}}\n"
        "router: {flit: 2 B, vcs: 2, buffer: 128 flit, switching: wormhole, route_delay: 6, select: random}\n"
        "packet: {header: free, payload: 320 B}\n"
        "workload: [{name: a, kind: unicast, message: 1 KiB}]\n",
        "a.yaml"));
    ASSERT_EQ(made.size(), 1u);
    EXPECT_EQ(made[0].name, "3-ary-3-tree");
    const hw::system::system_plan& plan = made[0].plan;
    EXPECT_TRUE(plan.by_tables);
    EXPECT_EQ(plan.switch_count(), 7u + 9 + 9);
    EXPECT_EQ(plan.network.hosts.size(), 20u);
    EXPECT_EQ(plan.router_at(0).params.ports, 6u);
    EXPECT_EQ(plan.router_at(0).params.vcs, 2u);
    EXPECT_EQ(plan.router_at(0).params.vc_flits, 128u);
    EXPECT_TRUE(plan.router_at(0).params.header_free);
    EXPECT_TRUE(plan.router_at(0).params.adaptive);
    const hw::chips::router_tables& tables = plan.router_at(5).tables;
    EXPECT_TRUE(tables.table);
    EXPECT_EQ(tables.select, hw::chips::route_select::random);
    EXPECT_EQ(tables.seed, static_cast<std::uint16_t>(hw::traffic::random_stream(70000 % 65536, 5)()));
    EXPECT_EQ(tables.route_delay, 6u);
    EXPECT_EQ(tables.reserve, 1u);
    EXPECT_EQ(tables.packet_limit, 160u);
    EXPECT_EQ(tables.route[17], 0b000100u);
    EXPECT_EQ(tables.route[0], 0b111000u);
    EXPECT_EQ(plan.host.interface.hosts, 20u);
    EXPECT_EQ(plan.host.interface.vcs, 2u);
}

TEST(router_instances, what_routers_cannot_do_is_refused) {
    EXPECT_EQ(refusal({}), "accepted");
    for (const char* scheme : {"tree", "path", "ssr", "hybrid"})
        EXPECT_THAT(refusal({}, std::string("{name: a, kind: multicast, scheme: ") + scheme + ", degree: 5}"),
                    HasSubstr("routers copy no worms"));
    EXPECT_THAT(refusal({"router.buffer=8"}), HasSubstr("'router.buffer'"));
    EXPECT_THAT(refusal({"ni.receive_memory=2"}), HasSubstr("forward more packets than the 2"));
    EXPECT_THAT(refusal({"network.chips={router99: rtl}"}), HasSubstr("router99"));
    EXPECT_THAT(refusal({}, "{name: a, kind: multicast, scheme: ni, degree: 16}"), HasSubstr("16 hosts have 15"));
}

}  // namespace
}  // namespace polycast::tlm::sim
