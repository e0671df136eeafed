// SPDX-License-Identifier: Apache-2.0
// Messages that end half-way: their source tells the receivers, who free what they hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// firmware/control.h, written down again.
constexpr std::uint32_t control = 1, abort_word = 35;

/// Offset and destination of what was sent, in order; an ABORT has no offset.
using copies = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
constexpr std::uint32_t aborted = all_ones;

copies sent_by(const ni_model& ni) {
    copies made;
    for (const packet& one : ni.sent) made.emplace_back(one.op == control ? aborted : one.offset, one.destination);
    return made;
}

/// What the source of a message of `total` bytes sends when `left` of them have left.
packet abort_of(std::uint32_t message, std::uint32_t total, std::uint32_t left, std::uint32_t group = no_group) {
    packet made;
    made.op = control;
    made.group = abort_word;
    made.message = message;
    made.offset = left;
    made.total = total;
    made.tag = group;
    made.hops = group == no_group ? 0 : 3;
    made.payload = {0};
    return made;
}

packet group_part(const ni_model& ni, std::uint32_t message, std::uint32_t total, std::uint32_t index) {
    packet made = part_of(ni.params, message, total, index);
    made.group = 4;
    made.hops = 3;
    return made;
}

void set_up(ni_model& ni, const words& command) {
    ASSERT_TRUE(ni.command(0, command));
    ni.settle();
    ASSERT_EQ(ni.completions[0].back().status, 0u);
    ni.completions[0].clear();
}

// ---- the source: a window of 150 bytes, and packets of 64

const auto refused = Pair(NI_COMPLETION_FAILED, NI_STATUS_REFUSED);

TEST(firmware_aborts, a_message_longer_than_its_window_ends_at_its_receiver_too) {
    ni_model ni;
    give_windows(ni, 150);
    ni.command(1, send(5, {.length = 1000, .message = 9, .process = 1}));
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 5}, {64, 5}, {aborted, 5}}));
    const packet& last = ni.sent.back();
    EXPECT_EQ(last.group, abort_word);
    EXPECT_EQ(last.tag, no_group);
    EXPECT_EQ(last.message, 9u);
    EXPECT_EQ(last.process, 1u);
    EXPECT_EQ(last.source_process, 1u);
    EXPECT_EQ(last.offset, 128u);
    EXPECT_EQ(last.total, 1000u);
    EXPECT_EQ(last.payload.size(), 1u);
    EXPECT_TRUE(last.seal);
    EXPECT_THAT(outcome(ni, 1), ElementsAre(refused));
    ni.expect_idle();
}

TEST(firmware_aborts, nobody_is_told_of_a_message_that_has_not_begun) {
    ni_model ni;
    give_windows(ni, 150);
    ni.command(0, send(5, {.length = 1000, .offset = 100}));
    ni.command(0, send(5, {.length = 64, .offset = 128}));
    ni.settle();
    EXPECT_THAT(ni.sent, IsEmpty());
    EXPECT_THAT(outcome(ni), ElementsAre(refused, refused));
    ni.expect_idle();
}

TEST(firmware_aborts, go_the_way_of_the_worm) {
    ni_model ni;
    give_windows(ni, 150);
    ni.command(0, send_worm(NI_ROUTE_PATH, path_words(2, 10, 2), {.length = 300}));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 3u);
    EXPECT_EQ(ni.sent[2].group, abort_word);
    EXPECT_EQ(ni.sent[2].kind, 3u);
    EXPECT_EQ(ni.sent[2].route, path_bytes(2, 10));
    EXPECT_THAT(outcome(ni), ElementsAre(refused));
    ni.expect_idle();
}

