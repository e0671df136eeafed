// SPDX-License-Identifier: Apache-2.0
// What one process, or one sender, can take of what all share: never so much that another one goes without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

constexpr std::uint32_t attacker = 7;

packet from(std::uint32_t source, packet what, std::uint32_t process = 0) {
    what.source = source;
    what.source_process = process;
    return what;
}

// ---- receive buffers

void post(ni_model& ni, std::uint32_t count, std::uint32_t process = 0) {
    for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_TRUE(ni.command(process, receive(500, i, 500 * i)));
        ni.settle();
    }
}

/// `count` messages of which only the first packet comes.
void begin_many(ni_model& ni, std::uint32_t count, std::uint32_t source = attacker, std::uint32_t process = 0) {
    for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_TRUE(ni.arrive(from(source, part_of(ni.params, 1000 + i, 500, 0), process)));
        ni.settle();
    }
}

TEST(firmware_shares, messages_that_are_never_finished_make_nobody_deaf) {
    for (const std::uint32_t attackers : {1u, 2u, 4u}) {
        ni_model ni;
        give_windows(ni, 20'000);
        post(ni, 16);
        for (std::uint32_t i = 0; i < attackers; ++i) begin_many(ni, 50, attacker + i, i % 3);
        ni.completions[0].clear();
        for (std::uint32_t message = 0; message < 5; ++message) {
            for (std::uint32_t index = 0; index < 3; ++index) ni.arrive(part_of(ni.params, message, 150, index));
            ni.settle();
            EXPECT_THAT(outcome(ni), Contains(received)) << message;
            EXPECT_THAT(outcome(ni), Not(Contains(error(NI_STATUS_NO_BUFFER)))) << message;
            ni.completions[0].clear();
            ASSERT_TRUE(ni.command(0, receive(500, 77)));
            begin_many(ni, 3);
            ni.completions[0].clear();
        }
        for (int tick = 0; tick < 4; ++tick) {
            ni.run_timer();
            ni.settle();
        }
        EXPECT_FALSE(ni.timer_set());
        ni.expect_idle();
    }
}

TEST(firmware_shares, who_has_no_more_than_its_part_loses_nothing) {
    ni_model ni;
    give_windows(ni, 20'000);
    post(ni, 16);
    // Eight senders with two messages each: all buffers.
    for (std::uint32_t source = 1; source < 9; ++source)
        for (std::uint32_t message = 0; message < 2; ++message)
            ni.arrive(from(source, part_of(ni.params, message, 128, 0)));
    ni.arrive(from(9, part_of(ni.params, 0, 128, 0)));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_NO_BUFFER))) << "the ninth";
    for (std::uint32_t source = 1; source < 9; ++source)
        for (std::uint32_t message = 0; message < 2; ++message)
            ni.arrive(from(source, part_of(ni.params, message, 128, 1)));
    ni.settle();
    EXPECT_EQ(std::ranges::count(outcome(ni), received), 16);
}

TEST(firmware_shares, of_two_buffers_one_sender_keeps_one) {
    ni_model ni;
    give_windows(ni, 20'000);
    post(ni, 2);
    begin_many(ni, 2);
    ni.arrive(part_of(ni.params, 1, 64, 0));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_INCOMPLETE), received));
    EXPECT_EQ(ni.completions[0][0].message, 1000u) << "the older one";
    for (std::uint32_t index = 1; index < 8; ++index) ni.arrive(from(attacker, part_of(ni.params, 1001, 500, index)));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_INCOMPLETE), received, received));
}

// Their messages are in one list, which every packet of theirs looks through.
TEST(firmware_shares, senders_with_one_hash_value_have_at_most_48_messages_half_there) {
    const auto hash = [](std::uint32_t source, std::uint32_t number) {
        return (source * 0x9e3779b1u + number * 0x85ebca6bu) >> 22;  // of messages to process 0 (firmware/messages.c)
    };
    ni_model ni({.hosts = 8192, .command_entries = 64});
    give_windows(ni, 100'000);
    post(ni, 100);
    std::uint32_t senders = 0;
    for (std::uint32_t source = attacker; senders < 4; ++source) {
        if (hash(source, 0) != hash(attacker, 0)) continue;
        begin_many(ni, 20, source);
        ++senders;
    }
    EXPECT_EQ(ni.count_of(NI_STATUS_INCOMPLETE), 4 * 20 - 48u);
    std::uint32_t expected = 0;
    for (std::uint32_t number = 0; expected < 50; ++number) {
        if (hash(9, number) != hash(9, 0)) continue;
        ni.command(0,
                   {NI_COMMAND_RECEIVE | 2 << 8 | NI_RECEIVE_EXPECTED << 16, 1, 0, 500, 9, 0, number, 0, 0xffffffff});
        ni.settle();
        EXPECT_EQ(ni.count_of(NI_STATUS_TABLE_FULL), ++expected > 48 ? expected - 48 : 0);
    }
}

// The same operation frees a buffer, says so, and begins a transfer: there is one place for both.
TEST(firmware_shares, what_is_said_of_a_buffer_that_is_taken_back_leaves_the_transfer_its_place) {
    ni_model ni({.dma_queue = 1});
    give_windows(ni, 20'000);
    post(ni, 2);
    begin_many(ni, 2);
    ni.arrive(part_of(ni.params, 1, 64, 0));
    ni.run();
    EXPECT_EQ(ni.transfers(), 1u);
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_INCOMPLETE), received));
    EXPECT_TRUE(holds(ni, 0, 0, 1, 64) || holds(ni, 0, 500, 1, 64));
    ni.expect_idle();
}

