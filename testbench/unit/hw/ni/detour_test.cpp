// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/detour.h"

#include <gtest/gtest.h>

#include <map>

namespace polycast::hw::ni {
namespace {

TEST(detour, none_leaves_addresses_alone) {
    const detour none;
    EXPECT_EQ(none.paths(), 1u);
    EXPECT_EQ(none.address(17, 3, 5), 17u);
    EXPECT_EQ(none.host_of(17), 17u);
}

TEST(detour, goes_by_way_of_every_other_group_alike) {
    const detour paths{4, 9, 1};
    for (const std::uint32_t source : {0u, 13u, 35u}) {
        for (const std::uint32_t host : {1u, 20u, 34u}) {
            std::map<std::uint32_t, unsigned> ways;
            constexpr unsigned packets = 7000;
            for (std::uint32_t sequence = 0; sequence < packets; ++sequence) {
                const std::uint32_t address = paths.address(host, source, sequence);
                ASSERT_EQ(paths.host_of(address), host);
                const std::uint32_t first = source / 4, last = host / 4, middle = (last + address / 36) % 9;
                if (first == last) {
                    ASSERT_EQ(address, host);
                    continue;
                }
                ASSERT_NE(middle, first);
                ASSERT_NE(middle, last);
                EXPECT_EQ(paths.class_of(address), middle > last ? 1u : 0u);
                ++ways[middle];
            }
            if (source / 4 == host / 4) continue;
            EXPECT_EQ(ways.size(), 7u);
            // 1000 expected, with a standard deviation of 29.3: five of them.
            for (const auto& [middle, count] : ways) EXPECT_NEAR(count, packets / 7.0, 147) << middle;
        }
    }
}

TEST(detour, depends_on_the_seed_and_nothing_else) {
    const detour one{2, 9, 1}, same{2, 9, 1}, other{2, 9, 2};
    unsigned different = 0;
    for (std::uint32_t sequence = 0; sequence < 100; ++sequence) {
        EXPECT_EQ(one.address(17, 0, sequence), same.address(17, 0, sequence));
        different += one.address(17, 0, sequence) != other.address(17, 0, sequence);
    }
    EXPECT_GT(different, 50u);
}

TEST(detour, of_two_groups_there_is_none) {
    const detour two{4, 2, 1};
    EXPECT_EQ(two.address(5, 0, 9), 5u);
    EXPECT_EQ(two.class_of(5), 0u);
}

}  // namespace
}  // namespace polycast::hw::ni
