// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/loggops.h"

#include <gmock/gmock.h>

#include "hw/input_error.h"
#include "testbench/unit/hw/programs/plain_loggops.h"
#include "testbench/unit/hw/programs/sample_programs.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using polycast::testbench::unit::refusal;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr loggops_parameters a{2500, 1500, 1500, 1000, 6, 0, 65535};
constexpr loggops_parameters b{11, 7, 7, 5, 3, 2, 10};

struct known_values {
    const char* file;
    std::uint32_t ranks;
    std::uint64_t operations;
    struct {
        std::uint64_t latest;
        std::uint32_t rank;
        std::uint64_t sum;
    } a, b;
};

constexpr known_values table[] = {
    {"pingpong.goal", 2, 4, {22988, 0, 35982}, {6044, 0, 11071}},
    {"late_receiver.goal", 2, 6, {1507036, 0, 3010030}, {1200050, 0, 2400075}},
    {"bcast_binomial_12.goal", 12, 22, {115780, 11, 1118800}, {49220, 11, 524788}},
    {"allreduce_ring_8.goal", 8, 224, {11086964, 0, 88695712}, {9175166, 0, 73401328}},
    {"allreduce_ring_8.bin", 8, 224, {11086964, 0, 88695712}, {9175166, 0, 73401328}},
    {"allreduce_doubling_12.goal", 12, 64, {98192, 0, 1060048}, {45124, 0, 508644}},
    {"allgather_bruck_12.goal", 12, 96, {89560, 0, 1074720}, {56356, 0, 676272}},
    {"alltoall_pairwise_8.goal", 8, 112, {59962, 0, 479696}, {17983, 0, 143864}},
    {"alltoall_bruck_8.goal", 8, 48, {53346, 0, 426768}, {30747, 0, 245976}},
    {"barrier_13.goal", 13, 104, {22000, 0, 286000}, {100, 0, 1300}},
    {"stencil_4x4.goal", 16, 480, {221649, 3, 3540168}, {139773, 15, 2223048}},
    {"gather_any_9.goal", 9, 25, {31229, 0, 46829}, {8127, 0, 34970}},
    {"two_cpus.goal", 2, 8, {60150, 0, 91740}, {24630, 0, 45137}},
    {"random_1.goal", 10, 102, {30985, 1, 201287}, {5071, 1, 39644}},
    {"random_2.goal", 16, 170, {136212, 14, 1563610}, {58691, 14, 743136}},
    {"random_2.bin", 16, 170, {136212, 14, 1563610}, {58691, 14, 743136}},
};

/// \param first, second operations of two ranks
loggops_result run_pair(const std::string& first, const std::string& second, const loggops_parameters& with = a) {
    return run_loggops(goal("num_ranks 2\nrank 0 {\n" + first + "}\nrank 1 {\n" + second + "}\n"), with);
}

TEST(loggops, known_values) {
    for (const known_values& known : table) {
        const program made = sample(std::string("goal/") + known.file);
        EXPECT_EQ(made.ranks(), known.ranks) << known.file;
        EXPECT_EQ(made.operations(), known.operations) << known.file;
        for (const bool first : {true, false}) {
            const loggops_result found = run_loggops(made, first ? a : b);
            const auto& wanted = first ? known.a : known.b;
            EXPECT_FALSE(found.stuck) << known.file;
            EXPECT_EQ(found.latest(), wanted.latest) << known.file << (first ? " A" : " B");
            EXPECT_EQ(found.last_rank(), wanted.rank) << known.file << (first ? " A" : " B");
            EXPECT_EQ(found.sum(), wanted.sum) << known.file << (first ? " A" : " B");
        }
    }
}

TEST(loggops, known_values_of_htsim_schedules) {
    if (shared_programs().empty()) GTEST_SKIP() << "shared/data is not there: set POLYCAST_SHARED_DATA";
    const loggops_result one = run_loggops(read_program(shared_programs() + "goal/htsim/one_send.goal"), a);
    EXPECT_EQ(one.latest(), 480005494u);
    EXPECT_EQ(one.last_rank(), 15u);
    EXPECT_EQ(one.sum(), 480009494u);
    const loggops_result comp = run_loggops(read_program(shared_programs() + "goal/htsim/comp.goal"), a);
    EXPECT_EQ(comp.latest(), 480013494u);
    EXPECT_EQ(comp.last_rank(), 0u);
    EXPECT_EQ(comp.sum(), 480025494u);
}

TEST(loggops, one_message) {
    // o | L | o + (s - 1) G at the receiver; 0 bytes count as one.
    EXPECT_THAT(run_pair("send 101b to 1\n", "recv 101b from 0\n").finish, ElementsAre(1500, 6100));
    EXPECT_THAT(run_pair("send 0b to 1\n", "recv 0b from 0\n").finish, ElementsAre(1500, 5500));
    EXPECT_THAT(run_pair("send 1b to 1\n", "recv 1b from 0\n", {100, 10, 3, 1, 1, 0, 10}).finish, ElementsAre(10, 113));
    // The sender of a long one learns when it matched; the receiver pays when its processor is free.
    EXPECT_THAT(run_pair("send 101b to 1\n", "a: calc 9000\nb: recv 101b from 0\nb requires a\n",
                         {2500, 1500, 1500, 1000, 6, 0, 100})
                    .finish,
                ElementsAre(9000, 11100));
}

