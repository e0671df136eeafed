// SPDX-License-Identifier: Apache-2.0
// All-to-all broadcasts by host programs over interfaces, coded by coding units at the routers or by hosts.
#include "hw/workloads/allgather/allgather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "hw/chips/coding/coding_core.h"
#include "hw/format/packet_format.h"
#include "hw/host/endpoint.h"
#include "hw/input_error.h"
#include "hw/system/mesh_plan.h"
#include "hw/system/system_network.h"
#include "testbench/unit/hw/system/native.h"
#include "testbench/unit/hw/workloads/allgather/allgather_parts.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::system {
namespace {

using collectives::coding_base;
using collectives::coding_method;
using testing::HasSubstr;
using testing::IsEmpty;

struct gathered {
    run_outcome outcome;
    std::vector<std::string> problems;
    std::vector<std::string> failures;
    std::uint64_t errors = 0;
    std::uint64_t events = 0;
    std::uint64_t hops = 0;  ///< packets on links between routers
    std::uint64_t unit_messages = 0;
    std::uint64_t host_messages = 0;
    std::uint64_t decoding_xors = 0;
    std::uint64_t verified = 0;
    std::vector<allgather::spread> spreads;
    std::vector<engine::cycle> step_ends;
    std::vector<std::uint64_t> coding_xors;
};

gathered gather(const allgather_options& options, const system_params& params = {}) {
    allgather run(options);
    system_plan plan = make_plan(routers_for(run, options), params);
    run.equip(plan);
    traffic_needs needs;
    needs.unicast_payload = options.bytes;
    needs.classes = 4;
    EXPECT_THAT(check_plan(plan, needs).problems, IsEmpty());
    system_network network(
        plan, make_core,
        program_hosts(native(),
                      [&](std::uint32_t host) { return std::vector<host::application_factory>{run.program(host)}; }),
        run);
    gathered got;
    got.outcome = network.run({});
    got.problems = run.problems();
    got.failures = network.failures();
    got.errors = network.network().error_count();
    got.events = network.network().event_count();
    for (const topology::link& link : plan.network.links()) {
        got.hops += network.network().statistics({link.a.chip, link.a.port}).packets;
        got.hops += network.network().statistics({link.b.chip, link.b.port}).packets;
    }
    got.coding_xors = run.host_coding_xors();
    const std::vector<allgather::unit_task> tasks = run.unit_tasks();
    for (std::uint32_t unit = 0; unit < plan.units.size(); ++unit) {
        got.unit_messages += network.network().statistics(plan.unit_port(unit)).packets;
        got.coding_xors[tasks.at(unit).node] +=
            dynamic_cast<const chips::coding_core&>(network.network().at(plan.units[unit])).pairs();
    }
    got.host_messages = run.host_messages();
    got.decoding_xors = run.decoding_xors();
    got.verified = run.verified();
    got.spreads = run.spreads();
    got.step_ends = run.step_ends();
    EXPECT_EQ(run.wrong(), 0u);
    return got;
}

void expect_good(const gathered& got, const std::string& what) {
    EXPECT_EQ(got.outcome.ended, run_outcome::kind::complete) << what << ": " << got.outcome.diagnosis;
    EXPECT_THAT(got.problems, IsEmpty()) << what;
    EXPECT_THAT(got.failures, IsEmpty()) << what;
    EXPECT_EQ(got.errors, 0u) << what;
    EXPECT_EQ(got.events, 0u) << what;
}

allgather_options of(unsigned radix, std::uint32_t group, coding_method method, coding_base base, bool torus = false) {
    allgather_options options;
    options.plan.radix = radix;
    options.plan.group = group;
    options.plan.method = method;
    options.plan.base = base;
    options.plan.torus = torus;
    return options;
}

TEST(allgather, every_method_gives_everybody_all_data_with_the_hops_of_its_plan) {
    for (const bool torus : {false, true}) {
        for (const coding_base base : {coding_base::all_at_once, coding_base::tree}) {
            for (const coding_method method :
                 {coding_method::coded, coding_method::every_node, coding_method::uncoded}) {
                for (const std::uint32_t group : {2u, 4u, 8u, 16u}) {
                    const allgather_options options = of(4, group, method, base, torus);
                    const std::string what = std::to_string(int(method)) + (base == coding_base::tree ? " tree" : "") +
                                             (torus ? " torus" : "") + " group " + std::to_string(group);
                    const gathered got = gather(options);
                    expect_good(got, what);
                    const collectives::coding_count plan = collectives::network_coding(options.plan).total();
                    EXPECT_EQ(got.hops, plan.hops) << what;
                    EXPECT_EQ(got.verified, 16u * 15) << what;
                    EXPECT_EQ(got.host_messages + got.unit_messages, plan.unicasts) << what;
                }
            }
        }
    }
}

TEST(allgather, data_spread_and_steps_end_within_the_run) {
    const gathered got = gather(of(4, 4, coding_method::coded, coding_base::tree));
    expect_good(got, "coded");
    engine::cycle last = 0;
    for (const allgather::spread& each : got.spreads) {
        EXPECT_EQ(each.nodes, 16u);
        last = std::max(last, each.until);
    }
    EXPECT_EQ(last + 1, got.outcome.cycles);
    ASSERT_EQ(got.step_ends.size(), 4u) << "B, D, E, F";
    EXPECT_GT(got.step_ends[1], got.step_ends[0]) << "a chain packet takes data of the whole group";
    EXPECT_GT(got.step_ends[2], got.step_ends[1]) << "E sends what D brought";
    EXPECT_LE(*std::ranges::max_element(got.step_ends), last);
}

TEST(allgather, ports_without_a_unit_have_no_credits) {
    const allgather_options options = of(4, 4, coding_method::coded, coding_base::tree);
    const allgather run(options);
    system_plan plan = make_plan(routers_for(run, options), {});
    const unsigned port = plan.router_at(0).params.first_host_port() + 1;
    const auto with_credits = [&](unsigned credits) {
        std::uint32_t count = 0;
        for (std::uint32_t router = 0; router < plan.switch_count(); ++router)
            if (plan.router_at(router).tables.credits[port] == credits) ++count;
        return count;
    };
    EXPECT_EQ(with_credits(0), 16u);
    run.equip(plan);
    EXPECT_EQ(with_credits(16), 4u);
    EXPECT_EQ(plan.units.size(), 4u);
}

TEST(allgather, messages_are_combined) {
    for (const coding_base base : {coding_base::all_at_once, coding_base::tree}) {
        const allgather_options options = of(4, 4, coding_method::combining, base);
        const gathered got = gather(options);
        expect_good(got, "combining");
        EXPECT_EQ(got.host_messages, collectives::network_coding(options.plan).total().unicasts);
        EXPECT_EQ(got.hops, collectives::network_coding(options.plan).total().hops) << "a packet for each datum";
    }
}

TEST(allgather, units_compute_what_groups_need_and_hosts_compute_none_of_the_coding) {
    const gathered got = gather(of(4, 4, coding_method::coded, coding_base::tree));
    expect_good(got, "coded");
    EXPECT_EQ(std::accumulate(got.coding_xors.begin(), got.coding_xors.end(), std::uint64_t{0}), 4u * 3);
    EXPECT_EQ(std::ranges::count(got.coding_xors, 3u), 4);
    EXPECT_EQ(got.unit_messages, 3u * 4 * 2) << "in the tree a group's node sends to two others first";
    EXPECT_EQ(got.decoding_xors, 16u * 3 * 3);
}

TEST(allgather, eight_by_eight_with_slow_units_and_large_groups) {
    for (const std::uint32_t group : {8u, 32u}) {
        allgather_options options = of(8, group, coding_method::coded, coding_base::tree);
        options.xor_latency = 35;
        const gathered got = gather(options);
        expect_good(got, "8x8");
        EXPECT_EQ(got.hops, collectives::network_coding(options.plan).total().hops);
        std::printf("8x8, group %u: %llu cycles\n", group, static_cast<unsigned long long>(got.outcome.cycles));
    }
}

TEST(allgather, few_sources_and_groups_within_groups) {
    allgather_options options = of(4, 4, coding_method::coded, coding_base::all_at_once);
    options.plan.sources = 7;
    expect_good(gather(options), "seven sources");
    options.plan.sources = 0;
    options.plan.group = 8;
    for (const std::uint32_t inner : {2u, 4u}) {
        options.plan.inner_groups = {inner};
        for (const bool by_hosts : {false, true}) {
            options.coded_by_hosts = by_hosts;
            const gathered got = gather(options);
            expect_good(got, "recursive " + std::to_string(inner));
            EXPECT_EQ(got.hops, collectives::network_coding(options.plan).total().hops);
        }
    }
}

TEST(allgather, hosts_can_code_and_pay_for_it) {
    allgather_options options = of(4, 4, coding_method::coded, coding_base::all_at_once);
    options.coded_by_hosts = true;
    const gathered fast = gather(options);
    expect_good(fast, "by hosts");
    options.host_coding = 2000;
    const gathered slow = gather(options);
    expect_good(slow, "by slow hosts");
    EXPECT_EQ(slow.hops, fast.hops);
    EXPECT_GT(slow.outcome.cycles, fast.outcome.cycles);
    EXPECT_EQ(slow.unit_messages, 0u);
    EXPECT_EQ(std::accumulate(slow.coding_xors.begin(), slow.coding_xors.end(), std::uint64_t{0}), 4u * 3);
}

TEST(allgather, a_lost_operand_is_a_failure_with_a_name_and_ends_the_run) {
    const allgather_options options = of(4, 4, coding_method::coded, coding_base::all_at_once);
    allgather run(options);
    system_plan plan = make_plan(routers_for(run, options), {});
    run.equip(plan);
    const auto chips = [](const system_plan& of_run, engine::chip_id id) -> std::unique_ptr<engine::chip> {
        if (id != of_run.units[1]) return make_core(of_run, id);
        return std::make_unique<losing_unit>(make_core(of_run, id));
    };
    system_network network(
        plan, chips,
        program_hosts(native(),
                      [&](std::uint32_t host) { return std::vector<host::application_factory>{run.program(host)}; }),
        run);
    const run_limits limits;
    const run_outcome outcome = network.run(limits);
    EXPECT_EQ(outcome.ended, run_outcome::kind::stuck);
    EXPECT_FALSE(run.complete());
    EXPECT_LT(network.network().now(), limits.patience) << "the unit gives up before the watchdog";
    ASSERT_EQ(network.network().event_count(), 1u);
    EXPECT_EQ(network.network().events()[0].chip, plan.units[1]);
    EXPECT_EQ(network.network().events()[0].event.code, static_cast<unsigned>(format::coding_event::missing));
    EXPECT_THAT(network.failures(),
                testing::Contains(HasSubstr(plan.chips[plan.units[1]].name + " raises missing: context 0, index ")));
}

TEST(allgather, messages_that_are_not_of_the_plan_are_problems_and_go_no_further) {
    const allgather_options options = of(4, 4, coding_method::combining, coding_base::all_at_once);
    allgather run(options);
    system_plan plan = make_plan(routers_for(run, options), {});
    run.equip(plan);
    plan.host.interface.processes = 2;
    const auto strange = host::run_program([](host::endpoint& self) -> host::program {
        const std::vector<std::uint8_t> bytes(7);
        const std::uint32_t messages = 2u << 28;
        for (const std::uint32_t tag : {0u, 16u, 1u << 28, messages, messages + 77}) {
            const host::envelope how{.tag = tag};
            self.isend(1, bytes, how);
        }
        co_return;
    });
    const auto silent = host::run_program([](host::endpoint&) -> host::program { co_return; });
    system_network network(plan, make_core,
                           program_hosts(native(),
                                         [&](std::uint32_t host) {
                                             std::vector<host::application_factory> all{run.program(host)};
                                             all.push_back(host == 2 ? strange : silent);
                                             return all;
                                         }),
                           run);
    const run_outcome outcome = network.run({});
    EXPECT_EQ(outcome.ended, run_outcome::kind::complete) << outcome.diagnosis;
    EXPECT_EQ(run.verified(), 16u * 15);
    ASSERT_EQ(run.problems().size(), 5u) << testing::PrintToString(run.problems());
    EXPECT_THAT(run.problems(), testing::Contains("host 1 gets a message with tag 0 and 7 bytes instead of 128"));
    EXPECT_THAT(run.problems(), testing::Contains("host 1 gets a message with tag 16, which nobody is to send to it"));
}

TEST(allgather, what_cannot_be_is_refused) {
    const auto refused = [](allgather_options options, fabric::fabric_params mesh, const std::string& why) {
        allgather run(options);
        system_plan plan = make_plan(mesh, {});
        EXPECT_THAT(testbench::unit::refusal([&] { run.equip(plan); }), HasSubstr(why));
    };
    const allgather_options good = of(4, 4, coding_method::coded, coding_base::tree);
    fabric::fabric_params mesh = routers_for(allgather(good), good);
    allgather_options other = good;
    other.plan.radix = 8;
    refused(other, mesh, "64 nodes needs as many routers");
    other = good;
    other.bytes = 129;
    refused(other, mesh, "does not fit a packet");
    --mesh.router.ports;
    refused(good, mesh, "second host port");
}

TEST(allgather, units_that_could_wait_for_ever_are_refused) {
    const allgather_options options = of(4, 4, coding_method::coded, coding_base::all_at_once);
    const auto built = [&](const std::function<void(system_plan&)>& change) -> std::string {
        allgather run(options);
        system_plan plan = make_plan(routers_for(run, options), {});
        run.equip(plan);
        change(plan);
        const auto programs = [&](std::uint32_t host) {
            return std::vector<host::application_factory>{run.program(host)};
        };
        return testbench::unit::refusal(
            [&] { const system_network network(plan, make_core, program_hosts(native(), programs), run); });
    };
    EXPECT_EQ(built([](system_plan&) {}), "accepted");
    EXPECT_THAT(built([](system_plan& plan) { --plan.unit_at(0).params.slots; }),
                HasSubstr("3 slots, but its contexts have 4"));
    EXPECT_THAT(built([](system_plan& plan) {
                    chips::coding_registers& unit = plan.unit_at(2).registers;
                    unit.reserve = unit.credits + 1;
                }),
                HasSubstr("a reserve of 17, but there are never more than 16 credits"));
}

}  // namespace
}  // namespace polycast::hw::system
