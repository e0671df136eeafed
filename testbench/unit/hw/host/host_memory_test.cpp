// SPDX-License-Identifier: Apache-2.0
#include "hw/host/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace polycast::hw::host {
namespace {

using bytes = std::vector<std::uint8_t>;

bytes pattern(std::size_t count, std::uint8_t first = 1) {
    bytes result(count);
    std::iota(result.begin(), result.end(), first);
    return result;
}

TEST(host_memory, keeps_what_was_written_across_pages) {
    host_memory memory;
    const bytes data = pattern(3 * host_memory::page_bytes);
    const std::uint64_t at = (std::uint64_t{1} << 40) - 100;
    ASSERT_TRUE(memory.write(at, data));
    bytes back(data.size() + 2);
    ASSERT_TRUE(memory.read(at - 1, back));
    EXPECT_EQ(back.front(), 0);
    EXPECT_EQ(back.back(), 0);
    EXPECT_TRUE(std::equal(data.begin(), data.end(), back.begin() + 1));
    EXPECT_EQ(memory.pages(), 4u);
}

TEST(host_memory, reading_does_not_make_it_grow) {
    const host_memory memory;
    bytes back(5000, 7);
    EXPECT_TRUE(memory.read(12345, back));
    EXPECT_THAT(back, testing::Each(0));
    EXPECT_EQ(memory.pages(), 0u);
}

TEST(host_memory, has_an_end) {
    host_memory memory(1 << 20);
    bytes data = pattern(8);
    EXPECT_TRUE(memory.write((1 << 20) - 8, data));
    EXPECT_FALSE(memory.write((1 << 20) - 7, data));
    EXPECT_FALSE(memory.read((1 << 20) - 7, data));
    EXPECT_FALSE(memory.write(~std::uint64_t{0} - 3, data));  // the end of the range wraps
    EXPECT_EQ(memory.pages(), 1u);
}

TEST(host_memory, a_view_is_what_was_written) {
    host_memory memory;
    const bytes data = pattern(200);
    memory.write(host_memory::page_bytes - 100, data);
    bytes scratch;
    const auto inside = memory.view(host_memory::page_bytes - 100, 100, scratch);
    EXPECT_THAT(inside, testing::ElementsAreArray(std::span(data).first(100)));
    EXPECT_TRUE(scratch.empty());
    EXPECT_THAT(memory.view(host_memory::page_bytes - 100, 200, scratch), testing::ElementsAreArray(data));
    EXPECT_THAT(memory.view(1 << 30, 4, scratch), testing::Each(0));
}

TEST(host_memory, whole_pages_are_given_back) {
    host_memory memory;
    const bytes data = pattern(4 * host_memory::page_bytes);
    memory.write(0, data);
    memory.release(1, 3 * host_memory::page_bytes);  // touches four pages, two of them whole
    EXPECT_EQ(memory.pages(), 2u);
    bytes back(data.size());
    memory.read(0, back);
    EXPECT_TRUE(std::equal(data.begin(), data.begin() + host_memory::page_bytes, back.begin()));
    EXPECT_EQ(back[host_memory::page_bytes], 0);
    EXPECT_EQ(back[3 * host_memory::page_bytes + 1], data[3 * host_memory::page_bytes + 1]);
    memory.release(0, std::uint64_t{1} << 47);  // far more than there is
    EXPECT_EQ(memory.pages(), 0u);
}

}  // namespace
}  // namespace polycast::hw::host
