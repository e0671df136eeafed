// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/htsim_matrix.h"

#include <gmock/gmock.h>

#include "hw/programs/check.h"
#include "hw/programs/loggops.h"
#include "hw/programs/summary.h"
#include "testbench/unit/hw/programs/sample_programs.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::programs {
namespace {

using polycast::testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

program matrix(const std::string& text, const read_options& options = {}) {
    return read_program_bytes("test.cm", text, options);
}

std::string refused(const std::string& text, const read_options& options = {}) {
    return refusal([&] { matrix(text, options); });
}

/// One line behind a good head for one connection.
std::string refused_line(const std::string& line) {
    return refused("Nodes 4\nConnections 1\n" + line + "\n");
}

TEST(htsim_matrix, a_connection_becomes_a_message) {
    const program made =
        matrix("# two\nNodes 4\nConnections 2\n2->1 id 7 start 0 size 300 # late\n2->3 size 5 start 0");
    ASSERT_EQ(made.ranks(), 4u);
    ASSERT_EQ(made.operations(), 4u);
    operation sent;
    sent.kind = operation_kind::send;
    sent.length = 300;
    sent.peer = 1;
    EXPECT_EQ(made.at({2, 0}), sent);
    EXPECT_EQ(made.describe({2, 0}), "rank 2 line 4 'id 7: send 300b to 1'");
    EXPECT_EQ(made.describe({1, 0}), "rank 1 line 4 'id 7: recv 300b from 2'");
    EXPECT_EQ(made.at({2, 1}).tag, 1u);
    EXPECT_EQ(made.at({3, 0}).tag, 1u);
    EXPECT_EQ(made.unit(), 1u);
    EXPECT_TRUE(check(made).good());
}

TEST(htsim_matrix, starts_are_kept_whatever_messages_cost) {
    const program made =
        matrix("Nodes 2\nConnections 3\n0->1 start 900 size 1\n0->1 start 500 size 1\n0->1 start 500 size 1\n");
    // The timer has a processor of its own: 500, then 400 more.
    ASSERT_EQ(made.of_rank(0).size(), 5u);
    EXPECT_EQ(made.at({0, 0}).length, 500u);
    EXPECT_EQ(made.at({0, 1}).length, 400u);
    EXPECT_EQ(made.at({0, 1}).cpu, 1u);
    EXPECT_THAT(made.dependents({0, 0}), ElementsAre(dependent(1, false), dependent(3, false), dependent(4, false)));
    EXPECT_THAT(made.dependents({0, 1}), ElementsAre(dependent(2, false)));
    const loggops_result found = run_loggops(made, {100, 300, 300, 0, 0, 0, 65535});
    EXPECT_EQ(found.finish[0], 500u + 3 * 300);
    EXPECT_EQ(matrix("Nodes 1\nConnections 0\n", {.unit = 4000}).unit(), 4000u);
}

TEST(htsim_matrix, long_connections_are_cut) {
    const std::string text = "Nodes 2\nConnections 1\n0->1 start 3 size 1000\n";
    const program made = matrix(text, {.piece = 400});
    ASSERT_EQ(made.of_rank(1).size(), 3u);
    EXPECT_EQ(made.at({1, 1}).length, 400u);
    EXPECT_EQ(made.at({1, 2}).length, 200u);
    EXPECT_EQ(made.dependents({0, 0}).size(), 3u);
    EXPECT_TRUE(check(made).good());
    EXPECT_THAT(refused("Nodes 2\nConnections 1\n0->1 start 0 size 5000000000\n"),
                "test.cm:3:1: a message of 5000000000 bytes; the longest has 4294967295; `piece` cuts longer ones");
    EXPECT_THAT(refused(text, {.piece = 0}), "accepted");
    EXPECT_THAT(refused("Nodes 2\nConnections 1\n0->1 start 0 size 5000000000\n", {.piece = 1000}),
                StartsWith("test.cm:3:1: 5000000000 bytes make 5000000 pieces; at most 65536"));
}

TEST(htsim_matrix, a_trigger_starts_what_names_it) {
    const program made = matrix(R"(Nodes 3
Connections 4
Triggers 2
0->1 start 0 size 10 send_done_trigger 5 recv_done_trigger 6
0->2 trigger 5 size 20
1->2 trigger 6 size 30
1->0 trigger 6 size 40
trigger id 5 oneshot
trigger id 6 oneshot
)");
    EXPECT_THAT(made.dependents({0, 0}), ElementsAre(dependent(1, false)));
    EXPECT_THAT(made.dependents({1, 0}), ElementsAre(dependent(1, false), dependent(2, false)));
    EXPECT_EQ(summarise(made).by_kind[static_cast<std::size_t>(operation_kind::send)], 4u);
    EXPECT_TRUE(check(made).good());
}

TEST(htsim_matrix, another_rank_is_told_by_a_message) {
    const program made = matrix(R"(Nodes 3
Connections 2
Triggers 1
0->1 start 0 size 1000 send_done_trigger 1
2->1 trigger 1 size 20
trigger id 1 oneshot
)",
                                {.piece = 600});
    // Two pieces, what waits for both, and the news.
    ASSERT_EQ(made.of_rank(0).size(), 4u);
    EXPECT_EQ(made.at({0, 3}).length, 0u);
    EXPECT_EQ(made.at({0, 3}).peer, 2u);
    EXPECT_EQ(made.at({0, 3}).tag, 2u);
    EXPECT_THAT(made.dependents({2, 1}), ElementsAre(dependent(0, false)));
    EXPECT_EQ(*summarise(made).longest_chain, 3u);
    EXPECT_FALSE(run_loggops(made, {}).stuck);
}

