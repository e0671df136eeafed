// SPDX-License-Identifier: Apache-2.0
// Nodes on several fat trees: every byte arrives under each policy, flit by flit and as events; how close the two are.
#include "hw/workloads/rails/rail_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "hw/fabric/fabric_config.h"
#include "hw/input_error.h"
#include "hw/system/fat_tree_plan.h"
#include "hw/system/mesh_plan.h"
#include "hw/workloads/rails/rail_traffic.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::rails {
namespace {

using testing::IsEmpty;

using rail_outcome = system::run_outcome::kind;

constexpr unsigned flit_bytes = 2;

/// The paper's rail: shared parameters of all runs here.
system::system_plan rail(std::uint32_t nodes, unsigned processes, cycle ni_time = 100) {
    fabric::fabric_params routers;
    routers.router.vcs = 2;
    routers.router.vc_flits = 128;
    routers.router.flit_bytes = flit_bytes;
    routers.router.header_free = true;
    routers.tables.route_delay = 6;
    routers.tables.reserve = 1;
    routers.tables.packet_limit = 200;
    routers.tables.select = chips::route_select::least_loaded;
    routers.tables.vc_sets = fabric::class_sets(2, 1, 0, false);
    system::system_params params;
    params.firmware_times = system::paper_costs(ni_time, ni_time);
    params.host.send_overhead = params.host.receive_overhead = 0;
    params.host.message_bytes = 8 * 32768 + stripe_header;
    params.host.interface.payload_bytes = 320;
    params.host.interface.processes = processes;
    params.host.interface.bus_cycles_per_byte = {1, flit_bytes};
    params.host.interface.arbitration = ni::bus_arbitration::round_robin;
    params.host.interface.receive_slots = params.host.interface.send_slots = 32;
    return system::make_plan(topology::fat_tree({.arity = 4, .nodes = nodes}), routers, params);
}

struct run_params {
    std::uint32_t nodes = 8;
    unsigned rails = 5;
    unsigned processes = 2;
    rail_policy policy = rail_policy::basic;
    bool striping = false;
    bool events = true;
    double load = 0.2;  ///< payload flits offered per node, cycle and rail
    double bytes = 4096;
    cycle cycles = 100'000;  ///< in which messages are created
    bool drain = true;       ///< to the last message
    cycle ni_time = 100;     ///< of firmware for a packet
    cycle retry = 1000;
    std::uint64_t seed = 1;
};

struct run_result {
    rail_outcome outcome = rail_outcome::stuck;
    double accepted = 0;  ///< payload flits per node, cycle and rail in the second half
    double latency = 0;   ///< mean, of messages created in the second half
    std::vector<rail_scoreboard::finished_message> finished;
    driver_statistics drivers;
};

run_result run(const run_params& what) {
    const system::system_plan plan =
        make_rails(rail(what.nodes, what.processes, what.ni_time), what.rails, what.events);
    driver_params drivers;
    drivers.policy = what.policy;
    drivers.striping = what.striping;
    drivers.retry = what.retry;
    drivers.matrix = std::make_shared<const collectives::rail_matrix>(
        collectives::allocate_rails(collectives::rail_algorithm::recursive, what.nodes, what.rails));
    rail_traffic source({.nodes = what.nodes,
                         .processes = what.processes,
                         .bytes = what.bytes,
                         .gap = what.bytes * what.processes / (what.rails * flit_bytes * what.load),
                         .end = what.cycles,
                         .seed = what.seed});
    const cycle interval = what.cycles / 20;
    rail_scoreboard scores(drivers.payload_seed, interval);
    const rail_goal goal(scores);
    system::system_network net(plan, system::make_core, rail_hosts(system::native(), drivers, source, scores), goal);
    run_result result;
    result.outcome = net.run({.cycles = what.drain ? 100 * what.cycles : what.cycles, .patience = 1'000'000}).ended;
    EXPECT_THAT(net.failures(), IsEmpty());
    EXPECT_THAT(scores.faults(), IsEmpty());
    EXPECT_TRUE(scores.counts().good());
    std::vector<std::uint64_t> accepted = scores.accepted();
    accepted.resize(20);
    result.accepted = static_cast<double>(std::accumulate(accepted.begin() + 10, accepted.end(), std::uint64_t{0})) /
                      static_cast<double>(10 * interval * what.nodes * what.rails * flit_bytes);
    double count = 0;
    for (const rail_scoreboard::finished_message& each : scores.finished())
        if (each.created >= what.cycles / 2) {
            result.latency += static_cast<double>(each.completed - each.created);
            ++count;
        }
    result.latency /= count;
    result.finished = scores.finished();
    result.drivers = drivers_of(net);
    return result;
}

constexpr rail_policy policies[] = {rail_policy::fixed, rail_policy::basic, rail_policy::local_dynamic,
                                    rail_policy::dynamic};

TEST(rail_network, delivers_every_byte_flit_by_flit_and_as_events) {
    for (const rail_policy policy : policies)
        for (const bool striping : {false, true})
            for (const bool events : {false, true}) {
                SCOPED_TRACE(std::string(name_of(policy)) + (striping ? " striped" : "") +
                             (events ? ", events" : ", flits"));
                const run_result result = run({.policy = policy,
                                               .striping = striping,
                                               .events = events,
                                               .load = 0.1,
                                               .bytes = 2000,
                                               .cycles = 20'000});
                EXPECT_EQ(result.outcome, rail_outcome::complete);
                EXPECT_GT(result.finished.size(), 50u);
            }
}

// The up links of a fat tree are different ways: of two stripes that follow each other on a rail, the second may
// overtake.
TEST(rail_network, stripes_of_a_message_may_overtake_each_other) {
    for (const std::uint64_t seed : {1, 13, 15}) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const run_result result = run({.nodes = 16,
                                       .rails = 6,
                                       .processes = 6,
                                       .policy = rail_policy::dynamic,
                                       .striping = true,
                                       .load = 0.7,
                                       .bytes = 16384,
                                       .cycles = 30'000,
                                       .ni_time = 20,
                                       .retry = 50,
                                       .seed = seed});
        EXPECT_EQ(result.outcome, rail_outcome::complete);
    }
}

TEST(rail_network, events_are_as_fast_as_flits_where_little_meets) {
    run_params what{.policy = rail_policy::basic, .load = 0.02};
    const run_result events = run(what);
    what.events = false;
    const run_result flits = run(what);
    ASSERT_EQ(events.finished.size(), flits.finished.size());
    EXPECT_NEAR(events.latency / flits.latency, 1, 0.01);
}

TEST(rail_network, under_load_events_are_close_to_flits) {
    run_params what{.policy = rail_policy::basic, .load = 0.3};
    const run_result events = run(what);
    what.events = false;
    const run_result flits = run(what);
    EXPECT_NEAR(events.latency / flits.latency, 1, 0.1);
}

TEST(rail_network, a_bus_for_one_direction_carries_half) {
    for (const rail_policy policy : policies) {
        SCOPED_TRACE(name_of(policy));
        const double accepted =
            run({.policy = policy, .load = 0.9, .bytes = 16384, .cycles = 200'000, .drain = false}).accepted;
        // A static node of this matrix transmits on two rails of five, which is less than half.
        EXPECT_LT(accepted, policy == rail_policy::fixed ? 0.4 : 0.5);
        EXPECT_GT(accepted, 0.2);
    }
}

TEST(rail_network, runs_are_the_same_again) {
    const run_params what{.policy = rail_policy::dynamic, .striping = true, .load = 0.4, .cycles = 50'000};
    EXPECT_EQ(run(what).finished, run(what).finished);
}

TEST(rail_network, says_that_a_run_was_cut_off) {
    EXPECT_EQ(run({.load = 0.9, .drain = false}).outcome, rail_outcome::limit);
}

TEST(rail_network, says_what_is_missing_where_nothing_moves_any_more) {
    system::system_plan plan = rail(8, 1);
    plan.host.message_bytes = 100;  // most messages are longer, and dropped
    rail_traffic source({.nodes = 8, .processes = 1, .bytes = 4000, .gap = 1000, .end = 5000});
    const driver_params drivers;
    rail_scoreboard scores(drivers.payload_seed, 1000);
    const rail_goal goal(scores);
    plan = make_rails(plan, 2, false);
    system::system_network net(plan, system::make_core, rail_hosts(system::native(), drivers, source, scores), goal);
    EXPECT_EQ(net.run({}).ended, rail_outcome::stuck);
    EXPECT_FALSE(scores.complete());
    EXPECT_FALSE(scores.oldest_missing().empty());
    EXPECT_FALSE(net.failures().empty());
}

TEST(rail_network, refuses_rings_as_events) {
    fabric::fabric_params torus;
    torus.router.radix = 4;
    torus.tables.wrap = 3;
    torus.tables.vc_sets = fabric::class_sets(4, 1, 0, true);
    system::system_params params;
    const system::system_plan plan = system::make_plan(torus, params);
    EXPECT_THROW(make_rails(plan, 2, true), input_error);
    EXPECT_EQ(make_rails(plan, 2, false).chips.size(), 2 * 16u + 16);
}

}  // namespace
}  // namespace polycast::hw::rails
