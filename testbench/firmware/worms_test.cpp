// SPDX-License-Identifier: Apache-2.0
// Groups whose children are worms: what switches copy is sent and forwarded by interfaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using bytes = std::vector<std::uint8_t>;

constexpr auto full = static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL);
constexpr auto bad = static_cast<std::uint32_t>(NI_STATUS_BAD_COMMAND);

/// Packet number and first byte of the first stop's switch of each copy, in order.
std::vector<std::pair<std::uint32_t, std::uint32_t>> sent_by(const ni_model& ni) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> made;
    for (const packet& one : ni.sent) made.emplace_back(one.offset / ni.params.payload, one.route.at(2));
    return made;
}

/// Path worms of `each` words; number i has 1 + i % most stops, and begins with switch `first` + i.
words paths(std::uint32_t first, std::uint32_t count, std::uint32_t each, std::uint32_t most = 2) {
    words made;
    for (std::uint32_t i = 0; i < count; ++i) {
        const words one = path_words(1 + i % most, first + i - 2, each);
        made.insert(made.end(), one.begin(), one.end());
    }
    return made;
}

packet group_part(const ni_model& ni, std::uint32_t message, std::uint32_t total, std::uint32_t index,
                  std::uint32_t kind = 3, std::uint32_t process = 0) {
    packet made = part_of(ni.params, message, total, index);
    made.source_process = process;
    made.kind = kind;
    made.group = 4;
    made.hops = 3;
    return made;
}

std::uint32_t result(ni_model& ni, const words& command, std::uint32_t process = 0) {
    EXPECT_TRUE(ni.command(process, command));
    ni.settle();
    if (ni.completions[process].empty()) return all_ones;
    const completion last = ni.completions[process].back();
    ni.completions[process].pop_back();
    EXPECT_EQ(last.kind, static_cast<std::uint32_t>(NI_COMPLETION_GROUP_SET));
    return last.status;
}

TEST(firmware_worms, a_root_gives_each_packet_to_every_worm) {
    for (const bool fcfs : {false, true}) {
        ni_model ni;
        give_windows(ni, 1000);
        ASSERT_EQ(result(ni, set_worms(0, 4, fcfs ? NI_GROUP_FCFS : 0, 3, paths(10, 3, 2), 2)), 0u);
        ni.command(0, send_group(0, 4, {.length = 150, .hops = 6}));
        ni.settle();
        using copies = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
        EXPECT_EQ(sent_by(ni),
                  fcfs ? (copies{{0, 10}, {1, 10}, {2, 10}, {0, 11}, {1, 11}, {2, 11}, {0, 12}, {1, 12}, {2, 12}})
                       : (copies{{0, 10}, {0, 11}, {0, 12}, {1, 10}, {1, 11}, {1, 12}, {2, 10}, {2, 11}, {2, 12}}));
        for (const packet& one : ni.sent) {
            EXPECT_EQ(one.kind, 3u);
            EXPECT_EQ(one.hops, 6u);
            EXPECT_EQ(one.group, 4u);
            EXPECT_TRUE(one.seal);
            EXPECT_EQ(one.route, path_bytes(one.route[2] == 11 ? 2 : 1, one.route[2] - 2u));
        }
        EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_SENT, 0)));
        EXPECT_EQ(ni.statistic(NI_STATISTIC_PACKETS_SENT), 9u);
        ni.expect_idle();
    }
}

TEST(firmware_worms, a_forwarder_gives_each_packet_to_every_worm) {
    for (const bool fcfs : {false, true}) {
        ni_model ni;
        give_windows(ni, 1000);
        ni.command(1, receive(500, 33));
        const std::uint32_t flags = deliver_to(1) | (fcfs ? NI_GROUP_FCFS : 0);
        ASSERT_EQ(result(ni, set_worms(1, 4, flags, 3, paths(10, 2, 2), 2), 1), 0u);
        ni.arrive(group_part(ni, 8, 100, 0, 3, 1));
        const std::vector<ni_operation> done = ni.run();
        EXPECT_EQ(std::ranges::count(done, NI_OPERATION_SEND), fcfs ? 1 : 2);
        EXPECT_EQ(done.front(), NI_OPERATION_RECEIVE);
        ni.arrive(group_part(ni, 8, 100, 1, 3, 1));
        ni.settle();
        EXPECT_THAT(sent_by(ni), fcfs ? ElementsAre(Pair(0, 10), Pair(1, 10), Pair(0, 11), Pair(1, 11))
                                      : ElementsAre(Pair(0, 10), Pair(0, 11), Pair(1, 10), Pair(1, 11)));
        for (const packet& one : ni.sent) {
            EXPECT_EQ(one.kind, 3u) << "the check word covers it";
            EXPECT_EQ(one.hops, 2u);
            EXPECT_FALSE(one.seal);
        }
        EXPECT_THAT(outcome(ni, 1), ElementsAre(Pair(NI_COMPLETION_RECEIVED, 0)));
        EXPECT_TRUE(holds(ni, 1, 0, 8, 100));
        ni.expect_idle();
    }
}