TEST(htsim_matrix, a_barrier_waits_for_all_and_a_multishot_starts_one_by_one) {
    const std::string head = "Nodes 4\nConnections 4\nTriggers 1\n";
    const std::string first = "0->1 start 0 size 8 send_done_trigger 1\n1->2 start 0 size 8 send_done_trigger 1\n";
    const std::string then = "2->3 trigger 1 size 8\n3->0 trigger 1 size 8\n";
    const program barrier = matrix(head + first + then + "trigger id 1 barrier count 2\n");
    // Ranks 0 and 1 tell rank 2, which tells rank 3.
    const summary all = summarise(barrier);
    EXPECT_EQ(all.by_kind[static_cast<std::size_t>(operation_kind::send)], 7u);
    EXPECT_EQ(*all.longest_chain, 4u);
    EXPECT_TRUE(check(barrier).good());
    const program multishot = matrix(head + first + then + "trigger id 1 multishot\n");
    EXPECT_EQ(summarise(multishot).by_kind[static_cast<std::size_t>(operation_kind::send)], 6u);
    EXPECT_EQ(*summarise(multishot).longest_chain, 3u);
    EXPECT_THAT(refused(head + first + then + "trigger id 1 barrier count 3\n"),
                "test.cm:8:1: trigger 1 has 2 activations, and its count is 3");
    EXPECT_THAT(refused(head + first + then + "trigger id 1 oneshot\n"),
                StartsWith("test.cm:8:1: trigger 1 has 2 activations; a oneshot has one"));
    EXPECT_THAT(refused("Nodes 2\nConnections 2\nTriggers 1\n0->1 trigger 1 size 8\n0->1 trigger 1 size 8 "
                        "send_done_trigger 1\ntrigger id 1 multishot\n"),
                StartsWith("test.cm:6:1: trigger 1 has 1 activation for 2 connections"));
}

TEST(htsim_matrix, connections_that_start_each_other_are_refused) {
    EXPECT_THAT(refused(R"(Nodes 2
Connections 2
Triggers 2
0->1 trigger 1 size 8 send_done_trigger 2
0->1 trigger 2 size 8 send_done_trigger 1
trigger id 1 oneshot
trigger id 2 oneshot
)"),
                "test.cm:4:1: connections that start each other, in lines 4, 5");
}

