// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace polycast::hw::programs {
namespace {

using testing::ElementsAre;

std::vector<std::uint8_t> some_bytes(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    return bytes;
}

TEST(flags, take_as_much_as_the_protocol_says) {
    EXPECT_EQ(with_flags(4096, wire_format::plain), 4096u);
    EXPECT_EQ(with_flags(4096, wire_format::ll), 2 * 4096u);
    EXPECT_EQ(with_flags(120 * 128, wire_format::ll128), 128 * 128u) << "16 for 15";
    // What is not full has its flag all the same.
    EXPECT_EQ(with_flags(1, wire_format::ll), 5u);
    EXPECT_EQ(with_flags(5, wire_format::ll), 13u);
    EXPECT_EQ(with_flags(121, wire_format::ll128), 137u);
}

TEST(flags, lie_behind_the_bytes) {
    EXPECT_THAT(flagged(some_bytes(6), wire_format::ll, 0x04030201),
                ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4));
    const std::vector<std::uint8_t> line = flagged(some_bytes(120), wire_format::ll128, 7);
    EXPECT_EQ(line.size(), 128u);
    EXPECT_THAT(std::vector(line.begin() + 119, line.end()), ElementsAre(120, 7, 0, 0, 0, 7, 0, 0, 0));
}

TEST(flags, say_whether_all_is_there) {
    for (const wire_format how : {wire_format::ll, wire_format::ll128})
        for (const std::size_t count : {1u, 4u, 119u, 120u, 121u, 1000u}) {
            const std::vector<std::uint8_t> bytes = some_bytes(count);
            std::vector<std::uint8_t> all = flagged(bytes, how, 9);
            EXPECT_EQ(all.size(), with_flags(count, how));
            EXPECT_EQ(unflagged(all, count, how, 9), bytes);
            EXPECT_EQ(unflagged(all, count, how, 8), std::nullopt);
            EXPECT_EQ(unflagged(all, count + 1, how, 9), std::nullopt);
            all.back() ^= 1;
            EXPECT_EQ(unflagged(all, count, how, 9), std::nullopt);
        }
}

}  // namespace
}  // namespace polycast::hw::programs
