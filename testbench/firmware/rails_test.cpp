// SPDX-License-Identifier: Apache-2.0
// Reservation of both ends of a rail: who is granted, who is refused, and that the oldest always gets through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What control packets say, and of what (firmware/rails.h), written down again.
enum word : std::uint32_t { request = 1, grant = 2, refuse = 3, cancel = 4, withdraw = 5 };
constexpr std::uint32_t kept = 0x100, urgent = 0x200;
constexpr std::uint32_t control = 1;

const std::pair<std::uint32_t, std::uint32_t> busy{NI_COMPLETION_FAILED, NI_STATUS_BUSY};

words reserve(std::uint32_t host, std::uint32_t ticket, const job& what, bool is_urgent = false) {
    words made = send(host, what);
    made[NI_COMMAND_OPERATION] |= (NI_SEND_RESERVE | (is_urgent ? NI_SEND_URGENT : 0)) << 16;
    made[NI_COMMAND_GROUP] = ticket;
    return made;
}

words give_up(std::uint32_t host, std::uint32_t ticket) {
    return {NI_COMMAND_WITHDRAW, 8, 0, 0, host, ticket, 0, 0};
}

/// What another interface says. Its attempts have the number of the message.
packet said(std::uint32_t source, std::uint32_t what, std::uint32_t ticket, std::uint32_t message,
            std::uint32_t total = 100) {
    packet made;
    made.source = source;
    made.op = control;
    made.source_process = 1;
    made.group = what;
    made.message = message;
    made.offset = message;
    made.total = total;
    made.tag = ticket;
    made.payload = {0};
    return made;
}

/// The answer of host `source` to a request that was sent.
packet answer(const packet& to, std::uint32_t what) {
    packet made = to;
    made.source = to.destination;
    made.group = what;
    return made;
}

packet data(const ni_model& ni, std::uint32_t source, std::uint32_t message, std::uint32_t index,
            std::uint32_t total = 100) {
    packet made = part_of(ni.params, message, total, index);
    made.source = source;
    made.source_process = 1;
    return made;
}

/// Cycles after which an end of a rail is lost that nobody uses (firmware/state.h).
constexpr std::uint32_t rail_life = 1 << 20;

/// Tickets of most tests are times long before this.
constexpr std::uint32_t now = 1000;

struct fixture {
    explicit fixture(std::uint32_t host = 3) : ni({.host = host}) {
        give_windows(ni, 1000);
        ni.time = now;
    }

    /// Who was told what since the last call.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> words_sent() {
        ni.settle();
        std::vector<std::pair<std::uint32_t, std::uint32_t>> made;
        for (; seen < ni.sent.size(); ++seen)
            if (ni.sent[seen].op == control) made.emplace_back(ni.sent[seen].destination, ni.sent[seen].group);
        return made;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> results(std::uint32_t process = 0) {
        ni.settle();
        auto made = outcome(ni, process);
        ni.completions[process].clear();
        return made;
    }
    void hear(const packet& what) {
        ASSERT_TRUE(ni.arrive(what));
        ni.settle();
    }
    void ask(const words& what, std::uint32_t process = 0) {
        ASSERT_TRUE(ni.command(process, what));
        ni.settle();
    }
    /// A process sends a message, and a process of host 7 does: both have had a turn now.
    void take_turns() {
        ask(reserve(5, ni.time, {.length = 1}));
        hear(answer(ni.sent.back(), grant));
        hear(said(7, request, ni.time, 99, 1));
        hear(data(ni, 7, 99, 0, 1));
        results();
        words_sent();
    }

    ni_model ni;
    std::size_t seen = 0;
};

std::pair<std::uint32_t, std::uint32_t> to(std::uint32_t host, std::uint32_t word) {
    return {host, word};
}