TEST(loggops, spans_are_starts_and_ends_of_operations) {
    const program made =
        goal("num_ranks 2\nrank 0 {\nc: calc 100\ns: send 8b to 1\ns requires c\n}\nrank 1 {\nr: recv 8b from 0\n}\n");
    EXPECT_TRUE(run_loggops(made, a).spans.empty());
    const loggops_result found = run_loggops(made, a, {}, true);
    ASSERT_EQ(found.spans.size(), 3u);
    const std::pair<std::uint64_t, std::uint64_t> wanted[] = {{0, 100}, {100, 1600}, {0, 4100 + 1500 + 7 * 6}};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(found.spans[i].begin, wanted[i].first) << i;
        EXPECT_EQ(found.spans[i].end, wanted[i].second) << i;
    }
    EXPECT_EQ(found.matched, 1u);
    EXPECT_EQ(run_loggops(sample("bad/stolen.goal"), a).matched, 1u);
}

TEST(loggops, none_holds_nothing_and_a_self_message_is_a_message) {
    const loggops_result self = run_pair("s: send 11b to 0\nr: recv 11b from 0\n", "");
    EXPECT_THAT(self.finish, ElementsAre(1500 + 2500 + 1500 + 60, 0));
    EXPECT_EQ(self.messages, 1u);
    EXPECT_EQ(self.bytes, 11u);
}

TEST(loggops, a_message_without_its_receive_waits) {
    const loggops_result found =
        run_pair("send 8b to 1 tag 1\nsend 8b to 1 tag 2\n",
                 "a: calc 50000 cpu 1\nb: recv 8b from 0 tag 2\nb requires a\nc: recv 8b from 0 tag 1\nc requires a\n");
    EXPECT_EQ(found.unexpected_peak, 2u);
    EXPECT_FALSE(found.stuck);
}

TEST(loggops, a_stolen_message_is_stuck_and_told) {
    const loggops_result found = run_loggops(sample("bad/stolen.goal"), a);
    EXPECT_TRUE(found.stuck);
    EXPECT_EQ(found.waiting, 1u);
    EXPECT_THAT(found.report,
                ElementsAre("rank 0 line 5 'b: recv 8b from 1' waits for a message from rank 1 with tag 7",
                            "nobody has taken the message of rank 2 line 13 's: send 8b to 0'"));
}

TEST(loggops, a_circular_wait_is_told_from_the_live_state) {
    const program sends = sample("bad/head_to_head.goal");
    const loggops_result found = run_loggops(sends, a);
    EXPECT_TRUE(found.stuck);
    EXPECT_EQ(found.waiting, 4u);
    EXPECT_THAT(found.report[0],
                StartsWith("circular wait: rank 0 line 4 's: send 70000b to 1' waits for rank 1 line 10 "));
    EXPECT_THAT(found.report, Contains("rank 0 line 4 's: send 70000b to 1' waits for its receive in rank 1"));
    loggops_parameters eager = a;
    eager.S = 70'000;
    EXPECT_FALSE(run_loggops(sends, eager).stuck);
    // What has been matched before the circle is not part of it.
    const loggops_result later = run_pair(
        "a: send 8b to 1 tag 9\nr: recv 8b from 1 tag 1\nr requires a\ns: send 8b to 1 tag 1\ns requires r\n",
        "a: recv 8b from 0 tag 9\nr: recv 8b from 0 tag 1\nr requires a\ns: send 8b to 0 tag 1\ns requires r\n");
    EXPECT_EQ(later.waiting, 4u);
    EXPECT_THAT(
        later.report[0],
        StartsWith("circular wait: rank 0 line 4 'r: recv 8b from 1' waits for rank 1 line 13 's: send 8b to 0'"));
}

TEST(loggops, what_waits_for_the_stuck_is_told_with_its_reason) {
    const loggops_result found = run_pair("a: recv 8b from -1 tag 3\nb: calc 5\nb requires a\n", "a: recv 8b from 0\n");
    EXPECT_THAT(found.report,
                ElementsAre("rank 0 line 3 'a: recv 8b from any' waits for a message from any rank with tag 3",
                            "rank 1 line 8 'a: recv 8b from 0' waits for a message from rank 0 with tag 0"));
    EXPECT_EQ(found.waiting, 3u);
}

