// SPDX-License-Identifier: Apache-2.0
// Messages of this host: to one host, as worms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(firmware_send, cuts_a_message_into_packets) {
    ni_model ni({.host = 3});
    give_windows(ni, 1000, 7);
    ASSERT_TRUE(
        ni.command(1, send(5, {.length = 150, .message = 7, .cookie = 11, .offset = 0, .process = 1, .tag = 99})));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 3u);
    for (std::uint32_t i = 0; i < 3; ++i) {
        const packet& got = ni.sent[i];
        EXPECT_EQ(got.kind, 0u);
        EXPECT_EQ(got.source, 3u);
        EXPECT_EQ(got.sequence, i);
        EXPECT_EQ(got.destination, 5u);
        EXPECT_EQ(got.op, 0u);
        EXPECT_EQ(got.process, 1u);
        EXPECT_EQ(got.source_process, 1u);
        EXPECT_EQ(got.group, no_group);
        EXPECT_EQ(got.hops, 0u);
        EXPECT_EQ(got.message, 7u);
        EXPECT_EQ(got.offset, 64 * i);
        EXPECT_EQ(got.total, 150u);
        EXPECT_EQ(got.tag, 99u);
        EXPECT_TRUE(got.seal);
        ASSERT_EQ(got.payload.size(), i == 2 ? 22u : 64u);
        for (std::uint32_t b = 0; b < got.payload.size(); ++b) ASSERT_EQ(got.payload[b], pattern(7, 64 * i + b));
    }
    ASSERT_EQ(ni.completions[1].size(), 1u);
    const completion& done = ni.completions[1][0];
    EXPECT_EQ(done.kind, static_cast<std::uint32_t>(NI_COMPLETION_SENT));
    EXPECT_EQ(done.status, 0u);
    EXPECT_EQ(done.cookie, 11u);
    EXPECT_EQ(done.source, no_host);
    EXPECT_EQ(done.message, 7u);
    EXPECT_EQ(done.length, 150u);
    EXPECT_EQ(done.tag, 99u);
    EXPECT_EQ(done.group, no_group);
    EXPECT_TRUE(ni.completions[0].empty());
    EXPECT_EQ(ni.statistic(NI_STATISTIC_PACKETS_SENT), 3u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_MESSAGES_SENT), 1u);
    ni.expect_idle();
}

TEST(firmware_send, packets_have_the_class_of_their_command) {
    ni_model ni({.host = 3});
    give_windows(ni, 1000, 7);
    words unicast = send(5, {.length = 100});
    unicast[0] |= 6u << (16 + NI_SEND_CLASS_SHIFT);
    words tree = send_tree({0b110}, {.length = 20, .message = 2});
    tree[0] |= 7u << (16 + NI_SEND_CLASS_SHIFT);
    ASSERT_TRUE(ni.command(0, unicast));
    ASSERT_TRUE(ni.command(0, tree));
    ASSERT_TRUE(ni.command(0, set_group(3, 4, 0, {1, 2})));
    words group = send_group(3, 4, {.length = 10, .message = 3});
    group[0] |= 1u << (16 + NI_SEND_CLASS_SHIFT);
    ASSERT_TRUE(ni.command(0, group));
    ASSERT_TRUE(ni.command(0, send(5, {.length = 10, .message = 4})));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 6u);
    for (const packet& got : ni.sent) {
        EXPECT_EQ(got.vc_class, (std::array{0u, 6u, 7u, 1u, 0u}[got.message])) << got.message;
        EXPECT_EQ(got.kind, got.message == 2 ? 1u : 0u);
    }
    ni.expect_idle();
}

