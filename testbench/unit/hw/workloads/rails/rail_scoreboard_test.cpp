// SPDX-License-Identifier: Apache-2.0
// The scoreboard of messages between processes finds every kind of fault; traffic has the moments that it was asked
// for.
#include "hw/workloads/rails/rail_scoreboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hw/input_error.h"
#include "hw/workloads/rails/rail_traffic.h"

namespace polycast::hw::rails {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::uint8_t> bytes_of(process_id from, std::uint32_t number, std::size_t bytes) {
    std::vector<std::uint8_t> made(bytes);
    traffic::fill_payload(5, transfer_of(from, number), made);
    return made;
}

struct fixture {
    fixture() : board(5, 100) {
        board.created({1, 0}, {.created = 10, .to = {2, 1}, .bytes = 50, .number = 0});
        board.created({1, 0}, {.created = 20, .to = {2, 1}, .bytes = 60, .number = 1});
    }
    rail_scoreboard board;
};

TEST(rail_scoreboard, counts_what_is_right) {
    fixture f;
    f.board.delivered(210, {2, 1}, {1, 0}, 1, bytes_of({1, 0}, 1, 60));
    EXPECT_FALSE(f.board.complete());
    EXPECT_THAT(f.board.unfinished(), ElementsAre(rail_scoreboard::finished_message{{1, 0}, 0, 10, engine::never, 50}));
    EXPECT_THAT(f.board.oldest_missing(), HasSubstr("message 0 of host 1, process 0 to host 2, process 1"));
    f.board.delivered(350, {2, 1}, {1, 0}, 0, bytes_of({1, 0}, 0, 50));
    EXPECT_TRUE(f.board.complete());
    EXPECT_TRUE(f.board.counts().good());
    EXPECT_EQ(f.board.counts().delivered, 2u);
    EXPECT_THAT(f.board.offered(), ElementsAre(110));
    EXPECT_THAT(f.board.accepted(), ElementsAre(0, 0, 60, 50));
    EXPECT_THAT(f.board.finished(), ElementsAre(rail_scoreboard::finished_message{{1, 0}, 1, 20, 210, 60},
                                                rail_scoreboard::finished_message{{1, 0}, 0, 10, 350, 50}));
    EXPECT_THAT(f.board.faults(), IsEmpty());
}

TEST(rail_scoreboard, finds_what_is_wrong) {
    fixture f;
    auto wrong = bytes_of({1, 0}, 0, 50);
    wrong[49] ^= 1;
    f.board.delivered(1, {2, 1}, {1, 0}, 0, wrong);
    f.board.delivered(2, {2, 1}, {1, 0}, 0, bytes_of({1, 0}, 0, 49));
    f.board.delivered(3, {2, 1}, {1, 0}, 0, bytes_of({1, 0}, 0, 51));
    f.board.delivered(4, {2, 1}, {1, 0}, 0, bytes_of({1, 0}, 1, 50));
    EXPECT_EQ(f.board.counts().corrupted, 4u);
    f.board.delivered(5, {2, 0}, {1, 0}, 0, bytes_of({1, 0}, 0, 50));
    f.board.delivered(6, {3, 1}, {1, 0}, 0, bytes_of({1, 0}, 0, 50));
    f.board.delivered(7, {2, 1}, {1, 1}, 0, bytes_of({1, 1}, 0, 50));
    f.board.delivered(8, {2, 1}, {1, 0}, 2, bytes_of({1, 0}, 2, 50));
    EXPECT_EQ(f.board.counts().misdelivered, 4u);
    f.board.delivered(9, {2, 1}, {1, 0}, 0, bytes_of({1, 0}, 0, 50));
    f.board.delivered(10, {2, 1}, {1, 0}, 0, bytes_of({1, 0}, 0, 50));
    EXPECT_EQ(f.board.counts().duplicated, 1u);
    EXPECT_EQ(f.board.counts().delivered, 1u);
    EXPECT_EQ(f.board.faults().size(), 9u);
    EXPECT_FALSE(f.board.complete());
}

TEST(rail_traffic, has_the_means_that_were_asked_for) {
    rail_traffic source({.nodes = 5, .processes = 3, .bytes = 1000, .longest = 8000, .gap = 500, .end = 5'000'000});
    double bytes = 0, count = 0;
    std::vector<double> to(15);
    cycle last = 0;
    std::uint32_t number = 0;
    while (const auto message = source.next({2, 1})) {
        EXPECT_NE(message->to.host, 2u);
        EXPECT_LE(message->bytes, 8000u);
        EXPECT_GE(message->created, last);
        EXPECT_EQ(message->number, number++);
        last = message->created;
        bytes += message->bytes;
        ++count;
        ++to[message->to.host * 3 + message->to.process];
    }
    // 10,000 exponential gaps and lengths: deviation 1 % of the mean each; three of them.
    EXPECT_NEAR(count, 10'000, 300);
    // Cut at eight means: less by e^-8; rounded up: more by a half.
    EXPECT_NEAR(bytes / count, 1000 * (1 - std::exp(-8)) + 0.5, 31);
    for (std::uint32_t each = 0; each < 15; ++each)
        EXPECT_NEAR(to[each], each / 3 == 2 ? 0 : count / 12, 3 * std::sqrt(count / 12)) << each;
}

TEST(rail_traffic, of_a_process_does_not_depend_on_the_others) {
    rail_traffic one({.seed = 9}), other({.seed = 9});
    for (int number = 0; number < 10; ++number) other.next({1, 1});
    for (int number = 0; number < 10; ++number) {
        const auto a = one.next({3, 2}), b = other.next({3, 2});
        EXPECT_EQ(a->created, b->created);
        EXPECT_EQ(a->to, b->to);
        EXPECT_EQ(a->bytes, b->bytes);
    }
}

TEST(rail_traffic, refuses_what_cannot_be) {
    EXPECT_THROW(rail_traffic({.nodes = 1}), input_error);
    EXPECT_THROW(rail_traffic({.processes = 0}), input_error);
    EXPECT_THROW(rail_traffic({.bytes = 0.5}), input_error);
    EXPECT_THROW(rail_traffic({.longest = 0}), input_error);
    EXPECT_THROW(rail_traffic({.gap = 0}), input_error);
}

}  // namespace
}  // namespace polycast::hw::rails