TEST(firmware_rails, a_message_is_sent_when_the_other_end_has_granted_it) {
    fixture f;
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
    fixture f;
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
    fixture f;
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
    fixture f;
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
    fixture f;
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
        fixture f(3);
        f.ask(reserve(5, 50, {.length = 150}));
        f.hear(said(other, request, 50, 1));
        EXPECT_THAT(f.words_sent(), ElementsAre(to(5, request), to(other, other < 3 ? grant : refuse)));
    }
}

TEST(firmware_rails, a_late_refusal_or_a_strange_one_changes_nothing) {
    fixture f;
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
    fixture f;
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
    fixture f;
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
    fixture f;
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
    fixture f;
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
    fixture f;
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
    fixture f;
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

// ---- turns

TEST(firmware_rails, no_ticket_is_older_than_the_last_turn_of_its_process) {
    fixture f;
    f.ask(reserve(5, 7, {.length = 10}));
    EXPECT_EQ(f.ni.sent.back().tag, 7u);
    f.ni.time = 5000;
    f.hear(answer(f.ni.sent.back(), grant));
    f.results();
    for (const std::uint32_t forged : {0u, 7u, 4999u}) {
        f.ask(reserve(5, forged, {.length = 10}));
        EXPECT_EQ(f.ni.sent.back().tag, 5000u) << forged;
        f.hear(answer(f.ni.sent.back(), refuse));
        EXPECT_THAT(f.results(), ElementsAre(busy));
        f.ni.time += 100;
    }
    f.ask(reserve(5, 5001, {.length = 10}));
    EXPECT_EQ(f.ni.sent.back().tag, 5001u) << "as it says";
    f.hear(answer(f.ni.sent.back(), refuse));
    f.ask(reserve(5, 0x70000000, {.length = 10}));
    EXPECT_EQ(f.ni.sent.back().tag, f.ni.time) << "the future is now";
    f.hear(answer(f.ni.sent.back(), refuse));
    f.ask(reserve(5, 8, {.length = 10}), 1);
    EXPECT_EQ(f.ni.sent.back().tag, 8u) << "another process has had no turn";
}

TEST(firmware_rails, who_had_a_turn_waits_for_those_that_were_refused_meanwhile) {
    fixture f;
    f.ask(reserve(5, 0, {.length = 10}, true));  // forged: nothing is older
    f.ask(reserve(5, 900, {.length = 10}, true), 1);
    EXPECT_THAT(f.results(1), ElementsAre(busy));
    f.hear(answer(f.ni.sent.back(), grant));
    EXPECT_THAT(f.results(), ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_SENT, 0}));
    f.ask(reserve(5, 0, {.length = 10}, true));
    EXPECT_THAT(f.results(), ElementsAre(busy)) << "the end is kept for process 1";
    f.words_sent();
    f.ask(reserve(5, 900, {.length = 10}, true), 1);
    EXPECT_THAT(f.words_sent(), ElementsAre(to(5, request | urgent)));
}

TEST(firmware_rails, tickets_of_other_interfaces_count_from_their_last_turn) {
    fixture f;
    f.ni.time = 10 * rail_life;
    f.hear(said(7, request, 0, 1, 64));
    f.hear(said(8, request | urgent, 5 * rail_life, 2));
    f.hear(data(f.ni, 7, 1, 0, 64));
    f.hear(said(7, request | urgent, 0, 2));  // forged by another host
    f.hear(said(8, request | urgent, 5 * rail_life, 3));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept), to(7, refuse), to(8, grant)));
}

TEST(firmware_rails, who_is_promised_an_end_does_not_pass_it_on_to_himself_while_an_older_one_waits) {
    fixture f;
    f.hear(said(7, request, 100, 1));
    f.hear(said(8, request | urgent, 60, 2));
    f.hear(said(7, request, 100, 2));  // not all of the first is here
    f.hear(said(7, cancel, 100, 1));
    f.hear(said(8, request | urgent, 60, 3));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept), to(7, refuse), to(8, grant)));
}

