// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/goal_text.h"

#include <gmock/gmock.h>

#include "testbench/unit/hw/programs/sample_programs.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using polycast::testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* samples[] = {"pingpong",
                                   "late_receiver",
                                   "bcast_binomial_12",
                                   "allreduce_ring_8",
                                   "allreduce_doubling_12",
                                   "allgather_bruck_12",
                                   "alltoall_pairwise_8",
                                   "alltoall_bruck_8",
                                   "barrier_13",
                                   "stencil_4x4",
                                   "gather_any_9",
                                   "two_cpus",
                                   "random_1",
                                   "random_2"};

std::string refused(const std::string& text, const read_options& options = {}) {
    return refusal([&] { goal(text, options); });
}

/// Statements of rank 0 of two, which begin in line 3.
std::string refused_statement(const std::string& statements) {
    return refused("num_ranks 2\nrank 0 {\n" + statements + "\n}\nrank 1 {\n}\n");
}

TEST(goal_text, a_statement_becomes_an_operation) {
    const program made = goal(R"(// a schedule
num_ranks 3
rank 1 { // the second first
  a: send 1000b to 2 tag 7 cpu 1 nic 3
  b: recv 4294967295b from -1 tag -1 cpu 255
  b irequires a   /* on its start */
  recv 0b from 2
  c: calc 9007199254740991 cpu 2
  c requires b
}
rank 0 {}
rank 2 { calc 0
}
)",
                              {nic_meaning::one});
    ASSERT_EQ(made.ranks(), 3u);
    ASSERT_EQ(made.of_rank(1).size(), 4u);
    operation sent;
    sent.kind = operation_kind::send;
    sent.length = 1000;
    sent.peer = 2;
    sent.tag = 7;
    sent.cpu = 1;
    sent.channel = 3;
    EXPECT_EQ(made.at({1, 0}), sent);
    const operation& received = made.at({1, 1});
    EXPECT_EQ(received.kind, operation_kind::receive);
    EXPECT_EQ(received.length, 4294967295u);
    EXPECT_TRUE(received.any_source);
    EXPECT_TRUE(received.any_tag);
    EXPECT_EQ(received.cpu, 255u);
    EXPECT_EQ(made.at({1, 2}).peer, 2u);
    EXPECT_FALSE(made.at({1, 2}).any_tag);
    EXPECT_EQ(made.at({1, 3}).length, most_time);
    EXPECT_THAT(made.dependents({1, 0}), ElementsAre(dependent(1, true)));
    EXPECT_THAT(made.dependents({1, 1}), ElementsAre(dependent(3, false)));
    EXPECT_TRUE(made.of_rank(0).empty());
    EXPECT_EQ(made.at({2, 0}).kind, operation_kind::calc);
    EXPECT_EQ(made.describe({1, 1}), "rank 1 line 5 'b: recv 4294967295b from any'");
    EXPECT_EQ(made.describe({1, 2}), "rank 1 line 7 'recv 0b from 2'");
    EXPECT_EQ(made.largest_cpu(), 255u);
    EXPECT_EQ(made.largest_channel(), 3u);
}

TEST(goal_text, labels_come_before_or_after_their_use_and_are_words) {
    const program made = goal(
        "num_ranks 1\nrank 0 {\nlast requires send\nsend: calc 1\nput : calc 2\nput requires send\nput irequires rank\n"
        "rank: calc 3\nlast: calc 4\n}\n");
    EXPECT_THAT(made.dependents({0, 0}), ElementsAre(dependent(3, false), dependent(1, false)));
    EXPECT_THAT(made.dependents({0, 2}), ElementsAre(dependent(1, true)));
}

TEST(goal_text, comments_stand_for_blanks_and_for_ends_of_lines_where_they_have_them) {
    const program made = goal(
        "/* head\n */ num_ranks /**/ 1 // so\r\nrank/* */0\n{\ncalc /* in between */ 5 /* over\nlines */ calc 6\n"
        "// calc 7\n/* calc 8 */\n} /* end */");
    ASSERT_EQ(made.of_rank(0).size(), 2u);
    EXPECT_EQ(made.at({0, 1}).length, 6u);
    EXPECT_EQ(made.name({0, 1}).line, 6u);
    EXPECT_THAT(refused_statement("send 8b /* \n */ to 1"),
                StartsWith("test.goal:4:5: expected 'to', found the end of the line"));
    EXPECT_THAT(refused("num_ranks 1 /* for ever"), StartsWith("test.goal:1:13: a comment without end"));
}