TEST(firmware_worms, bit_strings_and_single_switches) {
    ni_model ni({.hosts = 40});
    give_windows(ni, 1000);
    ASSERT_EQ(result(ni, set_worms(0, 4, 0, 1, {0x1234, 0x80, 2, 0}, 2)), 0u);
    ASSERT_EQ(result(ni, set_worms(0, 5, 0, 2, {0x00040302, 0x00070605}, 1)), 0u);
    ni.command(0, send_group(0, 4, {.length = 10}));
    ni.command(0, send_group(0, 5, {.length = 10}));
    ni.expect_idle();
    ASSERT_EQ(ni.sent.size(), 4u);
    EXPECT_EQ(ni.sent[0].route, (bytes{0x34, 0x12, 0, 0, 0x80}));
    EXPECT_EQ(ni.sent[1].route, (bytes{2, 0, 0, 0, 0}));
    EXPECT_EQ(ni.sent[2].route, (bytes{2, 3, 4}));
    EXPECT_EQ(ni.sent[3].route, (bytes{5, 6, 7}));
    EXPECT_EQ(ni.sent[1].kind, 1u);
    EXPECT_EQ(ni.sent[3].kind, 2u);
}

TEST(firmware_worms, packets_of_another_kind_than_the_group_are_dropped) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(1, receive(500, 33));
    ASSERT_EQ(result(ni, set_worms(1, 4, deliver_to(1), 3, paths(10, 2, 2), 2), 1), 0u);
    for (const std::uint32_t kind : {0u, 1u, 2u}) ni.arrive(group_part(ni, 8, 100, 0, kind, 1));
    ni.settle();
    EXPECT_THAT(ni.sent, IsEmpty());
    EXPECT_THAT(outcome(ni, 1), testing::Each(Pair(NI_COMPLETION_ERROR, NI_STATUS_MALFORMED))) << "not delivered";
    EXPECT_EQ(ni.completions[1].size(), 3u);
    EXPECT_EQ(ni.completions[1][0].group, 4u);
    EXPECT_EQ(ni.count_of(NI_STATUS_MALFORMED), 3u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_DROPPED), 3u);
    ni.completions[1].clear();
    ni.arrive(group_part(ni, 8, 64, 0, 3, 1));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 2u) << "the right one is not harmed";
    EXPECT_THAT(outcome(ni, 1), ElementsAre(Pair(NI_COMPLETION_RECEIVED, 0)));
    // The other way round.
    ASSERT_EQ(result(ni, set_group(1, 4, 0, {5}), 1), 0u);
    ni.arrive(group_part(ni, 9, 64, 0, 3, 1));
    ni.settle();
    EXPECT_EQ(ni.sent.size(), 2u);
    EXPECT_EQ(ni.count_of(NI_STATUS_MALFORMED), 4u);
    ni.expect_idle();
}

TEST(firmware_worms, a_member_without_children_takes_packets_of_all_kinds) {
    ni_model ni;
    give_windows(ni, 1000);
    for (std::uint32_t i = 0; i < 4; ++i) ni.command(0, receive(100, i));
    ASSERT_EQ(result(ni, set_group(1, 4, deliver_to(0), {})), 0u);
    for (std::uint32_t kind = 0; kind < 4; ++kind) ni.arrive(group_part(ni, kind, 64, 0, kind));
    ni.settle();
    EXPECT_EQ(ni.completions[0].size(), 4u);
    EXPECT_THAT(outcome(ni), testing::Each(Pair(NI_COMPLETION_RECEIVED, 0)));
    ni.expect_idle();
}