TEST(firmware_rails, nobody_withdraws_what_is_kept_for_another_process) {
    fixture f;
    f.ask(reserve(5, 51, {.length = 150}, true));
    f.hear(answer(f.ni.sent.back(), refuse));
    f.ask(give_up(5, 51), 1);
    EXPECT_EQ(f.ni.sent.back().group, withdraw);
    EXPECT_EQ(f.ni.sent.back().source_process, 1u);
    f.words_sent();
    f.hear(said(6, request, 70, 1));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(6, refuse))) << "kept for process 0";
    f.ask(give_up(5, 51));
    EXPECT_EQ(f.ni.sent.back().source_process, 0u);
    f.words_sent();
    f.hear(said(6, request | urgent, 70, 2));
    packet other = said(6, withdraw, 70, 0);
    other.source_process = 2;
    f.hear(other);
    f.hear(said(6, cancel, 70, 2));
    f.hear(said(9, request, 80, 3));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(6, grant), to(9, grant)));
    f.hear(said(6, request | urgent, 70, 4));
    f.hear(other);
    f.hear(said(9, cancel, 80, 3));
    f.hear(said(9, request, 80, 5));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(6, refuse | kept), to(9, refuse))) << "not by process 2 of host 6";
}

TEST(firmware_rails, an_end_that_is_not_used_is_lost_to_the_next_that_asks) {
    {
        fixture f;
        f.ask(reserve(5, 10, {.length = 150}, true));  // nobody answers
        f.ni.time += rail_life;
        f.hear(said(9, request, 70, 1));
        EXPECT_THAT(f.words_sent(), ElementsAre(to(5, request | urgent), to(9, refuse)));
        ++f.ni.time;
        f.hear(said(9, request, 70, 2));
        EXPECT_THAT(f.words_sent(), ElementsAre(to(9, grant)));
        EXPECT_THAT(f.results(), ElementsAre(busy));
        f.hear(said(9, cancel, 70, 2));
        f.ask(reserve(5, 10, {.length = 150}));
        EXPECT_EQ(f.ni.sent.back().tag, f.ni.time) << "that was its turn";
    }
    {
        fixture f;
        f.hear(said(7, request, 10, 1));  // promised, and nothing comes
        f.ni.time += rail_life + 1;
        f.ask(reserve(5, 700, {.length = 10}));
        EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(5, request)));
    }
    {
        fixture f;
        f.hear(said(7, request, 100, 1));
        f.hear(said(8, request | urgent, 60, 2));  // kept, and nobody asks
        f.hear(said(7, cancel, 100, 1));
        f.ni.time += rail_life + 1;
        f.hear(said(9, request, 70, 3));
        EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept), to(9, grant)));
    }
}

TEST(firmware_rails, a_promised_message_keeps_its_end_while_its_packets_come) {
    fixture f;
    f.hear(said(7, request, 10, 1, 200));
    for (std::uint32_t index = 0; index < 4; ++index) {
        f.ni.time += rail_life;
        f.hear(said(8, request, 5, 2 + index));
        f.hear(data(f.ni, 7, 1, index, 200));
    }
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse), to(8, refuse), to(8, refuse), to(8, refuse)));
}

TEST(firmware_rails, a_message_is_not_longer_than_anybody_may_have_to_wait) {
    fixture f;
    f.ask(reserve(5, 10, {.length = NI_RESERVE_BYTES + 1}));
    EXPECT_THAT(f.results(),
                ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_FAILED, NI_STATUS_BAD_COMMAND}));
    f.hear(said(7, request, 1, 1, NI_RESERVE_BYTES + 1));
    EXPECT_EQ(f.ni.count_of(NI_STATUS_MALFORMED), 1u);
    f.hear(said(7, request, 1, 1, NI_RESERVE_BYTES));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant)));
}

TEST(firmware_rails, a_message_that_cannot_be_read_gives_the_other_end_back) {
    fixture f;
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
    fixture f;
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
    fixture f;
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
