// SPDX-License-Identifier: Apache-2.0
// Multicast: the root's part, forwarding first packet and first child first served.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::Pair;
using copies = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Offset in packets and child of each copy.
copies sent_by(const ni_model& ni) {
    copies made;
    for (const packet& one : ni.sent) made.emplace_back(one.offset / ni.params.payload, one.destination);
    return made;
}

packet group_part(const ni_model& ni, std::uint32_t message, std::uint32_t total, std::uint32_t index,
                  std::uint32_t process = 0) {
    packet made = part_of(ni.params, message, total, index);
    made.source_process = process;
    made.source = 1;
    made.group = 4;
    made.hops = 3;
    return made;
}

void set_up(ni_model& ni, const words& command, std::uint32_t process = 0) {
    ASSERT_TRUE(ni.command(process, command));
    ni.settle();
    ASSERT_EQ(ni.completions[process].size(), 1u);
    ASSERT_EQ(ni.completions[process][0].kind, static_cast<std::uint32_t>(NI_COMPLETION_GROUP_SET));
    ASSERT_EQ(ni.completions[process][0].status, 0u);
    ni.completions[process].clear();
}

TEST(firmware_forward, root_fpfs_gives_each_packet_to_every_child) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(0, 4, 0, {7, 3, 5}));
    ni.command(0, send_group(0, 4, {.length = 150, .hops = 6}));
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 7}, {0, 3}, {0, 5}, {1, 7}, {1, 3}, {1, 5}, {2, 7}, {2, 3}, {2, 5}}));
    for (const packet& one : ni.sent) {
        EXPECT_EQ(one.hops, 6u);
        EXPECT_EQ(one.group, 4u);
        EXPECT_EQ(one.source, 0u);
        EXPECT_EQ(one.sequence, one.offset / 64) << "copies share it";
        EXPECT_TRUE(one.seal);
    }
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, 0)));
    EXPECT_EQ(ni.completions[0][0].group, 4u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_PACKETS_SENT), 9u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_PACKETS_FORWARDED), 0u);
    ni.expect_idle();
    EXPECT_EQ(ni.groups_used(), 1u);
}

TEST(firmware_forward, root_fcfs_gives_the_whole_message_to_each_child) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(0, 4, NI_GROUP_FCFS, {7, 3, 5}));
    ni.command(0, send_group(0, 4, {.length = 150}));
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 7}, {1, 7}, {2, 7}, {0, 3}, {1, 3}, {2, 3}, {0, 5}, {1, 5}, {2, 5}}));
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, 0)));
    EXPECT_EQ(ni.statistic(NI_STATISTIC_PACKETS_SENT), 9u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_FLUSHED), 0u);
    ni.expect_idle();
}

TEST(firmware_forward, fpfs_forwards_packet_by_packet) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(1, 4, deliver_to(1), {7, 3}), 1);
    ni.command(1, receive(500, 33));
    ni.settle();
    ni.arrive(group_part(ni, 8, 100, 0, 1));
    EXPECT_THAT(ni.run(), ElementsAre(NI_OPERATION_RECEIVE, NI_OPERATION_SEND, NI_OPERATION_SEND));
    ni.arrive(group_part(ni, 8, 100, 1, 1));
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 7}, {0, 3}, {1, 7}, {1, 3}}));
    for (const packet& one : ni.sent) {
        EXPECT_EQ(one.source, 1u);
        EXPECT_EQ(one.hops, 2u);
        EXPECT_FALSE(one.seal) << "the stored check word";
    }
    EXPECT_THAT(outcome(ni, 1), ElementsAre(Pair(NI_COMPLETION_RECEIVED, 0)));
    EXPECT_EQ(ni.completions[1][0].group, 4u);
    EXPECT_TRUE(holds(ni, 1, 0, 8, 100));
    EXPECT_EQ(ni.statistic(NI_STATISTIC_PACKETS_FORWARDED), 4u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_PACKETS_SENT), 0u);
    ni.expect_idle();
}

