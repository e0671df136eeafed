// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/receipts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace polycast::hw::collectives {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using hosts = std::vector<std::uint32_t>;

/// Every host but the source is below one that is nearer to it.
void expect_tree(const std::vector<receipt_place>& tree, std::uint32_t source, const hosts& members) {
    std::set<std::uint32_t> reached{source}, all(members.begin(), members.end());
    ASSERT_EQ(tree.size(), members.size() + 1);
    EXPECT_EQ(tree.front().host, source);
    for (const receipt_place& place : tree) {
        EXPECT_EQ(place.members, members.size());
        ASSERT_TRUE(reached.contains(place.host)) << place.host;
        for (const std::uint32_t below : place.below) {
            EXPECT_TRUE(reached.insert(below).second) << below;
            const auto child = std::ranges::find(tree, below, &receipt_place::host);
            ASSERT_NE(child, tree.end());
            EXPECT_EQ(child->parent, place.host);
        }
    }
    EXPECT_EQ(tree.front().parent, receipt_place::none);
    all.insert(source);
    EXPECT_EQ(reached, all);
}

TEST(receipts, four_children_each_in_turn) {
    const hosts members{9, 8, 7, 6, 5, 4};
    const std::vector<receipt_place> tree = receipts_in_turn(3, members);
    expect_tree(tree, 3, members);
    EXPECT_THAT(tree[0].below, ElementsAre(9, 8, 7, 6));
    EXPECT_THAT(tree[1].below, ElementsAre(5, 4));
    EXPECT_THAT(tree[2].below, IsEmpty());
    for (std::uint32_t count = 1; count < 200; ++count) {
        hosts many(count);
        std::iota(many.begin(), many.end(), 1);
        expect_tree(receipts_in_turn(0, many), 0, many);
    }
}

TEST(receipts, along_the_tree_of_the_data) {
    const hosts chain{0, 1, 2, 3, 4, 5, 6};
    const multicast_plan plan = forwarding_plan(chain, 2);
    const std::vector<receipt_place> tree = receipts_of(plan, 2);
    expect_tree(tree, 0, {1, 2, 3, 4, 5, 6});
    for (std::size_t i = 0; i < tree.size(); ++i) {
        EXPECT_EQ(tree[i].host, plan.participants[i].host);
        ASSERT_EQ(tree[i].below.size(), plan.participants[i].sends.size());
        for (std::size_t child = 0; child < tree[i].below.size(); ++child)
            EXPECT_EQ(tree[i].below[child], plan.participants[i].sends[child].hosts.front());
    }
}

TEST(receipts, in_turn_where_a_host_has_too_many_children) {
    const hosts all{1, 2, 3, 4, 5, 6};
    const multicast_plan plan = unicasts_plan(0, all);
    EXPECT_EQ(receipts_of(plan, 6)[0].below.size(), 6u);
    EXPECT_EQ(receipts_of(plan, 5), receipts_in_turn(0, all));
}

TEST(receipts, in_turn_where_switches_copy) {
    const hosts all{1, 2, 3, 4, 5, 6};
    multicast_plan plan = tree_plan(0, all);
    EXPECT_EQ(receipts_of(plan, 24), receipts_in_turn(0, all));
}

}  // namespace
}  // namespace polycast::hw::collectives
