// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/summary.h"

#include <gmock/gmock.h>

#include "testbench/unit/hw/programs/sample_programs.h"

namespace polycast::hw::programs {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(program_summary, counts) {
    const summary made =
        summarise(goal("num_ranks 3\nrank 0 {\na: send 0b to 1 cpu 2\nb: send 5b to 0\nc: send 7b to 0\nr: recv 5b "
                       "from -1\nrecv 7b from 0 tag -1\n}\n"
                       "rank 1 {\nrecv 0b from 0\ncalc 10\ncalc 20\n}\nrank 2 {\n}\n"));
    EXPECT_EQ(made.operations, 8u);
    EXPECT_THAT(made.by_kind, ElementsAre(3, 3, 2, 0, 0, 0, 0));
    EXPECT_EQ(made.bytes, 12u);
    EXPECT_THAT(made.lengths, ElementsAre(Pair(0, 1), Pair(4, 2)));
    EXPECT_EQ(made.shortest, 0u);
    EXPECT_EQ(made.longest, 7u);
    EXPECT_EQ(made.operations_of_rank.least, 0u);
    EXPECT_EQ(made.operations_of_rank.most, 5u);
    EXPECT_EQ(made.sent_by_rank.most, 12u);
    EXPECT_EQ(made.received_by_rank.sum, 12u);
    EXPECT_EQ(made.time_of_rank.most, 30u);
    EXPECT_EQ(made.cpus, 3u);
    EXPECT_EQ(made.channels, 1u);
    EXPECT_EQ(made.from_any, 2u);
    EXPECT_EQ(made.to_itself, 2u);
}

TEST(program_summary, longest_chains_are_those_of_the_algorithms) {
    // 2(n - 1); ceil(log2 n); log2 p and two for ranks beyond; n - 1.
    EXPECT_EQ(summarise(sample("goal/allreduce_ring_8.goal")).longest_chain, 14u);
    EXPECT_EQ(summarise(sample("goal/bcast_binomial_12.goal")).longest_chain, 4u);
    EXPECT_EQ(summarise(sample("goal/allreduce_doubling_12.goal")).longest_chain, 5u);
    EXPECT_EQ(summarise(sample("goal/barrier_13.goal")).longest_chain, 4u);
    EXPECT_EQ(summarise(sample("goal/alltoall_pairwise_8.goal")).longest_chain, 7u);
    EXPECT_EQ(summarise(sample("bad/circular.goal")).longest_chain, std::nullopt);
    EXPECT_EQ(summarise(goal("num_ranks 1\nrank 0 {\n}\n")).longest_chain, 0u);
}

}  // namespace
}  // namespace polycast::hw::programs