TEST(firmware_send, operands_go_to_coding_units) {
    ni_model ni({.host = 3, .hosts = 8, .units = 8});
    give_windows(ni, 1000, 7);
    const auto operand = [](std::uint32_t to, std::uint32_t length) {
        words made = send(to, {.length = length, .tag = 17});
        made[0] |= (NI_SEND_OPERAND | 2u << NI_SEND_CLASS_SHIFT) << 16;
        made[NI_COMMAND_GROUP] = 5;
        return made;
    };
    ASSERT_TRUE(ni.command(0, operand(15, 64)));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 1u);
    EXPECT_EQ(ni.sent[0].destination, 15u);
    EXPECT_EQ(ni.sent[0].op, 2u);
    EXPECT_EQ(ni.sent[0].group, 5u);
    EXPECT_EQ(ni.sent[0].tag, 17u);
    EXPECT_EQ(ni.sent[0].vc_class, 2u);
    EXPECT_EQ(ni.sent[0].payload.size(), 64u);
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, NI_STATUS_OK)));
    ASSERT_TRUE(ni.command(0, operand(16, 64)));  // behind the last unit
    ASSERT_TRUE(ni.command(0, operand(7, 64)));   // a host
    ASSERT_TRUE(ni.command(0, operand(8, 65)));   // two packets
    ASSERT_TRUE(ni.command(0, send(8, {.length = 10})));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 1u);
    EXPECT_EQ(ni.statistic(unsigned{NI_STATISTIC_STATUS} + NI_STATUS_BAD_COMMAND), 4u);
    ni.expect_idle();
}

TEST(firmware_send, without_worms_in_the_network_their_commands_are_refused) {
    ni_model ni({.stops = 0});
    give_windows(ni, 1000, 7);
    ASSERT_TRUE(ni.command(0, send_tree({0b110}, {.length = 20})));
    ASSERT_TRUE(ni.command(0, send_worm(NI_ROUTE_SSR, {0x10000, 0}, {.length = 20})));
    ASSERT_TRUE(ni.command(0, send_worm(NI_ROUTE_PATH, path_words(1, 0, 2), {.length = 20})));
    ni.settle();
    EXPECT_TRUE(ni.sent.empty());
    EXPECT_EQ(ni.statistic(unsigned{NI_STATISTIC_STATUS} + NI_STATUS_BAD_COMMAND), 3u);
    ni.expect_idle();
}

TEST(firmware_send, fetches_ahead_but_not_far) {
    ni_model ni;
    give_windows(ni, 10000);
    ni.command(0, send(5, {.length = 640}));
    EXPECT_THAT(ni.run(), ElementsAre(NI_OPERATION_COMMAND, NI_OPERATION_KEEP, NI_OPERATION_KEEP, NI_OPERATION_KEEP,
                                      NI_OPERATION_KEEP));
    EXPECT_EQ(ni.transfers(), 4u);
    ni.run_dma(1);
    EXPECT_THAT(ni.run(), ElementsAre(NI_OPERATION_SEND, NI_OPERATION_KEEP));
    EXPECT_EQ(ni.transfers(), 4u);
    ni.expect_idle();
    EXPECT_EQ(ni.sent.size(), 10u);
}

TEST(firmware_send, says_sent_before_the_last_copy) {
    ni_model ni;
    give_windows(ni, 100);
    ni.command(0, send(5, {.length = 10}));
    ni.run();
    EXPECT_EQ(ni.run_dma(), 1u);
    EXPECT_THAT(ni.run(), ElementsAre(NI_OPERATION_KEEP, NI_OPERATION_SEND));
    EXPECT_EQ(ni.run_dma(), 1u);
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, NI_STATUS_OK)));
    ni.expect_idle();
}

TEST(firmware_send, messages_of_a_process_stay_in_order) {
    ni_model ni;
    give_windows(ni, 1000);
    for (std::uint32_t i = 0; i < 10; ++i) ni.command(0, send(1 + i, {.length = 100, .message = i, .cookie = i}));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 20u);
    for (std::uint32_t i = 0; i < 20; ++i) {
        EXPECT_EQ(ni.sent[i].message, i / 2);
        EXPECT_EQ(ni.sent[i].sequence, i);
    }
    for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(ni.completions[0][i].cookie, i);
    ni.expect_idle();
}

