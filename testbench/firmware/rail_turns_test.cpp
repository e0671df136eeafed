// SPDX-License-Identifier: Apache-2.0
// Rails that several processes want, some of which forge their tickets, ask and do not use what they get, or withdraw
// what is not theirs: everybody has a turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/rails_bench.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;

TEST(firmware_rails, no_ticket_is_older_than_the_last_turn_of_its_process) {
    rails_bench f;
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
    rails_bench f;
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
    rails_bench f;
    f.ni.time = 10 * rail_life;
    f.hear(said(7, request, 0, 1, 64));
    f.hear(said(8, request | urgent, 5 * rail_life, 2));
    f.hear(data(f.ni, 7, 1, 0, 64));
    f.hear(said(7, request | urgent, 0, 2));  // forged by another host
    f.hear(said(8, request | urgent, 5 * rail_life, 3));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept), to(7, refuse), to(8, grant)));
}

TEST(firmware_rails, who_is_promised_an_end_does_not_pass_it_on_to_himself_while_an_older_one_waits) {
    rails_bench f;
    f.hear(said(7, request, 100, 1));
    f.hear(said(8, request | urgent, 60, 2));
    f.hear(said(7, request, 100, 2));  // not all of the first is here
    f.hear(said(7, cancel, 100, 1));
    f.hear(said(8, request | urgent, 60, 3));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept), to(7, refuse), to(8, grant)));
}

// Whatever takes the place of a promise, or ends it, it has been a turn.
TEST(firmware_rails, a_promise_that_is_replaced_or_cancelled_was_a_turn) {
    for (const bool cancelled : {false, true}) {
        rails_bench f;
        f.ni.time = 10 * rail_life;
        f.hear(said(7, request, 0, 1));
        f.hear(said(8, request | urgent, 5 * rail_life, 2));
        if (cancelled) f.hear(said(7, cancel, 0, 1));
        f.hear(said(7, request, 0, 3));  // forged
        f.hear(said(7, cancel, 0, 1));
        f.hear(said(8, request | urgent, 5 * rail_life, 4));
        EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept), to(7, refuse), to(8, grant)));
    }
}

// The slack with which the receiving end counts tickets, and a message that was granted by then.
TEST(firmware_rails, a_forged_ticket_wins_no_longer_than_its_slack) {
    rails_bench f;
    f.ni.time = 10 * rail_life;
    const std::uint32_t asked = f.ni.time;
    std::uint32_t message = 1;
    f.hear(said(7, request, 0, message, 64));
    f.hear(said(8, request | urgent, asked, 2));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept)));
    for (std::uint32_t quarter = 1; quarter <= 5; ++quarter) {
        f.ni.time += rail_life / 4;
        f.hear(data(f.ni, 7, message, 0, 64));
        f.hear(said(7, request, 0, ++message, 64));
        f.hear(said(8, request | urgent, asked, 2 + quarter));
        if (quarter <= 4)
            EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept))) << quarter;
        else
            EXPECT_THAT(f.words_sent(), ElementsAre(to(7, refuse), to(8, grant)));
    }
}

// What an end is kept for is a process: its tickets count from its last turn, and that may have been meanwhile.
TEST(firmware_rails, what_is_kept_for_a_process_is_not_kept_from_it) {
    rails_bench f;
    f.ask(reserve(5, 10, {.length = 10}, true));
    f.hear(answer(f.ni.sent.back(), refuse));
    EXPECT_THAT(f.results(), ElementsAre(busy)) << "kept for it";
    f.ask(reserve(5, 5, {.length = 10}));
    f.hear(answer(f.ni.sent.back(), grant));
    EXPECT_THAT(f.results(), ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_SENT, 0}));
    f.words_sent();
    f.ask(reserve(5, 10, {.length = 10}, true));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(5, request | urgent)));
}

TEST(firmware_rails, nobody_withdraws_what_is_kept_for_another_process) {
    rails_bench f;
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
        rails_bench f;
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
        rails_bench f;
        f.hear(said(7, request, 10, 1));  // promised, and nothing comes
        f.ni.time += rail_life + 1;
        f.ask(reserve(5, 700, {.length = 10}));
        EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(5, request)));
    }
    {
        rails_bench f;
        f.hear(said(7, request, 100, 1));
        f.hear(said(8, request | urgent, 60, 2));  // kept, and nobody asks
        f.hear(said(7, cancel, 100, 1));
        f.ni.time += rail_life + 1;
        f.hear(said(9, request, 70, 3));
        EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse | kept), to(9, grant)));
    }
}

TEST(firmware_rails, a_promised_message_keeps_its_end_while_its_packets_come) {
    rails_bench f;
    f.hear(said(7, request, 10, 1, 200));
    for (std::uint32_t index = 0; index < 4; ++index) {
        f.ni.time += rail_life;
        f.hear(said(8, request, 5, 2 + index));
        f.hear(data(f.ni, 7, 1, index, 200));
    }
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant), to(8, refuse), to(8, refuse), to(8, refuse), to(8, refuse)));
}

TEST(firmware_rails, a_message_is_not_longer_than_anybody_may_have_to_wait) {
    rails_bench f;
    f.ask(reserve(5, 10, {.length = NI_RESERVE_BYTES + 1}));
    EXPECT_THAT(f.results(),
                ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_FAILED, NI_STATUS_BAD_COMMAND}));
    f.hear(said(7, request, 1, 1, NI_RESERVE_BYTES + 1));
    EXPECT_EQ(f.ni.count_of(NI_STATUS_MALFORMED), 1u);
    f.hear(said(7, request, 1, 1, NI_RESERVE_BYTES));
    EXPECT_THAT(f.words_sent(), ElementsAre(to(7, grant)));
}

}  // namespace
}  // namespace polycast::testbench::firmware
