// SPDX-License-Identifier: Apache-2.0
// Reliable messages to groups: receipts up the tree, questions down, repairs by the source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/reliable_bench.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr std::uint32_t group = 7;
constexpr std::uint32_t root = 9;  // of the flows that come here
constexpr std::uint32_t sender = root | 1u << 24;
constexpr std::uint32_t tree = 1;

/// With `children` for data and `below` for receipts.
words with_receipts(words command, std::uint32_t parent, const words& below, std::uint32_t members = 0) {
    command[0] |= NI_GROUP_RECEIPTS << 16;
    command[NI_COMMAND_MESSAGE] = parent;
    command[NI_COMMAND_TAG] = static_cast<std::uint32_t>(below.size()) | members << 16;
    command.insert(command.end(), below.begin(), below.end());
    return command;
}

/// A member below host 8, with hosts 3 and 4 below it.
struct member : reliable_bench {
    explicit member(const words& children = {}, const words& below = {3, 4}, const model_params& params = {})
        : reliable_bench(params) {
        give(with_receipts(set_group(root, group, deliver_to(1), children), 8, below), 1);
        EXPECT_EQ(last(1).status, 0u);
        for (std::uint32_t i = 0; i < 4; ++i) give(receive(1000, 40 + i, 1000 * i), 1);
    }
    void part_to_group(std::uint32_t number, std::uint32_t total, std::uint32_t index, std::uint32_t hops = 5) {
        packet made = part_of(ni.params, number, total, index);
        made.op = reliable_op;
        made.source = root;
        made.source_process = 1;
        made.group = group;
        made.hops = hops;
        arrive(made);
    }
    void receipt_of(std::uint32_t host, const std::vector<receipt>& entries) {
        arrive(receipt_from(host, sender, group, entries));
    }
    void probe(std::uint32_t number, std::uint32_t lowest = 0, std::uint32_t flags = 0) {
        arrive(control_from(8, probe_word | flags, sender, group, number, lowest));
    }
};

void expect_up(const packet& what, const std::vector<receipt>& entries) {
    EXPECT_EQ(what.group, receipt_word);
    EXPECT_EQ(what.destination, 8u);
    EXPECT_EQ(what.total, sender);
    EXPECT_EQ(what.tag, group);
    EXPECT_THAT(entries_of(what), testing::UnorderedElementsAreArray(entries));
}

TEST(firmware_reliable_group, a_member_reports_when_all_below_have_it_and_once) {
    member bench;
    bench.part_to_group(0, 100, 0);
    bench.part_to_group(0, 100, 1);
    EXPECT_THAT(outcome(bench.ni, 1), ElementsAre(received));
    bench.receipt_of(3, {{3, 0, all_there, 0}});
    bench.receipt_of(3, {{3, 0, all_there, 0}});
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.receipt_of(4, {{4, 0, all_there, 0}});
    expect_up(bench.only(), {{0, 0, all_there, 0}});
    bench.receipt_of(4, {{4, 0, all_there, 0}});
    bench.part_to_group(0, 100, 1);
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.probe(0);
    expect_up(bench.only(), {{0, 0, all_there, 0}});
    bench.ni.expect_idle();
}

TEST(firmware_reliable_group, those_below_may_have_it_first) {
    member bench;
    bench.receipt_of(3, {{3, 0, all_there, 0}});
    bench.receipt_of(4, {{4, 0, all_there, 0}});
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.part_to_group(0, 10, 0);
    expect_up(bench.only(), {{0, 0, all_there, 0}});
}

TEST(firmware_reliable_group, what_is_missing_is_merged) {
    member bench;
    bench.part_to_group(0, 600, 0);
    bench.part_to_group(0, 600, 3);
    bench.pass(600);
    bench.receipt_of(3, {{3, 0, 64, 0b10}, {12, 0, 128, 1}});
    bench.pass(399);
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.pass(1);
    expect_up(bench.only(), {{0, 0, 64, 0b10}, {3, 0, 64, 0b10}, {12, 0, 128, 1}});
}