TEST(firmware_send, any_number_of_messages) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(1, receive(200, 33));
    for (std::uint32_t round = 0; round < 400; ++round) {
        for (std::uint32_t i = 0; i < 5; ++i) ni.command(0, send(5, {.length = 64}));
        ni.settle();
    }
    EXPECT_EQ(ni.completions[0].size(), 2000u);
    EXPECT_EQ(ni.sent.size(), 2000u);
    // Had entries been lost, those that took their place would lie on other tables by now.
    packet part = part_of(ni.params, 3, 10, 0);
    part.process = 1;
    ni.arrive(part);
    ni.settle();
    EXPECT_THAT(outcome(ni, 1), ElementsAre(Pair(NI_COMPLETION_RECEIVED, NI_STATUS_OK)));
    ni.expect_idle();
}

TEST(firmware_send, processes_take_turns) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, send(1, {.length = 640, .message = 1}));
    ni.command(1, send(1, {.length = 640, .message = 2}));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 20u);
    for (std::uint32_t i = 8; i < 14; ++i) EXPECT_NE(ni.sent[i].source_process, ni.sent[i + 1].source_process);
    ni.expect_idle();
}

TEST(firmware_send, tree_worms_go_by_the_bit_string) {
    ni_model ni({.hosts = 40});
    give_windows(ni, 1000);
    ni.command(0, send_tree({0x1234, 0x80}, {.length = 70}));
    ni.run();
    EXPECT_EQ(ni.commands_taken(), 1u) << "the bit string is still needed";
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 2u);
    for (const packet& got : ni.sent) {
        EXPECT_EQ(got.kind, 1u);
        EXPECT_THAT(got.route, ElementsAre(0x34, 0x12, 0, 0, 0x80));
        EXPECT_TRUE(got.seal);
    }
    EXPECT_EQ(ni.sent[1].payload.size(), 6u);
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, NI_STATUS_OK)));
    ni.expect_idle();
}

TEST(firmware_send, ssr_and_path_worms_go_by_their_stops) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, send_worm(NI_ROUTE_SSR, {0x00040302}, {.length = 70, .cookie = 1, .process = 1}));
    ni.command(0, send_worm(NI_ROUTE_PATH, path_words(8, 50, 7), {.length = 70, .message = 2, .cookie = 2}));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 4u);
    for (std::uint32_t i = 0; i < 4; ++i) {
        const packet& got = ni.sent[i];
        EXPECT_EQ(got.kind, i < 2 ? 2u : 3u);
        EXPECT_EQ(got.route, i < 2 ? std::vector<std::uint8_t>({2, 3, 4}) : path_bytes(8, 50));
        EXPECT_EQ(got.process, i < 2 ? 1u : 0u);
        EXPECT_EQ(got.group, no_group);
        EXPECT_EQ(got.hops, 0u);
        EXPECT_TRUE(got.seal);
    }
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, NI_STATUS_OK), Pair(NI_COMPLETION_SENT, 0)));
    ni.expect_idle();
}

TEST(firmware_send, a_route_stays_until_the_last_packet_is_pushed) {
    for (const bool late : {false, true}) {
        ni_model ni({.command_entries = 1, .link_queue = 1, .late_stores = late});
        give_windows(ni, 1000);
        ni.command(0, send_worm(NI_ROUTE_PATH, path_words(2, 9, 2), {.length = 150}));
        ni.settle(false);
        ASSERT_EQ(ni.link.size(), 1u);
        EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, NI_STATUS_OK))) << "all has left host memory";
        EXPECT_FALSE(ni.command(0, clear_group(1, 1))) << "the entry is taken";
        ni.run_link(1);
        ni.settle(false);
        EXPECT_EQ(ni.commands_taken(), 1u);
        ni.run_link(1);
        ni.settle(false);
        EXPECT_EQ(ni.commands_taken(), 0u) << "given back behind the last push";
        ASSERT_TRUE(ni.command(0, send_worm(NI_ROUTE_PATH, path_words(1, 200, 2), {.length = 10})));
        ni.expect_idle();
        ASSERT_EQ(ni.sent.size(), 4u);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(ni.sent[i].route, path_bytes(2, 9));
        EXPECT_EQ(ni.sent[3].route, path_bytes(1, 200));
    }
}

