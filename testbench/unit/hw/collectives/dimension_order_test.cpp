// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/dimension_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace polycast::hw::collectives {
namespace {

using testing::ElementsAre;

TEST(dimension_order, first_coordinate_counts_most_and_the_source_comes_first) {
    const std::vector<std::vector<std::uint32_t>> places{{1, 0}, {0, 2}, {0, 0}, {1, 1}, {0, 1}};
    EXPECT_THAT(dimension_order(places, 2), ElementsAre(2, 4, 1, 0, 3));
    EXPECT_THAT(dimension_order(places, 1), ElementsAre(1, 0, 3, 2, 4));
    EXPECT_THAT(dimension_order(places, 3), ElementsAre(3, 2, 4, 1, 0));
}

TEST(dimension_order, participants_of_one_place_keep_their_order) {
    const std::vector<std::vector<std::uint32_t>> places{{1}, {0}, {1}, {0}};
    EXPECT_THAT(dimension_order(places, 0), ElementsAre(0, 2, 1, 3));
    EXPECT_THAT(dimension_order(places, 3), ElementsAre(3, 0, 2, 1));
}

}  // namespace
}  // namespace polycast::hw::collectives