TEST(firmware_reliable_group, questions_go_down_to_those_that_have_not_answered) {
    member bench;
    bench.part_to_group(0, 100, 0);
    bench.part_to_group(0, 100, 1);
    bench.receipt_of(3, {{3, 0, all_there, 0}});
    bench.probe(0, 0, begun(3));
    const packet down = bench.only();
    EXPECT_EQ(down.destination, 4u);
    EXPECT_EQ(down.group, probe_word | begun(3));
    EXPECT_EQ(down.message, 0u);
    EXPECT_EQ(down.total, sender);
    bench.pass(999);
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.pass(1);
    expect_up(bench.only(), {{0 | was_asked, 0, own_part, 0}, {4 | was_asked, 0, no_word, 0}});
    bench.probe(0);
    bench.sent();
    bench.receipt_of(4, {{4 | was_asked, 0, 64, 0}});
    bench.pass(1000);
    expect_up(bench.only(), {{0 | was_asked, 0, own_part, 0}, {4 | was_asked, 0, 64, 0}});
    // Asked alone, a member speaks for itself.
    bench.probe(1, 0, alone_flag);
    expect_up(bench.only(), {{0 | was_asked, 1, 0, 0}});
}

TEST(firmware_reliable_group, a_message_given_up_ends_here_and_below) {
    member bench;
    bench.part_to_group(0, 100, 0);
    bench.probe(0, 0, forget_flag);
    EXPECT_THAT(outcome(bench.ni, 1), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    const auto down = bench.sent();
    ASSERT_THAT(down, SizeIs(2));
    EXPECT_EQ(down[0].group, probe_word | forget_flag);
    EXPECT_EQ(down[0].destination, 3u);
    EXPECT_EQ(down[1].destination, 4u);
    bench.told(1);
    bench.part_to_group(1, 10, 0);
    EXPECT_THAT(outcome(bench.ni, 1), ElementsAre(received));
    bench.ni.expect_idle();
}

TEST(firmware_reliable_group, forwards_packets_but_neither_repairs_nor_repeats) {
    member bench({5, 6}, {});
    bench.part_to_group(0, 100, 0);
    const auto copies = bench.sent();
    ASSERT_THAT(copies, SizeIs(2));
    EXPECT_EQ(copies[0].destination, 5u);
    EXPECT_EQ(copies[0].hops, 4u);
    EXPECT_EQ(copies[0].op, reliable_op);
    bench.part_to_group(0, 100, 0);
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.part_to_group(0, 100, 1, 0);
    expect_up(bench.only(), {{0, 0, all_there, 0}});
    EXPECT_EQ(bench.ni.count_of(NI_STATUS_LOOP), 0u);
    bench.part_to_group(0, 100, 1);
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.ni.expect_idle();
}

TEST(firmware_reliable_group, a_host_that_is_no_member_says_so_to_its_processes) {
    member bench;
    packet stray = part_of(bench.ni.params, 0, 10, 0);
    stray.op = reliable_op;
    stray.source = root;
    stray.group = group + 1;
    bench.arrive(stray);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(error(NI_STATUS_NOT_MEMBER)));
    stray.op = 0;
    bench.arrive(stray);
    EXPECT_THAT(bench.last().status, static_cast<std::uint32_t>(NI_STATUS_UNKNOWN_GROUP));
    bench.arrive(control_from(8, probe_word, sender, group + 1));
    EXPECT_THAT(bench.last().status, static_cast<std::uint32_t>(NI_STATUS_NOT_MEMBER));
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.receipt_of(5, {{5, 0, all_there, 0}});
    EXPECT_EQ(bench.ni.count_of(NI_STATUS_MALFORMED), 1u) << "not below here";
    bench.ni.expect_idle();
}

TEST(firmware_reliable_group, a_member_no_more_has_nobody_to_tell) {
    member bench;
    bench.part_to_group(0, 600, 1);
    bench.give(clear_group(root, group), 1);
    bench.pass(1000);
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.receipt_of(3, {{3, 0, all_there, 0}});
    EXPECT_EQ(bench.ni.count_of(NI_STATUS_NOT_MEMBER), 1u);
}

/// Host 0 is the root; hosts 3 and 4 are the first below it, of six members.
struct source : reliable_bench {
    explicit source(bool worms, const model_params& params = {}) : reliable_bench(params) {
        const words command = worms ? set_worms(0, group, 0, tree, {0b1111110}, 1) : set_group(0, group, 0, {3, 4});
        give(with_receipts(command, no_host, {3, 4}, 6));
        EXPECT_EQ(last().status, 0u);
    }
    void begin(std::uint32_t length) {
        give(reliable(send_group(0, group, {.length = length, .message = 70})));
        sent();
    }
    void receipt_of(std::uint32_t host, const std::vector<receipt>& entries) {
        arrive(receipt_from(host, 0, group, entries));
    }
};