TEST(firmware_forward, copies_come_before_the_next_packet) {
    ni_model ni;
    set_up(ni, set_group(1, 4, 0, {7, 3}));
    ni.arrive(group_part(ni, 8, 128, 0));
    ni.arrive(group_part(ni, 8, 128, 1));
    EXPECT_THAT(ni.run(), ElementsAre(NI_OPERATION_RECEIVE, NI_OPERATION_SEND, NI_OPERATION_SEND, NI_OPERATION_RECEIVE,
                                      NI_OPERATION_SEND, NI_OPERATION_SEND));
    ni.expect_idle();
}

TEST(firmware_forward, fcfs_keeps_the_packets_for_the_other_children) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS | deliver_to(0), {7, 3, 5}));
    ni.command(0, receive(500, 33));
    for (const std::uint32_t index : {0u, 2u}) ni.arrive(group_part(ni, 8, 150, index));
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 7}, {2, 7}}));
    EXPECT_EQ(ni.slots_used(), 2u);
    ni.arrive(group_part(ni, 8, 150, 1));
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 7}, {2, 7}, {1, 7}, {0, 3}, {2, 3}, {1, 3}, {0, 5}, {2, 5}, {1, 5}}));
    for (const packet& one : ni.sent) EXPECT_EQ(one.hops, 2u);
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_RECEIVED, 0)));
    EXPECT_EQ(ni.statistic(NI_STATISTIC_PACKETS_FORWARDED), 9u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_FLUSHED), 0u);
    ni.expect_idle();
    ni.run_timer();
    ni.settle();
    EXPECT_FALSE(ni.timer_set());
}

TEST(firmware_forward, fcfs_messages_do_not_mix) {
    ni_model ni;
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    for (std::uint32_t i = 0; i < 2; ++i)
        for (std::uint32_t m = 0; m < 3; ++m) ni.arrive(group_part(ni, m, 128, i));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 12u);
    // 0, 1, 2 to the first child as they come; each goes to the second when it is all there.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    for (const packet& one : ni.sent) order.emplace_back(one.message, one.destination);
    EXPECT_EQ(order,
              (copies{{0, 7}, {1, 7}, {2, 7}, {0, 7}, {0, 3}, {0, 3}, {1, 7}, {1, 3}, {1, 3}, {2, 7}, {2, 3}, {2, 3}}));
    ni.expect_idle();
}

TEST(firmware_forward, fcfs_messages_end_in_any_order) {
    ni_model ni;
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    for (std::uint32_t round = 0; round < 3; ++round) {
        for (std::uint32_t m = 0; m < 5; ++m) ni.arrive(group_part(ni, 10 * round + m, 128, 0));
        ni.settle();
        EXPECT_EQ(ni.slots_used(), 5u);
        for (const std::uint32_t m : {1u, 0u, 3u, 4u, 2u}) {
            ni.sent.clear();
            ni.arrive(group_part(ni, 10 * round + m, 128, 1));
            ni.settle();
            EXPECT_EQ(sent_by(ni), (copies{{1, 7}, {0, 3}, {1, 3}}));
        }
        EXPECT_EQ(ni.slots_used(), 0u);
    }
    EXPECT_EQ(ni.statistic(NI_STATISTIC_FLUSHED), 0u);
}

