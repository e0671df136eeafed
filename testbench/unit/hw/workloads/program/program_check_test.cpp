// SPDX-License-Identifier: Apache-2.0
// The checker of programs finds what hosts could do wrong. Nothing here is a host.
#include "hw/workloads/program/program_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hw/input_error.h"
#include "hw/traffic/random.h"
#include "hw/workloads/program/credit_plan.h"
#include "hw/workloads/program/time_account.h"
#include "hw/workloads/program/wire.h"
#include "testbench/unit/hw/programs/sample_programs.h"

namespace polycast::hw::programs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two messages of a pair and one of another rank; the receives take them in their order.
class program_checker : public testing::Test {
protected:
    program_checker()
        : of_(goal("num_ranks 3\nrank 0 {\na: send 16b to 2\nb: send 16b to 2\n}\nrank 1 {\nc: send 16b to 2 tag "
                   "5\n}\nrank 2 {\nr: recv 16b from 0\ns: recv 16b from 0\nt: recv 16b from -1 tag -1\n}\n")),
          check_(of_, 1) {}

    void send(operation_id which) {
        check_.sent(which);
        check_.arrived(2, which);
    }
    void take(std::uint32_t receive, operation_id which) {
        check_.matched({2, receive}, which);
        std::vector<std::uint8_t> bytes(16);
        traffic::fill_payload(1, content_of(which), bytes);
        check_.delivered(10, {2, receive}, which, bytes);
    }
    void post_all() {
        for (std::uint32_t i = 0; i < 3; ++i) check_.posted({2, i});
    }

    const operation_id a_{0, 0}, b_{0, 1}, c_{1, 0};
    program of_;
    program_check check_;
};

TEST_F(program_checker, finds_what_was_acknowledged_and_never_came) {
    for (const operation_id each : {a_, b_, c_}) check_.sent(each);
    check_.acknowledged(a_);
    check_.came(a_);  // and waits for its turn, so that no receive has it
    check_.acknowledged(b_);
    EXPECT_EQ(check_.broken(), 1u);
    EXPECT_THAT(check_.faults(), ElementsAre(HasSubstr("'b: send 16b to 2' was acknowledged, and its receiver never")));
}

TEST_F(program_checker, is_content_with_what_is_right) {
    post_all();
    send(a_);
    take(0, a_);
    send(c_);
    take(2, c_);
    send(b_);
    take(1, b_);
    EXPECT_THAT(check_.faults(), IsEmpty());
    EXPECT_EQ(check_.counts().delivered, 3u);
    EXPECT_EQ(check_.counts().missing(), 0u);
}

TEST_F(program_checker, sees_messages_of_a_pair_overtake) {
    post_all();
    check_.sent(a_);
    check_.sent(b_);
    check_.arrived(2, b_);
    EXPECT_THAT(check_.faults(), ElementsAre(HasSubstr("is matched at rank 2 before rank 0 line 3")));
}

TEST_F(program_checker, sees_a_younger_receive_take_a_message) {
    post_all();
    send(a_);
    take(1, a_);
    EXPECT_EQ(check_.counts().mismatched, 1u);
    EXPECT_THAT(check_.faults(), ElementsAre(HasSubstr("before rank 2 line 10")));
}

TEST_F(program_checker, sees_a_younger_message_taken) {
    send(a_);
    send(b_);
    check_.posted({2, 0});
    take(0, b_);
    EXPECT_THAT(check_.faults(), ElementsAre(HasSubstr("was there before")));
}

TEST_F(program_checker, sees_what_does_not_fit) {
    post_all();
    send(c_);
    take(0, c_);
    EXPECT_THAT(check_.faults().front(), HasSubstr("which does not fit"));
}

TEST_F(program_checker, sees_wrong_bytes_and_repetition) {
    post_all();
    send(a_);
    check_.matched({2, 0}, a_);
    std::vector<std::uint8_t> bytes(16);
    traffic::fill_payload(1, content_of(a_), bytes);
    bytes[7] ^= 1;
    check_.delivered(10, {2, 0}, a_, bytes);
    EXPECT_EQ(check_.counts().corrupted, 1u);
    check_.delivered(11, {2, 0}, a_, bytes);
    EXPECT_EQ(check_.counts().duplicated, 1u);
    traffic::fill_payload(1, content_of(b_), bytes);
    bytes.pop_back();
    send(b_);
    check_.matched({2, 1}, b_);
    check_.delivered(12, {2, 1}, b_, bytes);
    EXPECT_EQ(check_.counts().corrupted, 2u);
    EXPECT_EQ(check_.counts().missing(), 1u);
}