TEST(firmware_reliable_group, the_root_is_done_when_all_below_are) {
    source bench(false);
    bench.give(reliable(send_group(0, group, {.length = 100, .message = 70})));
    const auto packets = bench.sent();
    ASSERT_THAT(packets, SizeIs(4));
    EXPECT_EQ(packets[0].op, reliable_op);
    EXPECT_EQ(packets[0].group, group);
    EXPECT_EQ(packets[0].hops, 8u);
    bench.receipt_of(3, {{3, 0, all_there, 0}});
    bench.receipt_of(5, {{5, 0, all_there, 0}});
    EXPECT_EQ(bench.ni.count_of(NI_STATUS_MALFORMED), 1u);
    bench.told();
    bench.receipt_of(4, {{4, 0, all_there, 0}});
    EXPECT_THAT(outcome(bench.ni), ElementsAre(std::pair{NI_COMPLETION_SENT, NI_STATUS_OK}));
    EXPECT_EQ(bench.last().message, 70u);
    bench.ni.expect_idle();
}

TEST(firmware_reliable_group, goes_packet_by_packet_whatever_the_group_says) {
    reliable_bench bench;
    bench.give(with_receipts(set_group(0, group, NI_GROUP_FCFS, {3, 4}), no_host, {3, 4}, 2));
    bench.give(reliable(send_group(0, group, {.length = 100})));
    std::vector<std::uint32_t> hosts;
    for (const packet& each : bench.sent()) hosts.push_back(each.destination);
    EXPECT_THAT(hosts, ElementsAre(3, 4, 3, 4));
}

TEST(firmware_reliable_group, members_are_repaired_by_unicasts) {
    source bench(false);
    bench.begin(64 * 5);
    bench.receipt_of(3, {{3, 0, 64, 0b100}, {5, 0, 128, 1}});
    std::vector<std::pair<std::uint32_t, std::uint32_t>> repairs;
    for (const packet& each : bench.sent()) {
        if (each.op != reliable_op) continue;
        repairs.emplace_back(each.destination, each.offset);
        EXPECT_EQ(each.group, group);
        EXPECT_EQ(each.hops, 0u);
        EXPECT_EQ(each.kind, 0u);
    }
    EXPECT_THAT(repairs, UnorderedElementsAre(std::pair{3u, 64u}, std::pair{3u, 128u}, std::pair{3u, 192u},
                                              std::pair{5u, 128u}));
}

TEST(firmware_reliable_group, the_worm_goes_again_where_more_than_half_lack_a_packet) {
    for (const bool command : {false, true}) {
        source bench(true);
        if (command) {
            words worm = send_tree({0b1111110}, {.length = 64 * 5});
            worm[NI_COMMAND_GROUP] = group;
            bench.give(reliable(worm));
            const auto packets = bench.sent();
            ASSERT_THAT(packets, SizeIs(5));
            EXPECT_EQ(packets[0].kind, tree);
            EXPECT_EQ(packets[0].group, group);
            EXPECT_EQ(bench.ni.commands_taken(), 1u);
        } else {
            bench.begin(64 * 5);
        }
        // Four of six lack the second packet, three the third.
        bench.receipt_of(3, {{3, 0, 64, 0b10}, {5, 0, 64, 0b11}, {1, 0, 64, 0b10}});
        EXPECT_THAT(bench.sent(), IsEmpty()) << "it waits for others";
        bench.receipt_of(4, {{4, 0, 64, 0b10}});
        bench.pass(1000);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> repairs;
        std::vector<std::uint32_t> worms;
        for (const packet& each : bench.sent()) {
            if (each.op != reliable_op) continue;
            EXPECT_EQ(each.hops, 0u);
            if (each.kind == tree)
                worms.push_back(each.offset);
            else
                repairs.emplace_back(each.destination, each.offset);
        }
        EXPECT_THAT(worms, ElementsAre(64));
        EXPECT_THAT(repairs, UnorderedElementsAre(std::pair{3u, 128u}, std::pair{1u, 128u}, std::pair{4u, 128u}));
        bench.receipt_of(3, {{3, 0, all_there, 0}});
        bench.receipt_of(4, {{4, 0, all_there, 0}});
        EXPECT_THAT(outcome(bench.ni), ElementsAre(std::pair{NI_COMPLETION_SENT, NI_STATUS_OK}));
        bench.ni.expect_idle();
    }
}