TEST(firmware_aborts, go_to_every_child_behind_what_it_has) {
    for (const std::uint32_t flags : {0u, static_cast<std::uint32_t>(NI_GROUP_FCFS)}) {
        ni_model ni;
        give_windows(ni, 150);
        set_up(ni, set_group(0, 4, flags, {7, 3}));
        ni.command(0, send_group(0, 4, {.length = 300}));
        ni.settle();
        for (const std::uint32_t child : {7u, 3u}) {
            copies of_child = sent_by(ni);
            std::erase_if(of_child, [child](const auto& one) { return one.second != child; });
            EXPECT_EQ(of_child, (copies{{0, child}, {64, child}, {aborted, child}})) << flags;
        }
        EXPECT_EQ(ni.sent.back().tag, 4u);
        EXPECT_EQ(ni.sent.back().hops, 8u);
        EXPECT_THAT(outcome(ni), ElementsAre(refused));
        ni.command(0, clear_group(0, 4));
        ni.expect_idle();
        EXPECT_EQ(ni.groups_used(), 0u);
    }
}

TEST(firmware_aborts, a_window_that_stays_full_ends_its_message_at_the_receiver_too) {
    ni_model ni;
    give_windows(ni, 1000);
    words command = send(5, {.length = 1000, .message = 9});
    command[0] |= NI_SEND_WINDOW << 16;
    command.resize(NI_COMMAND_LONG_WORDS);
    command[NI_COMMAND_WINDOW] = 128;
    ni.command(0, command);
    ni.settle();
    for (int tick = 0; tick < 3 && ni.timer_set(); ++tick) {
        ni.run_timer();
        ni.settle();
    }
    EXPECT_EQ(sent_by(ni), (copies{{0, 5}, {64, 5}, {aborted, 5}}));
    EXPECT_EQ(ni.sent.back().offset, 128u);
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_INCOMPLETE)));
    ni.expect_idle();
}

// ---- the receivers

TEST(firmware_aborts, free_the_buffer_at_once) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(400, 33));
    ni.settle();
    ni.arrive(part_of(ni.params, 9, 300, 0));
    ni.arrive(part_of(ni.params, 9, 300, 1));
    ni.arrive(abort_of(9, 300, 128));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    EXPECT_EQ(ni.completions[0][0].message, 9u);
    EXPECT_EQ(ni.completions[0][0].source, 1u);
    ni.completions[0].clear();
    for (std::uint32_t index = 0; index < 5; ++index) ni.arrive(part_of(ni.params, 9, 300, index));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(received)) << "the number may be used again, and so may the buffer";
    EXPECT_TRUE(holds(ni, 0, 0, 9, 300));
    ni.run_timer();
    ni.settle();
    EXPECT_FALSE(ni.timer_set());
    ni.expect_idle();
}

TEST(firmware_aborts, what_they_overtake_takes_no_buffer) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(400, 33));
    ni.settle();
    ni.arrive(part_of(ni.params, 9, 300, 0));
    ni.arrive(abort_of(9, 300, 192));
    ni.arrive(part_of(ni.params, 9, 300, 2));
    ni.arrive(part_of(ni.params, 9, 300, 1));
    ni.arrive(part_of(ni.params, 10, 64, 0));
    ni.settle();
    EXPECT_THAT(outcome(ni), testing::UnorderedElementsAre(error(NI_STATUS_INCOMPLETE), error(NI_STATUS_INCOMPLETE),
                                                           error(NI_STATUS_INCOMPLETE), received));
    EXPECT_EQ(ni.statistic(NI_STATISTIC_DROPPED), 2u);
    ni.expect_idle();
}

TEST(firmware_aborts, of_a_message_that_was_dropped_leave_nothing_of_it) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.arrive(part_of(ni.params, 9, 300, 0));  // no buffer
    ni.arrive(abort_of(9, 300, 64));
    ni.settle();
    ni.command(0, receive(400, 33));
    ni.settle();
    for (std::uint32_t index = 0; index < 5; ++index) ni.arrive(part_of(ni.params, 9, 300, index));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_NO_BUFFER), received));
}

TEST(firmware_aborts, end_an_expected_message) {
    ni_model ni;
    give_windows(ni, 1000);
    words expected = receive(300, 33);
    expected[0] |= NI_RECEIVE_EXPECTED << 16;
    expected.resize(NI_COMMAND_LONG_WORDS);
    expected[NI_COMMAND_TO] = 1;
    expected[NI_COMMAND_MESSAGE] = 9;
    expected[NI_COMMAND_COUNTER] = all_ones;
    ni.command(0, expected);
    ni.settle();
    ni.arrive(abort_of(9, 300, 128));
    ni.settle();
    EXPECT_THAT(outcome(ni), IsEmpty()) << "nothing of it has come";
    ni.arrive(part_of(ni.params, 9, 300, 0));
    ni.arrive(abort_of(9, 300, 64));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_INCOMPLETE)));
    EXPECT_EQ(ni.completions[0][0].cookie, 33u);
    ni.expect_idle();
}