TEST(firmware_send, a_worm_that_fails_keeps_its_route_for_the_packets_before) {
    ni_model ni({.command_entries = 1, .link_queue = 1});
    give_windows(ni, 1000);
    ni.windows[{0, 1}].bytes.resize(200);  // three packets and a bit of the fourth
    ni.command(0, send_worm(NI_ROUTE_SSR, {0x00040302}, {.length = 640}));
    ni.settle(false);
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_REFUSED)));
    EXPECT_EQ(ni.commands_taken(), 1u);
    ni.expect_idle();
    EXPECT_EQ(ni.sent.size(), 3u + 1) << "with an ABORT";
}

TEST(firmware_send, refuses_what_cannot_be_sent) {
    ni_model ni({.hosts = 40});
    give_windows(ni, 1000);
    const std::vector<words> bad{
        send(40, {.length = 10}),
        send(5, {.length = 0}),
        send(5, {.length = 0x20, .offset = 0xfffffff0}),
        send_tree({0, 0}, {.length = 10}),
        send_tree({1, 0x100}, {.length = 10}),
        send_worm(0, {5}, {.length = 10}),  // no worm
        send_worm(NI_ROUTE_SSR, {0x00040302}, {.length = 0}),
        send_worm(NI_ROUTE_PATH, {0}, {.length = 10}),
        send_worm(NI_ROUTE_PATH, path_words(9, 1, 8), {.length = 10}),
        send_worm(NI_ROUTE_PATH, {0x00040102, 0x00050000}, {.length = 10}),  // begun already
        send_group(1, 4, {.length = 10}),                                    // not the root
        send_group(0, no_group, {.length = 10}),
        {0},
        {NI_COMMAND_STATISTICS + 1},
        {NI_COMMAND_STATISTICS | 2 << 8, 5, 0, 6},
        {NI_COMMAND_STATISTICS | 2 << 8, 5, 0, 0},
        receive(0, 1),
        receive(0x20, 1, 0xfffffff0),
    };
    for (words command : bad) {
        const bool group = command[0] % 256 == NI_COMMAND_SEND_GROUP;
        command.resize(10);
        if (!group) command[NI_COMMAND_GROUP] = 44;
        ASSERT_TRUE(ni.command(0, command));
        ni.settle();
        ASSERT_EQ(ni.completions[0].size(), 1u);
        EXPECT_EQ(ni.completions[0][0].kind, static_cast<std::uint32_t>(NI_COMPLETION_FAILED));
        EXPECT_EQ(ni.completions[0][0].status, static_cast<std::uint32_t>(NI_STATUS_BAD_COMMAND));
        EXPECT_EQ(ni.completions[0][0].cookie, command[1]);
        EXPECT_EQ(ni.completions[0][0].group, group ? command[NI_COMMAND_GROUP] & 0xffff : no_group);
        ni.completions[0].clear();
    }
    EXPECT_TRUE(ni.sent.empty());
    EXPECT_EQ(ni.count_of(NI_STATUS_BAD_COMMAND), bad.size());
    ni.expect_idle();
}

TEST(firmware_send, a_bit_string_longer_than_a_command_is_refused) {
    ni_model ni({.hosts = 32 * 60, .command_bytes = 256});
    give_windows(ni, 1000);
    ni.command(0, send_tree({1}, {.length = 10}));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_BAD_COMMAND)));
}

