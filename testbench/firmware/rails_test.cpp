// SPDX-License-Identifier: Apache-2.0
// Reservation of both ends of a rail: who is granted, who is refused, and that the oldest always gets through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/rails_bench.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(firmware_rails, a_message_is_sent_when_the_other_end_has_granted_it) {
    rails_bench f;
    f.ask(reserve(5, 777, {.length = 150, .message = 9}));
    ASSERT_EQ(f.ni.sent.size(), 1u);
    const packet asked = f.ni.sent[0];
    EXPECT_EQ(asked.kind, 0u);
    EXPECT_EQ(asked.source, 3u);
    EXPECT_EQ(asked.destination, 5u);
    EXPECT_EQ(asked.op, control);
    EXPECT_EQ(asked.group, request);
    EXPECT_EQ(asked.message, 9u);
    EXPECT_EQ(asked.total, 150u);
    EXPECT_EQ(asked.tag, 777u);
    EXPECT_EQ(asked.payload.size(), 1u);
    EXPECT_TRUE(asked.seal);
    EXPECT_EQ(f.ni.transfers(), 0u) << "nothing of it uses the bus";
    EXPECT_THAT(f.results(), IsEmpty());
    f.hear(answer(asked, grant));
    EXPECT_EQ(f.ni.sent.size(), 4u);
    EXPECT_EQ(f.ni.sent[3].offset, 128u);
    EXPECT_THAT(f.results(), ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_SENT, 0}));
    // Free again, for both directions.
    f.seen = f.ni.sent.size();
    f.hear(said(7, request, 1, 1));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant)));
    f.hear(said(7, cancel, 1, 1));
    f.ni.expect_idle();
}

TEST(firmware_rails, a_refusal_fails_the_command_and_frees_the_interface) {
    rails_bench f;
    f.ask(reserve(5, 777, {.length = 150}));
    f.hear(answer(f.ni.sent[0], refuse));
    ASSERT_THAT(outcome(f.ni), ElementsAre(busy));
    EXPECT_EQ(f.ni.completions[0][0].group, 0u) << "nobody keeps anything for it";
    EXPECT_EQ(f.ni.completions[0][0].cookie, 5u);
    f.ni.completions[0].clear();
    f.ask(reserve(6, 777, {.length = 150}));
    f.hear(answer(f.ni.sent[1], refuse | kept));
    ASSERT_THAT(outcome(f.ni), ElementsAre(busy));
    EXPECT_EQ(f.ni.completions[0][0].group, 1u);
    EXPECT_EQ(f.ni.sent.size(), 2u);
    EXPECT_EQ(f.ni.count_of(NI_STATUS_BUSY), 2u);
    f.ni.expect_idle();
}

TEST(firmware_rails, an_interface_does_one_thing_at_a_time) {
    rails_bench f;
    f.ask(reserve(5, 10, {.length = 150}));
    f.ask(reserve(6, 5, {.length = 10}), 1);  // older, but the first has asked already
    EXPECT_THAT(f.results(1), ElementsAre(busy));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(5, request)));
    f.hear(said(7, request, 11, 1));  // younger than what was asked
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, refuse)));
    ASSERT_TRUE(f.ni.arrive(answer(f.ni.sent[0], grant)));
    f.ni.run();  // its transfers have not been made
    ASSERT_TRUE(f.ni.arrive(said(8, request, 1, 1)));
    f.ni.run();
    EXPECT_THAT(f.words_sent(), ElementsAre(to(8, refuse))) << "sending";
    EXPECT_THAT(f.results(), ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_SENT, 0}));
    f.hear(said(8, request, 1, 2));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(8, grant)));
    f.ask(reserve(5, 0, {.length = 10}));
    EXPECT_THAT(f.results(), ElementsAre(busy)) << "receiving";
    f.hear(said(9, request, 0, 3));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(9, refuse)));
}