TEST(firmware_worms, fill_entries_and_never_lie_in_two) {
    // An entry holds 18 words of worms if it is the first, 26 if not.
    struct sizes {
        std::uint32_t each, count, entries;
    };
    for (const sizes& one : {sizes{1, 18, 1}, sizes{1, 19, 2}, sizes{4, 4, 1}, sizes{4, 5, 2}, sizes{4, 10, 2},
                             sizes{4, 11, 3}, sizes{18, 2, 2}, sizes{19, 1, 2}, sizes{26, 2, 3}, sizes{26, 3, 4}}) {
        SCOPED_TRACE(testing::Message() << one.count << " of " << one.each << " words");
        ni_model ni({.processes = 1,
                     .command_bytes = 1024,
                     .group_entries = one.entries,
                     .stop_bytes = one.each == 1 ? 2u : 3u});
        const std::uint32_t kind = one.each == 1 ? 2 : 3;
        const words routes = kind == 2 ? hosts_from(100, one.count) : paths(100, one.count, one.each, 1);
        EXPECT_EQ(result(ni, set_worms(1, 4, 0, kind, routes, one.each)), 0u);
        EXPECT_EQ(ni.groups_used(), one.entries);
        ni.arrive(group_part(ni, 1, 10, 0, kind));
        ni.settle();
        ASSERT_EQ(ni.sent.size(), one.count);
        for (std::uint32_t i = 0; i < one.count; ++i) {
            EXPECT_EQ(ni.sent[i].route,
                      kind == 2 ? bytes({static_cast<std::uint8_t>(100 + i), 0}) : path_bytes(1, 100 + i - 2));
        }
        EXPECT_EQ(result(ni, clear_group(1, 4)), 0u);
        EXPECT_EQ(ni.groups_used(), 0u);
    }
}

TEST(firmware_worms, extending_goes_on_with_the_same_kind) {
    ni_model ni({.group_entries = 3});
    EXPECT_EQ(result(ni, set_worms(1, 4, 0, 3, paths(10, 4, 4), 4)), 0u);
    EXPECT_EQ(result(ni, set_worms(0, 0, 0, 0, paths(14, 7, 4), 4, NI_COMMAND_EXTEND_GROUP)), 0u)
        << "it says neither kind nor length";
    words wrong = paths(50, 3, 4);
    wrong[4] = 0;
    EXPECT_EQ(result(ni, set_worms(0, 0, 0, 3, wrong, 4, NI_COMMAND_EXTEND_GROUP)), bad);
    EXPECT_EQ(result(ni, set_worms(0, 0, 0, 3, paths(60, 6, 4), 4, NI_COMMAND_EXTEND_GROUP)), full);
    words lies = set_worms(0, 0, 0, 3, paths(60, 1, 4), 4, NI_COMMAND_EXTEND_GROUP);
    lies[NI_COMMAND_LENGTH] = 15;  // 56 words hold 14
    EXPECT_EQ(result(ni, lies), bad);
    ni.arrive(group_part(ni, 1, 10, 0));
    ni.settle();
    ASSERT_EQ(ni.sent.size(), 11u);
    for (std::uint32_t i = 0; i < 11; ++i) EXPECT_EQ(ni.sent[i].route[2], 10 + i);
    EXPECT_EQ(result(ni, set_group(1, 4, 0, {5})), 0u) << "and may become one of hosts";
    ni.arrive(group_part(ni, 2, 10, 0, 0));
    ni.settle();
    EXPECT_EQ(ni.sent.back().destination, 5u);
    EXPECT_EQ(ni.groups_used(), 1u);
}