TEST(firmware_send, a_list_longer_than_a_command_is_refused) {
    ni_model ni({.command_bytes = 36, .stops = 255});
    give_windows(ni, 1000);
    ni.command(0, send_worm(NI_ROUTE_PATH, {0x00010001}, {.length = 10}));  // five bytes
    ni.settle();
    ni.command(0, send_worm(NI_ROUTE_SSR, {0x00010001}, {.length = 10}));
    ni.settle();
    EXPECT_THAT(outcome(ni),
                ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_BAD_COMMAND), Pair(NI_COMPLETION_SENT, 0)));
    ni_model wide({.command_bytes = 36, .stop_bytes = 10});
    give_windows(wide, 1000);
    wide.command(0, send_worm(NI_ROUTE_SSR, {0x00010001}, {.length = 10}));
    wide.settle();
    EXPECT_THAT(outcome(wide), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_BAD_COMMAND)));
}

TEST(firmware_send, the_last_word_of_a_bit_string_may_be_full) {
    ni_model ni({.hosts = 32});
    give_windows(ni, 1000);
    ni.command(0, send_tree({0xffffffff}, {.length = 10}));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, NI_STATUS_OK)));
}

TEST(firmware_send, a_refused_transfer_ends_the_message) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.windows[{0, 1}].bytes.resize(200);  // three packets and a bit of the fourth
    ni.command(0, send(5, {.length = 640, .cookie = 1}));
    ni.command(0, send(5, {.length = 64, .message = 2, .cookie = 2}));
    ni.settle();
    EXPECT_THAT(outcome(ni), testing::UnorderedElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_REFUSED),
                                                           Pair(NI_COMPLETION_SENT, NI_STATUS_OK)));
    ASSERT_EQ(ni.sent.size(), 5u) << "with an ABORT";
    for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(ni.sent[i].sequence, i) << "no gap";
    EXPECT_LE(ni.loads_of(NI_SLOT_ALLOCATE), 3u + 4 + 1) << "nothing is fetched after the refusal";
    EXPECT_EQ(ni.sent[4].message, 2u);
    EXPECT_EQ(ni.count_of(NI_STATUS_REFUSED), 1u);
    ni.expect_idle();
}

TEST(firmware_send, a_refused_message_leaves_the_turns_intact) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.windows.erase({0, 1});
    ni.command(0, send(5, {.length = 640, .cookie = 1}));
    ni.command(1, send(5, {.length = 640, .cookie = 2}));
    ni.settle();
    ni.command(0, send(5, {.length = 64, .cookie = 3, .window = 7}));
    ni.command(1, send(5, {.length = 64, .cookie = 4}));
    ni.settle();
    EXPECT_THAT(outcome(ni, 0), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_REFUSED),
                                            Pair(NI_COMPLETION_FAILED, NI_STATUS_REFUSED)));
    EXPECT_THAT(outcome(ni, 1), ElementsAre(Pair(NI_COMPLETION_SENT, 0), Pair(NI_COMPLETION_SENT, 0)));
    EXPECT_EQ(ni.sent.size(), 11u);
    ni.expect_idle();
}

TEST(firmware_send, a_process_with_too_many_messages_waits_alone) {
    ni_model ni({.processes = 64, .command_entries = 8});  // two messages for each
    give_windows(ni, 1000);
    for (std::uint32_t i = 0; i < 8; ++i) ni.command(0, send(5, {.length = 64, .message = i, .cookie = i}));
    ni.run();
    EXPECT_EQ(ni.commands_taken(), 6u);
    ni.command(1, send(5, {.length = 64, .message = 100}));
    ni.command(0, receive(10, 1));
    ni.run();
    EXPECT_EQ(ni.commands_taken(), 6u + 1u) << "process 1's is taken up";
    ni.settle();
    ASSERT_EQ(ni.completions[0].size(), 8u);
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(ni.completions[0][i].cookie, i);
    EXPECT_EQ(ni.sent.size(), 9u);
    ni.expect_idle();
}

