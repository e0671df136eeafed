// SPDX-License-Identifier: Apache-2.0
// Multicasts of programs: they take as long as the prediction of the same multicast alone, which is that of
// `kind: multicast`, and are matched and counted like messages of their root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/collectives/library.h"
#include "hw/collectives/scheme.h"
#include "hw/programs/program_builder.h"
#include "hw/system/prediction.h"
#include "hw/system/schemes.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/workloads/program/program_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using polycast::testbench::unit::refusal;
using testing::HasSubstr;
using testing::IsEmpty;

void expect_good(const ran& got) {
    EXPECT_EQ(got.outcome.ended, system::run_outcome::kind::complete) << got.outcome.diagnosis;
    EXPECT_THAT(got.faults, IsEmpty());
    EXPECT_THAT(got.failures, IsEmpty());
    EXPECT_EQ(got.counts.delivered, got.counts.expected);
    EXPECT_EQ(got.errors, 0u);
}

operation message(operation_kind kind, std::uint32_t peer, std::uint64_t bytes, std::uint32_t tag = 0) {
    operation made;
    made.kind = kind;
    made.peer = static_cast<std::uint16_t>(peer);
    made.length = bytes;
    made.tag = tag;
    return made;
}

/// Rank `root` multicasts to all others, once they have computed for `late`. \returns with one multicast
program multicast_of(std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, std::string_view scheme,
                     std::uint64_t late = 0) {
    program_builder made(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        if (rank == root) continue;
        made.add(root, message(operation_kind::send, rank, bytes));
        if (late != 0) {
            operation waits;
            waits.kind = operation_kind::calc;
            waits.length = late;
            waits.cpu = 1;
            made.add(rank, waits);
        }
        const std::uint32_t receive = made.add(rank, message(operation_kind::receive, root, bytes));
        if (late != 0) made.require(rank, receive, 0);
    }
    made.make_multicast(root, 0, ranks - 1, scheme);
    return made.finish();
}

system::system_plan plan_on(const topology::graph& graph) {
    system::system_params params;
    params.header_free = true;
    return make_plan(graph, params);
}

/// Of one multicast from `root` to all other hosts.
system::prediction predicted(const system::system_plan& plan, std::uint32_t root, std::uint32_t bytes,
                             std::string_view scheme) {
    std::vector<std::uint32_t> others;
    for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host)
        if (host != root) others.push_back(host);
    const planned_multicast planned = system::plan_multicasts(plan)(scheme, root, others, bytes);
    return system::predict(plan, planned.plan, planned.how, bytes);
}

constexpr const char* schemes[] = {"tree", "path", "ssr", "ni", "hybrid"};

TEST(program_multicasts, take_as_long_as_the_same_multicast_alone) {
    topology::irregular_params shape;
    shape.switches = 4;
    shape.ports = 8;
    shape.hosts = 12;
    for (const topology::graph& graph : {one_switch(8), make_irregular(shape)}) {
        const system::system_plan plan = plan_on(graph);
        const auto ranks = static_cast<std::uint32_t>(graph.hosts.size());
        for (const char* const scheme : schemes)
            for (const std::uint32_t bytes : {1u, 128u, 1000u, 20000u}) {
                SCOPED_TRACE(std::string(scheme) + ", " + std::to_string(bytes) + " bytes, " + std::to_string(ranks));
                const ran got = run_on(graph, multicast_of(ranks, 3, bytes, scheme));
                expect_good(got);
                EXPECT_EQ(got.counts.expected, ranks - 1);
                EXPECT_EQ(got.finish, predicted(plan, 3, bytes, scheme).latency);
            }
    }
}

