// SPDX-License-Identifier: Apache-2.0
// Messages that stay half received, and how much disorder is remembered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;

TEST(firmware_receive, what_stays_half_received_gives_its_buffer_back) {
    ni_model ni;
    give_windows(ni, 1000);
    for (std::uint32_t m = 1; m < 4; ++m) {
        ni.command(0, receive(64, 32));
        ni.run();
        ni.arrive(part_of(ni.params, m, 64, 0));  // one whole packet is a whole message
        ni.settle();
    }
    ni.completions.clear();
    ni.command(0, receive(300, 33));
    ni.command(0, receive(300, 34, 300));
    ni.run();
    ni.arrive(part_of(ni.params, 7, 200, 0));
    ni.arrive(part_of(ni.params, 7, 200, 3));
    ni.settle();
    EXPECT_TRUE(ni.timer_set());
    ni.arrive(part_of(ni.params, 20, 100, 0));
    ni.arrive(part_of(ni.params, 20, 100, 1));
    ni.settle();
    ASSERT_EQ(ni.completions[0].size(), 1u);
    ni.completions[0].clear();
    EXPECT_EQ(ni.timer_starts(), 1u) << "what begins does not put the tick off";
    ni.command(0, receive(300, 34, 300));
    EXPECT_TRUE(ni.run_timer());
    ni.settle();
    EXPECT_TRUE(ni.completions[0].empty()) << "not after one tick";
    EXPECT_TRUE(ni.run_timer());
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    EXPECT_FALSE(ni.timer_set()) << "nothing is half-received any more";
    ni.arrive(part_of(ni.params, 7, 200, 1));  // too late
    for (std::uint32_t m = 8; m < 10; ++m)
        for (std::uint32_t i = 0; i < 3; ++i) ni.arrive(part_of(ni.params, m, 150, i));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_INCOMPLETE), error(NI_STATUS_INCOMPLETE), received, received));
    EXPECT_EQ(ni.completions[0][2].cookie, 33u) << "first again";
    EXPECT_EQ(ni.completions[0][3].cookie, 34u);
    EXPECT_TRUE(ni.run_timer());
    ni.settle();
    EXPECT_FALSE(ni.timer_set());
    ni.expect_idle();
}

TEST(firmware_receive, packets_keep_a_message_alive) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(500, 33));
    ni.run();
    for (std::uint32_t i = 0; i < 7; ++i) {
        ni.arrive(part_of(ni.params, 7, 400, i));
        ni.settle();
        EXPECT_TRUE(ni.run_timer());
        ni.settle();
    }
    EXPECT_THAT(outcome(ni), ElementsAre(received));
    EXPECT_FALSE(ni.timer_set());
}

TEST(firmware_receive, the_only_buffer_comes_back) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(500, 33));
    ni.run();
    ni.arrive(part_of(ni.params, 7, 400, 0));
    ni.settle();
    for (int i = 0; i < 2; ++i) {
        ni.run_timer();
        ni.settle();
    }
    ni.command(0, receive(500, 34));
    ni.settle();
    ni.arrive(part_of(ni.params, 8, 10, 0));
    ni.arrive(part_of(ni.params, 9, 10, 0));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_INCOMPLETE), received, received));
}

TEST(firmware_receive, what_was_given_up_is_not_given_up_again) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(500, 33));
    ni.command(1, receive(500, 34));
    ni.run();
    ni.arrive(part_of(ni.params, 7, 400, 0));
    packet other = part_of(ni.params, 8, 400, 0);
    other.process = 1;
    for (std::uint32_t i = 0; i < 6; ++i) {
        if (i == 1) ni.arrive(other);
        ni.settle();
        ni.run_timer();
    }
    ni.settle();
    EXPECT_THAT(outcome(ni, 0), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    EXPECT_EQ(ni.completions[0][0].tag, 1007u);
    EXPECT_EQ(ni.completions[0][0].source, 1u);
    EXPECT_EQ(ni.completions[0][0].message, 7u);
    EXPECT_EQ(ni.completions[0][0].length, 400u);
    EXPECT_THAT(outcome(ni, 1), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    EXPECT_FALSE(ni.timer_set());
}

TEST(firmware_receive, duplicates_of_what_came_long_before_its_turn) {
    ni_model ni;
    give_windows(ni, 10000);
    ni.command(0, receive(5000, 33));
    ni.run();
    const std::uint32_t total = 64 * 50;
    ni.arrive(part_of(ni.params, 7, total, 40));
    for (std::uint32_t i = 0; i < 20; ++i) ni.arrive(part_of(ni.params, 7, total, i));
    ni.arrive(part_of(ni.params, 7, total, 40));
    ni.arrive(part_of(ni.params, 7, total, 45));
    ni.arrive(part_of(ni.params, 7, total, 45));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_DUPLICATE), error(NI_STATUS_DUPLICATE)));
    for (std::uint32_t i = 20; i < 50; ++i)
        if (i != 40 && i != 45) ni.arrive(part_of(ni.params, 7, total, i));
    ni.settle();
    EXPECT_EQ(outcome(ni).back(), received);
    EXPECT_EQ(ni.completions[0].size(), 3u);
    EXPECT_TRUE(holds(ni, 0, 0, 7, total));
}