TEST(firmware_send, other_commands_of_that_process_do_not_wait) {
    ni_model ni({.processes = 64, .command_entries = 8});
    give_windows(ni, 1000);
    for (std::uint32_t i = 0; i < 2; ++i) ni.command(0, send(5, {.length = 64}));
    ni.run();
    ni.command(0, receive(10, 1));
    ni.command(0, clear_group(1, 2));
    ni.run();
    EXPECT_EQ(ni.commands_taken(), 0u);
    ni.expect_idle();
}

TEST(firmware_send, statistics_go_to_a_window_in_parts) {
    for (const std::uint32_t payload : {64u, 7u, 2u}) {
        ni_model ni({.payload = payload});
        ni.windows[{1, 4}].bytes.assign(500, 0xee);
        ni.command(1, {NI_COMMAND_STATISTICS | 4 << 8, 3, 100, 4000});
        ni.settle();
        ASSERT_EQ(ni.completions[1].size(), 1u);
        EXPECT_EQ(ni.completions[1][0].kind, static_cast<std::uint32_t>(NI_COMPLETION_STATISTICS));
        EXPECT_EQ(ni.completions[1][0].length, 4u * NI_STATISTICS);
        const auto& bytes = ni.windows[{1, 4}].bytes;
        EXPECT_EQ(bytes[99], 0xee);
        EXPECT_EQ(bytes[100 + 4 * NI_STATISTIC_COMMANDS], 1);
        EXPECT_EQ(bytes[100 + 4 * NI_STATISTICS - 1], 0);
        EXPECT_EQ(bytes[100 + 4 * NI_STATISTICS], 0xee);
        ni.expect_idle();
    }
}

TEST(firmware_send, statistics_are_for_processes_that_may_observe) {
    ni_model ni({.observes = false});
    ni.windows[{1, 4}].bytes.assign(500, 0xee);
    ni.command(1, {NI_COMMAND_STATISTICS | 4 << 8, 3, 100, 4000});
    ni.settle();
    EXPECT_THAT(outcome(ni, 1), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_REFUSED)));
    const auto& bytes = ni.windows[{1, 4}].bytes;
    EXPECT_THAT(bytes, testing::Each(0xee));
    ni.expect_idle();
}

TEST(firmware_send, statistics_into_a_bad_window_fail) {
    ni_model ni;
    ni.command(1, {NI_COMMAND_STATISTICS | 4 << 8, 3, 100, 4000});
    ni.settle();
    EXPECT_THAT(outcome(ni, 1), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_REFUSED)));
    ni.expect_idle();
}

TEST(firmware_send, sizes_beyond_its_tables_stop_it) {
    EXPECT_EQ(ni_model({.processes = 64, .command_entries = 64}).panic(), 0u);
    EXPECT_EQ(ni_model({.processes = 64, .command_entries = 65}).panic(), static_cast<std::uint32_t>(NI_PANIC_SIZES));
    EXPECT_EQ(ni_model({.processes = 65, .command_entries = 1}).panic(), static_cast<std::uint32_t>(NI_PANIC_SIZES));
    EXPECT_EQ(ni_model({.processes = 0}).panic(), static_cast<std::uint32_t>(NI_PANIC_SIZES));
    EXPECT_EQ(ni_model({.payload = 0}).panic(), static_cast<std::uint32_t>(NI_PANIC_SIZES));
}

TEST(firmware_send, events_about_nothing_are_passed_over) {
    ni_model ni;
    ni.event(NI_EVENT_COMMAND, 1000);
    ni.event(15, 3);
    EXPECT_TRUE(ni.run().empty());
    EXPECT_EQ(ni.events(), 0u);
}

}  // namespace
}  // namespace polycast::testbench::firmware