TEST(loggops, what_it_cannot_run_is_refused) {
    EXPECT_THAT(refusal([] { run_loggops(sample("bad/length.goal"), a); }),
                StartsWith("lengths differ: rank 0 line 4 's: send 8b to 1'"));
    loggops_parameters large = a;
    large.G = most_loggops + 1;
    EXPECT_THAT(refusal([&] { run_loggops(sample("goal/pingpong.goal"), large); }), HasSubstr("are at most 268435456"));
    std::string long_calcs;
    for (int i = 0; i < 600; ++i) long_calcs += "calc 9007199254740991\n";
    EXPECT_THAT(refusal([&] { run_pair(long_calcs, ""); }), HasSubstr("longer than 2^62"));
}

TEST(loggops, random_programs_end) {
    std::mt19937_64 draw(9);
    for (unsigned run = 0; run < 100; ++run) {
        const program made =
            goal(random_goal(draw, static_cast<unsigned>(1 + draw() % 8), static_cast<unsigned>(draw() % 60)));
        for (const std::uint64_t eager : {0u, 1000u, 100000u}) {
            loggops_parameters with = b;
            with.S = eager;
            EXPECT_FALSE(run_loggops(made, with).stuck) << "run " << run;
        }
    }
}

TEST(loggops, a_watch_learns_how_far_it_is_and_can_stop_it) {
    std::string calcs;
    for (int i = 0; i < 600'000; ++i) calcs += "calc 5\n";
    const program made = goal("num_ranks 2\nrank 0 {\n" + calcs + "}\nrank 1 {\n" + calcs + "}\n");
    std::vector<std::uint64_t> seen;
    const auto watch = [&](std::uint64_t ended, std::uint64_t time) {
        seen.push_back(ended);
        EXPECT_GE(ended, 2 * (time / 5));
        return seen.size() < 3;
    };
    const loggops_result stopped = run_loggops(made, a, watch);
    EXPECT_TRUE(stopped.stopped);
    EXPECT_FALSE(stopped.stuck);
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_GT(seen.back(), 100'000u);
    EXPECT_LT(seen.back(), made.operations());
    EXPECT_FALSE(run_loggops(made, a).stopped);
}

/// Every start and end of an operation, whatever waits for whatever.
TEST(loggops, random_programs_take_the_times_of_the_plain_rules) {
    std::mt19937_64 draw(10);
    std::uint64_t compared = 0;
    for (unsigned run = 0; run < 300; ++run) {
        const std::string text = random_goal(draw, static_cast<unsigned>(1 + draw() % 6),
                                             static_cast<unsigned>(draw() % 150), run % 3 == 0 ? 3 : 1);
        const program made = goal(text, {.nics = nic_meaning::one});
        for (const std::uint64_t eager : {0u, 1000u, 100000u}) {
            loggops_parameters with = draw() % 2 == 0 ? a : b;
            with.S = eager;
            // Without gaps or overheads several events of one time are taken at once.
            if (draw() % 4 == 0) with.g = with.G = 0;
            if (draw() % 4 == 0) with.o = with.O = with.o_receive = 0;
            const loggops_result got = run_loggops(made, with, {}, true);
            const plain_loggops plain(made, with);
            for (std::size_t i = 0; i < got.spans.size(); ++i) {
                ASSERT_EQ(got.spans[i].begin, plain.spans()[i].begin) << "run " << run << ", operation " << i;
                ASSERT_EQ(got.spans[i].end, plain.spans()[i].end) << "run " << run << ", operation " << i;
            }
            compared += got.spans.size();
        }
    }
    EXPECT_GT(compared, 50'000u);
}

/// A few looks at each, not one for each that is before it.
TEST(loggops, thousands_of_messages_at_once_take_their_turns) {
    constexpr std::uint32_t count = 30'000;
    std::string sends, receives;
    for (std::uint32_t i = 0; i < count; ++i) {
        sends += "send 8b to 1 tag " + std::to_string(i) + "\n";
        receives += "recv 8b from 0 tag " + std::to_string(count - 1 - i) + "\n";
    }
    const loggops_result got = run_pair(sends, receives);
    EXPECT_FALSE(got.stuck);
    EXPECT_EQ(got.matched, count);
    EXPECT_LT(got.events, 7 * count);
}

/// One with a larger number waits first, and all with smaller ones come to it later.
TEST(loggops, messages_with_smaller_numbers_take_their_turns_too) {
    constexpr std::uint32_t count = 4'000;
    std::string sends = "a: calc 100000 cpu 1\nb: calc 50000 cpu 2\nc: calc 200000 cpu 0\n", receives;
    for (std::uint32_t i = 0; i <= count; ++i) {
        const std::string name = "s" + std::to_string(i);
        sends += name + ": send 8b to 1 tag " + std::to_string(i) + "\n" + name + " requires " +
                 (i == count ? "b" : "a") + "\n";
        receives += "recv 8b from 0 tag " + std::to_string(i) + "\n";
    }
    const loggops_result got = run_pair(sends, receives);
    EXPECT_EQ(got.matched, count + 1);
    EXPECT_LT(got.events, 8 * count);
}

}  // namespace
}  // namespace polycast::hw::programs