/// Plain lists say which receive and which message are the oldest; the checker has to know it of hundreds at once.
TEST(program_checker_of_many, knows_the_oldest) {
    constexpr std::uint32_t count = 400;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        traffic::random_stream draw(seed);
        std::string senders[2], receiver;
        for (std::uint32_t i = 0; i < count; ++i) {
            senders[draw() % 2] += "send 16b to 2 tag " + std::to_string(draw() % 3) + "\n";
            const std::int64_t source = static_cast<std::int64_t>(draw() % 3) - 1;
            const std::int64_t tag = static_cast<std::int64_t>(draw() % 4) - 1;
            receiver += "recv 16b from " + std::to_string(source) + " tag " + std::to_string(tag) + "\n";
        }
        const program of = goal("num_ranks 3\nrank 0 {\n" + senders[0] + "}\nrank 1 {\n" + senders[1] +
                                "}\nrank 2 {\n" + receiver + "}\n");
        program_check check(of, 1);
        const auto fits = [&](std::uint32_t receive, operation_id send) {
            const operation &taking = of.at({2, receive}), &sent = of.at(send);
            return (taking.any_source || taking.peer == send.rank) && (taking.any_tag || taking.tag == sent.tag);
        };
        std::vector<std::uint32_t> posted;
        std::vector<operation_id> came;
        std::uint32_t next_receive = 0, next_send[2] = {}, taken = 0;
        std::uint64_t wrong = 0;
        for (int step = 0; step < 20'000; ++step) {
            const auto rank = static_cast<std::uint32_t>(draw() % 2);
            if (draw() % 2 == 0 && next_receive < count) {
                check.posted({2, next_receive});
                posted.push_back(next_receive++);
            } else if (draw() % 2 == 0 && next_send[rank] < of.of_rank(rank).size()) {
                came.push_back({rank, next_send[rank]++});
                check.sent(came.back());
                check.arrived(2, came.back());
            } else if (!posted.empty() && !came.empty()) {
                const std::uint32_t receive = posted[draw() % posted.size()];
                const operation_id send = came[draw() % came.size()];
                if (!fits(receive, send)) continue;
                const auto oldest = std::ranges::find_if(posted, [&](std::uint32_t one) { return fits(one, send); });
                const auto first = std::ranges::find_if(came, [&](operation_id one) { return fits(receive, one); });
                check.matched({2, receive}, send);
                ++taken;
                wrong += (*oldest != receive) + (*first != send);
                ASSERT_EQ(check.counts().mismatched, wrong) << "seed " << seed << ", step " << step;
                std::erase(posted, receive);
                std::erase(came, send);
            }
        }
        EXPECT_GT(taken, 200u);
        EXPECT_GT(wrong, 50u);
        EXPECT_LT(wrong, 2 * taken);
    }
}

TEST(program_wire, control_messages_are_read_as_written_and_no_byte_is_free) {
    const control sent{control_kind::grant, 123456, 65535, 77};
    control::bytes bytes = sent.packed();
    const auto read = control::of(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, sent.kind);
    EXPECT_EQ(read->operation, sent.operation);
    EXPECT_EQ(read->sequence, sent.sequence);
    EXPECT_EQ(read->credits, sent.credits);
    for (std::uint8_t& each : bytes) {
        each ^= 0x10;
        EXPECT_FALSE(control::of(bytes));
        each ^= 0x10;
    }
    const eager_tag tag = eager_tag::of(eager_tag{65535, most_credits}.word());
    EXPECT_EQ(tag.sequence, 65535);
    EXPECT_EQ(tag.credits, most_credits);
}

TEST(time_account, gives_every_cycle_to_one_state) {
    time_account account(2);
    account.begin(10);
    account.serve(0, 12, 20, rank_state::send);
    account.serve(1, 15, 30, rank_state::compute);
    account.serve(0, 20, 22, rank_state::receive);
    account.waits_for(rank_state::credit);
    account.advance(11);
    account.waits_for(rank_state::grant);
    account.advance(40);
    const auto of = [&account](rank_state what) { return account.cycles()[static_cast<std::size_t>(what)]; };
    EXPECT_EQ(of(rank_state::credit), 1u);
    EXPECT_EQ(of(rank_state::send), 3u);
    EXPECT_EQ(of(rank_state::compute), 15u);
    EXPECT_EQ(of(rank_state::receive), 0u);
    EXPECT_EQ(of(rank_state::grant), 11u);
}

}  // namespace
}  // namespace polycast::hw::programs
