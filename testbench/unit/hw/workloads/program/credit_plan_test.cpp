// SPDX-License-Identifier: Apache-2.0
// Receive buffers and credits: as many as there are for, and never more messages on their way than buffers.
#include "hw/workloads/program/credit_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/hw/workloads/program/program_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using polycast::testbench::unit::refusal;
using testing::Each;
using testing::HasSubstr;

/// Sends and receives of ranks, written one by one.
class writer {
public:
    explicit writer(unsigned ranks) : texts_(ranks) {}

    void message(unsigned from, unsigned to, const std::string& bytes = "8b") {
        texts_[from] += "send " + bytes + " to " + std::to_string(to) + "\n";
        texts_[to] += "recv " + bytes + " from " + std::to_string(from) + "\n";
    }
    void add(unsigned rank, const std::string& line) { texts_[rank] += line + "\n"; }
    program made() const {
        std::string text = "num_ranks " + std::to_string(texts_.size()) + "\n";
        for (unsigned rank = 0; rank < texts_.size(); ++rank)
            text += "rank " + std::to_string(rank) + " {\n" + texts_[rank] + "}\n";
        return goal(text);
    }

private:
    std::vector<std::string> texts_;
};

/// `senders` ranks that send `messages` each to rank 0.
program inbound(unsigned senders, unsigned messages) {
    writer made(senders + 1);
    for (unsigned rank = 1; rank <= senders; ++rank)
        for (unsigned i = 0; i < messages; ++i) made.message(rank, 0);
    return made.made();
}

program all_to_all(unsigned ranks, unsigned messages) {
    writer made(ranks);
    for (unsigned i = 0; i < messages; ++i)
        for (unsigned step = 1; step < ranks; ++step)
            for (unsigned from = 0; from < ranks; ++from) made.message(from, (from + step) % ranks);
    return made.made();
}

TEST(credit_plan, counts_buffers_by_who_sends) {
    EXPECT_EQ(plan_credits(inbound(4, 2), {}).buffers, 64u);
    EXPECT_EQ(plan_credits(inbound(4, 2), {}).window[0], 0u);
    EXPECT_EQ(plan_credits(inbound(100, 2), {}).buffers, 200u);
    EXPECT_EQ(plan_credits(inbound(100, 2), {}).window[0], 0u);
    EXPECT_EQ(plan_credits(inbound(100, 3), {}).window[0], 2u);
    EXPECT_EQ(plan_credits(inbound(4, 100), {}).window[0], 16u);
    EXPECT_EQ(plan_credits(inbound(4, 100), {}).window[1], 0u);
    EXPECT_EQ(plan_credits(inbound(4, 100), {.rule = credit_rule::none}).window[0], 0u);
    EXPECT_EQ(plan_credits(inbound(4, 1), {.rule = credit_rule::fixed, .window = 3}).window[0], 3u);
}

TEST(credit_plan, refuses_more_senders_than_buffers) {
    EXPECT_EQ(plan_credits(inbound(700, 2), {}).window[0], 1u);
    EXPECT_EQ(plan_credits(inbound(1024, 2), {}).window[0], 1u);
    EXPECT_THAT(refusal([] { plan_credits(inbound(1025, 2), {}); }), HasSubstr("rank 0 gets messages from 1025 ranks"));
    EXPECT_NO_THROW(plan_credits(inbound(1025, 2), {.rule = credit_rule::none}));
}

/// Long messages have places, which are none of the buffers.
TEST(credit_plan, leaves_room_for_long_messages) {
    const credit_options asking{.eager = 4};
    // Grants go the other way.
    EXPECT_EQ(plan_credits(inbound(100, 2), asking).landings, 1024u - 2 * 100 - 2 * 100);
    EXPECT_EQ(plan_credits(inbound(200, 2), asking).landings, 256u);
    EXPECT_EQ(plan_credits(inbound(400, 2), asking).landings, 1024u - 800);
    EXPECT_EQ(plan_credits(inbound(900, 2), asking).landings, 64u);
    EXPECT_EQ(plan_credits(inbound(1000, 2), asking).landings, 1024u - 1001);
    EXPECT_EQ(plan_credits(inbound(400, 2), {}).buffers, 800u);
    EXPECT_THAT(refusal([&] { plan_credits(inbound(1024, 2), asking); }), HasSubstr("its interface has 1023 receive"));
}

TEST(credit_plan, takes_all_to_alls_of_as_many_ranks_as_buffers) {
    const credit_plan many = plan_credits(all_to_all(400, 3), {});
    EXPECT_EQ(many.buffers, 1024u);
    EXPECT_THAT(many.window, Each(1u));
    EXPECT_THAT(many.answers, Each(0u)) << "there is room for all that may come";
    const credit_options few{.queues = 16};
    EXPECT_THAT(plan_credits(all_to_all(20, 4), few).answers, Each(0u));
    EXPECT_THAT(plan_credits(all_to_all(60, 2), few).answers, Each(5u));
    EXPECT_THAT(plan_credits(all_to_all(64, 2), few).answers, Each(1u));
    EXPECT_THAT(refusal([&] { plan_credits(all_to_all(65, 2), few); }), HasSubstr("64 receive buffers for a queue"));
}

/// What rank 0 gets fills its buffers, so that none is left for credits that come back.
TEST(credit_plan, a_rank_without_room_for_answers_has_credits_too) {
    for (const unsigned messages : {63u, 64u}) {
        writer made(3);
        for (unsigned i = 0; i < messages; ++i) made.message(1, 0);
        for (unsigned i = 0; i < 100; ++i) made.message(0, 2);
        const credit_plan plan = plan_credits(made.made(), {});
        EXPECT_EQ(plan.buffers, 64u);
        EXPECT_EQ(plan.window[2], 64u);
        EXPECT_EQ(plan.window[0], messages == 64 ? 62u : 0u) << messages;
        EXPECT_EQ(plan.answers[0], messages == 64 ? 0u : 1u) << messages;
    }
}

/// A rank has one buffer for credits that come back, so it waits for those of one message before it sends another one.
TEST(credits, one_buffer_for_answers_is_enough) {
    const ran got = run_on(one_switch(16), all_to_all(16, 3), {.queues = 64});
    expect_right(got);
    EXPECT_GT(got.ranks[0].credit_waits, 0u);
    // Requests and grants, and a place for one long message.
    expect_right(run_on(one_switch(15), all_to_all(15, 3), {.eager = 4, .queues = 64}));
}

/// Each of 30 ranks gives back three credits of ranks 0..20, one by one, and these have 64 buffers, not 90.
TEST(credits, are_not_spent_without_a_buffer_for_their_answers) {
    constexpr unsigned senders = 21, receivers = 30, messages = 4;
    writer made(senders + receivers);
    for (unsigned from = 0; from < senders; ++from)
        for (unsigned i = 0; i < messages; ++i) {
            for (unsigned to = 0; to < receivers; ++to) made.message(from, senders + to);
            made.add(from, "calc 1000000");  // receivers have time to answer each message alone
        }
    const program of = made.made();
    const credit_plan plan = plan_credits(of, {});
    EXPECT_EQ(plan.window[senders], 3u);
    EXPECT_EQ(plan.answers[0], 64u);
    const ran got = run_on(one_switch(senders + receivers), of);
    expect_right(got);
    for (unsigned rank = 0; rank < senders; ++rank) EXPECT_EQ(got.ranks[rank].credit_waits, messages * receivers - 64);
}

}  // namespace
}  // namespace polycast::hw::programs