TEST(firmware_aborts, are_forwarded_behind_the_packets) {
    ni_model ni;
    give_windows(ni, 1000);
    set_up(ni, set_group(1, 4, deliver_to(0) | NI_GROUP_ONCE, {7, 3}));
    ni.command(0, receive(400, 33));
    ni.settle();
    ni.arrive(group_part(ni, 9, 300, 0));
    ni.arrive(abort_of(9, 300, 64, 4));
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 7}, {0, 3}, {aborted, 7}, {aborted, 3}}));
    EXPECT_EQ(ni.sent.back().source, 1u) << "the root's still";
    EXPECT_EQ(ni.sent.back().hops, 2u);
    EXPECT_FALSE(ni.sent.back().seal);
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    EXPECT_EQ(ni.groups_used(), 0u) << "it was for one message";
    ni.expect_idle();
}

TEST(firmware_aborts, send_on_what_waits_for_the_rest_of_its_message) {
    ni_model ni;
    set_up(ni, set_group(1, 4, NI_GROUP_FCFS, {7, 3}));
    ni.arrive(group_part(ni, 9, 300, 0));
    ni.arrive(group_part(ni, 9, 300, 1));
    ni.settle();
    EXPECT_EQ(ni.slots_used(), 2u);
    ni.arrive(abort_of(9, 300, 128, 4));
    ni.settle();
    EXPECT_EQ(sent_by(ni), (copies{{0, 7}, {64, 7}, {0, 3}, {64, 3}, {aborted, 7}, {aborted, 3}}));
    EXPECT_EQ(ni.slots_used(), 0u);
    ni.run_timer();
    ni.settle();
    EXPECT_FALSE(ni.timer_set());
    ni.expect_idle();
}

TEST(firmware_aborts, without_hops_or_of_another_kind_go_no_further) {
    ni_model ni;
    set_up(ni, set_group(1, 4, 0, {7, 3}));
    packet no_hops = abort_of(9, 300, 128, 4);
    no_hops.hops = 0;
    ni.arrive(no_hops);
    packet worm = abort_of(9, 300, 128, 4);
    worm.kind = 3;
    ni.arrive(worm);
    ni.settle();
    EXPECT_THAT(ni.sent, IsEmpty());
    EXPECT_EQ(ni.count_of(NI_STATUS_MALFORMED), 0u);
    ni.expect_idle();
}

TEST(firmware_aborts, of_others_change_nothing) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(400, 33));
    ni.settle();
    ni.arrive(part_of(ni.params, 9, 300, 0));
    packet other = abort_of(9, 300, 64);
    other.source = 2;
    ni.arrive(other);
    other = abort_of(9, 300, 64);
    other.source_process = 1;
    ni.arrive(other);
    other = abort_of(9, 300, 64);
    other.process = 1;
    ni.arrive(other);
    ni.arrive(abort_of(10, 300, 64));
    for (std::uint32_t index = 1; index < 5; ++index) ni.arrive(part_of(ni.params, 9, 300, index));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(received));
    ni.expect_idle();
}

TEST(firmware_aborts, that_make_no_sense_are_malformed) {
    ni_model ni;
    std::vector<packet> bad(6, abort_of(9, 300, 64));
    bad[0].payload.resize(2);
    bad[1].kind = 4;
    bad[2].source = 0;  // from itself
    bad[3].process = 2;
    bad[4].tag = 4;  // no such group
    bad[5].tag = 0x10000;
    for (const packet& one : bad) ni.arrive(one);
    ni.settle();
    EXPECT_EQ(ni.count_of(NI_STATUS_MALFORMED), bad.size());
    ni.expect_idle();
}

}  // namespace
}  // namespace polycast::testbench::firmware