TEST(htsim_matrix, every_word_is_known) {
    EXPECT_THAT(refused("Nodes 4\n"), StartsWith("test.cm:1:8: the file has no 'Connections'"));
    EXPECT_THAT(refused("Nodes 0\n"), StartsWith("test.cm:1:7: the number behind 'Nodes' is 1 to 65536, found '0'"));
    EXPECT_THAT(refused("Nodes 4\nNodes 4\n"),
                StartsWith("test.cm:2:1: 'Nodes' a second time; the first is in line 1"));
    EXPECT_THAT(refused("Nodes 4\nConnections 2\n0->1 start 0 size 1\n"),
                "test.cm:2:1: 2 connections are announced, and the file has 1");
    EXPECT_THAT(refused("Nodes 4\nConnections 0\nTriggers 1\n"),
                "test.cm:3:1: 1 triggers are announced, and the file has 0");
    EXPECT_THAT(refused("Nodes 4\nConnections 0\ntrigger id 1 oneshot\n"), HasSubstr("0 triggers are announced"));
    EXPECT_THAT(refused("Nodes 4\nConections 0\n"),
                "test.cm:2:1: unknown word 'Conections'; did you mean 'Connections'?");
    EXPECT_THAT(refused("Nodes 4\nFailures 1\n"), StartsWith("test.cm:2:1: 'Failures': failures of links"));
    EXPECT_THAT(refused_line("failure 1"), StartsWith("test.cm:3:1: 'failure': failures of links"));
    EXPECT_THAT(refused_line("0->4 start 0 size 1"), StartsWith("test.cm:3:4: the destination is 0 to 3, found '4'"));
    EXPECT_THAT(refused_line("0-1 start 0 size 1"), StartsWith("test.cm:3:2: expected '->'"));
    EXPECT_THAT(refused_line("0->1 start 0 sise 1"),
                "test.cm:3:14: unknown word 'sise' of a connection; did you mean 'size'?");
    EXPECT_THAT(refused_line("0->1 start 0 size 0"), StartsWith("test.cm:3:19: a size is 1 to "));
    EXPECT_THAT(refused_line("0->1 start 1x size 1"), StartsWith("test.cm:3:12: a time is 0 to 9007199254740991"));
    EXPECT_THAT(refused_line("0->1 start 0"), StartsWith("test.cm:3:13: a connection without size"));
    EXPECT_THAT(refused_line("0->1 size 1"), StartsWith("test.cm:3:12: a connection without start or trigger"));
    EXPECT_THAT(refused_line("0->1 start 0 trigger 1 size 1"), HasSubstr("with both start and trigger"));
    EXPECT_THAT(refused_line("0->1 start 0 start 1 size 1"), StartsWith("test.cm:3:14: 'start' a second time"));
    EXPECT_THAT(refused_line("0->1 trigger 1 size 1"), StartsWith("test.cm:3:14: there is no trigger 1"));
    EXPECT_THAT(refused_line("trigger id 1 oneshoot"),
                "test.cm:3:14: unknown kind of trigger 'oneshoot'; did you mean 'oneshot'?");
    EXPECT_THAT(refused_line("trigger id 1 barrier 4"), StartsWith("test.cm:3:22: expected 'count'"));
    EXPECT_THAT(refused_line("trigger id 1 oneshot\ntrigger id 1 oneshot"),
                StartsWith("test.cm:4:12: the trigger 1 a second time; the first is in line 3"));
    EXPECT_THAT(refused_line("0->1 start 0 size 1 id 3\n0->2 id 3 start 0 size 1"),
                StartsWith("test.cm:4:9: the id 3 a second time; the first is in line 3"));
}

TEST(htsim_matrix, priorities_are_warned_of_and_ignored) {
    std::string warned;
    const program made = matrix("Nodes 2\nConnections 1\n0->1 start 0 size 1 prio 3\n",
                                {.warn = [&](const std::string& text) { warned += text; }});
    EXPECT_EQ(warned, "test.cm: prio is ignored: messages of a rank have no priorities");
    EXPECT_EQ(made.operations(), 2u);
}

TEST(htsim_matrix, files_of_htsim) {
    if (shared_programs().empty()) GTEST_SKIP() << "shared/data is not there: set POLYCAST_SHARED_DATA";
    const struct {
        const char* file;
        std::uint32_t ranks;
        std::uint64_t messages, chain;
    } files[] = {{"one", 16, 1, 1},
                 {"bidir", 16, 2, 1},
                 {"incast", 16, 15, 1},
                 {"outcast_incast", 128, 21, 1},
                 {"perm_16n_16c_2MB", 16, 16, 1},
                 {"alltoall_serial_16n", 16, 240, 15}};
    for (const auto& known : files) {
        const program made = read_program(shared_programs() + "cm/" + known.file + ".cm");
        EXPECT_EQ(made.ranks(), known.ranks) << known.file;
        const summary found = summarise(made);
        EXPECT_EQ(found.by_kind[static_cast<std::size_t>(operation_kind::send)], known.messages) << known.file;
        EXPECT_EQ(found.bytes, known.messages * 2'000'000) << known.file;
        EXPECT_EQ(found.longest_chain, known.chain) << known.file;
        EXPECT_TRUE(check(made).good()) << known.file;
        EXPECT_FALSE(run_loggops(made, {}).stuck) << known.file;
    }
}

}  // namespace
}  // namespace polycast::hw::programs
