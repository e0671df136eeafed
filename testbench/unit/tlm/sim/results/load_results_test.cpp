// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/load_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A message every 10 cycles from cycle 1 on until 10,000; message i takes latency(i).
template <typename function>
std::vector<transfer> messages(function latency) {
    std::vector<transfer> made;
    for (std::uint64_t index = 0; index < 1000; ++index) {
        const std::uint64_t created = 1 + 10 * index;
        const std::uint64_t taken = latency(index);
        made.push_back({index, 0, created, taken == transfer::unfinished ? taken : created + taken});
    }
    return made;
}

TEST(load_results, batches_are_equal_parts_of_the_window) {
    const load_results got = judge_load(messages([](std::uint64_t index) { return index; }), {1, 2001, 10001}, 4);
    ASSERT_EQ(got.batches.size(), 4u);
    EXPECT_EQ(got.batches[0].from, 2001u);
    EXPECT_EQ(got.batches[0].to, 4001u);
    EXPECT_EQ(got.batches[3].to, 10001u);
    EXPECT_EQ(got.batches[0].created, 200u);
    EXPECT_EQ(got.batches[0].finished, 200u);
    EXPECT_DOUBLE_EQ(got.batches[0].mean, 299.5);
    EXPECT_DOUBLE_EQ(got.batches[3].mean, 899.5);
    EXPECT_EQ(got.created, 800u);
}

TEST(load_results, a_steady_backlog_is_none_that_grows) {
    const load_results got = judge_load(messages([](std::uint64_t) { return 105; }), {1, 2001, 10001}, 4);
    EXPECT_TRUE(got.kept_up);
    EXPECT_EQ(got.backlog_begin, 10u);
    EXPECT_EQ(got.backlog_end, 10u);
    EXPECT_EQ(got.completed, 800u);
    EXPECT_EQ(got.warmup, 2000u);
    EXPECT_EQ(got.warmup_detected, 0u);
    EXPECT_THAT(got.warnings, IsEmpty());
}

TEST(load_results, messages_that_pile_up_are_seen) {
    // Half as many leave as come.
    const load_results got =
        judge_load(messages([](std::uint64_t index) { return 100 + 10 * index; }), {1, 2001, 10001}, 4);
    EXPECT_FALSE(got.kept_up);
    EXPECT_GT(got.backlog_end, got.backlog_begin + 300);
    EXPECT_THAT(got.warnings, testing::ElementsAre(HasSubstr("does not keep up")));
}

TEST(load_results, messages_that_nobody_got_count_as_waiting) {
    const load_results got = judge_load(
        messages([](std::uint64_t index) { return index < 500 ? 50 : transfer::unfinished; }), {1, 2001, 10001}, 4);
    EXPECT_FALSE(got.kept_up);
    EXPECT_EQ(got.backlog_end, 500u);
    EXPECT_EQ(got.batches[3].created, 200u);
    EXPECT_EQ(got.batches[3].finished, 0u);
    EXPECT_EQ(got.completed, 305u);  // five from before
}

TEST(load_results, a_warmup_longer_than_what_is_left_out_is_a_warning) {
    const auto latency = [](std::uint64_t index) { return std::uint64_t{index < 300 ? 150u : 100u}; };
    const load_results late = judge_load(messages(latency), {1, 2001, 10001}, 4);
    EXPECT_EQ(late.warmup_detected, 3000u);
    EXPECT_NEAR(late.warmup_bias, 0.5 * 100 / 800, 1e-9);
    EXPECT_THAT(late.warnings, testing::ElementsAre(HasSubstr("took 3000 cycles by MSER-5, and only 2000")));
    EXPECT_THAT(judge_load(messages(latency), {1, 3001, 10001}, 4).warnings, IsEmpty());
    // A warm-up that does not matter.
    const auto nearly = [](std::uint64_t index) { return std::uint64_t{index < 300 ? 110u : 100u}; };
    const load_results small = judge_load(messages(nearly), {1, 2001, 10001}, 4);
    EXPECT_EQ(small.warmup_detected, 3000u);
    EXPECT_THAT(small.warnings, IsEmpty());
}

}  // namespace
}  // namespace polycast::tlm::sim