TEST(firmware_forward, ready_messages_wait_for_older_packets_and_go_before_younger_ones) {
    ni_model ni({.link_queue = 1});
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3, 5}));
    set_up(ni, set_group(1, 5, 0, {9}));
    const auto other = [&](std::uint32_t message) {
        packet made = group_part(ni, message, 10, 0);
        made.group = 5;
        return made;
    };
    ni.arrive(group_part(ni, 0, 128, 0));  // takes the link
    ni.arrive(group_part(ni, 0, 128, 1));  // waits: the message is not ready yet
    ni.arrive(other(100));
    ni.arrive(group_part(ni, 1, 128, 0));
    ni.arrive(group_part(ni, 1, 128, 1));
    ni.run();
    EXPECT_EQ(ni.link.size(), 1u);
    for (int i = 0; i < 2; ++i) {
        ni.run_link(1);
        ni.run();
    }
    ni.arrive(other(101));
    ni.settle();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    for (const packet& one : ni.sent) order.emplace_back(one.message, one.destination);
    EXPECT_EQ(order, (copies{{0, 7},
                             {0, 7},
                             {100, 9},
                             {1, 7},
                             {1, 7},
                             {0, 3},
                             {0, 3},
                             {0, 5},
                             {0, 5},
                             {101, 9},
                             {1, 3},
                             {1, 3},
                             {1, 5},
                             {1, 5}}));
    ni.expect_idle();
}

TEST(firmware_forward, one_child_or_one_packet_needs_no_train) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7}));
    ni.arrive(group_part(ni, 8, 150, 0));
    ni.settle();
    EXPECT_EQ(ni.slots_used(), 0u);
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    ni.arrive(group_part(ni, 8, 10, 0));
    ni.settle();
    set_up(ni, set_group(0, 4, NI_GROUP_FCFS, {7}));
    ni.command(0, send_group(0, 4, {.length = 150}));
    ni.settle();
    EXPECT_FALSE(ni.timer_set());
    EXPECT_EQ(ni.sent.size(), 6u);
    ni.expect_idle();
}

TEST(firmware_forward, a_group_without_children_is_sent_to_nobody) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(0, 4, 0, {}));
    ni.command(0, send_group(0, 4, {.length = 150}));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, 0)));
    EXPECT_TRUE(ni.sent.empty());
    set_up(ni, set_group(1, 4, 0, {}), 1);
    ni.arrive(group_part(ni, 8, 150, 0));
    ni.settle();
    EXPECT_EQ(ni.statistic(NI_STATISTIC_DROPPED), 1u);
    ni.expect_idle();
}

TEST(firmware_forward, sending_to_an_unknown_group_fails) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, send_group(0, 4, {.length = 150}));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_UNKNOWN_GROUP)));
    EXPECT_EQ(ni.completions[0][0].group, 4u);
    ni.expect_idle();
}

TEST(firmware_forward, without_hops_left_it_is_only_delivered) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(1, 4, deliver_to(0), {7, 3}));
    ni.command(0, receive(500, 33));
    ni.run();
    packet last = group_part(ni, 8, 10, 0);
    last.hops = 0;
    ni.arrive(last);
    ni.settle();
    EXPECT_TRUE(ni.sent.empty());
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_RECEIVED, 0), Pair(NI_COMPLETION_ERROR, NI_STATUS_LOOP)));
    EXPECT_EQ(ni.statistic(NI_STATISTIC_DROPPED), 1u);
    // A leaf needs none.
    set_up(ni, (ni.completions[0].clear(), set_group(1, 4, deliver_to(0), {})));
    ni.command(0, receive(500, 34));
    ni.arrive(last);
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_RECEIVED, 0)));
    ni.expect_idle();
}

TEST(firmware_forward, own_packets_that_come_back_are_dropped) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(0, 4, deliver_to(0), {7, 3}));
    ni.command(0, receive(500, 33));
    ni.run();
    packet own = group_part(ni, 8, 10, 0);
    own.source = 0;
    ni.arrive(own);
    ni.settle();
    EXPECT_TRUE(ni.sent.empty());
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_ERROR, NI_STATUS_LOOP)));
    ni.expect_idle();
}

TEST(firmware_forward, children_get_what_cannot_be_delivered) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(1, 4, deliver_to(0), {7, 3}));
    ni.arrive(group_part(ni, 8, 10, 0));
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 7}, {0, 3}}));
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_ERROR, NI_STATUS_NO_BUFFER)));
    EXPECT_EQ(ni.statistic(NI_STATISTIC_DROPPED), 1u);
    ni.expect_idle();
}

