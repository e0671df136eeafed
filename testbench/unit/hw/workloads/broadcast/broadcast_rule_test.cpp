// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/broadcast_rule.h"

#include <gmock/gmock.h>

namespace polycast::hw::broadcast {
namespace {

using testing::ElementsAre;

TEST(broadcast_rule, a_plane) {
    // Colour 0 goes along the row of the source, then everywhere along columns, and back into the source's column.
    EXPECT_TRUE(sends_colour(2, 0b00, 0, 0, false));
    EXPECT_FALSE(sends_colour(2, 0b00, 0, 1, false)) << "the source starts in the colour's dimension";
    EXPECT_TRUE(sends_colour(2, 0b01, 0, 0, false)) << "on along the row";
    EXPECT_TRUE(sends_colour(2, 0b01, 0, 1, false)) << "off into the column";
    EXPECT_TRUE(sends_colour(2, 0b11, 0, 1, false)) << "on along the column";
    EXPECT_FALSE(sends_colour(2, 0b11, 0, 0, false)) << "not along other rows";
    EXPECT_TRUE(sends_colour(2, 0b11, 0, 0, true)) << "but to the source's column";
    EXPECT_FALSE(sends_colour(2, 0b10, 0, 1, false)) << "where it ends";
    EXPECT_FALSE(sends_colour(2, 0b10, 0, 0, false));
    // Colour 1 the other way round.
    EXPECT_TRUE(sends_colour(2, 0b10, 1, 0, false));
    EXPECT_TRUE(sends_colour(2, 0b11, 1, 0, false));
    EXPECT_FALSE(sends_colour(2, 0b11, 1, 1, false));
    EXPECT_TRUE(sends_colour(2, 0b11, 1, 1, true));
    EXPECT_FALSE(sends_colour(2, 0b01, 1, 0, false));
}

TEST(broadcast_rule, last_dimension_in_cyclic_order) {
    EXPECT_EQ(last_difference(3, 0b001, 0), 0u);
    EXPECT_EQ(last_difference(3, 0b001, 1), 2u);
    EXPECT_EQ(last_difference(3, 0b011, 1), 2u);
    EXPECT_EQ(last_difference(3, 0b110, 1), 1u);
    EXPECT_EQ(last_difference(4, 0b1010, 3), 2u);
}

TEST(broadcast_rule, arrivals_in_trees) {
    EXPECT_EQ(tree_arrival(2, 0b01, 0), (direction{0, true}));
    EXPECT_EQ(tree_arrival(2, 0b11, 0), (direction{1, true}));
    EXPECT_EQ(tree_arrival(2, 0b10, 0), (direction{0, false})) << "filled from the other side";
    EXPECT_EQ(tree_arrival(2, 0b11, 3), (direction{0, false}));
    EXPECT_EQ(tree_arrival(2, 0b01, 3), (direction{1, true}));
}

TEST(broadcast_rule, trees_are_link_disjoint) {
    for (unsigned d = 1; d <= 4; ++d) {
        for (unsigned differing = 1; differing < 1u << d; ++differing) {
            std::vector<direction> seen;
            for (unsigned tree = 0; tree < 2 * d; ++tree) {
                const direction arrival = tree_arrival(d, differing, tree);
                EXPECT_THAT(seen, testing::Not(testing::Contains(arrival))) << d << " " << differing << " " << tree;
                seen.push_back(arrival);
            }
        }
    }
}

TEST(broadcast_rule, bits_of_patterns) {
    EXPECT_TRUE(sends_in_reverse(8, false, true));
    EXPECT_TRUE(sends_in_reverse(4, true, true));
    EXPECT_TRUE(sends_in_reverse(2, true, false));
    EXPECT_TRUE(sends_in_reverse(1, false, false));
    EXPECT_FALSE(sends_in_reverse(7, false, true));
    EXPECT_FALSE(sends_in_reverse(11, true, true));
    EXPECT_FALSE(sends_in_reverse(13, true, false));
    EXPECT_FALSE(sends_in_reverse(14, false, false));
}

TEST(broadcast_rule, equal_splits) {
    EXPECT_THAT(equal_split(32, 3), ElementsAre(11, 11, 10));
    EXPECT_THAT(equal_split(2, 4), ElementsAre(1, 1, 0, 0));
}

}  // namespace
}  // namespace polycast::hw::broadcast