TEST(program_multicasts, wait_for_receives_that_come_late) {
    topology::irregular_params shape;
    shape.switches = 8;
    shape.ports = 8;
    shape.hosts = 16;
    // On several switches hosts pass on what their programs do not want yet.
    for (const topology::graph& graph : {one_switch(6), make_irregular(shape)}) {
        const auto ranks = static_cast<std::uint32_t>(graph.hosts.size());
        for (const char* const scheme : schemes) {
            SCOPED_TRACE(scheme + std::string(", ") + std::to_string(ranks));
            const ran got = run_on(graph, multicast_of(ranks, 0, 300, scheme, 1'000'000), {.processors = 2});
            expect_good(got);
            // 1,000,000 ns of 5 ns a cycle beside the host; the message is there by then, and its overhead is paid.
            for (std::uint32_t rank = 1; rank < ranks; ++rank) EXPECT_EQ(got.ranks[rank].finish, 200'000u);
            EXPECT_EQ(got.ranks[5].unexpected_messages, 1u);
        }
    }
}

TEST(program_multicasts, never_ask) {
    const ran got = run_on(one_switch(4), multicast_of(4, 1, 5000, "tree"), {.eager = 0});
    expect_good(got);
    EXPECT_EQ(got.ranks[1].rendezvous, 0u);
    EXPECT_EQ(got.finish, predicted(plan_on(one_switch(4)), 1, 5000, "tree").latency);
}

/// Ten multicasts of each rank, each with a tag of its own, and messages between.
TEST(program_multicasts, cross_each_other_and_messages) {
    constexpr std::uint32_t ranks = 5, rounds = 10;
    for (const char* const scheme : schemes)
        for (const std::uint32_t window : {0u, 1u, 3u}) {
            SCOPED_TRACE(std::string(scheme) + ", credits " + std::to_string(window));
            program_builder made(ranks);
            for (std::uint32_t round = 0; round < rounds; ++round)
                for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                    const std::uint32_t first = made.operations(rank);
                    for (std::uint32_t other = 0; other < ranks; ++other)
                        if (other != rank) made.add(rank, message(operation_kind::send, other, 77 * round, round));
                    made.make_multicast(rank, first, ranks - 1, scheme);
                    made.add(rank, message(operation_kind::send, (rank + 1) % ranks, 200, 1000));
                    for (std::uint32_t other = 0; other < ranks; ++other)
                        if (other != rank) made.add(rank, message(operation_kind::receive, other, 77 * round, round));
                    made.add(rank, message(operation_kind::receive, (rank + ranks - 1) % ranks, 200, 1000));
                }
            const ran got =
                run_on(one_switch(ranks), made.finish(),
                       {.credits = window == 0 ? credit_rule::automatic : credit_rule::fixed, .window = window});
            expect_good(got);
            EXPECT_EQ(got.counts.expected, rounds * ranks * ranks);
            EXPECT_EQ(got.ranks[0].credit_waits != 0, window != 0);
        }
}

TEST(program_multicasts, end_when_their_overhead_is_paid) {
    program_builder made(3);
    for (const std::uint32_t rank : {1u, 2u}) {
        made.add(0, message(operation_kind::send, rank, 4));
        made.add(rank, message(operation_kind::receive, 0, 4));
    }
    operation after;
    after.kind = operation_kind::calc;
    after.length = 5000;  // 1,000 cycles
    made.add(0, after);
    made.require(0, 2, 0);
    made.require(0, 2, 1);
    made.make_multicast(0, 0, 2, "tree");
    const ran got = run_on(one_switch(3), made.finish());
    expect_good(got);
    EXPECT_EQ(got.ranks[0].finish, 2000u);
    EXPECT_EQ(got.ranks[0].cycles[static_cast<std::size_t>(rank_state::send)], 1000u) << "one overhead for both";
    for (const rank_report& each : got.ranks) {
        cycle sum = 0;
        for (const cycle one : each.cycles) sum += one;
        EXPECT_EQ(sum, each.finish);
    }
}

