// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/program.h"

#include <gmock/gmock.h>

#include <random>
#include <stdexcept>

#include "hw/programs/program_builder.h"

namespace polycast::hw::programs {
namespace {

using testing::ElementsAre;

operation calc(std::uint64_t time) {
    operation made;
    made.kind = operation_kind::calc;
    made.length = time;
    return made;
}

operation send(std::uint64_t bytes, std::uint16_t to) {
    operation made;
    made.kind = operation_kind::send;
    made.length = bytes;
    made.peer = to;
    return made;
}

TEST(program, rows_have_waits_for_the_start_first_and_keep_their_order) {
    program_builder builder(1);
    for (unsigned i = 0; i < 5; ++i) builder.add(0, calc(i));
    builder.require(0, 4, 0);
    builder.require(0, 2, 0);
    builder.irequire(0, 3, 0);
    builder.require(0, 4, 3);
    builder.irequire(0, 1, 0);
    const program made = builder.finish();
    EXPECT_THAT(made.dependents({0, 0}),
                ElementsAre(dependent(3, true), dependent(1, true), dependent(4, false), dependent(2, false)));
    EXPECT_TRUE(made.dependents({0, 1}).empty());
    EXPECT_TRUE(made.dependents({0, 2}).empty());
    EXPECT_THAT(made.dependents({0, 3}), ElementsAre(dependent(4, false)));
    EXPECT_TRUE(made.dependents({0, 4}).empty());
    EXPECT_THAT(made.counts_of_dependencies(0), ElementsAre(0, 1, 1, 1, 2));
    EXPECT_EQ(made.dependencies(), 5u);
}

TEST(program, ranks_are_filled_and_closed_in_any_order) {
    const auto make = [](const std::vector<std::uint32_t>& closed) {
        program_builder builder(4);
        for (std::uint32_t rank : {2u, 0u, 3u})
            for (unsigned i = 0; i < rank + 2; ++i) {
                builder.add(rank, calc(10 * rank + i));
                if (i > 0) builder.require(rank, i, 0);
            }
        for (const std::uint32_t rank : closed) builder.close(rank);
        return builder.finish();
    };
    const program made = make({3, 1, 0}), again = make({});
    EXPECT_EQ(made, again);
    EXPECT_TRUE(made.of_rank(1).empty());
    for (std::uint32_t rank = 0; rank < 4; ++rank)
        for (std::uint32_t i = 0; i < made.of_rank(rank).size(); ++i) {
            EXPECT_EQ(made.at({rank, i}).length, 10 * rank + i);
            EXPECT_EQ(made.id_of(made.number({rank, i})), (operation_id{rank, i}));
        }
}

TEST(program, equality_sees_everything_but_names) {
    const auto make = [](unsigned change) {
        program_builder builder(2, change == 1);
        builder.add(0, send(change == 2 ? 9 : 8, 1));
        builder.name(0, "a", 1);
        builder.add(0, calc(5));
        if (change == 3)
            builder.irequire(0, 1, 0);
        else
            builder.require(0, 1, 0);
        if (change == 4) builder.add(1, calc(1));
        if (change == 5) builder.add_group({0, 1});
        if (change == 6) builder.add_buffer(0, 100);
        if (change == 7) builder.set_interfaces(2);
        return builder.finish();
    };
    EXPECT_EQ(make(0), make(1));
    for (unsigned change = 2; change < 8; ++change) EXPECT_FALSE(make(0) == make(change)) << change;
}

TEST(program, operations_have_names_for_people) {
    program_builder builder(2, true);
    operation any;
    any.kind = operation_kind::receive;
    any.length = 8;
    any.any_source = true;
    builder.add(1, any);
    builder.name(1, "first", 12);
    builder.add(0, send(300, 1));
    builder.name(0, "", 3);
    builder.add(1, calc(7));
    const program made = builder.finish();
    EXPECT_EQ(made.describe({0, 0}), "rank 0 line 3 'send 300b to 1'");
    EXPECT_EQ(made.describe({1, 0}), "rank 1 line 12 'first: recv 8b from any'");
    EXPECT_EQ(made.describe({1, 1}), "rank 1 operation 1 'calc 7'");
    EXPECT_EQ(made.name({1, 0}).label, "first");
    program_builder nameless(1);
    nameless.add(0, operation{});
    nameless.name(0, "lost", 4);
    EXPECT_EQ(nameless.finish().describe({0, 0}), "rank 0 operation 0 'none'");
}

TEST(program, places_and_groups_are_columns_of_their_own) {
    program_builder builder(3);
    EXPECT_EQ(builder.add_group({0, 2}), 1u);
    builder.add(0, calc(1));
    EXPECT_EQ(builder.add_buffer(2, 1024), 0u);
    EXPECT_EQ(builder.add_buffer(2, 4096), 1u);
    operation reduce;
    reduce.kind = operation_kind::reduce;
    reduce.length = 64;
    builder.add(2, reduce);
    builder.put(2, {{0, 64}, {1, 128}});
    builder.add(2, calc(1));
    const program made = builder.finish();
    EXPECT_THAT(made.groups(), ElementsAre(ElementsAre(0, 2)));
    ASSERT_TRUE(made.has_buffers());
    EXPECT_THAT(made.buffers(2), ElementsAre(1024, 4096));
    EXPECT_EQ(made.places({2, 0}), (operand_places{{0, 64}, {1, 128}}));
    EXPECT_EQ(made.places({2, 1}), operand_places{});
    EXPECT_EQ(made.places({0, 0}), operand_places{});
}

TEST(program, misuse_is_refused) {
    EXPECT_THROW(program_builder(0), std::invalid_argument);
    EXPECT_THROW(program_builder(most_ranks + 1), std::invalid_argument);
    program_builder builder(2);
    builder.add(0, calc(1));
    EXPECT_THROW(builder.add(2, calc(1)), std::invalid_argument);
    EXPECT_THROW(builder.require(0, 1, 0), std::invalid_argument);
    EXPECT_THROW(builder.put(0, {}), std::invalid_argument);
    EXPECT_THROW(builder.add_group({2}), std::invalid_argument);
    EXPECT_TRUE(builder.close(0).empty());
    EXPECT_THROW(builder.add(0, calc(1)), std::invalid_argument);
    builder.add(1, calc(1));
    builder.require(1, 0, 0);
    EXPECT_THROW(builder.finish(), std::invalid_argument);
}

/// The shortest cycle through dependencies, by trying all lengths.
std::size_t shortest_by_powers(const std::vector<std::vector<bool>>& waits) {
    auto reach = waits;
    for (std::size_t length = 1; length <= waits.size(); ++length) {
        for (std::size_t i = 0; i < waits.size(); ++i)
            if (reach[i][i]) return length;
        std::vector<std::vector<bool>> next(waits.size(), std::vector<bool>(waits.size()));
        for (std::size_t i = 0; i < waits.size(); ++i)
            for (std::size_t k = 0; k < waits.size(); ++k)
                for (std::size_t j = 0; reach[i][k] && j < waits.size(); ++j)
                    if (waits[k][j]) next[i][j] = true;
        reach = next;
    }
    return 0;
}

TEST(program, the_shortest_cycle_is_found) {
    std::mt19937_64 draw(7);
    unsigned with = 0, without = 0;
    for (unsigned run = 0; run < 400; ++run) {
        const auto count = static_cast<std::uint32_t>(1 + draw() % 9);
        program_builder builder(1);
        std::vector<std::vector<bool>> waits(count, std::vector<bool>(count));
        for (std::uint32_t i = 0; i < count; ++i) builder.add(0, calc(1));
        for (unsigned edges = static_cast<unsigned>(draw() % (count + 3)); edges > 0; --edges) {
            const auto waiting = static_cast<std::uint32_t>(draw() % count),
                       on = static_cast<std::uint32_t>(draw() % count);
            builder.depend(0, waiting, on, draw() % 2 == 0);
            waits[waiting][on] = true;
        }
        const std::vector<std::uint32_t> cycle = builder.close(0);
        ASSERT_EQ(cycle.size(), shortest_by_powers(waits)) << "run " << run;
        for (std::size_t i = 0; i < cycle.size(); ++i)
            EXPECT_TRUE(waits[cycle[i]][cycle[(i + 1) % cycle.size()]]) << "run " << run;
        ++(cycle.empty() ? without : with);
    }
    EXPECT_GT(with, 50u);
    EXPECT_GT(without, 50u);
}

}  // namespace
}  // namespace polycast::hw::programs
