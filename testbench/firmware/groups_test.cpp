// SPDX-License-Identifier: Apache-2.0
// Setting groups up, changing and clearing them, also while packets are on their way to children.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;

std::uint32_t result(ni_model& ni, const words& command, std::uint32_t process = 0) {
    EXPECT_TRUE(ni.command(process, command));
    ni.settle();
    if (ni.completions[process].empty()) return all_ones;
    const completion last = ni.completions[process].back();
    ni.completions[process].pop_back();
    EXPECT_EQ(last.kind, static_cast<std::uint32_t>(NI_COMPLETION_GROUP_SET));
    EXPECT_EQ(last.cookie, 6u);
    return last.status;
}

packet group_part(const ni_model& ni, std::uint32_t message, std::uint32_t total, std::uint32_t index,
                  std::uint32_t group = 4, std::uint32_t process = 0) {
    packet made = part_of(ni.params, message, total, index);
    made.source_process = process;
    made.group = group;
    made.hops = 3;
    return made;
}

words children_of(const ni_model& ni) {
    words made;
    for (const packet& one : ni.sent) made.push_back(one.destination);
    return made;
}

TEST(firmware_groups, refuses_bad_ones) {
    struct bad {
        words command;
        ni_status status;
    };
    const std::vector<bad> all{
        {set_group(32, 4, 0, {5}), NI_STATUS_BAD_COMMAND},
        {set_group(1, no_group, 0, {5}), NI_STATUS_BAD_COMMAND},
        {set_group(1, 4, 8, {5}), NI_STATUS_BAD_COMMAND},
        {set_group(1, 4, 0, {32}), NI_STATUS_BAD_COMMAND},
        {set_group(1, 4, 0, {5 | 1u << 24}), NI_STATUS_BAD_COMMAND},
        {set_group(1, 4, 0, {5, 0}), NI_STATUS_LOOP},
        {set_group(1, 4, 0, {5, 1}), NI_STATUS_LOOP},
        {set_group(1, 4, 0, {5, 6, 5}), NI_STATUS_LOOP},
        {set_group(1, 4, deliver_to(2), {5}), NI_STATUS_NO_PROCESS},
        {set_group(1, 4, deliver_to(1), {5}), NI_STATUS_NO_PROCESS},
        {clear_group(1, 4), NI_STATUS_UNKNOWN_GROUP},
        {extend_group({5}), NI_STATUS_UNKNOWN_GROUP},
    };
    for (const bad& one : all) {
        ni_model ni;
        EXPECT_EQ(result(ni, one.command), static_cast<std::uint32_t>(one.status));
        EXPECT_EQ(ni.groups_used(), 0u);
        EXPECT_EQ(ni.count_of(one.status), 1u);
    }
    ni_model ni;
    words lies = set_group(1, 4, 0, {});
    lies[NI_COMMAND_LENGTH] = 57;  // a command has room for 56
    EXPECT_EQ(result(ni, lies), static_cast<std::uint32_t>(NI_STATUS_BAD_COMMAND));
    EXPECT_EQ(result(ni, set_group(1, 4, 0, hosts_from(2, 30))), 0u);
    ni_model full({.hosts = 100});
    EXPECT_EQ(result(full, set_group(1, 4, 0, hosts_from(2, 56))), 0u);
    ni_model large({.hosts = 10000, .command_bytes = 65536, .group_entries = 300});
    EXPECT_EQ(result(large, set_group(1, 4, 0, hosts_from(2, 4096))), static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    EXPECT_EQ(result(large, set_group(1, 4, 0, hosts_from(2, 4095))), 0u);
}

TEST(firmware_groups, extends_the_group_set_last) {
    ni_model ni;
    EXPECT_EQ(result(ni, set_group(1, 3, 0, {9})), 0u);
    EXPECT_EQ(result(ni, set_group(1, 4, 0, {5})), 0u);
    EXPECT_EQ(result(ni, extend_group({6, 7})), 0u);
    EXPECT_EQ(result(ni, extend_group({8, 6})), static_cast<std::uint32_t>(NI_STATUS_LOOP));
    EXPECT_EQ(result(ni, extend_group({0})), static_cast<std::uint32_t>(NI_STATUS_LOOP));
    EXPECT_EQ(result(ni, extend_group({40})), static_cast<std::uint32_t>(NI_STATUS_BAD_COMMAND));
    EXPECT_EQ(result(ni, extend_group({8}), 1), static_cast<std::uint32_t>(NI_STATUS_UNKNOWN_GROUP))
        << "process 1 has set none up";
    ni.arrive(group_part(ni, 1, 10, 0));
    ni.settle();
    EXPECT_THAT(children_of(ni), ElementsAre(5u, 6u, 7u));
}

// One that was there first locks nobody out, hears nothing of others, and is not in their way when it goes.
TEST(firmware_groups, each_process_has_its_own_of_the_same_root_and_number) {
    ni_model ni;
    give_windows(ni, 1000);
    EXPECT_EQ(result(ni, set_group(1, 4, deliver_to(0), {5})), 0u);
    EXPECT_EQ(result(ni, clear_group(1, 4), 1), static_cast<std::uint32_t>(NI_STATUS_UNKNOWN_GROUP));
    EXPECT_EQ(result(ni, set_group(1, 4, deliver_to(1), {6, 7}), 1), 0u);
    EXPECT_EQ(ni.groups_used(), 2u);
    for (const std::uint32_t process : {0u, 1u}) ni.command(process, receive(100, 33));
    ni.arrive(group_part(ni, 1, 10, 0, 4, 1));
    ni.settle();
    EXPECT_THAT(children_of(ni), ElementsAre(6u, 7u));
    EXPECT_THAT(outcome(ni, 1), ElementsAre(received));
    EXPECT_THAT(outcome(ni, 0), ElementsAre()) << "which has a buffer and the same group";
    EXPECT_EQ(result(ni, extend_group({8}), 1), 0u);
    EXPECT_EQ(result(ni, set_group(1, 4, 0, {9})), 0u) << "replaces its own";
    ni.sent.clear();
    ni.arrive(group_part(ni, 2, 10, 0, 4, 0));
    ni.arrive(group_part(ni, 3, 10, 0, 4, 1));
    ni.settle();
    EXPECT_THAT(children_of(ni), ElementsAre(9u, 6u, 7u, 8u));
    ni.arrive(group_part(ni, 4, 10, 0, 4, 2));
    ni.settle();
    EXPECT_EQ(ni.count_of(NI_STATUS_UNKNOWN_GROUP), 2u) << "of a process that has none here";
    EXPECT_EQ(result(ni, clear_group(1, 4)), 0u);
    EXPECT_EQ(ni.groups_used(), 2u) << "the entry that look-ups find, and the other list";
    ni.sent.clear();
    ni.arrive(group_part(ni, 5, 10, 0, 4, 1));
    ni.settle();
    EXPECT_THAT(children_of(ni), ElementsAre(6u, 7u, 8u));
    EXPECT_EQ(result(ni, set_group(1, 4, 0, {10})), 0u) << "back in that entry";
    EXPECT_EQ(ni.groups_used(), 2u);
    EXPECT_EQ(result(ni, clear_group(1, 4), 1), 0u);
    EXPECT_EQ(ni.groups_used(), 1u);
    EXPECT_EQ(result(ni, clear_group(1, 4)), 0u);
    EXPECT_EQ(ni.groups_used(), 0u);
    ni.expect_idle();
}

TEST(firmware_groups, a_process_sends_to_its_own) {
    ni_model ni;
    give_windows(ni, 1000);
    EXPECT_EQ(result(ni, set_group(0, 4, 0, {5})), 0u);
    ni.command(1, send_group(0, 4, {.length = 10}));
    ni.settle();
    EXPECT_THAT(outcome(ni, 1),
                ElementsAre(std::pair<std::uint32_t, std::uint32_t>{NI_COMPLETION_FAILED, NI_STATUS_UNKNOWN_GROUP}));
    EXPECT_EQ(result(ni, (ni.completions[1].clear(), set_group(0, 4, 0, {6})), 1), 0u);
    ni.command(1, send_group(0, 4, {.length = 10}));
    ni.command(0, send_group(0, 4, {.length = 10}));
    ni.settle();
    EXPECT_THAT(children_of(ni), testing::UnorderedElementsAre(5u, 6u));
    for (const packet& one : ni.sent) EXPECT_EQ(one.source_process, one.destination == 6 ? 1u : 0u);
    ni.expect_idle();
}

// Lists of many processes, which come and go in any order while packets are on their way.
TEST(firmware_groups, of_many_processes_come_and_go) {
    std::minstd_rand random(7);
    const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    constexpr std::uint32_t processes = 8;
    ni_model ni({.processes = processes, .group_entries = 40, .link_queue = 2});
    std::vector<std::uint32_t> child(processes);  // 0: it has no group
    for (std::uint32_t i = 0; i < 4000; ++i) {
        const std::uint32_t process = below(processes);
        switch (below(4)) {
            case 0:
                child[process] = 2 + below(30);
                ASSERT_EQ(result(ni, set_group(1, 4, 0, {child[process]}), process), 0u);
                break;
            case 1:
                ASSERT_EQ(result(ni, clear_group(1, 4), process),
                          static_cast<std::uint32_t>(child[process] != 0 ? NI_STATUS_OK : NI_STATUS_UNKNOWN_GROUP));
                child[process] = 0;
                break;
            default:
                ni.sent.clear();
                ni.arrive(group_part(ni, i, 10, 0, 4, process));
                if (below(2) == 0)
                    ni.run();  // the copy waits while the group may go
                else
                    ni.settle();
                break;
        }
        ni.completions.clear();
    }
    ni.expect_idle();
    for (std::uint32_t process = 0; process < processes; ++process) {
        ni.sent.clear();
        ni.arrive(group_part(ni, 5000, 10, 0, 4, process));
        ni.settle();
        EXPECT_EQ(children_of(ni), child[process] != 0 ? words{child[process]} : words{});
        ni.completions.clear();
        if (child[process] == 0) continue;
        EXPECT_EQ(result(ni, clear_group(1, 4), process), 0u);
    }
    EXPECT_EQ(ni.groups_used(), 0u);
}

// A duplicate at the end of a long list: found, but nobody waits for that.
TEST(firmware_groups, long_commands_let_others_have_their_turn) {
    ni_model ni({.hosts = 10000, .command_bytes = 2048, .group_entries = 300});
    give_windows(ni, 1000);
    ni.command(1, receive(100, 33));
    constexpr std::uint32_t most = 504;
    EXPECT_EQ(result(ni, set_group(1, 4, 0, hosts_from(2, most))), 0u);
    for (std::uint32_t first = 2 + most; first < 3500; first += most)
        EXPECT_EQ(result(ni, extend_group(hosts_from(first, std::min(most, 3500 - first)))), 0u);
    words again = hosts_from(5000, most - 1);
    again.push_back(3499);
    ni.command(0, extend_group(again));
    std::uint32_t loads = 0, steps = 0;
    while (ni.completions[0].empty()) {
        const std::uint32_t before = ni.loads();
        const ni_operation done = ni.step();
        ASSERT_TRUE(done == NI_OPERATION_COMMAND || done == NI_OPERATION_KEEP) << done;
        loads = std::max(loads, ni.loads() - before);
        ++steps;
        if (steps == 100) ni.command(1, {NI_COMMAND_SET_COUNTER, 77, 0, 0, 0, 0});
        if (steps == 200) {
            packet part = part_of(ni.params, 9, 10, 0);
            part.process = 1;
            ni.arrive(part);
            EXPECT_TRUE(ni.step() == NI_OPERATION_RECEIVE || ni.step() == NI_OPERATION_RECEIVE) << "every other one";
        }
        ni.run_dma();
        if (steps == 102) {
            EXPECT_EQ(ni.completions[1].size(), 1u) << "the other process's command";
        }
    }
    EXPECT_EQ(ni.completions[0].back().status, static_cast<std::uint32_t>(NI_STATUS_LOOP));
    EXPECT_GT(steps, most * 3498 / 32);
    EXPECT_LT(loads, 32u * 8) << "of one operation";
    EXPECT_EQ(ni.completions[1].size(), 2u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_COMMANDS), 1u + 1 + 6 + 1 + 1 + 1);
}