TEST(program_multicasts, are_predicted_on_the_reference_machine) {
    const topology::graph graph = one_switch(8);
    const system::system_plan plan = plan_on(graph);
    std::vector<std::uint32_t> hosts(8);
    std::iota(hosts.begin(), hosts.end(), 0);
    loggops_tables machine;
    machine.way = time_table({{1, 2006}});
    machine.gap = time_table({{1, 1000}});
    machine.multicasts = system::multicast_predictor(plan, hosts);
    for (const char* const scheme : schemes)
        for (const std::uint32_t bytes : {1u, 300u, 8192u, 100'000u}) {
            SCOPED_TRACE(std::string(scheme) + ", " + std::to_string(bytes) + " bytes");
            EXPECT_EQ(run_with_tables(multicast_of(8, 2, bytes, scheme), machine).latest(),
                      predicted(plan, 2, bytes, scheme).latency);
        }
    machine.multicasts = {};
    EXPECT_THAT(refusal([&] { run_with_tables(multicast_of(8, 2, 1, "tree"), machine); }),
                HasSubstr("rank 2 operation 0 'send 1b to 0': the LogGOPS model has no multicasts"));
}

TEST(program_multicasts, of_which_something_is_missing_are_stuck) {
    // Rank 2 waits for a message that is sent only when its own has come, which is never sent.
    program_builder made(3);
    for (const std::uint32_t rank : {1u, 2u}) {
        made.add(0, message(operation_kind::send, rank, 4));
        made.add(rank, message(operation_kind::receive, 0, 4));
    }
    const std::uint32_t waits = made.add(0, message(operation_kind::receive, 2, 4));
    made.add(2, message(operation_kind::send, 0, 4));
    made.require(2, 1, 0);
    made.require(0, 0, waits);
    made.require(0, 1, waits);
    made.make_multicast(0, 0, 2, "tree");
    const ran got = run_on(one_switch(3), made.finish());
    EXPECT_EQ(got.outcome.ended, system::run_outcome::kind::stuck);
    EXPECT_THAT(got.stuck, testing::Contains(HasSubstr("waits for rank")));
}

TEST(program_multicasts, that_are_none_are_refused) {
    const auto refused = [](const auto& change) {
        program_builder made(4);
        for (const std::uint32_t rank : {1u, 2u, 3u}) made.add(0, message(operation_kind::send, rank, 4));
        made.add(0, operation{});
        try {
            change(made);
            made.finish();
        } catch (const std::invalid_argument& thrown) {
            return std::string(thrown.what());
        }
        return std::string("accepted");
    };
    const auto all = [](program_builder& made) { made.make_multicast(0, 0, 3, "tree"); };
    EXPECT_EQ(refused(all), "accepted");
    EXPECT_THAT(refused([](program_builder& made) { made.make_multicast(0, 0, 5, "tree"); }), HasSubstr("not have"));
    EXPECT_THAT(refused([](program_builder& made) { made.make_multicast(0, 0, 0, "tree"); }), HasSubstr("not have"));
    EXPECT_THAT(refused([](program_builder& made) { made.make_multicast(0, 1, 3, "tree"); }), HasSubstr("differ"));
    EXPECT_THAT(refused([&](program_builder& made) {
                    all(made);
                    made.make_multicast(0, 1, 2, "tree");
                }),
                HasSubstr("differ"));
    EXPECT_THAT(refused([&](program_builder& made) {
                    all(made);
                    made.require(0, 1, 3);
                }),
                HasSubstr("do not wait for the same"));
    program_builder turned(3);
    turned.add(0, message(operation_kind::send, 2, 4));
    turned.add(0, message(operation_kind::send, 1, 4));
    EXPECT_THROW(turned.make_multicast(0, 0, 2, "tree"), std::invalid_argument);
}

/// Multicasts and messages overtake each other, so nothing else may look the same.
TEST(program_multicasts, have_tags_of_their_own) {
    const auto refused = [](std::uint32_t tag, bool multicast) {
        program_builder made(3);
        for (const std::uint32_t rank : {1u, 2u}) made.add(0, message(operation_kind::send, rank, 4));
        made.make_multicast(0, 0, 2, "tree");
        for (const std::uint32_t rank : {1u, 2u}) made.add(0, message(operation_kind::send, rank, 4, tag));
        if (multicast) made.make_multicast(0, 2, 2, "tree");
        for (const std::uint32_t rank : {1u, 2u}) {
            made.add(rank, message(operation_kind::receive, 0, 4));
            made.add(rank, message(operation_kind::receive, 0, 4, tag));
        }
        program all = made.finish();
        return refusal([&] { expect_good(run_on(one_switch(3), all)); });
    };
    EXPECT_EQ(refused(1, false), "accepted");
    EXPECT_EQ(refused(1, true), "accepted");
    EXPECT_EQ(refused(0, false), "rank 0 operation 2 'send 4b to 1' has the tag of a multicast to the same rank");
    EXPECT_THAT(refused(0, true), HasSubstr("another multicast to this rank has its tag"));
}

TEST(program_multicasts, need_a_network_that_copies) {
    system::system_plan plan = plan_on(one_switch(4));
    for (const char* const scheme : schemes) EXPECT_EQ(system::why_no_multicasts(plan, scheme), "") << scheme;
    plan.host.interface.group_entries = 1;
    std::vector<std::uint32_t> hosts{0, 1, 2, 3};
    program_builder made(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        for (std::uint32_t other = 0; other < 4; ++other)
            if (other != rank) made.add(rank, message(operation_kind::send, other, 4));
        made.make_multicast(rank, 0, 3, "ni");
    }
    const program all = made.finish();
    const multicast_routes routes(all, hosts, 1, system::plan_multicasts(plan));
    EXPECT_EQ(routes.all().size(), 4u);
    EXPECT_EQ(routes.groups_of(2).size(), 4u);
    EXPECT_EQ(system::why_no_groups(plan, routes),
              "the groups of multicasts take 4 entries of the group table of host 'host0', which has 1");
}

}  // namespace
}  // namespace polycast::hw::programs
