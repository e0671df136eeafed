// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/wait_cycle.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace polycast::hw::routing {
namespace {

TEST(wait_cycle, is_found_and_written_out) {
    const std::vector<wait> waits{{"packet 1", "switch0:1", "the output"},
                                  {"switch0:1", "switch1:2", "a credit"},
                                  {"switch1:2", "switch2:0", ""},
                                  {"switch2:0", "switch3:3", "a credit"},
                                  {"switch2:0", "switch1:2", "the output"}};
    const auto cycle = find_wait_cycle(waits);
    EXPECT_EQ(wait_cycle_text(cycle), "switch1:2 waits for switch2:0; switch2:0 waits for switch1:2 (the output)");
}

TEST(wait_cycle, is_absent_in_chains) {
    const std::vector<wait> waits{{"a", "b", ""}, {"b", "c", ""}, {"a", "c", ""}, {"d", "c", ""}};
    EXPECT_TRUE(find_wait_cycle(waits).empty());
    EXPECT_TRUE(find_wait_cycle({}).empty());
    EXPECT_EQ(wait_cycle_text({}), "no wait cycle");
}

TEST(wait_cycle, may_be_a_single_thing) {
    const std::vector<wait> waits{{"a", "a", "itself"}};
    EXPECT_EQ(wait_cycle_text(find_wait_cycle(waits)), "a waits for a (itself)");
}

TEST(wait_cycle, is_a_shortest_one_through_its_first_member) {
    const std::vector<wait> waits{{"a", "b", ""}, {"b", "c", ""}, {"c", "d", ""}, {"d", "a", ""}, {"c", "a", ""}};
    EXPECT_EQ(find_wait_cycle(waits).size(), 3U);
}

}  // namespace
}  // namespace polycast::hw::routing