TEST(firmware_groups, at_most_4095_children) {
    ni_model ni({.hosts = 10000, .command_bytes = 65536, .group_entries = 300});
    EXPECT_EQ(result(ni, set_group(1, 4, 0, hosts_from(2, 4000))), 0u);
    EXPECT_EQ(result(ni, extend_group(hosts_from(4002, 96))), static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    EXPECT_EQ(result(ni, extend_group(hosts_from(4002, 95))), 0u);
    ni.arrive(group_part(ni, 1, 10, 0));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 4095u);
    ni.expect_idle();
}

TEST(firmware_groups, a_full_table_changes_nothing_else) {
    ni_model ni({.hosts = 200, .command_bytes = 512, .group_entries = 3});
    EXPECT_EQ(result(ni, set_group(1, 3, 0, {9})), 0u);
    EXPECT_EQ(result(ni, set_group(1, 4, 0, hosts_from(2, 18 + 26 + 1))),
              static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    EXPECT_EQ(ni.groups_used(), 1u) << "nothing is left of it";
    EXPECT_EQ(result(ni, set_group(1, 4, 0, hosts_from(2, 18 + 26))), 0u);
    EXPECT_EQ(result(ni, set_group(1, 5, 0, {9})), static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    EXPECT_EQ(result(ni, extend_group({150})), static_cast<std::uint32_t>(NI_STATUS_UNKNOWN_GROUP))
        << "group 5, which is not there";
    ni.arrive(group_part(ni, 1, 10, 0, 3));
    ni.arrive(group_part(ni, 1, 10, 0, 4));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 1u + 18 + 26);
}

TEST(firmware_groups, an_extension_that_does_not_fit_can_be_tried_again) {
    ni_model ni({.hosts = 200, .command_bytes = 512, .group_entries = 3});
    EXPECT_EQ(result(ni, set_group(1, 3, 0, {9})), 0u);
    EXPECT_EQ(result(ni, set_group(1, 4, 0, hosts_from(2, 17))), 0u);
    EXPECT_EQ(result(ni, extend_group(hosts_from(100, 28))), static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    EXPECT_EQ(result(ni, extend_group(hosts_from(150, 27))), 0u);
    ni.arrive(group_part(ni, 1, 10, 0));
    ni.settle();
    words expected = hosts_from(2, 17);
    const words more = hosts_from(150, 27);
    expected.insert(expected.end(), more.begin(), more.end());
    EXPECT_EQ(children_of(ni), expected);
    EXPECT_EQ(result(ni, clear_group(1, 4)), 0u);
    EXPECT_EQ(ni.groups_used(), 1u);
}

TEST(firmware_groups, replacing_an_idle_one_keeps_its_entry) {
    ni_model ni({.hosts = 200, .command_bytes = 512, .group_entries = 3});
    EXPECT_EQ(result(ni, set_group(1, 4, 0, hosts_from(2, 60))), 0u);
    EXPECT_EQ(ni.groups_used(), 3u);
    EXPECT_EQ(result(ni, set_group(1, 4, 0, {5})), 0u);
    EXPECT_EQ(ni.groups_used(), 1u);
    ni.arrive(group_part(ni, 1, 10, 0));
    ni.settle();
    EXPECT_THAT(children_of(ni), ElementsAre(5u));
}

class busy_group : public testing::Test {
protected:
    /// A packet is on its way to the group's children 5, 6, 7; the link takes nothing.
    busy_group() {
        EXPECT_EQ(result(ni, set_group(1, 4, 0, {5, 6, 7})), 0u);
        ni.arrive(group_part(ni, 1, 10, 0));
        settle_slowly();
        EXPECT_EQ(ni.link.size(), 1u);
    }

    void settle_slowly() { ni.settle(false); }

    std::uint32_t slow_result(const words& command) {
        EXPECT_TRUE(ni.command(0, command));
        settle_slowly();
        const completion last = ni.completions[0].back();
        EXPECT_EQ(last.kind, static_cast<std::uint32_t>(NI_COMPLETION_GROUP_SET));
        ni.completions[0].pop_back();
        return last.status;
    }

    ni_model ni{{.processes = 1, .group_entries = 4, .link_queue = 1}};
};

TEST_F(busy_group, cleared_it_still_serves_its_packets) {
    EXPECT_EQ(slow_result(clear_group(1, 4)), 0u);
    EXPECT_EQ(slow_result(clear_group(1, 4)), static_cast<std::uint32_t>(NI_STATUS_UNKNOWN_GROUP));
    EXPECT_EQ(ni.groups_used(), 1u);
    ni.arrive(group_part(ni, 2, 10, 0));
    settle_slowly();
    EXPECT_EQ(ni.completions[0].back().status, static_cast<std::uint32_t>(NI_STATUS_UNKNOWN_GROUP));
    ni.expect_idle();
    EXPECT_THAT(children_of(ni), ElementsAre(5u, 6u, 7u));
    EXPECT_EQ(ni.groups_used(), 0u);
}

TEST_F(busy_group, replaced_it_serves_old_packets_by_the_old_list) {
    EXPECT_EQ(slow_result(set_group(1, 4, 0, {8, 9})), 0u);
    EXPECT_EQ(ni.groups_used(), 2u);
    ni.arrive(group_part(ni, 2, 10, 0));
    ni.settle();
    EXPECT_THAT(children_of(ni), ElementsAre(5u, 6u, 7u, 8u, 9u));
    EXPECT_EQ(ni.groups_used(), 2u) << "the entry that look-ups find, and the new list";
    EXPECT_EQ(result(ni, set_group(1, 4, 0, {10})), 0u);
    EXPECT_EQ(ni.groups_used(), 1u) << "back in its own entry";
    EXPECT_EQ(result(ni, clear_group(1, 4)), 0u);
    EXPECT_EQ(ni.groups_used(), 0u);
}

TEST_F(busy_group, replaced_twice) {
    EXPECT_EQ(slow_result(set_group(1, 4, 0, {8, 9})), 0u);
    ni.arrive(group_part(ni, 2, 10, 0));
    settle_slowly();
    EXPECT_EQ(slow_result(set_group(1, 4, 0, {10})), 0u);
    ni.arrive(group_part(ni, 3, 10, 0));
    settle_slowly();
    EXPECT_EQ(slow_result(clear_group(1, 4)), 0u);
    EXPECT_EQ(ni.groups_used(), 3u);
    EXPECT_EQ(slow_result(set_group(1, 4, 0, {11})), 0u);
    EXPECT_EQ(slow_result(set_group(1, 4, 0, {12})), 0u) << "the one before had no packets";
    EXPECT_EQ(ni.groups_used(), 4u);
    ni.arrive(group_part(ni, 4, 10, 0));
    settle_slowly();
    EXPECT_EQ(slow_result(set_group(1, 4, 0, {13})), static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    ni.expect_idle();
    EXPECT_THAT(children_of(ni), ElementsAre(5u, 6u, 7u, 8u, 9u, 10u, 12u));
    EXPECT_EQ(ni.groups_used(), 2u) << "the group is as it was";
    EXPECT_EQ(result(ni, clear_group(1, 4)), 0u);
    EXPECT_EQ(ni.groups_used(), 0u);
}

TEST_F(busy_group, extended_the_packets_on_their_way_keep_to_the_old_children) {
    EXPECT_EQ(slow_result(extend_group({8})), 0u);
    ni.arrive(group_part(ni, 2, 10, 0));
    ni.expect_idle();
    EXPECT_THAT(children_of(ni), ElementsAre(5u, 6u, 7u, 5u, 6u, 7u, 8u));
}

TEST(firmware_groups, an_fcfs_message_keeps_to_the_children_it_began_with) {
    ni_model ni;
    EXPECT_EQ(result(ni, set_group(1, 4, NI_GROUP_FCFS, {5, 6})), 0u);
    ni.arrive(group_part(ni, 1, 128, 0));
    ni.settle();
    EXPECT_EQ(result(ni, extend_group({7})), 0u);
    ni.arrive(group_part(ni, 1, 128, 1));
    ni.expect_idle();
    EXPECT_THAT(children_of(ni), ElementsAre(5u, 5u, 6u, 6u));
}

TEST(firmware_groups, an_fcfs_message_survives_its_group) {
    ni_model ni;
    EXPECT_EQ(result(ni, set_group(1, 4, NI_GROUP_FCFS, {5, 6})), 0u);
    ni.arrive(group_part(ni, 1, 128, 0));
    ni.settle();
    EXPECT_EQ(result(ni, clear_group(1, 4)), 0u);
    EXPECT_EQ(ni.groups_used(), 1u);
    for (int i = 0; i < 2; ++i) {
        ni.run_timer();
        ni.settle();
    }
    ni.expect_idle();
    EXPECT_THAT(children_of(ni), ElementsAre(5u, 6u));
    EXPECT_EQ(ni.groups_used(), 0u);
}

TEST(firmware_groups, once_at_a_forwarder) {
    for (const std::uint32_t flags : {0u, static_cast<std::uint32_t>(NI_GROUP_FCFS)}) {
        ni_model ni;
        EXPECT_EQ(result(ni, set_group(1, 4, NI_GROUP_ONCE | flags, {5, 6})), 0u);
        ni.arrive(group_part(ni, 1, 128, 1));
        ni.arrive(group_part(ni, 2, 128, 1));  // another message does not count
        ni.settle();
        EXPECT_EQ(ni.groups_used(), 1u);
        ni.arrive(group_part(ni, 1, 128, 0));
        ni.settle();
        if (flags == 0) {
            EXPECT_EQ(ni.groups_used(), 0u);
        }
        ni.arrive(group_part(ni, 2, 128, 0));
        ni.settle();
        EXPECT_EQ(ni.completions[0].back().status, static_cast<std::uint32_t>(NI_STATUS_UNKNOWN_GROUP));
        for (int i = 0; i < 2; ++i) {
            ni.run_timer();
            ni.settle();
        }
        ni.expect_idle();
        EXPECT_EQ(ni.sent.size(), 6u);
        EXPECT_EQ(ni.groups_used(), 0u);
    }
}

TEST(firmware_groups, once_at_a_leaf) {
    ni_model ni;
    give_windows(ni, 1000);
    EXPECT_EQ(result(ni, set_group(1, 4, NI_GROUP_ONCE | deliver_to(1), {}), 1), 0u);
    ni.command(1, receive(500, 33));
    ni.settle();
    for (std::uint32_t i = 0; i < 3; ++i) ni.arrive(group_part(ni, 1, 150, i, 4, 1));
    ni.settle();
    EXPECT_EQ(ni.completions[1].size(), 1u);
    EXPECT_EQ(ni.groups_used(), 0u);
    ni.expect_idle();
}

TEST(firmware_groups, once_at_the_root) {
    for (const std::uint32_t flags : {0u, static_cast<std::uint32_t>(NI_GROUP_FCFS)}) {
        ni_model ni;
        give_windows(ni, 1000);
        EXPECT_EQ(result(ni, set_group(0, 4, NI_GROUP_ONCE | flags, {5, 6})), 0u);
        ni.command(0, send_group(0, 4, {.length = 150}));
        ni.settle();
        EXPECT_EQ(ni.sent.size(), 6u);
        EXPECT_EQ(ni.groups_used(), 0u);
        ni.command(0, send_group(0, 4, {.length = 150}));
        ni.settle();
        EXPECT_EQ(ni.completions[0].back().status, static_cast<std::uint32_t>(NI_STATUS_UNKNOWN_GROUP));
        ni.expect_idle();
    }
}

TEST(firmware_groups, a_message_taken_up_survives_its_group) {
    ni_model ni;
    give_windows(ni, 1000);
    EXPECT_EQ(result(ni, set_group(0, 4, NI_GROUP_ONCE, {5, 6})), 0u);
    ni.command(0, send_group(0, 4, {.length = 640}));
    ni.command(0, clear_group(0, 4));
    ni.run();
    ni.command(0, set_group(0, 4, 0, {7}));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 20u);
    ni.command(0, send_group(0, 4, {.length = 64}));
    ni.settle();
    EXPECT_EQ(ni.sent.back().destination, 7u) << "the old list's end does not clear the new one";
    ni.expect_idle();
}

}  // namespace
}  // namespace polycast::testbench::firmware