TEST(firmware_rails, a_promise_ends_with_the_last_byte_delivered_or_not) {
    rails_bench f;
    f.ask(receive(200, 33));
    f.hear(said(7, request, 1, 1, 100));
    f.hear(data(f.ni, 7, 1, 1));  // out of order
    f.hear(data(f.ni, 7, 2, 0));  // another message of the same process
    f.hear(data(f.ni, 6, 1, 0));  // of another host
    packet other_process = data(f.ni, 7, 1, 0);
    other_process.source_process = 2;
    f.hear(other_process);
    f.hear(said(8, request, 0, 1));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse)));
    f.hear(data(f.ni, 7, 1, 0));
    f.hear(said(8, request, 0, 2, 64));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(8, grant)));
    f.hear(data(f.ni, 8, 2, 0, 64));  // no buffer: dropped
    EXPECT_EQ(f.ni.count_of(NI_STATUS_NO_BUFFER), 4u);
    f.hear(said(9, request, 0, 3));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(9, grant)));
}

TEST(firmware_rails, of_two_requests_that_meet_the_older_wins) {
    rails_bench f;
    f.ni.time = 0xff000000;
    f.take_turns();
    f.ni.time = 0x20;
    f.ask(reserve(5, 0xfffffff0, {.length = 150}));
    const packet asked = f.ni.sent.back();
    f.hear(said(7, request, 0x10, 1));  // later, across the end of the count
    EXPECT_THAT(f.words_sent(), ElementsAre(to(5, request), to(7, refuse)));
    f.hear(said(7, request, 0xffffffef, 2));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant)));
    EXPECT_THAT(f.results(), ElementsAre(busy));
    f.hear(answer(asked, grant));  // too late
    EXPECT_THAT(f.words_sent(), ElementsAre(to(5, cancel)));
    EXPECT_EQ(f.ni.sent.back().offset, asked.offset);
    EXPECT_EQ(f.ni.sent.back().source_process, asked.source_process);
    EXPECT_THAT(f.results(), IsEmpty());
}

TEST(firmware_rails, of_equal_tickets_the_lower_host_wins) {
    for (const std::uint32_t other : {2u, 4u}) {
        rails_bench f(3);
        f.ask(reserve(5, 50, {.length = 150}));
        f.hear(said(other, request, 50, 1));
        EXPECT_THAT(f.words_sent(), ElementsAre(to(5, request), to(other, other < 3 ? grant : refuse)));
    }
}

TEST(firmware_rails, a_late_refusal_or_a_strange_one_changes_nothing) {
    rails_bench f;
    f.ask(reserve(5, 50, {.length = 150}));
    const packet first = f.ni.sent[0];
    f.hear(said(7, request, 1, 1));  // older: the first comes to nothing
    f.hear(said(7, cancel, 1, 1));
    f.results();
    f.ask(reserve(5, 50, {.length = 150}));
    f.hear(answer(first, refuse));
    packet strange = answer(f.ni.sent.back(), refuse);
    strange.source = 6;
    f.hear(strange);
    EXPECT_THAT(f.results(), IsEmpty());
    f.hear(answer(f.ni.sent.back(), grant));
    EXPECT_THAT(f.results(), ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_SENT, 0}));
}

TEST(firmware_rails, a_promise_is_cancelled_by_the_attempt_that_it_was_made_to) {
    rails_bench f;
    f.hear(said(7, request, 1, 5));
    f.hear(said(7, cancel, 1, 4));
    f.hear(said(6, cancel, 1, 5));
    f.hear(said(8, request, 0, 1));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse)));
    // A later attempt of the same host takes the place of the earlier one, never the other way round.
    f.hear(said(7, request, 1, 6));
    f.hear(said(7, request, 1, 5));
    f.hear(said(7, cancel, 1, 5));
    f.hear(said(8, request, 0, 2));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(7, refuse), to(8, refuse)));
    f.hear(said(7, cancel, 1, 6));
    f.hear(said(8, request, 0, 3));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(8, grant)));
}

