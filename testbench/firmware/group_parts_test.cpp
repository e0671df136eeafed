// SPDX-License-Identifier: Apache-2.0
// Groups that are set up in several operations, while packets come and go, and with others that want their turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::pair<std::uint32_t, std::uint32_t> set_up{NI_COMPLETION_GROUP_SET, NI_STATUS_OK};
constexpr std::uint32_t steps_most = 2000;

packet group_part(const ni_model& ni, std::uint32_t message, std::uint32_t process = 0, std::uint32_t total = 10,
                  std::uint32_t index = 0) {
    packet made = part_of(ni.params, message, total, index);
    made.source_process = process;
    made.group = 4;
    made.hops = 3;
    return made;
}

words children_of(const ni_model& ni, std::uint32_t message) {
    words made;
    for (const packet& one : ni.sent)
        if (one.message == message) made.push_back(one.destination);
    return made;
}

/// A host with little room on its link. Group 4 of root 1 may belong to processes 0 and 1.
struct forwarder {
    void step() {
        ni.step();
        ni.run_dma();
        ni.run_link(1);
        if (meanwhile) meanwhile();
    }
    /// Does something in operation `when` of a command of process 1, which succeeds.
    void during(const words& command, std::uint32_t when, const std::function<void()>& what) {
        ASSERT_TRUE(ni.command(1, command));
        for (std::uint32_t i = 0; ni.completions[1].empty(); ++i) {
            ASSERT_LT(i, steps_most);
            if (i == when) what();
            step();
        }
        EXPECT_THAT(outcome(ni, 1), ElementsAre(set_up));
        ni.completions[1].clear();
    }
    void set(std::uint32_t process, const words& children) {
        ASSERT_TRUE(ni.command(process, set_group(1, 4, 0, children)));
        ni.settle();
        ASSERT_THAT(outcome(ni, process), ElementsAre(set_up));
        ni.completions[process].clear();
    }
    void clear_all() {
        ni.settle();
        ni.completions.clear();
        for (const std::uint32_t process : {0u, 1u}) ni.command(process, clear_group(1, 4));
        ni.settle();
        ni.expect_idle();
        EXPECT_EQ(ni.groups_used(), 0u);
    }

    ni_model ni{{.hosts = 1000, .command_bytes = 512, .group_entries = 32, .link_queue = 1}};
    std::function<void()> meanwhile;
};

// The old list may go with its last packet before the new one is complete: its entry must stay.
TEST(firmware_group_parts, a_group_that_is_replaced_stays_while_its_last_packets_go) {
    for (const std::uint32_t count : {20u, 100u})
        for (std::uint32_t when = 0; when < 200; when += count / 20) {
            forwarder f;
            f.set(1, {5, 6, 7});
            f.during(set_group(1, 4, 0, hosts_from(100, count)), when, [&] { f.ni.arrive(group_part(f.ni, 1, 1)); });
            f.ni.arrive(group_part(f.ni, 2, 1));
            f.ni.settle();
            EXPECT_EQ(children_of(f.ni, 2), hosts_from(100, count)) << when;
            f.clear_all();
        }
}

// The same where the list in the entry is another process's.
TEST(firmware_group_parts, a_group_that_is_set_up_stays_while_another_process_clears_its_own) {
    for (const std::uint32_t count : {20u, 100u})
        for (std::uint32_t when = 0; when < 200; when += count / 20) {
            forwarder f;
            f.set(0, {5});
            f.during(set_group(1, 4, 0, hosts_from(100, count)), when, [&] { f.ni.command(0, clear_group(1, 4)); });
            f.ni.arrive(group_part(f.ni, 2, 1));
            f.ni.settle();
            EXPECT_EQ(children_of(f.ni, 2), hosts_from(100, count)) << when;
            f.clear_all();
        }
}

TEST(firmware_group_parts, no_packet_is_lost_while_a_group_is_replaced) {
    for (const std::uint32_t count : {3u, 20u, 100u}) {
        forwarder f;
        const words before = hosts_from(10, count), after = hosts_from(200, count);
        f.set(1, before);
        std::uint32_t message = 0, steps = 0;
        f.meanwhile = [&] {
            if (steps++ % 3 == 0) f.ni.arrive(group_part(f.ni, ++message, 1));
        };
        f.during(set_group(1, 4, 0, after), steps_most, [] {});
        f.ni.settle();
        EXPECT_EQ(f.ni.count_of(NI_STATUS_UNKNOWN_GROUP), 0u) << count;
        bool replaced = false;
        for (std::uint32_t i = 1; i <= message; ++i) {
            const words children = children_of(f.ni, i);
            EXPECT_TRUE((children == before && !replaced) || children == after) << "message " << i << " of " << message;
            replaced = children == after;
        }
        f.clear_all();
    }
}