TEST(firmware_shares, a_sender_has_at_most_32_messages_half_there) {
    ni_model ni({.command_entries = 64});
    give_windows(ni, 100'000);
    post(ni, 100);
    begin_many(ni, 80);
    EXPECT_EQ(ni.count_of(NI_STATUS_INCOMPLETE), 48u);
    EXPECT_EQ(ni.completions[0].front().message, 1000u) << "the oldest";
    EXPECT_EQ(ni.count_of(NI_STATUS_NO_BUFFER), 0u);
    begin_many(ni, 1, attacker + 1);
    EXPECT_EQ(ni.count_of(NI_STATUS_INCOMPLETE), 48u) << "another sender";
}

// A message of which a part was dropped is dropped to its end, whatever else is dropped meanwhile.
TEST(firmware_shares, pruned_messages_of_one_sender_make_nobody_elses_be_forgotten) {
    ni_model ni;
    give_windows(ni, 20'000);
    ni.arrive(part_of(ni.params, 9, 150, 0));
    begin_many(ni, 200);
    post(ni, 1);
    for (const std::uint32_t index : {1u, 2u}) ni.arrive(part_of(ni.params, 9, 150, index));
    ni.settle();
    EXPECT_FALSE(ni.timer_set()) << "nothing is half-received";
    ni.completions[0].clear();
    ni.arrive(part_of(ni.params, 10, 64, 0));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(received)) << "the buffer is free";
}

// ---- packets far ahead

TEST(firmware_shares, bitmaps_of_one_process_leave_the_others_theirs) {
    constexpr std::uint32_t blocks = 250, each = 32, total = (each + 2) * 256 * 64;
    ni_model ni;
    give_windows(ni, total);
    for (const std::uint32_t process : {0u, 1u})
        for (int i = 0; i < 8; ++i) ni.command(process, receive(total, 1));
    ni.settle();
    const auto ahead = [&](std::uint32_t process, std::uint32_t block, std::uint32_t first = 10) {
        packet made = part_of(ni.params, first + block / each, total, block % each * 256 + 100);
        made.process = process;
        ni.arrive(made);
        ni.settle();
    };
    for (std::uint32_t block = 0; block < blocks; ++block) ahead(0, block);
    EXPECT_EQ(ni.count_of(NI_STATUS_TABLE_FULL), blocks - 192) << "a quarter of 256, and a half that both may take";
    for (std::uint32_t block = 0; block < 64; ++block) ahead(1, block);
    EXPECT_EQ(ni.count_of(NI_STATUS_TABLE_FULL), blocks - 192) << "the other process has its quarter";
    ahead(1, 64);
    EXPECT_EQ(ni.count_of(NI_STATUS_TABLE_FULL), blocks - 192 + 1);
    for (int tick = 0; tick < 4; ++tick) {
        ni.run_timer();
        ni.settle();
    }
    for (std::uint32_t block = 0; block < 192; ++block) ahead(1, block, 20);
    EXPECT_EQ(ni.count_of(NI_STATUS_TABLE_FULL), blocks - 192 + 1) << "all have come back";
}

// ---- groups

std::uint32_t result(ni_model& ni, const words& command, std::uint32_t process) {
    EXPECT_TRUE(ni.command(process, command));
    ni.settle();
    const std::uint32_t status = ni.completions[process].back().status;
    ni.completions[process].clear();
    return status;
}

TEST(firmware_shares, groups_of_one_process_leave_the_others_theirs) {
    constexpr std::uint32_t full = NI_STATUS_TABLE_FULL;
    ni_model ni({.command_bytes = 512, .group_entries = 16});
    for (int round = 0; round < 3; ++round) {
        for (std::uint32_t number = 0; number < 12; ++number)
            EXPECT_EQ(result(ni, set_group(1, number, 0, {5}), 0), 0u) << number;
        EXPECT_EQ(result(ni, set_group(1, 12, 0, {5}), 0), full);
        EXPECT_EQ(result(ni, set_group(1, 0, 0, {6}), 0), 0u) << "one in the place of another";
        EXPECT_EQ(result(ni, extend_group(hosts_from(7, 18)), 0), full);
        for (std::uint32_t number = 10; number < 13; ++number)
            EXPECT_EQ(result(ni, set_group(1, number, 0, {5}), 1), 0u) << number;
        EXPECT_EQ(result(ni, extend_group(hosts_from(7, 18)), 1), 0u) << "a second entry";
        EXPECT_EQ(result(ni, set_group(1, 13, 0, {5}), 1), full);
        for (std::uint32_t number = 0; number < 12; ++number) EXPECT_EQ(result(ni, clear_group(1, number), 0), 0u);
        EXPECT_EQ(result(ni, set_group(1, 13, 0, {5}), 1), 0u);
        for (std::uint32_t number = 10; number < 14; ++number) EXPECT_EQ(result(ni, clear_group(1, number), 1), 0u);
        EXPECT_EQ(ni.groups_used(), 0u);
    }
}

// Copies come first, but not thousands of them: in turn with them go packets and commands of others.
TEST(firmware_shares, a_message_to_a_large_group_makes_nobody_deaf) {
    for (const std::uint32_t flags : {0u, static_cast<std::uint32_t>(NI_GROUP_FCFS)}) {
        const std::uint32_t packets = flags == 0 ? 1 : 2;
        ni_model ni({.hosts = 1000, .command_bytes = 2048, .group_entries = 100});
        give_windows(ni, 1000);
        EXPECT_EQ(result(ni, set_group(1, 4, flags, hosts_from(100, 300)), 0), 0u);
        post(ni, 1, 1);
        for (std::uint32_t index = 0; index < packets; ++index) {
            packet made = part_of(ni.params, 8, 64 * packets, index);
            made.group = 4;
            made.hops = 3;
            ni.arrive(made);
            ASSERT_EQ(ni.step(), NI_OPERATION_RECEIVE);
            ASSERT_EQ(ni.step(), NI_OPERATION_SEND);
        }
        for (int i = 0; i < 10; ++i) ni.step();
        packet other = part_of(ni.params, 9, 10, 0);
        other.process = 1;
        ni.arrive(other);
        ni.command(1, receive(100, 5));
        for (int i = 0; i < 6; ++i) ni.step();
        ni.run_dma();
        EXPECT_THAT(outcome(ni, 1), ElementsAre(received)) << "flags " << flags;
        EXPECT_EQ(ni.commands_taken(), 0u);
        EXPECT_LT(ni.link.size(), 20u);
        ni.expect_idle();
        EXPECT_EQ(ni.sent.size(), 300u * packets);
        for (std::uint32_t i = 0; i < 300 * packets; ++i) EXPECT_EQ(ni.sent[i].destination, 100 + i / packets);
        EXPECT_EQ(ni.step(), NI_OPERATION_IDLE);
    }
}

TEST(firmware_shares, messages_in_turn_of_one_process_leave_the_others_theirs) {
    ni_model ni;
    for (const std::uint32_t process : {0u, 1u})
        EXPECT_EQ(result(ni, set_group(1, 4, NI_GROUP_FCFS, {5, 6}), process), 0u);
    const auto part = [&](std::uint32_t process, std::uint32_t message, std::uint32_t index) {
        packet made = from(1, part_of(ni.params, message, 128, index), process);
        made.group = 4;
        made.hops = 3;
        ni.arrive(made);
        ni.settle();
    };
    for (std::uint32_t message = 0; message < 128; ++message) part(0, message, 0);
    EXPECT_EQ(ni.slots_used(), 96u) << "a quarter of 128, and a half that both may take: the rest goes on at once";
    for (std::uint32_t message = 0; message < 33; ++message) part(1, message, 0);
    EXPECT_EQ(ni.slots_used(), 96u + 32);
    for (const std::uint32_t process : {1u, 0u})
        for (std::uint32_t message = 0; message < (process == 0 ? 96u : 32u); ++message) part(process, message, 1);
    ni.expect_idle();
    EXPECT_EQ(ni.sent.size(), (96u + 32) * 4 + (32 + 1) * 2);
    for (std::uint32_t message = 0; message < 128; ++message) part(1, message, 0);
    EXPECT_EQ(ni.slots_used(), 96u) << "all have come back";
    for (std::uint32_t message = 0; message < 96; ++message) part(1, message, 1);
    ni.expect_idle();
}

}  // namespace
}  // namespace polycast::testbench::firmware