TEST(firmware_rails, an_interface_keeps_itself_for_the_oldest_urgent_message_that_it_refused) {
    rails_bench f;
    f.hear(said(7, request, 100, 1));
    f.hear(said(8, request | urgent, 60, 2));
    f.hear(said(9, request | urgent, 50, 3));
    f.hear(said(8, request | urgent, 60, 4));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept), to(9, refuse | kept), to(8, refuse)));
    f.hear(said(7, cancel, 100, 1));
    f.hear(said(8, request | urgent, 60, 5));  // idle, but kept for an older one
    f.hear(said(6, request, 70, 6));
    f.ask(reserve(5, 55, {.length = 10}));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(8, refuse), to(6, refuse)));
    EXPECT_THAT(f.results(), ElementsAre(busy));
    f.hear(said(10, request, 40, 7));  // older than any: it may
    f.hear(said(10, cancel, 40, 7));
    f.hear(said(9, request | urgent, 50, 8));
    f.hear(said(9, cancel, 50, 8));
    f.hear(said(6, request, 70, 9));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(10, grant), to(9, grant), to(6, grant))) << "granted: not kept any more";
}

TEST(firmware_rails, what_is_withdrawn_is_not_kept) {
    rails_bench f;
    f.hear(said(7, request, 100, 1));
    f.hear(said(8, request | urgent, 60, 2));
    f.hear(said(7, cancel, 100, 1));
    f.hear(said(8, withdraw, 61, 0));  // another message
    f.hear(said(6, request, 70, 3));
    f.hear(said(8, withdraw, 60, 0));
    f.hear(said(6, request, 70, 4));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept), to(6, refuse), to(6, grant)));
}

TEST(firmware_rails, the_own_end_is_kept_for_an_urgent_message_until_it_is_granted_or_withdrawn) {
    rails_bench f;
    f.ask(reserve(5, 50, {.length = 150}, true));
    EXPECT_EQ(f.ni.sent.back().group, request | urgent);
    f.hear(answer(f.ni.sent.back(), refuse));
    ASSERT_THAT(outcome(f.ni), ElementsAre(busy));
    EXPECT_EQ(f.ni.completions[0][0].group, 1u);
    f.results();
    f.words_sent();
    f.hear(said(6, request, 70, 1));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(6, refuse)));
    f.ask(reserve(5, 50, {.length = 150}, true));
    f.hear(answer(f.ni.sent.back(), grant));
    f.results();
    f.words_sent();
    f.hear(said(6, request, 70, 2));
    f.hear(said(6, cancel, 70, 2));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(6, grant)));

    f.hear(said(6, request, 70, 3));
    f.ask(reserve(5, 51, {.length = 150}, true), 1);  // refused here
    EXPECT_THAT(f.results(1), ElementsAre(busy));
    f.hear(said(6, cancel, 70, 3));
    f.hear(said(6, request, 70, 4));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(6, grant), to(6, refuse)));
    f.ask(give_up(5, 51), 1);
    EXPECT_THAT(f.results(1), ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_WITHDRAWN, 0}));
    f.hear(said(6, request, 70, 5));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(5, withdraw), to(6, grant)));
    EXPECT_EQ(f.ni.sent[f.ni.sent.size() - 2].tag, 51u);
}

TEST(firmware_rails, hosts_that_fall_silent_are_given_up) {
    rails_bench f;
    f.hear(said(7, request, 100, 1));
    f.hear(said(8, request | urgent, 60, 2));
    f.words_sent();
    EXPECT_TRUE(f.ni.run_timer());
    f.ni.settle();
    for (int tick = 0; tick < 3 && f.ni.timer_set(); ++tick) {
        f.ni.run_timer();
        f.ni.settle();
    }
    EXPECT_FALSE(f.ni.timer_set()) << "nothing is promised or kept, though nobody has asked";
    f.hear(said(9, request, 70, 4));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(9, grant)));
}

