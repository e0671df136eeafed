// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/expectations.h"

#include <gtest/gtest.h>

namespace polycast::tlm::sim {
namespace {

TEST(expectations, a_host_waits_from_the_last_arrival_or_from_its_next_message) {
    // Host 3: 10..40, and 20..90 behind it; then idle until 200..230. Host 5: one that is never there.
    const std::vector<transfer> sent = {{0, 3, 10, 40}, {1, 3, 20, 90}, {2, 3, 200, 230}};
    const longest_wait found = longest_wait_of(sent, 0, 1000);
    EXPECT_EQ(found.source, 3u);
    EXPECT_EQ(found.from, 40u);
    EXPECT_EQ(found.to, 90u) << "110 idle cycles are no wait";
    EXPECT_EQ(longest_wait_of(sent, 60, 1000).cycles(), 30u) << "the same, or what of an earlier one is left";
    std::vector<transfer> lost = sent;
    lost.push_back({3, 5, 300, transfer::unfinished});
    EXPECT_EQ(longest_wait_of(lost, 0, 1000).source, 5u);
    EXPECT_EQ(longest_wait_of(lost, 0, 1000).cycles(), 700u);
    EXPECT_EQ(longest_wait_of({}, 0, 1000).cycles(), 0u);
}

TEST(expectations, arrivals_in_another_order_count_as_well) {
    const std::vector<transfer> sent = {{0, 1, 10, 100}, {1, 1, 20, 30}};
    EXPECT_EQ(longest_wait_of(sent, 0, 1000).from, 30u);
    EXPECT_EQ(longest_wait_of(sent, 0, 1000).to, 100u);
}

TEST(expectations, fairness_is_about_the_share_of_each_host) {
    const std::vector<transfer> sent = {{0, 0, 5, 15},  {1, 0, 10, 20}, {2, 1, 10, 30},
                                        {3, 1, 11, 99}, {4, 0, 12, 25}, {5, 1, 60, 70}};
    const std::vector<host_share> shares = shares_of(sent, 10, 50);
    ASSERT_EQ(shares.size(), 2u);
    EXPECT_EQ(shares[0].created, 2u);
    EXPECT_EQ(shares[0].arrived, 3u) << "one of them was created before";
    EXPECT_EQ(shares[1].created, 2u);
    EXPECT_EQ(shares[1].arrived, 1u);
    EXPECT_DOUBLE_EQ(jain_index(shares), 2.0 * 2.0 / (2 * (1.5 * 1.5 + 0.5 * 0.5)));
    EXPECT_DOUBLE_EQ(jain_index({{0, 7, 7}, {1, 3, 3}, {2, 9, 9}}), 1);
    EXPECT_DOUBLE_EQ(jain_index({{0, 7, 7}, {1, 3, 0}, {2, 9, 0}}), 1.0 / 3) << "one takes all";
    EXPECT_DOUBLE_EQ(jain_index({{0, 7, 0}, {1, 3, 0}}), 1) << "none has anything";
}

}  // namespace
}  // namespace polycast::tlm::sim
