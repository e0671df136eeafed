// SPDX-License-Identifier: Apache-2.0
#include "hw/host/buffer_area.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace polycast::hw::host {
namespace {

TEST(buffer_area, buffers_never_overlap_and_come_back) {
    host_memory memory;
    buffer_area area(memory, 1 << 20, 1 << 22);
    std::mt19937 random(1);
    std::map<std::uint32_t, std::uint32_t> used;  // offset to bytes
    for (int turn = 0; turn < 100000; ++turn) {
        if (used.size() > 40 || (!used.empty() && random() % 2 == 0)) {
            auto one = used.begin();
            std::advance(one, random() % used.size());
            area.release(one->first, one->second);
            used.erase(one);
        } else {
            const std::uint32_t bytes = 1 + static_cast<std::uint32_t>(random() % 5000);
            const auto offset = area.allocate(bytes);
            ASSERT_TRUE(offset);
            ASSERT_LE(*offset + bytes, area.bytes());
            const auto after = used.lower_bound(*offset);
            if (after != used.end()) {
                ASSERT_LE(*offset + bytes, after->first);
            }
            if (after != used.begin()) {
                const auto before = std::prev(after);
                ASSERT_LE(before->first + before->second, *offset);
            }
            used[*offset] = bytes;
        }
        ASSERT_EQ(area.used(), used.size());
    }
}

TEST(buffer_area, a_full_area_says_so_and_recovers) {
    host_memory memory;
    buffer_area area(memory, 0, 4096);
    const auto first = area.allocate(3000);
    ASSERT_TRUE(first);
    EXPECT_FALSE(area.allocate(3000));
    area.release(*first, 3000);
    EXPECT_EQ(area.allocate(3000), first);
}

TEST(buffer_area, large_buffers_give_their_pages_back) {
    host_memory memory;
    buffer_area area(memory, 1 << 20, 1 << 30);
    const std::vector<std::uint8_t> data(100000, 5);
    for (int turn = 0; turn < 100; ++turn) {
        const auto offset = area.allocate(100000);
        memory.write(area.address() + *offset, data);
        area.release(*offset, 100000);
    }
    EXPECT_EQ(memory.pages(), 0u);
}

}  // namespace
}  // namespace polycast::hw::host