TEST(firmware_rails, a_request_without_an_answer_is_given_up) {
    rails_bench f;
    f.ask(reserve(5, 10, {.length = 150}, true));
    for (int tick = 0; tick < 3 && f.ni.timer_set(); ++tick) {
        f.ni.run_timer();
        f.ni.settle();
    }
    EXPECT_FALSE(f.ni.timer_set());
    EXPECT_THAT(f.results(), ElementsAre(busy));
    f.words_sent();
    f.hear(said(9, request, 70, 4));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(9, grant))) << "and the own end is not kept for it";
    f.hear(said(9, cancel, 70, 4));
    f.ni.expect_idle();
}

TEST(firmware_rails, a_message_that_cannot_be_read_gives_the_other_end_back) {
    rails_bench f;
    f.ask(reserve(5, 50, {.length = 150, .window = 7}));  // no such window
    f.hear(answer(f.ni.sent[0], grant));
    EXPECT_THAT(f.results(),
                ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_FAILED, NI_STATUS_REFUSED}));
    constexpr std::uint32_t abort_word = 35;
    EXPECT_THAT(f.words_sent(), ElementsAre(to(5, request), to(5, cancel)));
    EXPECT_NE(f.ni.sent.back().group, abort_word) << "nothing of it has left";
    f.ni.expect_idle();
}

TEST(firmware_rails, without_packet_memory_nothing_is_asked) {
    ni_model ni({.send_slots = 1});
    give_windows(ni, 1000);
    ASSERT_TRUE(ni.command(0, send(4, {.length = 10})));
    ni.run();  // its transfer is not made: the slot is taken
    ASSERT_TRUE(ni.command(0, reserve(5, 50, {.length = 10})));
    ASSERT_TRUE(ni.command(0, give_up(5, 50)));
    ni.settle();
    EXPECT_THAT(outcome(ni), testing::UnorderedElementsAre(
                                 std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_SENT, 0}, busy,
                                 std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_FAILED, NI_STATUS_TABLE_FULL}));
    EXPECT_EQ(ni.sent.size(), 1u);
    ni.expect_idle();
}

TEST(firmware_rails, control_packets_that_make_no_sense_are_malformed) {
    rails_bench f;
    std::vector<packet> bad;
    bad.push_back(said(7, 6, 1, 1));  // no such word
    bad.push_back(said(7, 0, 1, 1));
    bad.push_back(said(7, request, 1, 1, 0));  // a message has at least one byte
    bad.push_back(said(3, request, 1, 1));     // from itself
    bad.push_back(said(32, request, 1, 1));    // no such host
    bad.push_back(said(7, request, 1, 1));
    bad.back().payload.resize(2);
    bad.push_back(said(7, request, 1, 1));
    bad.back().kind = 1;
    for (const packet& each : bad) f.hear(each);
    EXPECT_EQ(f.ni.count_of(NI_STATUS_MALFORMED), bad.size());
    f.ni.settle();
    EXPECT_THAT(f.words_sent(), IsEmpty());
    f.ni.expect_idle();
}

TEST(firmware_rails, commands_that_make_no_sense_are_refused) {
    rails_bench f;
    f.ask(reserve(3, 50, {.length = 10}));   // to itself
    f.ask(reserve(32, 50, {.length = 10}));  // no such host
    f.ask(reserve(5, 50, {.length = 0}));
    f.ask(give_up(3, 1));
    f.ask(give_up(32, 1));
    EXPECT_THAT(f.results(),
                testing::Each(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_FAILED, NI_STATUS_BAD_COMMAND}));
    EXPECT_THAT(f.words_sent(), IsEmpty());
    f.ni.expect_idle();
}

}  // namespace
}  // namespace polycast::testbench::firmware
