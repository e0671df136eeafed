// SPDX-License-Identifier: Apache-2.0
// Random programs end with every byte right, whatever network carries them, with wildcards and shared tags, on the
// reference machine, too; random circular waits are found before a run and in one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/programs/check.h"
#include "hw/programs/loggops.h"
#include "testbench/unit/hw/workloads/program/program_networks.h"

namespace polycast::hw::programs {
namespace {

using testing::Contains;
using testing::HasSubstr;

class random_programs : public testing::TestWithParam<int> {};

TEST_P(random_programs, end_on_a_switch_with_every_byte_right) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    RecordProperty("seed", GetParam());
    std::mt19937_64 draw(seed);
    const auto ranks = static_cast<unsigned>(2 + draw() % 7);
    const program of =
        goal(random_goal(draw, ranks, static_cast<unsigned>(5 + draw() % 60), 4), {.nics = nic_meaning::one});
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_right(run_on(one_switch(8), of, random_setting(draw)));
}
INSTANTIATE_TEST_SUITE_P(seeds, random_programs, testing::Range(1, 41));

class random_programs_on : public testing::TestWithParam<std::string_view> {};

TEST_P(random_programs_on, a_network_end_with_every_byte_right) {
    std::uint64_t reordered = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 draw(seed);
        const auto ranks = static_cast<unsigned>(4 + draw() % 13);
        const program of =
            goal(random_goal(draw, ranks, static_cast<unsigned>(20 + draw() % 80), 4), {.nics = nic_meaning::one});
        const ran got = run_on(plan_of_network(GetParam()), of, random_setting(draw));
        expect_right(got);
        for (const rank_report& each : got.ranks) reordered += each.reordered;
    }
    EXPECT_GT(reordered, 0u) << "messages overtake each other, so that matching in the order of a pair is tested";
}
INSTANTIATE_TEST_SUITE_P(networks, random_programs_on, testing::ValuesIn(program_networks),
                         [](const auto& of) { return std::string(of.param); });

/// Ranks in a circle, each of which waits for the one before until it sends to the next one, in a program that ends
/// without them.
class random_circles : public testing::TestWithParam<int> {};

TEST_P(random_circles, are_found_before_a_run_and_in_it) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    RecordProperty("seed", GetParam());
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 draw(seed);
    const auto ranks = static_cast<unsigned>(2 + draw() % 7);
    std::string text;
    // Receives of any tag might take what the circle waits for, so it is not found before a run.
    do text = random_goal(draw, ranks, static_cast<unsigned>(draw() % 40));
    while (text.find("tag -1") != std::string::npos);
    std::vector<unsigned> circle(ranks);
    std::iota(circle.begin(), circle.end(), 0u);
    std::ranges::shuffle(circle, draw);
    circle.resize(2 + draw() % (ranks - 1));
    for (std::size_t i = 0; i < circle.size(); ++i) {
        const unsigned own = circle[i], next = circle[(i + 1) % circle.size()],
                       before = circle[(i + circle.size() - 1) % circle.size()];
        const std::string head = "rank " + std::to_string(own) + " {\n";
        text.insert(text.find(head) + head.size(), "waits: recv 8b from " + std::to_string(before) +
                                                       " tag 99999\nsends: send 8b to " + std::to_string(next) +
                                                       " tag 99999\nsends requires waits\n");
    }
    const program of = goal(text);
    const check_result found = check(of);
    EXPECT_EQ(found.circle.size(), 2 * circle.size());
    EXPECT_THAT(found.problems, Contains(HasSubstr("circular wait")));
    for (const unsigned own : circle)
        EXPECT_THAT(found.problems, Contains(HasSubstr("rank " + std::to_string(own) + " line ")));
    const loggops_result reference = run_loggops(of, {});
    EXPECT_TRUE(reference.stuck);
    EXPECT_THAT(reference.report, Contains(HasSubstr("circular wait")));
    const ran got = run_on(one_switch(8), of, random_setting(draw));
    EXPECT_EQ(got.outcome.ended, system::run_outcome::kind::stuck);
    EXPECT_THAT(got.stuck, Contains(HasSubstr("circular wait")));
    EXPECT_EQ(got.counts.missing(), circle.size());
}
INSTANTIATE_TEST_SUITE_P(seeds, random_circles, testing::Range(1, 21));

}  // namespace
}  // namespace polycast::hw::programs