TEST(goal_text, mistakes_are_told_with_their_place) {
    EXPECT_THAT(refused_statement("s: sned 8b to 1"),
                StartsWith("test.goal:3:4: unknown operation 'sned'; did you mean 'send'? Known: send, recv, calc"));
    EXPECT_THAT(refused_statement("put 8b to 1 ct 0"), StartsWith("test.goal:3:1: unknown operation 'put', one of"));
    EXPECT_THAT(refused_statement("a: tput 8b to 1"), StartsWith("test.goal:3:4: unknown operation 'tput', one of"));
    EXPECT_THAT(refused_statement("s: send 8b to 1 cpu 0 tag 3"),
                StartsWith("test.goal:3:23: 'tag' comes too late, or twice; attributes are tag, cpu, nic"));
    EXPECT_THAT(
        refused_statement("send 8b to 1 tga 0"),
        StartsWith("test.goal:3:14: expected tag, cpu, nic or the end of the line, found 'tga'; did you mean 'tag'?"));
    EXPECT_THAT(refused_statement("calc 8 tag 0"),
                StartsWith("test.goal:3:8: expected cpu or the end of the line, found 'tag'"));
    EXPECT_THAT(refused_statement("send 8b to 1 tag 0 tag 1"),
                StartsWith("test.goal:3:20: 'tag' comes too late, or twice"));
    EXPECT_THAT(refused_statement("calc 8 nic 0"), StartsWith("test.goal:3:8: expected cpu or the end of the line"));
    EXPECT_THAT(refused_statement("send 8b to 2"), StartsWith("test.goal:3:12: a rank is 0 to 1, found '2'"));
    EXPECT_THAT(refused_statement("send 8b to -1"), StartsWith("test.goal:3:12: -1 stands for any rank"));
    EXPECT_THAT(refused_statement("send 8b to 1 tag -1"), StartsWith("test.goal:3:18: -1 stands for any tag"));
    EXPECT_THAT(refused_statement("recv 8b from -2"), StartsWith("test.goal:3:14: expected a rank, found '-'"));
    EXPECT_THAT(refused_statement("recv 8b to 1"), StartsWith("test.goal:3:9: expected 'from', found 'to'"));
    EXPECT_THAT(refused_statement("send 8 to 1"),
                StartsWith("test.goal:3:8: expected 'b' behind the number of bytes, found 'to'"));
    EXPECT_THAT(refused_statement("send 8kb to 1"),
                StartsWith("test.goal:3:7: expected 'b' behind the number of bytes, found 'kb'"));
    EXPECT_THAT(refused_statement("send 4294967296b to 1"),
                StartsWith("test.goal:3:6: a number of bytes is 0 to 4294967295, found '4294967296'"));
    EXPECT_THAT(refused_statement("send 99999999999999999999999b to 1"), HasSubstr("found '99999999999999999999999'"));
    EXPECT_THAT(refused_statement("recv 8b from 1 tag 4294967295"),
                StartsWith("test.goal:3:20: a tag is 0 to 4294967294"));
    EXPECT_THAT(refused_statement("calc 1 cpu 256"), StartsWith("test.goal:3:12: a cpu is 0 to 255"));
    EXPECT_THAT(refused_statement("calc"), StartsWith("test.goal:3:5: expected a time, found the end of the line"));
    EXPECT_THAT(refused_statement("calc 1 }"),
                StartsWith("test.goal:3:8: expected cpu or the end of the line, found '}'"));
    EXPECT_THAT(refused_statement("l1: calc 1\nl1: calc 2"),
                StartsWith("test.goal:4:1: the label 'l1' a second time; the first is in line 3"));
    EXPECT_THAT(refused_statement("fast: calc 1\nb: calc 2\nb requires fsat"),
                StartsWith("test.goal:5:12: rank 0 has no label 'fsat'; did you mean 'fast'?"));
    EXPECT_THAT(refused_statement("a: calc 1\nb: calc 2\nb require a"),
                StartsWith("test.goal:5:3: expected ':', 'requires' or 'irequires' behind the label 'b', found "
                           "'require'; did you mean"));
    EXPECT_THAT(refused_statement("a: calc 1\na requires a b"),
                StartsWith("test.goal:4:14: unexpected 'b'; a statement ends with its line"));
    EXPECT_THAT(refused_statement("a: calc 1\na requires"),
                StartsWith("test.goal:4:11: expected a label, found the end of the line"));
    EXPECT_THAT(refused_statement("a:\ncalc 1"),
                StartsWith("test.goal:3:3: expected an operation: send, recv or calc, found the end of the line"));
    EXPECT_THAT(refused_statement("1: calc 1"),
                StartsWith("test.goal:3:1: expected an operation, a label or '}', found '1'"));
}