// So much is there when the first packet comes that only a part of it is gone over at once.
TEST(firmware_receive, duplicates_behind_a_long_gap_that_is_closed) {
    constexpr std::uint32_t total = 1000;
    ni_model ni({.payload = 1});
    give_windows(ni, total, 7);
    ni.command(0, receive(total, 33));
    ni.run();
    const auto arrive = [&](std::uint32_t index) {
        ni.arrive(part_of(ni.params, 7, total, index));
        ni.settle();
    };
    for (std::uint32_t index = total - 1; index-- > 0;) arrive(index);
    for (std::uint32_t index = 0; index < total - 1; ++index) arrive(index);
    EXPECT_EQ(ni.count_of(NI_STATUS_DUPLICATE), total - 1);
    arrive(total - 1);
    EXPECT_EQ(outcome(ni).back(), received);
    EXPECT_TRUE(holds(ni, 0, 0, 7, total));
    EXPECT_FALSE(ni.timer_set() && ni.run_timer() && ni.timer_set()) << "nothing is half-received";
}

TEST(firmware_receive, more_disorder_than_it_can_remember) {
    // 32 bitmaps of 256 packets for a message: the first packet is missing, and one of each 256 others comes.
    constexpr std::uint32_t blocks = 32, total = (blocks + 1) * 256;
    ni_model ni({.payload = 1, .processes = 1});
    give_windows(ni, total);
    ni.command(0, receive(total, 33));
    ni.run();
    for (std::uint32_t block = 0; block < blocks; ++block) {
        ni.arrive(part_of(ni.params, 7, total, block * 256 + 40));
        ni.settle();
    }
    EXPECT_TRUE(ni.completions[0].empty());
    ni.arrive(part_of(ni.params, 7, total, blocks * 256 + 40));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_TABLE_FULL)));
    for (int i = 0; i < 2; ++i) {
        ni.run_timer();
        ni.settle();
    }
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_TABLE_FULL), error(NI_STATUS_INCOMPLETE)));
    // All of them are free again.
    ni.completions.clear();
    for (std::uint32_t block = 0; block < blocks; ++block) {
        ni.arrive(part_of(ni.params, 8, total, block * 256 + 40));
        ni.settle();
    }
    EXPECT_TRUE(ni.completions[0].empty());
}

TEST(firmware_receive, bitmaps_come_back_while_their_message_goes_on) {
    // One more than there are, one after the other: of each 256 packets one comes early.
    ni_model ni({.payload = 1});
    give_windows(ni, 1 << 17);
    ni.command(0, receive(1 << 17, 33));
    ni.run();
    const std::uint32_t total = 257 * 256;
    for (std::uint32_t first = 0; first < total; first += 256) {
        ni.arrive(part_of(ni.params, 7, total, first + 40));
        for (std::uint32_t i = 0; i < 256; ++i) {
            if (i != 40) ni.arrive(part_of(ni.params, 7, total, first + i));
            if (i % 8 == 7) ni.settle();
        }
    }
    EXPECT_THAT(outcome(ni), ElementsAre(received));
    EXPECT_TRUE(holds(ni, 0, 0, 7, total));
}

TEST(firmware_receive, early_packets_at_the_edge_of_what_a_word_remembers) {
    for (const std::uint32_t places : {31u, 32u, 33u}) {
        ni_model ni;
        give_windows(ni, 64 * 40);
        ni.command(0, receive(64 * 40, 33));
        ni.run();
        const std::uint32_t total = 64 * 35;
        ni.arrive(part_of(ni.params, 7, total, places));
        for (std::uint32_t i = 0; i < places; ++i) ni.arrive(part_of(ni.params, 7, total, i));
        ni.arrive(part_of(ni.params, 7, total, places));
        ni.settle();
        EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_DUPLICATE))) << places;
        for (std::uint32_t i = places + 1; i < 35; ++i) ni.arrive(part_of(ni.params, 7, total, i));
        ni.settle();
        EXPECT_EQ(outcome(ni).back(), received) << places;
    }
}

}  // namespace
}  // namespace polycast::testbench::firmware
