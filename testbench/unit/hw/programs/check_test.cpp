// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/check.h"

#include <gmock/gmock.h>

#include "testbench/unit/hw/programs/sample_programs.h"

namespace polycast::hw::programs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> problems(const program& of, std::uint64_t eager = default_eager) {
    return check(of, {eager}).problems;
}

/// Two ranks.
program pair(const std::string& first, const std::string& second) {
    return goal("num_ranks 2\nrank 0 {\n" + first + "}\nrank 1 {\n" + second + "}\n");
}

TEST(program_check, samples_are_good) {
    for (const auto& one : std::filesystem::directory_iterator(sample_path("goal")))
        EXPECT_THAT(problems(read_program(one.path())), IsEmpty()) << one.path();
}

TEST(program_check, a_circular_wait_is_told_operation_by_operation) {
    const check_result found = check(sample("bad/circular.goal"));
    EXPECT_EQ(found.circle.size(), 6u);
    EXPECT_THAT(
        found.problems,
        ElementsAre(
            "circular wait: rank 0 line 4 'r: recv 8b from 1' waits for rank 1 line 10 's: send 8b to 0' waits for "
            "rank 1 line 9 'r: recv 8b from 2' waits for rank 2 line 15 's: send 8b to 1' waits for "
            "rank 2 line 14 'r: recv 8b from 0' waits for rank 0 line 5 's: send 8b to 2' waits for "
            "rank 0 line 4 'r: recv 8b from 1'"));
}

TEST(program_check, sends_head_to_head_wait_only_if_they_ask) {
    const program sends = sample("bad/head_to_head.goal");
    EXPECT_THAT(problems(sends),
                ElementsAre(HasSubstr("rank 0 line 4 's: send 70000b to 1' waits for rank 1 line 10 'r: recv 70000b "
                                      "from 0' waits for rank 1 line 9 's: send 70000b to 0' waits for")));
    EXPECT_EQ(check(sends, {69'999}).circle.size(), 4u);
    EXPECT_THAT(problems(sends, 70'000), IsEmpty());
}

TEST(program_check, the_shortest_circle_is_told) {
    // Three in a row close a circle with rank 1, and two another one.
    const program two = pair(
        "a: recv 1b from 1 tag 1\nb: calc 1\nb requires a\nc: send 1b to 1 tag 1\nc requires b\n"
        "d: recv 1b from 1 tag 2\ne: send 1b to 1 tag 2\ne requires d\n",
        "a: recv 1b from 0 tag 1\nb: send 1b to 0 tag 1\nb requires a\n"
        "d: recv 1b from 0 tag 2\ne: send 1b to 0 tag 2\ne requires d\n");
    const check_result found = check(two);
    EXPECT_EQ(found.circle.size(), 4u);
    EXPECT_THAT(found.problems, ElementsAre(HasSubstr("'d: recv 1b from 1' waits for rank 1 ")));
}

TEST(program_check, starts_are_not_ends) {
    // A receive that has started lets a send go: no circle. The other way round there is one.
    const std::string other = "r: recv 8b from 0\ns: send 8b to 0\ns requires r\n";
    EXPECT_THAT(problems(pair("r: recv 8b from 1\ns: send 8b to 1\ns irequires r\n", other)), IsEmpty());
    EXPECT_THAT(problems(pair("r: recv 8b from 1\ns: send 8b to 1\ns requires r\n", other)), testing::SizeIs(1));
}

TEST(program_check, numbers_of_messages_and_receives_must_match) {
    EXPECT_THAT(
        problems(sample("bad/left_over.goal")),
        ElementsAre(
            "2 messages from rank 0 to rank 1 with tag 1, and 1 receive: rank 0 line 5 't: send 8b to 1' is never "
            "received"));
    EXPECT_THAT(problems(pair("send 8b to 1 tag 1\n", "recv 8b from 0 tag 2\n")),
                ElementsAre("1 message from rank 0 to rank 1 with tag 1, and 0 receives: rank 0 line 3 'send 8b to 1' "
                            "is never received",
                            "0 messages from rank 0 to rank 1 with tag 2, and 1 receive: rank 1 line 6 'recv 8b from "
                            "0' is never served"));
    EXPECT_THAT(problems(pair("a: send 8b to 0 tag 5\nb: recv 8b from 0 tag 5\n", "")), IsEmpty());
}

TEST(program_check, receives_from_anybody_count_as_well_as_can_be) {
    EXPECT_THAT(
        problems(pair("send 8b to 1 tag 1\nsend 9b to 1 tag 2\n", "recv 8b from -1 tag 1\nrecv 9b from 0 tag -1\n")),
        IsEmpty());
    EXPECT_THAT(problems(pair("send 8b to 1 tag 1\n", "recv 8b from -1 tag 1\nrecv 8b from 0 tag -1\n")),
                ElementsAre("rank 1 has 2 receives from any source or of any tag, and 1 message for them"));
    EXPECT_THAT(
        problems(pair("send 8b to 1 tag 1\n", "recv 8b from -1 tag 7\n")),
        ElementsAre(HasSubstr("'send 8b to 1' is never received"), HasSubstr("rank 1 has 1 receive from any source")));
    // Which of the two messages the first receive takes is known in the run.
    EXPECT_THAT(problems(sample("bad/stolen.goal")), IsEmpty());
}

TEST(program_check, lengths_must_be_equal_in_the_order_of_the_pair) {
    EXPECT_THAT(problems(sample("bad/length.goal")),
                ElementsAre("lengths differ: rank 0 line 4 's: send 8b to 1' and rank 1 line 7 'r: recv 16b from 0'"));
    EXPECT_THAT(problems(pair("send 8b to 1\nsend 16b to 1\n", "recv 8b from 0\nrecv 16b from 0\n")), IsEmpty());
    EXPECT_THAT(problems(pair("send 8b to 1\nsend 16b to 1\n", "recv 16b from 0\nrecv 8b from 0\n")),
                testing::SizeIs(2));
}

TEST(program_check, only_the_first_problems_are_told) {
    std::string sends;
    for (int i = 0; i < 30; ++i) sends += "send 8b to 1 tag " + std::to_string(i) + "\n";
    const check_result found = check(pair(sends, ""));
    EXPECT_EQ(found.problems_found, 30u);
    EXPECT_EQ(found.problems.size(), 20u);
}

TEST(program_check, random_programs_are_good_whatever_is_eager) {
    std::mt19937_64 draw(5);
    for (unsigned run = 0; run < 60; ++run) {
        const program made =
            goal(random_goal(draw, static_cast<unsigned>(1 + draw() % 6), static_cast<unsigned>(draw() % 40)));
        for (const std::uint64_t eager : {0, 1000, 1 << 20})
            EXPECT_THAT(problems(made, eager), IsEmpty()) << "run " << run;
    }
}

}  // namespace
}  // namespace polycast::hw::programs
