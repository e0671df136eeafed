// SPDX-License-Identifier: Apache-2.0
// Doors of networks (hw/chips/source_door.md): who is who he says comes in as if there were none, and nobody else.
#include "hw/system/source_doors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/chips/router/router_core.h"
#include "hw/chips/switch/switch_core.h"
#include "hw/system/mesh_plan.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/system/scheme_run.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::system {
namespace {

using collectives::scheme_of;
using testing::HasSubstr;

system_plan of_switches() {
    return make_plan(topology::make_irregular({}), {});
}

system_plan of_routers() {
    fabric::fabric_params mesh;
    mesh.router.radix = 4;
    mesh.router.vc_flits = 16;
    mesh.tables.packet_limit = mesh.tables.reserve = 16;
    mesh.tables.vc_sets = fabric::dateline_sets(mesh.router.vcs, 0);
    return make_plan(mesh, {});
}

traffic::workload_params work_of(traffic::workload_kind kind) {
    traffic::workload_params work;
    work.kind = kind;
    work.bytes = 64;
    work.degree = 7;
    work.gap = 4000;
    work.end = 40'000;
    return work;
}

system_plan with_doors(system_plan plan, bool forwarding) {
    add_doors(plan, forwarding);
    return plan;
}

/// A port of a chip at a host.
engine::port_id first_of(const system_plan& plan, std::uint32_t host) {
    return plan.peers()[plan.host_chip(host)][0];
}

chips::source_doors& doors_of(system_plan& plan, engine::chip_id chip) {
    if (plan.has_routers()) return plan.router_at(chip).tables.doors;
    return plan.switch_at(chip).tables.doors;
}

chips::source_door& door_of(system_plan& plan, std::uint32_t host) {
    const engine::port_id at = first_of(plan, host);
    return *std::ranges::find(doors_of(plan, at.chip), at.port, &chips::source_door::port);
}

std::vector<engine::cycle> ends(const scheme_result& got) {
    std::vector<engine::cycle> found;
    for (const traffic::transfer_record& each : got.transfers) found.push_back(each.latency());
    return found;
}

TEST(source_doors, each_host_alone_may_send_at_its_port) {
    for (const system_plan& bare : {of_switches(), of_routers()}) {
        system_plan plan = with_doors(bare, false);
        std::size_t doors = 0;
        for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host)
            EXPECT_EQ(door_of(plan, host).sources, (std::vector<chips::source_range>{{host, host}}));
        for (engine::chip_id chip = 0; chip < plan.switch_count(); ++chip) doors += doors_of(plan, chip).size();
        EXPECT_EQ(doors, plan.network.hosts.size()) << "and ports to other chips are open";
    }
}

TEST(source_doors, whoever_is_who_he_says_loses_no_cycle) {
    for (const system_plan& plan : {of_switches(), of_routers()}) {
        const traffic::workload_params work = work_of(traffic::workload_kind::unicast);
        const scheme_result open = run_scheme(plan, work, by(scheme_of("software")));
        const scheme_result shut = run_scheme(with_doors(plan, false), work, by(scheme_of("software")));
        EXPECT_EQ(shut.problem(), "");
        EXPECT_EQ(ends(shut), ends(open));
        EXPECT_GT(ends(open).size(), 100u);
    }
}

TEST(source_doors, interfaces_that_forward_send_packets_of_any_root) {
    for (const system_plan& plan : {of_switches(), of_routers()}) {
        const traffic::workload_params work = work_of(traffic::workload_kind::multicast);
        const scheme_result open = run_scheme(plan, work, by(scheme_of("ni")));
        const scheme_result shut = run_scheme(with_doors(plan, true), work, by(scheme_of("ni")));
        EXPECT_EQ(shut.problem(), "");
        EXPECT_EQ(ends(shut), ends(open));
        const scheme_result refused = run_scheme(with_doors(plan, false), work, by(scheme_of("ni")));
        EXPECT_GT(refused.errors, 0u) << "what is sent on has the number of its root";
        EXPECT_LT(refused.counts.delivered, open.counts.delivered);
    }
}

TEST(source_doors, a_forged_source_dies_at_its_first_chip_and_holds_up_nobody) {
    constexpr std::uint32_t forger = 3;
    for (const system_plan& plan : {of_switches(), of_routers()}) {
        const traffic::workload_params work = work_of(traffic::workload_kind::unicast);
        const scheme_result open = run_scheme(plan, work, by(scheme_of("software")));
        std::uint64_t sent = 0;
        for (const traffic::transfer_record& each : open.transfers) sent += each.source == forger;
        ASSERT_GT(sent, 2u);
        // To its first chip it is somebody else.
        system_plan shut = with_doors(plan, false);
        door_of(shut, forger).sources = {{forger + 1, forger + 1}};
        const scheme_result got = run_scheme(shut, work, by(scheme_of("software")));
        EXPECT_EQ(got.errors, sent) << "one for each packet: no further error at any chip";
        EXPECT_EQ(got.counts.delivered, open.counts.delivered - sent);
        EXPECT_TRUE(got.idle) << "credits of packets that were dropped have come back";
    }
}

TEST(source_doors, a_table_has_an_end) {
    system_plan plan = of_switches();
    add_doors(plan, false);
    EXPECT_EQ(plan.switch_at(0).params.max_sources, 32u);
    plan.hosts.resize(65'537, plan.hosts[0]);
    EXPECT_THAT(testbench::unit::refusal([&] { add_doors(plan, false); }), HasSubstr("at most 65536"));
}

TEST(source_doors, tables_that_make_no_sense_are_refused) {
    using chips::source_doors;
    EXPECT_EQ(source_doors{}.problem(4, 0), nullptr);
    EXPECT_EQ((source_doors{{0, {{0, 7}}}, {3, {}}}.problem(4, 8)), nullptr);
    EXPECT_THAT((source_doors{{0, {}}}.problem(4, 0)), HasSubstr("max_sources is 0"));
    EXPECT_THAT((source_doors{{4, {}}}.problem(4, 8)), HasSubstr("does not exist"));
    EXPECT_THAT((source_doors{{1, {}}, {1, {}}}.problem(4, 8)), HasSubstr("two doors"));
    EXPECT_THAT((source_doors{{0, {{2, 1}}}}.problem(4, 8)), HasSubstr("ends before it begins"));
    EXPECT_THAT((source_doors{{0, {{0, 8}}}}.problem(4, 8)), HasSubstr("does not have"));
    chips::switch_params params;
    params.max_sources = 8;
    system_plan plan = of_switches();
    chips::switch_tables tables = plan.switch_at(0).tables;
    tables.doors = {{params.ports, {}}};
    EXPECT_THAT(testbench::unit::refusal([&] { chips::switch_core(params, tables); }), HasSubstr("does not exist"));
}

}  // namespace
}  // namespace polycast::hw::system
