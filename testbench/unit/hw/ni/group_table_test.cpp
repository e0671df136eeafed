// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/group_table.h"

#include <gtest/gtest.h>

namespace polycast::hw::ni {
namespace {

std::uint32_t word(const group_table& table, std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_TRUE(table.load(offset, 4, value));
    return value;
}

TEST(group_table, finds_what_was_allocated) {
    group_table table(4);
    bool known = true;
    EXPECT_EQ(table.find(3, 7), group_table::none);
    const std::uint32_t entry = table.allocate(3, 7, known);
    EXPECT_FALSE(known);
    EXPECT_EQ(table.find(3, 7), entry);
    EXPECT_EQ(table.find(7, 3), group_table::none);
    EXPECT_EQ(table.find(3, 8), group_table::none);
    EXPECT_EQ(word(table, entry * 128), 3u);
    EXPECT_EQ(word(table, entry * 128 + 4), 7u);
    EXPECT_EQ(word(table, entry * 128 + 8), 0u);
}

TEST(group_table, a_group_is_there_once) {
    group_table table(4);
    bool known = false;
    const std::uint32_t entry = table.allocate(3, 7, known);
    EXPECT_EQ(table.allocate(3, 7, known), group_table::none);
    EXPECT_TRUE(known);
    EXPECT_EQ(table.find(3, 7), entry);
}

TEST(group_table, hidden_entries_are_found_by_nobody_and_any_number_may_exist) {
    group_table table(3);
    bool known = false;
    const std::uint32_t first = table.allocate(3, group_table::hidden, known);
    const std::uint32_t second = table.allocate(3, group_table::hidden, known);
    EXPECT_FALSE(known);
    EXPECT_NE(first, second);
    EXPECT_EQ(table.find(3, group_table::hidden), group_table::none);
    EXPECT_TRUE(table.free(first));
    EXPECT_TRUE(table.free(second));
    EXPECT_FALSE(table.free(second));
}

TEST(group_table, gets_full_and_gives_freed_entries_again_all_zero) {
    group_table table(2);
    bool known = false;
    const std::uint32_t first = table.allocate(1, 1, known);
    table.allocate(1, 2, known);
    EXPECT_EQ(table.allocate(1, 3, known), group_table::none);
    EXPECT_FALSE(known);
    EXPECT_TRUE(table.store(first * 128 + 124, 4, 0xdeadbeef));
    EXPECT_EQ(word(table, first * 128 + 124), 0xdeadbeefu);
    EXPECT_TRUE(table.free(first));
    EXPECT_EQ(table.find(1, 1), group_table::none);
    EXPECT_EQ(table.allocate(1, 3, known), first);
    EXPECT_EQ(word(table, first * 128 + 124), 0u);
    EXPECT_EQ(table.find(1, 3), first);
}

TEST(group_table, what_firmware_writes_into_an_entry_changes_no_look_up) {
    group_table table(2);
    bool known = false;
    const std::uint32_t entry = table.allocate(1, 1, known);
    table.store(entry * 128, 4, 5);
    EXPECT_EQ(table.find(1, 1), entry);
    EXPECT_EQ(table.find(5, 1), group_table::none);
    EXPECT_TRUE(table.free(entry));
    EXPECT_EQ(table.find(1, 1), group_table::none);
}

TEST(group_table, refuses_what_lies_outside) {
    group_table table(2);
    std::uint32_t value = 1;
    EXPECT_TRUE(table.load(255, 1, value));
    EXPECT_EQ(value, 0u);
    EXPECT_TRUE(table.store(252, 4, 1));
    EXPECT_EQ(word(table, 252), 0u) << "an entry never used keeps nothing";
    EXPECT_FALSE(table.load(256, 4, value));
    EXPECT_FALSE(table.store(256, 4, 0));
    EXPECT_FALSE(table.free(0));
    EXPECT_FALSE(table.free(0xffffffffu));
}

}  // namespace
}  // namespace polycast::hw::ni