TEST(firmware_forward, duplicates_of_delivered_packets_go_nowhere) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(1, 4, deliver_to(0), {7}));
    ni.command(0, receive(500, 33));
    ni.run();
    ni.arrive(group_part(ni, 8, 100, 0));
    ni.arrive(group_part(ni, 8, 100, 0));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 1u);
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_ERROR, NI_STATUS_DUPLICATE)));
    ni.arrive(group_part(ni, 8, 100, 1));
    ni.expect_idle();
}

TEST(firmware_forward, duplicates_do_not_upset_fcfs) {
    ni_model ni;
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    for (const std::uint32_t index : {0u, 0u, 0u, 1u}) ni.arrive(group_part(ni, 8, 128, index));
    packet odd = group_part(ni, 8, 192, 1);
    ni.arrive(odd);
    ni.settle();
    for (int i = 0; i < 6; ++i) {
        ni.run_timer();
        ni.settle();
    }
    EXPECT_EQ(ni.sent.size(), 10u);
    EXPECT_FALSE(ni.timer_set());
    ni.expect_idle();
}

TEST(firmware_forward, duplicates_that_wait_for_the_link_do_not_upset_fcfs_either) {
    ni_model ni({.link_queue = 1});
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    for (const std::uint32_t index : {0u, 0u, 0u, 1u, 1u}) ni.arrive(group_part(ni, 8, 128, index));
    ni.arrive(group_part(ni, 8, 64 * 9, 2));  // the same message, longer
    ni.run();
    ni.settle();
    for (int i = 0; i < 6; ++i) {
        ni.run_timer();
        ni.settle();
    }
    EXPECT_EQ(ni.sent.size(), 12u);
    EXPECT_FALSE(ni.timer_set());
    ni.expect_idle();
}

TEST(firmware_forward, duplicates_do_not_keep_fcfs_waiting) {
    ni_model ni;
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    for (const std::uint32_t index : {0u, 0u, 0u, 1u, 2u}) ni.arrive(group_part(ni, 8, 150, index));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 10u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_FLUSHED), 0u);
    ni.expect_idle();
}

TEST(firmware_forward, fcfs_gives_up_waiting_for_the_rest) {
    ni_model ni;
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3, 5}));
    ni.arrive(group_part(ni, 8, 150, 0));
    ni.arrive(group_part(ni, 8, 150, 1));
    ni.settle();
    ni.run_timer();
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 2u);
    EXPECT_EQ(ni.slots_used(), 2u);
    ni.run_timer();
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 7}, {1, 7}, {0, 3}, {0, 5}, {1, 3}, {1, 5}}));
    EXPECT_EQ(ni.statistic(NI_STATISTIC_FLUSHED), 1u);
    EXPECT_FALSE(ni.timer_set());
    ni.expect_idle();
}

TEST(firmware_forward, any_number_of_messages_can_be_given_up) {
    ni_model ni({.processes = 1});
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    for (std::uint32_t round = 0; round < 2; ++round) {
        for (std::uint32_t m = 0; m < 100; ++m) ni.arrive(group_part(ni, 100 * round + m, 128, 0));
        ni.settle();
        EXPECT_EQ(ni.slots_used(), 100u);
        for (int i = 0; i < 2; ++i) {
            ni.run_timer();
            ni.settle();
        }
        EXPECT_EQ(ni.slots_used(), 0u);
        EXPECT_EQ(ni.statistic(NI_STATISTIC_FLUSHED), 100 * round + 100);
    }
}

TEST(firmware_forward, what_waits_for_the_link_is_flushed_with_its_message) {
    ni_model ni({.link_queue = 1});
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    for (std::uint32_t i = 0; i < 2; ++i) ni.arrive(group_part(ni, 8, 150, i));
    ni.arrive(group_part(ni, 9, 150, 0));
    ni.run();
    for (int i = 0; i < 2; ++i) {
        ni.run_timer();
        ni.run();
    }
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 6u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_FLUSHED), 2u);
    ni.expect_idle();
}

