// SPDX-License-Identifier: Apache-2.0
// Hosts with interfaces on meshes and tori of virtual-channel routers: the same programs, firmware, scoreboard as on
// switches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/chips/router_core.h"
#include "hw/input_error.h"
#include "hw/system/mesh_plan.h"
#include "hw/system/prediction.h"
#include "testbench/unit/hw/system/scheme_run.h"

namespace polycast::hw::system {
namespace {

using collectives::scheme;
using testing::HasSubstr;
using testing::IsEmpty;

system_params wide() {
    system_params params;
    params.flit_bytes = 16;
    return params;
}

mesh_params mesh_of(unsigned radix, unsigned wrap = 0) {
    mesh_params mesh;
    mesh.radix = radix;
    mesh.wrap = wrap;
    mesh.vc_flits = 16;
    return mesh;
}

traffic::workload_params unicasts(traffic::unicast_pattern pattern, std::uint32_t bytes) {
    traffic::workload_params work;
    work.kind = traffic::workload_kind::unicast;
    work.pattern = pattern;
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
        system_params params = wide();
        params.header_free = header_free;
        const system_plan plan = make_plan(mesh_of(4), params);
        for (const std::uint32_t to : {1u, 5u, 15u}) {
            traffic::workload_params work = unicasts(traffic::unicast_pattern::uniform, 128);
            work.source = 0;
            work.pattern = traffic::unicast_pattern::hotspot;
            work.hotspots = {to};
            work.hotspot_fraction = 1;
            const scheme_result got = run_scheme(plan, work, {});
            EXPECT_EQ(got.problem(), "");
            const unsigned routers = to % 4 + to / 4 + 1;
            const unsigned flits = header_free ? 8 : 1 + 10;
            EXPECT_EQ(got.latency(), formula(routers, flits, 1, 96)) << to << (header_free ? " free" : "");
        }
    }
}

TEST(mesh_network, headers_of_several_flits_delay_every_hop) {
    system_params params;
    params.flit_bytes = 4;
    mesh_params mesh = mesh_of(4);
    mesh.vc_flits = 64;
    const system_plan plan = make_plan(mesh, params);
    traffic::workload_params work = unicasts(traffic::unicast_pattern::hotspot, 128);
    work.source = 3;
    work.hotspots = {12};
    work.hotspot_fraction = 1;
    const scheme_result got = run_scheme(plan, work, {});
    EXPECT_EQ(got.problem(), "");
    EXPECT_EQ(got.latency(), formula(7, 4 + 39, 4, 96));
}

struct routing_case {
    const char* name;
    mesh_params mesh;
    system_params params = wide();
};

std::vector<routing_case> cases() {
    std::vector<routing_case> all{{"mesh", mesh_of(4)}, {"torus", mesh_of(4, 3)}, {"ring and line", mesh_of(5, 1)}};
    routing_case one{"keep", mesh_of(4)};
    one.mesh.policy = chips::vc_policy::keep;
    all.push_back(one);
    one = {"torus, keep", mesh_of(4, 3)};
    one.mesh.policy = chips::vc_policy::keep;
    all.push_back(one);
    one = {"wormhole, iSLIP", mesh_of(4, 3)};
    one.mesh.reserve = 1;
    one.mesh.vc_flits = 3;
    one.params.packet_limit = 11;
    one.mesh.allocator = chips::router_allocator::islip;
    one.mesh.iterations = 2;
    all.push_back(one);
    one = {"one virtual channel", mesh_of(4)};
    one.mesh.vcs = 1;
    all.push_back(one);
    one = {"slow", mesh_of(3)};
    one.mesh.dimensions = 3;
    one.params.route_delay = 3;
    one.params.crossbar_delay = 2;
    one.params.link_delay = 4;
    one.params.header_free = true;
    all.push_back(one);
    return all;
}

TEST(mesh_network, everything_arrives_whole_everywhere) {
    for (const routing_case& one : cases()) {
        const system_plan plan = make_plan(one.mesh, one.params);
        traffic_needs needs;
        needs.unicast_payload = 128;
        EXPECT_THAT(check_plan(plan, needs).problems, IsEmpty()) << one.name;
        const scheme_result got = run_scheme(plan, unicasts(traffic::unicast_pattern::each_to_each, 300), {});
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
    for (const unsigned wrap : {0u, 3u}) {
        mesh_params mesh = mesh_of(4, wrap);
        const auto run = [&] {
            return run_scheme(make_plan(mesh, wide()), unicasts(traffic::unicast_pattern::each_to_each, 200), {});
        };
        const scheme_result by_order = run();
        mesh.table = true;
        const scheme_result by_table = run();
        EXPECT_EQ(by_table.problem(), "");
        EXPECT_EQ(by_table.transfers, by_order.transfers);
    }
}

TEST(mesh_network, multicasts_by_unicasts_programs_and_interfaces) {
    for (const unsigned wrap : {0u, 3u}) {
        const system_plan plan = make_plan(mesh_of(4, wrap), wide());
        for (const scheme how : {scheme::unicasts, scheme::software, scheme::ni}) {
            for (const bool fcfs : {false, true}) {
                multicast_choice choice = by(how);
                choice.fcfs = fcfs;
                traffic::workload_params work = multicast(15, 700);
                const scheme_result got = run_scheme(plan, work, choice);
                EXPECT_EQ(got.problem(), "") << collectives::name_of(how);
                EXPECT_EQ(got.counts.delivered, 6u * 15);
            }
        }
    }
}

TEST(mesh_network, trees_follow_dimension_order) {
    const system_plan plan = make_plan(mesh_of(4), wide());
    const traffic::planner planner = make_planner(plan, by(scheme::software), 128);
    std::vector<std::uint32_t> others;
    for (std::uint32_t host = 1; host < 16; ++host) others.push_back(host);
    const collectives::multicast_plan made = planner(0, others);
    // Hosts by column, then row: 0 4 8 12 1 5 9 13 ...; the source serves the middle of that chain first.
    ASSERT_FALSE(made.participants.front().sends.empty());
    EXPECT_EQ(made.participants.front().host, 0u);
    EXPECT_EQ(made.participants.front().sends.front().hosts.front(), 2u);
}

TEST(mesh_network, prediction_is_exact_for_a_multicast_alone) {
    for (const unsigned wrap : {0u, 3u}) {
        const system_plan plan = make_plan(mesh_of(4, wrap), wide());
        for (const scheme how : {scheme::software, scheme::ni}) {
            multicast_choice choice = by(how);
            choice.fanout = multicast_choice::fanout_choice::timing;
            traffic::workload_params work = multicast(0, 300);
            work.source = 6;
            work.destinations = {0, 1, 3, 4, 9, 12, 14, 15};
            const scheme_result got = run_scheme(plan, work, choice);
            EXPECT_EQ(got.problem(), "");
            const collectives::multicast_plan made =
                make_planner(plan, choice, work.bytes)(*work.source, work.destinations);
            EXPECT_EQ(predict(plan, made, forwarding_of(choice), work.bytes).latency, got.latency())
                << collectives::name_of(how);
        }
    }
}

TEST(mesh_network, schemes_with_worms_are_refused) {
    const system_plan plan = make_plan(mesh_of(4), wide());
    for (const scheme how : {scheme::tree, scheme::path, scheme::ssr, scheme::hybrid})
        EXPECT_THROW(make_planner(plan, by(how), 128), input_error) << collectives::name_of(how);
}

TEST(mesh_network, load_with_few_receive_slots_is_late_and_not_lost) {
    mesh_params mesh = mesh_of(4);
    system_params params = wide();
    params.host.interface.receive_slots = 2;
    params.host.send_overhead = params.host.receive_overhead = 10;
    params.firmware_times = paper_costs(10, 200);
    for (const chips::vc_policy policy : {chips::vc_policy::any, chips::vc_policy::keep}) {
        mesh.policy = policy;
        traffic::workload_params work = unicasts(traffic::unicast_pattern::uniform, 256);
        work.gap = 300;
        work.end = 20000;
        const scheme_result got = run_scheme(make_plan(mesh, params), work, {});
        EXPECT_EQ(got.problem(), "");
        EXPECT_GT(got.counts.delivered, 1000u);
        EXPECT_EQ(got.totals.receive_slots_peak, 2u);
        EXPECT_EQ(got.counts.overtaken, 0u);
        EXPECT_GT(got.counts.misordered, 0u) << "those of different virtual channels";
    }
}

TEST(mesh_network, rings_without_datelines_are_refused_and_deadlock) {
    mesh_params mesh = mesh_of(5, 3);
    mesh.vcs = 1;
    mesh.vc_sets.emplace();
    mesh.vc_sets->fill({1, 1});
    system_params params = wide();
    params.host.send_overhead = params.host.receive_overhead = 1;
    params.host.interface.bus_cycles_per_byte = {1, 100};
    params.firmware_times = paper_costs(1, 1);
    const system_plan plan = make_plan(mesh, params);
    traffic_needs needs;
    needs.unicast_payload = 128;
    const routing::route_check_result checked = check_plan(plan, needs);
    ASSERT_EQ(checked.problems.size(), 1u);
    EXPECT_THAT(checked.problems[0], HasSubstr("may wait for each other along router0:0 vc0 -> router1:0 vc0"));
    EXPECT_EQ(checked.cycle.size(), 5u);

    traffic::workload_params work = unicasts(traffic::unicast_pattern::uniform, 1024);
    work.gap = 60;
    work.end = 20000;
    const scheme_result got = run_scheme(plan, work, {});
    ASSERT_EQ(got.outcome.ended, run_outcome::kind::stuck);
    EXPECT_THAT(got.outcome.diagnosis, HasSubstr("wait cycle: input router"));
}

TEST(mesh_network, a_stuck_network_with_virtual_channels_names_them) {
    mesh_params mesh = mesh_of(5, 3);
    mesh.vc_sets.emplace();
    mesh.vc_sets->fill({0xf, 0xf});
    system_params params = wide();
    params.host.send_overhead = params.host.receive_overhead = 1;
    params.host.interface.bus_cycles_per_byte = {1, 100};
    params.firmware_times = paper_costs(1, 1);
    traffic::workload_params work = unicasts(traffic::unicast_pattern::uniform, 1024);
    work.gap = 60;
    work.end = 20000;
    const scheme_result got = run_scheme(make_plan(mesh, params), work, {});
    ASSERT_EQ(got.outcome.ended, run_outcome::kind::stuck);
    EXPECT_THAT(got.outcome.diagnosis, testing::ContainsRegex("wait cycle: input router[0-9]+:[0-3] vc[0-3]"));
}

TEST(mesh_network, what_cannot_be_is_refused) {
    const auto refused = [](auto change, const std::string& why) {
        mesh_params mesh = mesh_of(4);
        system_params params = wide();
        change(mesh, params);
        try {
            make_plan(mesh, params);
            ADD_FAILURE() << why;
        } catch (const input_error& error) {
            EXPECT_THAT(error.what(), HasSubstr(why));
        }
    };
    refused([](mesh_params& mesh, system_params&) { mesh.radix = 1; }, "at least 2 nodes");
    refused([](mesh_params& mesh, system_params&) { mesh.vcs = 17; }, "1..16 virtual channels");
    refused([](mesh_params& mesh, system_params&) { mesh.reserve = 17; }, "begins with 17 credits");
    refused([](mesh_params&, system_params& params) { params.crossbar_delay = 0; }, "crossbar");
    refused([](mesh_params& mesh, system_params&) { mesh.dimensions = 5; }, "dimensions");
    refused(
        [](mesh_params& mesh, system_params&) {
            mesh.vc_sets.emplace();
            mesh.vc_sets->fill({0xf, 0xf});
            (*mesh.vc_sets)[2] = {0, 0};
        },
        "class 2");
}

TEST(mesh_network, packets_that_are_too_long_are_found_before_the_run) {
    mesh_params mesh = mesh_of(4);
    mesh.vc_flits = 8;
    const system_plan plan = make_plan(mesh, wide());
    traffic_needs needs;
    needs.unicast_payload = 128;
    const routing::route_check_result checked = check_plan(plan, needs);
    ASSERT_FALSE(checked.good());
    EXPECT_THAT(checked.problems[0], HasSubstr("packets of 11 flits are longer than router0's limit of 8 flits"));
}

TEST(mesh_network, routes_that_end_nowhere_are_found_before_the_run) {
    mesh_params mesh = mesh_of(3);
    mesh.table = true;
    system_plan plan = make_plan(mesh, wide());
    plan.router_tables[1].route[8] = 0;
    plan.router_tables[4].route[0] = 0b10000;  // to the host here
    plan.router_tables[7].route[6] = 0b00001;  // back and forth
    plan.router_tables[8].route[6] = 0b00010;
    traffic_needs needs;
    needs.unicast_payload = 64;
    const routing::route_check_result checked = check_plan(plan, needs);
    ASSERT_FALSE(checked.good());
    const auto found = [&](const std::string& text) {
        return std::ranges::any_of(checked.problems, [&](const std::string& one) { return one == text; });
    };
    EXPECT_TRUE(found("packets of class 0 from router4 do not reach terminal 0"));
    EXPECT_TRUE(found("packets of class 0 from router0 do not reach terminal 8"));
    EXPECT_TRUE(found("packets of class 0 from router7 do not reach terminal 6"));
}

TEST(mesh_network, forwarding_interfaces_with_finite_memory_are_refused) {
    system_params params = wide();
    params.host.interface.receive_slots = 4;
    const system_plan plan = make_plan(mesh_of(3), params);
    traffic_needs needs;
    needs.unicast_payload = 64;
    EXPECT_TRUE(check_plan(plan, needs).good());
    needs.forwarded = 5;
    const routing::route_check_result checked = check_plan(plan, needs);
    ASSERT_EQ(checked.problems.size(), 1u);
    EXPECT_THAT(checked.problems[0], HasSubstr("memory of host"));
}

}  // namespace
}  // namespace polycast::hw::system