TEST(goal_text, ranks_are_there_each_once) {
    EXPECT_THAT(refused("rank 0 {\n}\n"), StartsWith("test.goal:1:1: expected 'num_ranks', found 'rank'"));
    EXPECT_THAT(refused("num_ranks 0"), StartsWith("test.goal:1:11: the number of ranks is 1 to 65536"));
    EXPECT_THAT(refused("num_ranks 65537"), StartsWith("test.goal:1:11: the number of ranks is 1 to 65536"));
    EXPECT_THAT(refused("num_ranks 2\nrank 1 {\n}\nrank 1 {\n}\n"),
                StartsWith("test.goal:4:1: rank 1 a second time; the first is in line 2"));
    EXPECT_THAT(refused("num_ranks 2\nrank 1 {\n}\n"), StartsWith("test.goal:4:1: rank 0 is missing"));
    EXPECT_THAT(refused("num_ranks 1\nrank 0 {\ncalc 1\n"),
                StartsWith("test.goal:4:1: expected an operation, a label or '}', found the end of the file"));
    EXPECT_THAT(refused("num_ranks 1\nrank 0 {\n}\nranks 1 {\n}"),
                StartsWith("test.goal:4:1: expected 'rank' or the end of the file, found 'ranks'"));
    EXPECT_THAT(refused("num_ranks 1\nrank 0\ncalc 1"), StartsWith("test.goal:3:1: expected '{', found 'calc'"));
    EXPECT_THAT(refused(""), StartsWith("test.goal:1:1: expected 'num_ranks', found the end of the file"));
}

TEST(goal_text, cycles_of_dependencies_are_told_by_their_labels) {
    EXPECT_EQ(refusal([] { sample("bad/cycle.goal"); }),
              sample_path("bad/cycle.goal") +
                  ":7:1: rank 0 has a cycle of dependencies: 'a' (line 4) waits for 'b' (line 5), "
                  "which waits for 'a' (line 4)");
    EXPECT_THAT(refused_statement("a: calc 1\na requires a"),
                StartsWith("test.goal:4:1: rank 0 has a cycle of dependencies: 'a' (line 3) waits for 'a' (line 3)"));
    EXPECT_EQ(
        refusal([] { sample("bad/put.goal"); }).rfind(sample_path("bad/put.goal") + ":4:1: unknown operation 'put'", 0),
        0u);
    EXPECT_EQ(refusal([] { sample("bad/order.goal"); }).rfind(sample_path("bad/order.goal") + ":4:23: ", 0), 0u);
}

TEST(goal_text, nics_need_a_meaning) {
    const std::string text =
        "num_ranks 2\nrank 0 {\nsend 8b to 1 nic 0\nsend 8b to 1 nic 3\n}\nrank 1 {\nrecv 8b from 0 nic 3\nrecv 8b "
        "from 0\n}\n";
    EXPECT_THAT(refused(text), StartsWith("test.goal:4:14: messages take several NICs"));
    EXPECT_THAT(refused(text), HasSubstr("`nics: one`"));
    EXPECT_THAT(refused(text), HasSubstr("`nics: hosts`"));
    EXPECT_EQ(goal(text, {nic_meaning::one}).interfaces(), 1u);
    EXPECT_EQ(goal(text, {nic_meaning::hosts}).interfaces(), 4u);
    EXPECT_EQ(goal(text, {nic_meaning::hosts}).at({0, 1}).channel, 3u);
}