TEST(firmware_worms, refuses_bad_ones) {
    struct refused {
        words command;
        std::uint32_t status;
    };
    words lies = set_worms(1, 4, 0, 3, paths(10, 1, 2), 2);
    lies[NI_COMMAND_LENGTH] = 29;  // 56 words hold 28
    words endless = set_worms(1, 4, 0, 3, paths(10, 1, 2), 2);
    endless[NI_COMMAND_LENGTH] = 0x80000001;
    words begun = paths(10, 2, 2);
    begun[2] |= 0x100;
    const std::vector<refused> all{
        {set_worms(1, 4, 0, 3, {}, 0), bad},
        {set_worms(1, 4, 0, 3, path_words(8, 1, 27), 27), full},
        {set_worms(1, 4, 0, 3, path_words(8, 1, 7), 0xffffffff), full},
        {set_worms(1, 4, 0, 3, path_words(8, 1, 6), 6), bad},  // 26 bytes
        {set_worms(1, 4, 0, 3, path_words(9, 1, 8), 8), bad},
        {set_worms(1, 4, 0, 3, {0, 0}, 2), bad},
        {set_worms(1, 4, 0, 3, begun, 2), bad},
        {set_worms(1, 4, 0, 1, {1, 0}, 1), bad},  // no receiver
        {lies, bad},
        {endless, bad},
        {set_worms(1, no_group, 0, 3, paths(10, 1, 2), 2), bad},
        {set_worms(1, 4, 0x20, 3, paths(10, 1, 2), 2), bad},  // no such flag
        {set_worms(1, 4, 0x80, 3, paths(10, 1, 2), 2), bad},
    };
    for (const refused& one : all) {
        ni_model ni({.processes = 1});
        EXPECT_EQ(result(ni, one.command), one.status) << &one - all.data();
        EXPECT_EQ(ni.groups_used(), 0u);
    }
    ni_model narrow({.hosts = 40});
    EXPECT_EQ(result(narrow, set_worms(1, 4, 0, 1, {1}, 1)), bad) << "a bit string of two words";
    ni_model large({.command_bytes = 65536, .group_entries = 300});
    EXPECT_EQ(result(large, set_worms(1, 4, 0, 2, hosts_from(1, 4096), 1)), full);
    EXPECT_EQ(result(large, set_worms(1, 4, 0, 2, hosts_from(1, 4095), 1)), 0u);
    EXPECT_EQ(result(large, set_worms(0, 0, 0, 2, {1}, 1, NI_COMMAND_EXTEND_GROUP)), full);
}

TEST(firmware_worms, a_route_stays_while_the_last_copy_is_being_made) {
    // The receiving side replaces the group while the sending side is in the middle of its last copy.
    for (const bool fcfs : {false, true}) {
        ni_model ni({.group_entries = 2, .late_stores = true});
        const std::uint32_t flags = fcfs ? NI_GROUP_FCFS : 0;
        const auto roles = [&] {
            while (ni.step(NI_ROLE_RECEIVE) != NI_OPERATION_IDLE || ni.step(NI_ROLE_SEND) != NI_OPERATION_IDLE) {
            }
        };
        ni.command(0, set_worms(1, 4, flags, 3, paths(10, 2, 2), 2));
        roles();
        for (std::uint32_t i = 0; i < 2; ++i) {
            ni.arrive(group_part(ni, 1, 128, i));
            ASSERT_EQ(ni.step(NI_ROLE_RECEIVE), NI_OPERATION_RECEIVE);
            ASSERT_EQ(ni.step(NI_ROLE_RECEIVE), NI_OPERATION_IDLE);
        }
        for (int copy = 0; copy < 3; ++copy) ASSERT_EQ(ni.step(NI_ROLE_SEND), NI_OPERATION_SEND);
        ni.hold_stores = true;
        ASSERT_EQ(ni.step(NI_ROLE_SEND), NI_OPERATION_SEND);
        const auto copied = ni.take_held();
        ni.hold_stores = false;
        ni.command(0, clear_group(1, 4));
        ni.command(0, set_worms(1, 5, 0, 3, paths(70, 2, 2), 2));
        ni.command(0, set_worms(1, 6, 0, 3, paths(90, 2, 2), 2));
        while (ni.step(NI_ROLE_RECEIVE) != NI_OPERATION_IDLE) {
        }
        ni.make(copied);
        roles();
        ni.run_link();
        ASSERT_EQ(ni.sent.size(), 4u);
        EXPECT_EQ(ni.sent[3].route, path_bytes(2, 11 - 2));
        EXPECT_EQ(ni.groups_used(), 1u) << "group 5; there was no room for group 6 yet";
        EXPECT_EQ(ni.slots_used(), 0u);
    }
}

TEST(firmware_worms, an_incomplete_fcfs_message_goes_on_to_the_other_worms) {
    ni_model ni;
    ASSERT_EQ(result(ni, set_worms(1, 4, NI_GROUP_FCFS | NI_GROUP_ONCE, 3, paths(10, 3, 4), 4)), 0u);
    ni.arrive(group_part(ni, 1, 192, 0));
    ni.arrive(group_part(ni, 1, 192, 2));
    ni.settle();
    EXPECT_EQ(result(ni, clear_group(1, 4)), 0u);
    for (int i = 0; i < 2; ++i) {
        ni.run_timer();
        ni.settle();
    }
    ni.expect_idle();
    EXPECT_THAT(sent_by(ni), ElementsAre(Pair(0, 10), Pair(2, 10), Pair(0, 11), Pair(0, 12), Pair(2, 11), Pair(2, 12)));
    EXPECT_EQ(ni.groups_used(), 0u);
}

}  // namespace
}  // namespace polycast::testbench::firmware
