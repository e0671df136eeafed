// SPDX-License-Identifier: Apache-2.0
// Hosts with interfaces on meshes and tori of virtual-channel routers: the same programs, firmware, scoreboard as on
// switches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/chips/router/router_core.h"
#include "hw/input_error.h"
#include "hw/system/mesh_plan.h"
#include "hw/system/prediction.h"
#include "testbench/unit/hw/system/scheme_run.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::system {
namespace {

using collectives::scheme;
using collectives::scheme_of;
using testing::HasSubstr;
using testing::IsEmpty;

using fabric::fabric_params;

/// Routers whose buffers take packets of 16 flits whole.
fabric_params mesh_of(unsigned radix, bool torus = false) {
    fabric_params mesh;
    mesh.router.radix = radix;
    mesh.router.vc_flits = 16;
    mesh.tables.packet_limit = mesh.tables.reserve = 16;
    mesh.tables.wrap = torus ? 3 : 0;
    mesh.tables.vc_sets = fabric::dateline_sets(mesh.router.vcs, mesh.tables.wrap);
    return mesh;
}

/// The same with one virtual channel.
fabric_params single_vc(unsigned radix, bool torus = false) {
    fabric_params mesh = mesh_of(radix, torus);
    mesh.router.vcs = 1;
    mesh.tables.vc_sets.fill({1, 1});
    return mesh;
}

traffic::workload_params unicasts(std::string_view pattern, std::uint32_t bytes) {
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.pattern.name = pattern;
    work.bytes = bytes;
    return work;
}

traffic::workload_params multicast(std::uint32_t degree, std::uint32_t bytes) {
    traffic::workload_params work;
    work.degree = degree;
    work.bytes = bytes;
    return work;
}

/// t_hs + DMA + t_ns + (link + 3 a router + the packet's other flits) + t_nr + DMA + t_hr.
engine::cycle formula(unsigned routers, unsigned flits, unsigned header_flits, engine::cycle dma) {
    return 4000 + 2 * dma + 1 + (3 + header_flits - 1) * routers + flits - 1;
}

TEST(mesh_network, latency_of_a_packet_equals_the_formula) {
    for (const bool header_free : {false, true}) {
        fabric_params mesh = mesh_of(4);
        mesh.router.header_free = header_free;
        const system_plan plan = make_plan(mesh, system_params{});
        for (const std::uint32_t to : {1u, 5u, 15u}) {
            traffic::workload_params work = unicasts("uniform", 128);
            work.source = 0;
            work.pattern.name = "hotspot";
            work.pattern.hosts = {to};
            work.pattern.numbers["fraction"] = 1;
            const scheme_result got = run_scheme(plan, work, {});
            EXPECT_EQ(got.problem(), "");
            const unsigned routers = to % 4 + to / 4 + 1;
            const unsigned flits = header_free ? 8 : 1 + 10;
            EXPECT_EQ(got.latency(), formula(routers, flits, 1, 96)) << to << (header_free ? " free" : "");
        }
    }
}

TEST(mesh_network, headers_of_several_flits_delay_every_hop) {
    fabric_params mesh = mesh_of(4);
    mesh.router.flit_bytes = 4;
    mesh.router.vc_flits = mesh.tables.packet_limit = mesh.tables.reserve = 64;
    const system_plan plan = make_plan(mesh, system_params{});
    traffic::workload_params work = unicasts("hotspot", 128);
    work.source = 3;
    work.pattern.hosts = {12};
    work.pattern.numbers["fraction"] = 1;
    const scheme_result got = run_scheme(plan, work, {});
    EXPECT_EQ(got.problem(), "");
    EXPECT_EQ(got.latency(), formula(7, 4 + 39, 4, 96));
}

struct routing_case {
    const char* name;
    fabric_params mesh;
};

std::vector<routing_case> cases() {
    std::vector<routing_case> all{{"mesh", mesh_of(4)},
                                  {"torus", mesh_of(4, true)},
                                  {"odd torus", mesh_of(5, true)},
                                  {"one virtual channel", single_vc(4)}};
    for (const bool torus : {false, true}) {
        all.push_back({torus ? "torus, keep" : "keep", mesh_of(4, torus)});
        all.back().mesh.tables.policy = chips::vc_policy::keep;
    }
    all.push_back({"wormhole, iSLIP", mesh_of(4, true)});
    fabric_params& wormhole = all.back().mesh;
    wormhole.router.vc_flits = 3;
    wormhole.tables.reserve = 1;
    wormhole.tables.allocator = chips::router_allocator::islip;
    wormhole.tables.iterations = 2;
    all.push_back({"slow", mesh_of(3)});
    fabric_params& slow = all.back().mesh;
    slow.router.dimensions = 3;
    slow.router.ports = 7;
    slow.router.header_free = true;
    slow.router.xbar_stages = 1;
    slow.tables.route_delay = 3;
    slow.link_delay = 4;
    return all;
}

TEST(mesh_network, everything_arrives_whole_everywhere) {
    for (const routing_case& one : cases()) {
        const system_plan plan = make_plan(one.mesh, system_params{});
        traffic_needs needs;
        needs.unicast_payload = 128;
        EXPECT_THAT(check_plan(plan, needs).problems, IsEmpty()) << one.name;
        const scheme_result got = run_scheme(plan, unicasts("each_to_each", 300), {});
        EXPECT_EQ(got.problem(), "") << one.name;
        const std::uint64_t hosts = plan.network.hosts.size();
        EXPECT_EQ(got.counts.delivered, 3 * hosts * (hosts - 1)) << one.name;
        EXPECT_EQ(got.counts.overtaken, 0u) << one.name;
        if (plan.keeps_order()) {
            EXPECT_EQ(got.counts.misordered, 0u) << one.name;
        }
    }
}

TEST(mesh_network, tables_route_as_coordinates_do) {
    for (const bool torus : {false, true}) {
        fabric_params mesh = mesh_of(4, torus);
        const auto run = [&] {
            return run_scheme(make_plan(mesh, system_params{}), unicasts("each_to_each", 200), {});
        };
        const scheme_result by_order = run();
        mesh.tables.table = true;
        const scheme_result by_table = run();
        EXPECT_EQ(by_table.problem(), "");
        EXPECT_EQ(by_table.transfers, by_order.transfers);
    }
}

TEST(mesh_network, multicasts_by_unicasts_programs_and_interfaces) {
    for (const bool torus : {false, true}) {
        const system_plan plan = make_plan(mesh_of(4, torus), system_params{});
        for (const scheme how : {scheme_of("unicasts"), scheme_of("software"), scheme_of("ni")}) {
            for (const bool fcfs : {false, true}) {
                multicast_choice choice = by(how);
                choice.fcfs = fcfs;
                traffic::workload_params work = multicast(15, 700);
                const scheme_result got = run_scheme(plan, work, choice);
                EXPECT_EQ(got.problem(), "") << how->name;
                EXPECT_EQ(got.counts.delivered, 6u * 15);
            }
        }
    }
}

TEST(mesh_network, trees_follow_dimension_order) {
    const system_plan plan = make_plan(mesh_of(4), system_params{});
    const traffic::planner planner = make_planner(plan, by(scheme_of("software")), 128);
    std::vector<std::uint32_t> others;
    for (std::uint32_t host = 1; host < 16; ++host) others.push_back(host);
    const collectives::multicast_plan made = planner(0, others);
    // Hosts by column, then row: 0 4 8 12 1 5 9 13 ...; the source serves the middle of that chain first.
    ASSERT_FALSE(made.participants.front().sends.empty());
    EXPECT_EQ(made.participants.front().host, 0u);
    EXPECT_EQ(made.participants.front().sends.front().hosts.front(), 2u);
}

TEST(mesh_network, prediction_is_exact_for_a_multicast_alone) {
    for (const bool torus : {false, true}) {
        const system_plan plan = make_plan(mesh_of(4, torus), system_params{});
        for (const scheme how : {scheme_of("software"), scheme_of("ni")}) {
            multicast_choice choice = by(how);
            choice.fanout = multicast_choice::fanout_choice::timing;
            traffic::workload_params work = multicast(0, 300);
            work.source = 6;
            work.destinations = {0, 1, 3, 4, 9, 12, 14, 15};
            const scheme_result got = run_scheme(plan, work, choice);
            EXPECT_EQ(got.problem(), "");
            const collectives::multicast_plan made =
                make_planner(plan, choice, work.bytes)(*work.source, work.destinations);
            EXPECT_EQ(predict(plan, made, forwarding_of(choice), work.bytes).latency, got.latency()) << how->name;
        }
    }
}

TEST(mesh_network, schemes_with_worms_are_refused) {
    const system_plan plan = make_plan(mesh_of(4), system_params{});
    for (const scheme how : {scheme_of("tree"), scheme_of("path"), scheme_of("ssr"), scheme_of("hybrid")})
        EXPECT_THROW(make_planner(plan, by(how), 128), input_error) << how->name;
}

TEST(mesh_network, load_with_few_receive_slots_is_late_and_not_lost) {
    fabric_params mesh = mesh_of(4);
    system_params params;
    params.host.interface.receive_slots = 2;
    params.host.send_overhead = params.host.receive_overhead = 10;
    params.firmware_times = paper_costs(10, 200);
    for (const chips::vc_policy policy : {chips::vc_policy::any, chips::vc_policy::keep}) {
        mesh.tables.policy = policy;
        traffic::workload_params work = unicasts("uniform", 256);
        work.gap = 300;
        work.end = 20000;
        const scheme_result got = run_scheme(make_plan(mesh, params), work, {});
        EXPECT_EQ(got.problem(), "");
        EXPECT_GT(got.counts.delivered, 1000u);
        EXPECT_EQ(got.totals.interfaces.receive_slots_peak, 2u);
        EXPECT_EQ(got.counts.overtaken, 0u);
        EXPECT_GT(got.counts.misordered, 0u) << "those of different virtual channels";
    }
}

TEST(mesh_network, rings_without_datelines_are_refused_and_deadlock) {
    const fabric_params mesh = single_vc(5, true);
    system_params params;
    params.host.send_overhead = params.host.receive_overhead = 1;
    params.host.interface.bus_cycles_per_byte = {1, 100};
    params.firmware_times = paper_costs(1, 1);
    const system_plan plan = make_plan(mesh, params);
    traffic_needs needs;
    needs.unicast_payload = 128;
    const routing::route_check_result checked = check_plan(plan, needs);
    ASSERT_EQ(checked.problems.size(), 1u);
    EXPECT_THAT(checked.problems[0], HasSubstr("router0:0 VC 0 -> router1:0 VC 0"));
    EXPECT_GE(checked.cycle.size(), 5u);

    traffic::workload_params work = unicasts("uniform", 1024);
    work.gap = 60;
    work.end = 20000;
    const scheme_result got = run_scheme(plan, work, {});
    ASSERT_EQ(got.outcome.ended, run_outcome::kind::stuck);
    EXPECT_THAT(got.outcome.diagnosis, HasSubstr("wait cycle: input router"));
}

TEST(mesh_network, a_stuck_network_with_virtual_channels_names_them) {
    fabric_params mesh = mesh_of(5, true);
    mesh.tables.vc_sets.fill({0xf, 0xf});
    system_params params;
    params.host.send_overhead = params.host.receive_overhead = 1;
    params.host.interface.bus_cycles_per_byte = {1, 100};
    params.firmware_times = paper_costs(1, 1);
    traffic::workload_params work = unicasts("uniform", 1024);
    work.gap = 60;
    work.end = 20000;
    const scheme_result got = run_scheme(make_plan(mesh, params), work, {});
    ASSERT_EQ(got.outcome.ended, run_outcome::kind::stuck);
    EXPECT_THAT(got.outcome.diagnosis, testing::ContainsRegex("wait cycle: input router[0-9]+:[0-3] vc[0-3]"));
}

TEST(mesh_network, what_cannot_be_is_refused) {
    const auto refused = [](auto change, const std::string& why) {
        fabric_params mesh = mesh_of(4);
        change(mesh);
        EXPECT_THAT(testbench::unit::refusal([&] { make_plan(mesh, system_params{}); }), HasSubstr(why));
    };
    refused([](fabric_params& mesh) { mesh.router.ports = 4; }, "none for a host");
    refused([](fabric_params& mesh) { mesh.tables.reserve = 17; }, "begins with 17 credits");
    refused([](fabric_params& mesh) { mesh.tables.wrap = 1; }, "some dimensions are rings");
    refused([](fabric_params& mesh) { mesh.tables.vc_sets[2] = {0, 0}; }, "class 2");
    refused([](fabric_params& mesh) { mesh.tables.route_delay = 16; }, "rout");
}

TEST(mesh_network, packets_that_are_too_long_are_found_before_the_run) {
    fabric_params mesh = mesh_of(4);
    mesh.tables.packet_limit = 8;
    traffic_needs needs;
    needs.unicast_payload = 128;
    const routing::route_check_result checked = check_plan(make_plan(mesh, system_params{}), needs);
    ASSERT_FALSE(checked.good());
    EXPECT_THAT(checked.problems[0], HasSubstr("packets of 11 flits are longer"));
}

TEST(mesh_network, forwarding_interfaces_with_finite_memory_are_refused) {
    system_params params;
    params.host.interface.receive_slots = 4;
    const system_plan plan = make_plan(mesh_of(3), params);
    traffic_needs needs;
    needs.unicast_payload = 64;
    EXPECT_TRUE(check_plan(plan, needs).good());
    needs.forwarded = 5;
    const routing::route_check_result checked = check_plan(plan, needs);
    ASSERT_EQ(checked.problems.size(), 1u);
    EXPECT_THAT(checked.problems[0], HasSubstr("more packets than the 4"));
}

}  // namespace
}  // namespace polycast::hw::system