TEST(goal_text, what_is_written_reads_as_it_was) {
    for (const char* const name : samples) {
        const program made = sample(std::string("goal/") + name + ".goal");
        const std::string text = written(made, program_format::goal);
        EXPECT_EQ(goal(text), made) << name;
        EXPECT_EQ(written(goal(text), program_format::goal), text) << name;
    }
    // The order of what waits for an operation survives, though dependencies stand where they stand.
    const program rows =
        goal("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\nc requires a\nb requires a\n}\n");
    EXPECT_THAT(rows.dependents({0, 0}), ElementsAre(dependent(2, false), dependent(1, false)));
    EXPECT_EQ(goal(written(rows, program_format::goal)), rows);
    // A sample's own text is what is written, but for its comment.
    const std::string barrier = bytes_of(sample_path("goal/pingpong.goal"));
    EXPECT_EQ(written(sample("goal/pingpong.goal"), program_format::goal), barrier.substr(barrier.find('\n') + 1));
}

TEST(goal_text, random_programs_come_back_in_both_forms) {
    std::mt19937_64 draw(3);
    for (unsigned run = 0; run < 60; ++run) {
        const program made =
            goal(random_goal(draw, static_cast<unsigned>(1 + draw() % 6), static_cast<unsigned>(draw() % 40)));
        for (const program_format format : {program_format::goal, program_format::goal_binary}) {
            const program again = read_program_bytes("again", written(made, format));
            EXPECT_EQ(again, made) << "run " << run;
            EXPECT_EQ(written(again, program_format::goal), written(made, program_format::goal)) << "run " << run;
        }
    }
}

/// What is written is read with 1 ns, or with the unit in which it was written.
TEST(goal_text, times_are_written_in_their_unit) {
    const auto times = [](const program& of) {
        std::vector<std::uint64_t> all;
        for (const operation& each : of.of_rank(0)) all.push_back(each.length);
        return all;
    };
    const std::string text = "num_ranks 1\nrank 0 {\ncalc 70000\na: calc 1500\n}\n";
    for (const program_format format : {program_format::goal, program_format::goal_binary}) {
        const auto again = [&](std::uint64_t from, std::uint64_t to) {
            return times(read_program_bytes("again", written(goal(text, {.unit = from}), format, to), {.unit = to}));
        };
        const auto refused = [&](std::uint64_t from, std::uint64_t to) {
            return refusal([&] { written(goal(text, {.unit = from}), format, to); });
        };
        EXPECT_THAT(again(1000, 1000), ElementsAre(70000, 1500));
        EXPECT_THAT(again(4000, 1000), ElementsAre(280000, 6000));
        EXPECT_THAT(again(1, 500), ElementsAre(140, 3));
        EXPECT_THAT(again(3000, 2000), ElementsAre(105000, 2250));
        EXPECT_THAT(refused(1, 1000),
                    AllOf(HasSubstr("rank 0 line 4 'a: calc 1500' takes 1500 x 1 ps, no whole number"),
                          HasSubstr("'--to-unit \"500 ps\"'")));
        EXPECT_THAT(refused(6, 4000), HasSubstr("'--to-unit \"1000 ps\"'"));
        const std::string longest = "num_ranks 1\nrank 0 {\ncalc " + std::to_string(most_time) + "\n}\n";
        EXPECT_THAT(refusal([&] { written(goal(longest, {.unit = 2000}), format); }),
                    AllOf(HasSubstr("more times 1000 ps than"), HasSubstr("'--to-unit \"2000 ps\"'")));
        EXPECT_NO_THROW(written(goal(longest), format));
    }
}

TEST(goal_text, files_are_known_by_their_content) {
    EXPECT_EQ(detect_program_format("/* a */ // b\n num_ranks 4"), program_format::goal);
    EXPECT_EQ(detect_program_format(bytes_of(sample_path("goal/random_2.bin"))), program_format::goal_binary);
    EXPECT_EQ(detect_program_format("<graphml>"), std::nullopt);
    EXPECT_THAT(refusal([] { read_program_bytes("x", "<graphml>"); }),
                StartsWith("x: this is no program: it begins with '<graphml>'"));
    EXPECT_THAT(refusal([] { read_program_bytes("x", ""); }), StartsWith("x: the file is empty"));
    EXPECT_THAT(refusal([] { read_program(sample_path("none.goal")); }), HasSubstr("cannot be read: No such file"));
    EXPECT_THAT(refusal([] { read_program(sample_path("goal")); }), HasSubstr("this is a directory"));
}

}  // namespace
}  // namespace polycast::hw::programs