TEST(firmware_reliable_group, those_that_lack_it_are_named) {
    source bench(false, {.reliable_timeout = 1000, .reliable_attempts = 1});
    bench.begin(200);
    bench.receipt_of(3, {{10, 0, 0, 0}});
    bench.pass(1000);
    bench.sent();
    // After the question 3 answers for some below it, 4 says nothing.
    bench.receipt_of(3, {{3 | was_asked, 0, 64, 0}, {11 | was_asked, 0, no_word, 0}});
    bench.pass(1000);
    bench.sent();
    bench.receipt_of(3, {{3 | was_asked, 0, 64, 0}, {11 | was_asked, 0, no_word, 0}});
    bench.pass(2000);
    std::vector<std::uint32_t> lacking;
    for (const completion& each : bench.told())
        if (each.kind == NI_COMPLETION_LACKS) lacking.push_back(each.source);
    EXPECT_THAT(lacking, UnorderedElementsAre(3, 4, 11));
    auto forget = bench.sent();
    std::erase_if(forget, [](const packet& each) { return each.op != control_op; });
    ASSERT_THAT(forget, SizeIs(2));
    EXPECT_EQ(forget[0].group, probe_word | forget_flag);
    bench.ni.expect_idle();
}

TEST(firmware_reliable_group, any_member_may_decline) {
    source bench(false);
    bench.begin(100);
    bench.arrive(control_from(12, declined_word, 0, group, 0, NI_STATUS_NO_BUFFER));
    const auto told = bench.told();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].status, static_cast<std::uint32_t>(NI_STATUS_DECLINED));
    EXPECT_EQ(told[0].source, 12u);
    EXPECT_EQ(told[0].source_process, static_cast<std::uint32_t>(NI_STATUS_NO_BUFFER));
}

TEST(firmware_reliable_group, refuses_trees_that_make_no_sense) {
    const auto status = [](const words& command) {
        reliable_bench bench({.command_bytes = 128, .group_entries = 2});
        bench.give(command);
        const std::uint32_t made = bench.last().status;
        if (made == 0) {
            EXPECT_EQ(bench.ni.groups_used(), 2u);
            bench.give(clear_group(command[NI_COMMAND_TO], group));
        }
        EXPECT_EQ(bench.ni.groups_used(), 0u);
        return made;
    };
    const words member = set_group(root, group, deliver_to(0), {5});
    const words top = set_group(0, group, 0, {5});
    EXPECT_EQ(status(with_receipts(member, 8, {3})), 0u);
    EXPECT_EQ(status(with_receipts(top, no_host, {3})), 0u);
    constexpr std::uint32_t bad = NI_STATUS_BAD_COMMAND;
    EXPECT_EQ(status(with_receipts(member, no_host, {3})), bad);
    EXPECT_EQ(status(with_receipts(member, 0, {3})), bad);
    EXPECT_EQ(status(with_receipts(top, 8, {3})), bad);
    EXPECT_EQ(status(with_receipts(set_group(root, group, 0, {5}), 8, {3})), bad) << "no member";
    EXPECT_EQ(status(with_receipts(set_group(root, group, deliver_to(0) | NI_GROUP_ONCE, {5}), 8, {3})), bad);
    EXPECT_EQ(status(with_receipts(member, 8, {40})), bad);
    EXPECT_EQ(status(with_receipts(member, 8, {3, 3})), static_cast<std::uint32_t>(NI_STATUS_LOOP));
    EXPECT_EQ(status(with_receipts(member, 8, {root})), static_cast<std::uint32_t>(NI_STATUS_LOOP));
    reliable_bench many_below;
    many_below.give(with_receipts(set_group(root, group, deliver_to(0), {}), 8, hosts_from(10, 27)));
    EXPECT_EQ(many_below.last().status, static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    words many = with_receipts(member, 8, {3});
    many[NI_COMMAND_TAG] = 24;
    EXPECT_EQ(status(many), bad) << "more than the command holds";
}

}  // namespace
}  // namespace polycast::testbench::firmware
