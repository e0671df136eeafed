// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/expand.h"

#include <gmock/gmock.h>

#include "hw/input_error.h"
#include "hw/programs/check.h"
#include "hw/programs/loggops.h"
#include "hw/programs/program_builder.h"
#include "hw/programs/summary.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::collectives {
namespace {

using polycast::testbench::unit::refusal;
using programs::operation;
using programs::operation_kind;
using programs::program;
using programs::program_builder;

operation collective_operation(collective_kind kind, std::uint64_t bytes, std::uint16_t communicator = 0,
                               std::uint16_t root = 0) {
    operation made;
    made.kind = operation_kind::collective;
    made.tag = programs::collective_tag(kind);
    made.length = bytes;
    made.communicator = communicator;
    made.peer = root;
    return made;
}

operation calc(std::uint64_t time) {
    operation made;
    made.kind = operation_kind::calc;
    made.length = time;
    return made;
}

const algorithm& first_of(const collective& of, std::span<const std::uint32_t> /*members*/) {
    for (const algorithm* const one : algorithms())
        if (why_not(*one, of).empty()) return *one;
    throw input_error("none");
}

const algorithm& doubling(const collective&, std::span<const std::uint32_t> /*members*/) {
    return *find_algorithm(collective_kind::allreduce, "doubling");
}

constexpr programs::loggops_parameters a{2500, 1500, 1500, 1000, 6, 0, 65535};

TEST(expand_collectives, a_collective_takes_the_time_of_its_program) {
    program_builder builder(12);
    for (std::uint32_t rank = 0; rank < 12; ++rank) {
        builder.add(rank, calc(rank == 3 ? 50'000 : 1000));
        builder.add(rank, collective_operation(collective_kind::allreduce, 2048));
        builder.add(rank, calc(7));
        builder.require(rank, 1, 0);
        builder.require(rank, 2, 1);
    }
    const program made = expand_collectives(builder.finish(), doubling).made;
    EXPECT_TRUE(programs::check(made).good());
    const programs::summary found = programs::summarise(made);
    EXPECT_EQ(found.by_kind[0], 32u);
    EXPECT_EQ(found.by_kind[static_cast<std::size_t>(operation_kind::collective)], 0u);
    EXPECT_EQ(found.longest_chain, 5u);
    // Nobody ends before the last has come.
    const programs::loggops_result result = run_loggops(made, a);
    EXPECT_FALSE(result.stuck);
    for (const std::uint64_t one : result.finish) EXPECT_GT(one, 50'000u + 7);
    EXPECT_EQ(made.at({3, 2}).length, 7u);
}

TEST(expand_collectives, groups_go_their_own_way_and_keep_their_order) {
    program_builder builder(5);
    const std::uint16_t odd = builder.add_group({3, 1}), all = builder.add_group({0, 1, 2, 3, 4});
    for (std::uint32_t rank = 0; rank < 5; ++rank) {
        builder.add(rank, collective_operation(collective_kind::broadcast, 100, all, 4));
        if (rank % 2 == 1) builder.add(rank, collective_operation(collective_kind::allreduce, 64, odd));
        builder.add(rank, collective_operation(collective_kind::barrier, 0, all));
    }
    const program made = expand_collectives(builder.finish(), first_of).made;
    EXPECT_TRUE(programs::check(made).good());
    EXPECT_FALSE(run_loggops(made, a).stuck);
    EXPECT_EQ(made.groups().size(), 4u);
    // Broadcast by the root; ring of two; dissemination.
    EXPECT_EQ(programs::summarise(made).by_kind[0], 4u + 4 + 15);
    for (const operation& one : made.of_rank(4))
        EXPECT_TRUE(one.kind != operation_kind::send || one.communicator > all);
}

TEST(expand_collectives, what_differs_among_members_is_refused) {
    const auto refused = [](const operation& first, const operation& second, int times = 1) {
        program_builder builder(2);
        builder.add(0, first);
        for (int i = 0; i < times; ++i) builder.add(1, second);
        const program made = builder.finish();
        return refusal([&] { expand_collectives(made, first_of); });
    };
    const operation good = collective_operation(collective_kind::allreduce, 64);
    EXPECT_EQ(refused(good, good), "accepted");
    EXPECT_EQ(refused(good, collective_operation(collective_kind::allreduce, 65)),
              "rank 0 operation 0 'collective 64b': is not the same collective as rank 1 operation 0 'collective 65b'");
    EXPECT_EQ(refused(good, good, 2), "rank 1 operation 1 'collective 64b': rank 0 has only 1 collectives of group 0");
    program_builder apart(3);
    const std::uint16_t group = apart.add_group({0, 1});
    for (std::uint32_t rank = 0; rank < 3; ++rank)
        apart.add(rank, collective_operation(collective_kind::broadcast, 8, group, 2));
    const program made = apart.finish();
    EXPECT_EQ(refusal([&] { expand_collectives(made, first_of); }),
              "rank 2 operation 0 'collective 8b': the rank is no member of group 1");
    program_builder root(3);
    const std::uint16_t pair = root.add_group({0, 1});
    for (std::uint32_t rank = 0; rank < 2; ++rank)
        root.add(rank, collective_operation(collective_kind::broadcast, 8, pair, 2));
    const program rootless = root.finish();
    EXPECT_EQ(refusal([&] { expand_collectives(rootless, first_of); }),
              "rank 0 operation 0 'collective 8b': its root is no member of its group");
    program_builder turned(1);
    turned.add(0, collective_operation(collective_kind::allreduce, 8));
    turned.add(0, collective_operation(collective_kind::allreduce, 8));
    turned.require(0, 0, 1);
    const program waits = turned.finish();
    EXPECT_EQ(refusal([&] { expand_collectives(waits, first_of); }),
              "rank 0 operation 0 'collective 8b': waits for a collective that its group starts later");
}

}  // namespace
}  // namespace polycast::hw::collectives