TEST(firmware_group_parts, a_replacement_by_many_that_find_no_room_changes_nothing) {
    ni_model ni({.hosts = 200, .command_bytes = 512, .group_entries = 4});
    const auto result = [&](const words& command) {
        ni.command(0, command);
        ni.settle();
        const std::uint32_t status = ni.completions[0].back().status;
        ni.completions[0].clear();
        return status;
    };
    EXPECT_EQ(result(set_group(1, 4, 0, {5, 6})), 0u);
    EXPECT_EQ(result(set_group(1, 4, 0, hosts_from(10, 18 + 26 + 1))),
              static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    EXPECT_EQ(ni.groups_used(), 1u);
    ni.arrive(group_part(ni, 1));
    ni.settle();
    EXPECT_THAT(children_of(ni, 1), ElementsAre(5u, 6u));
    EXPECT_EQ(result(set_group(1, 4, 0, hosts_from(10, 18 + 26))), 0u) << "the old list and the new one fit";
    ni.arrive(group_part(ni, 2));
    ni.settle();
    EXPECT_EQ(children_of(ni, 2), hosts_from(10, 18 + 26));
    EXPECT_EQ(result(clear_group(1, 4)), 0u);
    EXPECT_EQ(ni.groups_used(), 0u);
    ni.expect_idle();
}

// The list of the one that fails is in the entry that look-ups find.
TEST(firmware_group_parts, a_group_that_is_set_up_stays_while_another_process_finds_no_room) {
    // Its children are looked at in 2,507 operations, those of the other one in 26.
    for (std::uint32_t when = 2460; when < 2520; ++when) {
        ni_model ni({.hosts = 1000, .processes = 3, .command_bytes = 2048, .group_entries = 18});
        ni.command(1, set_group(1, 4, 0, hosts_from(2, 400)));
        for (std::uint32_t i = 0; i < when; ++i) ni.step();
        ni.command(0, set_group(1, 4, 0, hosts_from(100, 40)));
        while (ni.completions[1].empty()) {
            ni.step();
            ni.run_dma();
        }
        EXPECT_THAT(outcome(ni, 1), ElementsAre(testing::Pair(NI_COMPLETION_GROUP_SET, NI_STATUS_TABLE_FULL)));
        ni.command(2, set_group(2, 5, 0, {7}));
        ni.settle();
        EXPECT_THAT(outcome(ni, 0), ElementsAre(set_up)) << when;
        EXPECT_THAT(outcome(ni, 2), ElementsAre(set_up));
        ni.arrive(group_part(ni, 2));
        ni.settle();
        EXPECT_EQ(children_of(ni, 2), hosts_from(100, 40)) << when;
        ni.command(0, clear_group(1, 4));
        ni.command(2, clear_group(2, 5));
        ni.settle();
        ni.expect_idle();
        EXPECT_EQ(ni.groups_used(), 0u);
    }
}

TEST(firmware_group_parts, children_that_find_no_room_take_none) {
    ni_model ni({.hosts = 200, .command_bytes = 512, .group_entries = 4});
    for (const words& command : {set_group(1, 4, 0, {5, 6}), extend_group(hosts_from(10, 100))}) {
        ni.command(0, command);
        ni.settle();
    }
    EXPECT_EQ(ni.completions[0].back().status, static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    EXPECT_EQ(ni.groups_used(), 1u);
}

// Long commands, what is left of a large group, and a message whose packets go on at once have turns of their own.
TEST(firmware_group_parts, long_commands_do_not_hold_up_what_others_have_ended) {
    constexpr std::uint32_t most = 504, packets = 40;
    ni_model ni({.hosts = 10'000, .processes = 3, .command_bytes = 2048, .group_entries = 300});
    for (const std::uint32_t process : {0u, 1u, 2u}) {
        ni.command(process, set_group(1, 4, process == 2 ? NI_GROUP_FCFS : 0, hosts_from(2, most)));
        ni.settle();
    }
    ni.command(2, set_group(1, 5, 0, hosts_from(2, most)));
    for (std::uint32_t i = 1; i < 4; ++i) ni.command(2, extend_group(hosts_from(2 + i * most, most)));
    for (std::uint32_t i = 0; i < packets; ++i) ni.arrive(group_part(ni, 9, 2, (packets + 1) * 64, i));
    ni.settle();
    for (const std::uint32_t process : {0u, 1u, 2u})
        EXPECT_THAT(outcome(ni, process), Each(set_up)) << "of process " << process;
    ni.completions.clear();
    const std::uint32_t used = ni.groups_used();
    ASSERT_GT(used, 130u);
    words again = hosts_from(5000, most - 1);
    again.push_back(3);
    const auto go_on = [&](std::uint32_t operations) {
        for (std::uint32_t i = 0; i < operations; ++i) {
            for (const std::uint32_t process : {0u, 1u})
                if (ni.commands_taken() < 4) ni.command(process, extend_group(again));
            ni.step();
            ni.run_dma();
            ni.run_link();
        }
    };
    go_on(20);
    ni.command(2, clear_group(1, 5));
    go_on(40);
    EXPECT_EQ(ni.groups_used(), used - 78) << "18 children, then 26 in each";
    ni.sent.clear();
    for (int i = 0; i < 3; ++i) {
        ni.run_timer();
        go_on(200);
    }
    EXPECT_GT(ni.sent.size(), 100u);
    EXPECT_GT(ni.commands_taken(), 1u) << "the long commands are still there";
    EXPECT_EQ(ni.statistic(NI_STATISTIC_FLUSHED), 1u);
    ni.settle();
    EXPECT_EQ(ni.sent.size(), packets * (most - 1));
    ni.expect_idle();
}

}  // namespace
}  // namespace polycast::testbench::firmware