TEST(firmware_forward, fcfs_without_room_for_the_message_goes_on_as_fpfs) {
    ni_model ni({.send_slots = 3});
    give_windows(ni, 1000);
    set_up(ni, set_group(0, 4, NI_GROUP_FCFS, {7, 3}));
    ni.command(0, send_group(0, 4, {.length = 640}));
    ni.command(1, send(5, {.length = 64}));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 21u);
    for (std::uint32_t child : {7u, 3u}) {
        copies got;
        for (const auto& one : sent_by(ni))
            if (one.second == child) got.push_back(one);
        EXPECT_EQ(got.size(), 10u);
        EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
    }
    EXPECT_EQ(ni.statistic(NI_STATISTIC_FLUSHED), 1u);
    ni.expect_idle();
}

TEST(firmware_forward, more_fcfs_messages_than_it_can_hold_are_fpfs) {
    ni_model ni({.processes = 1, .command_entries = 64});
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    for (std::uint32_t m = 0; m < 130; ++m) ni.arrive(group_part(ni, m, 128, 0));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 128u + 2 * 2);
    EXPECT_EQ(ni.slots_used(), 128u);
    give_windows(ni, 1000);
    set_up(ni, set_group(0, 4, NI_GROUP_FCFS, {7, 3}));
    ni.command(0, send_group(0, 4, {.length = 128}));
    ni.settle();
    EXPECT_EQ(sent_by(ni).back(), std::make_pair(1u, 3u));
    EXPECT_EQ(sent_by(ni)[sent_by(ni).size() - 2], std::make_pair(1u, 7u)) << "no room for it either";
    for (std::uint32_t m = 130; m-- > 0;) ni.arrive(group_part(ni, m, 128, 1));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 130u * 4 + 4);
    // And once more as many.
    for (std::uint32_t m = 200; m < 328; ++m) ni.arrive(group_part(ni, m, 128, 0));
    ni.settle();
    EXPECT_EQ(ni.slots_used(), 128u);
    for (std::uint32_t m = 200; m < 328; ++m) ni.arrive(group_part(ni, m, 128, 1));
    ni.expect_idle();
}

TEST(firmware_forward, a_refused_fcfs_message_lets_go_of_its_packets) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.windows[{0, 1}].bytes.resize(300);
    set_up(ni, set_group(0, 4, NI_GROUP_FCFS, {7, 3}));
    ni.command(0, send_group(0, 4, {.length = 640}));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_REFUSED)));
    EXPECT_EQ(ni.sent.size(), 8u + 2) << "with an ABORT to each child";
    ni.expect_idle();
    ni.command(0, clear_group(0, 4));
    ni.settle();
    EXPECT_EQ(ni.groups_used(), 0u) << "nothing holds it";
}

TEST(firmware_forward, long_lists_of_children) {
    for (const std::uint32_t flags : {0u, static_cast<std::uint32_t>(NI_GROUP_FCFS)}) {
        ni_model ni({.hosts = 3000, .command_bytes = 2048, .group_entries = 100});
        give_windows(ni, 1000);
        set_up(ni, set_group(0, 4, flags, hosts_from(100, 400)));
        set_up(ni, extend_group(hosts_from(500, 500)));
        ni.command(0, send_group(0, 4, {.length = 128}));
        ni.settle();
        ASSERT_EQ(ni.sent.size(), 1800u);
        for (std::uint32_t i = 0; i < 1800; ++i) {
            const std::uint32_t place = flags == 0 ? i % 900 : i / 2;
            EXPECT_EQ(ni.sent[i].destination, 100 + place);
        }
        EXPECT_EQ(ni.groups_used(), 1u + 882 / 26 + 1);
        ni.command(0, clear_group(0, 4));
        ni.settle();
        EXPECT_EQ(ni.groups_used(), 0u);
        ni.expect_idle();
    }
}

}  // namespace
}  // namespace polycast::testbench::firmware
