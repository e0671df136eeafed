// SPDX-License-Identifier: Apache-2.0
// Packets for this host: reassembly, and everything that can be wrong with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::Pair;

bool any_received(ni_model& ni) {
    const auto all = outcome(ni);
    return std::find(all.begin(), all.end(), received) != all.end();
}

TEST(firmware_receive, puts_a_message_together) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(1, receive(500, 33, 100));
    ni.run();
    for (std::uint32_t i = 0; i < 3; ++i) {
        packet part = part_of(ni.params, 7, 150, i);
        part.source = 9;
        part.process = 1;
        part.source_process = 4;
        ni.arrive(part);
        EXPECT_THAT(ni.run(), ElementsAre(NI_OPERATION_RECEIVE));
    }
    EXPECT_EQ(ni.transfers(), 4u) << "three parts, one completion";
    ni.settle();
    EXPECT_TRUE(holds(ni, 1, 100, 7, 150));
    ASSERT_EQ(ni.completions[1].size(), 1u);
    const completion& done = ni.completions[1][0];
    EXPECT_EQ(done.kind, static_cast<std::uint32_t>(NI_COMPLETION_RECEIVED));
    EXPECT_EQ(done.status, 0u);
    EXPECT_EQ(done.cookie, 33u);
    EXPECT_EQ(done.source, 9u);
    EXPECT_EQ(done.source_process, 4u);
    EXPECT_EQ(done.message, 7u);
    EXPECT_EQ(done.length, 150u);
    EXPECT_EQ(done.tag, 1007u);
    EXPECT_EQ(done.group, no_group);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_MESSAGES_RECEIVED), 1u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_PACKETS_RECEIVED), 3u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_DROPPED), 0u);
    ni.expect_idle();
}

TEST(firmware_receive, the_completion_is_right_behind_the_last_transfer) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(500, 33));
    ni.run();
    ni.arrive(part_of(ni.params, 7, 10, 0));
    EXPECT_THAT(ni.run(), ElementsAre(NI_OPERATION_RECEIVE));
    EXPECT_EQ(ni.run_dma(), 2u);
    EXPECT_THAT(outcome(ni), ElementsAre(received));
    EXPECT_FALSE(ni.timer_set()) << "nothing was half-received";
}

TEST(firmware_receive, buffers_are_used_in_the_order_of_first_packets) {
    ni_model ni;
    give_windows(ni, 1000);
    for (std::uint32_t i = 0; i < 3; ++i) ni.command(0, receive(200, i, 200 * i));
    ni.run();
    ni.arrive(part_of(ni.params, 1, 100, 1));
    ni.arrive(part_of(ni.params, 2, 100, 0));
    ni.arrive(part_of(ni.params, 3, 100, 0));
    ni.arrive(part_of(ni.params, 3, 100, 1));
    ni.arrive(part_of(ni.params, 2, 100, 1));
    ni.arrive(part_of(ni.params, 1, 100, 0));
    ni.settle();
    ASSERT_EQ(ni.completions[0].size(), 3u);
    EXPECT_EQ(ni.completions[0][0].cookie, 2u);
    EXPECT_EQ(ni.completions[0][1].cookie, 1u);
    EXPECT_EQ(ni.completions[0][2].cookie, 0u);
    for (std::uint32_t i = 0; i < 3; ++i) EXPECT_TRUE(holds(ni, 0, 200 * i, i + 1, 100));
    ni.expect_idle();
}

TEST(firmware_receive, any_order_of_packets) {
    std::mt19937 random(1);
    for (const std::uint32_t payload : {4u, 12u}) {
        for (const std::uint32_t packets : {2u, 31u, 33u, 700u}) {
            for (int round = 0; round < 4; ++round) {
                ni_model ni({.payload = payload});
                give_windows(ni, 10000);
                ni.command(0, receive(10000, 1));
                ni.run();
                const std::uint32_t total = packets * payload - 1;
                std::vector<std::uint32_t> order(packets);
                std::iota(order.begin(), order.end(), 0);
                if (round == 0)
                    std::reverse(order.begin(), order.end());
                else
                    std::shuffle(order.begin(), order.end(), random);
                for (const std::uint32_t index : order) {
                    EXPECT_FALSE(any_received(ni));
                    ni.arrive(part_of(ni.params, 3, total, index));
                    if (random() % 4 == 0) ni.arrive(part_of(ni.params, 3, total, index));
                    if (&index != &order.back()) ni.settle();
                }
                ni.settle();
                const auto all = outcome(ni);
                EXPECT_EQ(std::count(all.begin(), all.end(), received), 1);
                EXPECT_TRUE(holds(ni, 0, 0, 3, total));
                ni.expect_idle();
            }
        }
    }
}

TEST(firmware_receive, duplicates_are_dropped) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(500, 33));
    ni.command(0, receive(500, 34, 500));
    ni.run();
    for (const std::uint32_t index : {0u, 0u, 2u, 2u, 1u}) ni.arrive(part_of(ni.params, 7, 150, index));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_DUPLICATE), error(NI_STATUS_DUPLICATE), received));
    EXPECT_EQ(ni.completions[0][0].message, 7u);
    EXPECT_EQ(ni.completions[0][0].source, 1u);
    EXPECT_EQ(ni.completions[0][0].cookie, 0u);
    EXPECT_EQ(ni.statistic(NI_STATISTIC_DROPPED), 2u);
    EXPECT_EQ(ni.count_of(NI_STATUS_DUPLICATE), 2u);
    ni.expect_idle();
}

TEST(firmware_receive, packets_of_coding_units_are_messages) {
    ni_model ni({.hosts = 8, .units = 8});
    give_windows(ni, 1000);
    ni.command(0, receive(100, 21));
    ni.settle();
    packet coded;
    coded.source = 15;
    coded.message = 70;
    coded.total = 40;
    coded.payload.assign(40, 3);
    ni.arrive(coded);
    coded.source = 16;
    ni.arrive(coded);
    ni.settle();
    ASSERT_EQ(ni.completions[0].size(), 2u) << "received, and malformed";
    EXPECT_EQ(ni.completions[0][0].kind, static_cast<std::uint32_t>(NI_COMPLETION_RECEIVED));
    EXPECT_EQ(ni.completions[0][0].source, 15u);
    EXPECT_EQ(ni.completions[0][1].status, static_cast<std::uint32_t>(NI_STATUS_MALFORMED));
    ni.expect_idle();
}

TEST(firmware_receive, messages_differ_by_source_process_and_number) {
    ni_model ni;
    give_windows(ni, 2000);
    for (std::uint32_t i = 0; i < 4; ++i) ni.command(0, receive(500, i, 500 * i));
    ni.command(1, receive(500, 9));
    ni.run();
    packet base = part_of(ni.params, 1, 100, 0);
    for (int half = 0; half < 2; ++half) {
        packet other = base;
        ni.arrive(other);
        other.source = 2;
        ni.arrive(other);
        other = base;
        other.source_process = 1;
        ni.arrive(other);
        other = base;
        other.message = 2;
        ni.arrive(other);
        other = base;
        other.process = 1;
        ni.arrive(other);
        base = part_of(ni.params, 1, 100, 1);
    }
    ni.settle();
    EXPECT_THAT(outcome(ni, 0), testing::Each(received));
    EXPECT_EQ(ni.completions[0].size(), 4u);
    EXPECT_THAT(outcome(ni, 1), ElementsAre(received));
    ni.expect_idle();
}

TEST(firmware_receive, malformed_packets_are_dropped) {
    struct bad {
        const char* what;
        ni_status status;
        void (*change)(packet&);
    };
    const std::vector<bad> all{
        {"incomplete", NI_STATUS_MALFORMED, [](packet& p) { p.status = 1; }},
        {"check", NI_STATUS_CHECK, [](packet& p) { p.status = 2 | 150u << 16; }},
        {"cut", NI_STATUS_MALFORMED, [](packet& p) { p.status = 4; }},
        {"kind", NI_STATUS_MALFORMED, [](packet& p) { p.status = 8; }},
        {"not mine", NI_STATUS_NOT_MINE, [](packet& p) { p.status = 16; }},
        {"cut and wrong", NI_STATUS_MALFORMED, [](packet& p) { p.status = 4 | 2 | 16; }},
        {"new bit", NI_STATUS_MALFORMED, [](packet& p) { p.status = 64; }},
        {"kind 4", NI_STATUS_MALFORMED, [](packet& p) { p.kind = 4; }},
        {"op", NI_STATUS_MALFORMED, [](packet& p) { p.op = 1; }},
        {"source", NI_STATUS_MALFORMED, [](packet& p) { p.source = 32; }},
        {"source none", NI_STATUS_MALFORMED, [](packet& p) { p.source = no_host; }},
        {"total 0", NI_STATUS_MALFORMED, [](packet& p) { p.total = 0; }},
        {"offset beyond", NI_STATUS_MALFORMED, [](packet& p) { p.offset = 192; }},
        {"offset far beyond", NI_STATUS_MALFORMED, [](packet& p) { p.offset = 0xffffffc0; }},
        {"offset odd", NI_STATUS_MALFORMED, [](packet& p) { p.offset = 32; }},
        {"short", NI_STATUS_MALFORMED, [](packet& p) { p.payload.pop_back(); }},
        {"empty", NI_STATUS_MALFORMED, [](packet& p) { p.payload.clear(); }},
        {"long", NI_STATUS_MALFORMED, [](packet& p) { p.payload.resize(65); }},
        {"longer than its message", NI_STATUS_MALFORMED, [](packet& p) { p.total = 63; }},
        {"huge", NI_STATUS_MALFORMED, [](packet& p) { p.payload.resize(65535); }},
        {"tree to group", NI_STATUS_UNKNOWN_GROUP, [](packet& p) { p.kind = 1, p.group = 3; }},
        {"process", NI_STATUS_NO_PROCESS, [](packet& p) { p.process = 2; }},
        {"process 255", NI_STATUS_NO_PROCESS, [](packet& p) { p.process = 255; }},
        {"group", NI_STATUS_UNKNOWN_GROUP, [](packet& p) { p.group = 3; }},
    };
    for (const bad& one : all) {
        SCOPED_TRACE(one.what);
        ni_model ni;
        give_windows(ni, 1000);
        ni.command(0, receive(500, 33));
        ni.run();
        packet wrong = part_of(ni.params, 7, 150, 0);
        one.change(wrong);
        ni.arrive(wrong);
        EXPECT_THAT(ni.run(), ElementsAre(NI_OPERATION_RECEIVE));
        EXPECT_EQ(ni.slots_used(), 0u);
        for (std::uint32_t i = 0; i < 3; ++i) ni.arrive(part_of(ni.params, 7, 150, i));
        ni.settle();
        EXPECT_THAT(outcome(ni), ElementsAre(error(one.status), received));
        EXPECT_TRUE(holds(ni, 0, 0, 7, 150));
        EXPECT_EQ(ni.count_of(one.status), 1u);
        EXPECT_EQ(ni.statistic(NI_STATISTIC_DROPPED), 1u);
        ni.expect_idle();
    }
}

TEST(firmware_receive, payloads_that_are_no_power_of_two) {
    ni_model ni({.payload = 100});
    give_windows(ni, 1000);
    ni.command(0, receive(500, 33));
    ni.run();
    packet odd = part_of(ni.params, 7, 250, 1);
    odd.offset = 64;
    ni.arrive(odd);
    for (std::uint32_t i = 0; i < 3; ++i) ni.arrive(part_of(ni.params, 7, 250, 2 - i));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_MALFORMED), received));
    EXPECT_TRUE(holds(ni, 0, 0, 7, 250));
}

TEST(firmware_receive, parts_that_disagree_on_the_total) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(500, 33));
    ni.run();
    ni.arrive(part_of(ni.params, 7, 150, 0));
    ni.arrive(part_of(ni.params, 7, 151, 1));
    ni.arrive(part_of(ni.params, 7, 150, 1));
    ni.arrive(part_of(ni.params, 7, 150, 2));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_MALFORMED), received));
}

TEST(firmware_receive, without_a_buffer_all_of_the_message_is_dropped) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.arrive(part_of(ni.params, 7, 150, 0));
    ni.settle();
    ni.command(0, receive(500, 33));
    ni.settle();
    ni.arrive(part_of(ni.params, 7, 150, 1));
    ni.arrive(part_of(ni.params, 7, 150, 2));
    ni.arrive(part_of(ni.params, 8, 10, 0));
    ni.settle();
    const auto lost = error(NI_STATUS_NO_BUFFER);
    EXPECT_THAT(outcome(ni), ElementsAre(lost, lost, lost, received));
    EXPECT_EQ(ni.completions[0][3].cookie, 33u);
    // All of it has been dropped: the number is free again.
    ni.command(0, receive(500, 34));
    ni.run();
    for (std::uint32_t i = 0; i < 3; ++i) ni.arrive(part_of(ni.params, 7, 150, i));
    ni.settle();
    EXPECT_EQ(outcome(ni).back(), received);
    ni.expect_idle();
}

TEST(firmware_receive, a_small_buffer_stays) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.command(0, receive(149, 33));
    ni.run();
    for (std::uint32_t i = 0; i < 3; ++i) ni.arrive(part_of(ni.params, 7, 150, i));
    for (std::uint32_t i = 0; i < 3; ++i) ni.arrive(part_of(ni.params, 8, 149, i));
    ni.settle();
    const auto lost = error(NI_STATUS_BUFFER_TOO_SMALL);
    EXPECT_THAT(outcome(ni), ElementsAre(lost, lost, lost, received));
    EXPECT_EQ(ni.completions[0].back().cookie, 33u);
    ni.expect_idle();
}

TEST(firmware_receive, only_so_many_dropped_messages_of_a_sender_are_remembered) {
    ni_model ni;
    give_windows(ni, 1000);
    for (std::uint32_t m = 0; m < 5; ++m) ni.arrive(part_of(ni.params, m, 150, 0));
    ni.command(0, receive(500, 1));
    ni.settle();
    ni.completions.clear();
    ni.arrive(part_of(ni.params, 1, 150, 1));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(error(NI_STATUS_NO_BUFFER)));
    ni.completions.clear();
    ni.arrive(part_of(ni.params, 0, 150, 1));
    ni.arrive(part_of(ni.params, 0, 150, 0));
    ni.arrive(part_of(ni.params, 0, 150, 2));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(received));
    ni.expect_idle();
}

TEST(firmware_receive, errors_cannot_fill_the_queue_of_a_process) {
    ni_model ni;
    give_windows(ni, 1000);
    for (std::uint32_t m = 0; m < 100; ++m) ni.arrive(part_of(ni.params, m, 10, 0));
    ni.settle();
    EXPECT_EQ(ni.completions[0].size(), static_cast<std::size_t>(NI_ERROR_REPORTS));
    EXPECT_EQ(ni.count_of(NI_STATUS_NO_BUFFER), 100u);
    ni.arrive(part_of(ni.params, 1, 10, 0));
    ni.settle();
    EXPECT_EQ(ni.completions[0].size(), static_cast<std::size_t>(NI_ERROR_REPORTS) + 1)
        << "the process has asked for something";
    packet other = part_of(ni.params, 1, 10, 0);
    other.process = 1;
    ni.arrive(other);
    ni.settle();
    EXPECT_EQ(ni.completions[1].size(), 1u);
}

TEST(firmware_receive, a_process_has_its_share_of_buffers) {
    ni_model ni({.processes = 64, .command_entries = 20});
    give_windows(ni, 100);
    for (std::uint32_t i = 0; i < 17; ++i) ni.command(3, receive(10, i));
    ni.settle();
    EXPECT_THAT(outcome(ni, 3), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_TABLE_FULL)));
    EXPECT_EQ(ni.completions[3][0].cookie, 16u);
    ni.command(4, receive(10, 1));
    for (std::uint32_t m = 0; m < 16; ++m) {
        packet part = part_of(ni.params, m, 10, 0);
        part.process = 3;
        ni.arrive(part);
    }
    ni.settle();
    EXPECT_EQ(ni.completions[3].size(), 17u);
    for (std::uint32_t i = 0; i < 16; ++i) ni.command(3, receive(10, i));
    ni.settle();
    EXPECT_EQ(ni.completions[3].size(), 17u) << "all are free again";
    EXPECT_TRUE(ni.completions[4].empty());
}

TEST(firmware_receive, a_refused_transfer_fails_the_buffer) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.windows[{0, 2}].bytes.resize(100);
    ni.command(0, receive(500, 33));
    ni.command(0, receive(90, 34));
    ni.run();
    ni.arrive(part_of(ni.params, 7, 200, 0));
    ni.settle();
    ni.arrive(part_of(ni.params, 7, 200, 1));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_FAILED, NI_STATUS_REFUSED)));
    EXPECT_EQ(ni.completions[0][0].cookie, 33u);
    EXPECT_EQ(ni.completions[0][0].source, 1u);
    EXPECT_EQ(ni.completions[0][0].message, 7u);
    // The rest takes no other buffer.
    ni.arrive(part_of(ni.params, 7, 200, 2));
    ni.arrive(part_of(ni.params, 7, 200, 3));
    ni.arrive(part_of(ni.params, 8, 90, 0));
    ni.arrive(part_of(ni.params, 8, 90, 1));
    ni.settle();
    EXPECT_EQ(outcome(ni).back(), received);
    EXPECT_EQ(ni.completions[0].back().cookie, 34u);
    EXPECT_EQ(ni.count_of(NI_STATUS_REFUSED), 3u);
    ni.expect_idle();
}

TEST(firmware_receive, several_refusals_of_one_message_fail_it_once) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.windows.erase({0, 2});
    ni.command(0, receive(500, 33));
    ni.run();
    for (std::uint32_t i = 0; i < 3; ++i) ni.arrive(part_of(ni.params, 7, 200, i));
    ni.run();
    ni.run_dma();
    ni.settle();
    const auto all = outcome(ni);
    EXPECT_EQ(std::count(all.begin(), all.end(),
                         std::make_pair<std::uint32_t, std::uint32_t>(NI_COMPLETION_FAILED, NI_STATUS_REFUSED)),
              1);
    ni.expect_idle();
}

TEST(firmware_receive, a_refusal_of_the_last_transfer_comes_after_the_completion) {
    ni_model ni;
    give_windows(ni, 1000);
    ni.windows.erase({0, 2});
    ni.command(0, receive(500, 33));
    ni.run();
    ni.arrive(part_of(ni.params, 7, 10, 0));
    ni.settle();
    EXPECT_THAT(outcome(ni), ElementsAre(received, error(NI_STATUS_REFUSED)));
    // The entry is used anew: the late refusal must not hit it.
    give_windows(ni, 1000);
    ni.command(0, receive(500, 34));
    ni.command(0, receive(500, 35));
    ni.run();
    ni.arrive(part_of(ni.params, 8, 10, 0));
    ni.run();
    ni.windows.erase({0, 2});
    ni.run_dma();
    ni.arrive(part_of(ni.params, 9, 100, 0));
    ni.run();
    give_windows(ni, 1000);
    ni.arrive(part_of(ni.params, 9, 100, 1));
    ni.settle();
    EXPECT_EQ(outcome(ni).back(), received);
    ni.expect_idle();
}

TEST(firmware_receive, many_messages_at_a_time) {
    ni_model ni({.processes = 1, .command_entries = 1024, .receive_slots = 100000});
    give_windows(ni, 1 << 17);
    for (std::uint32_t i = 0; i < 1024; ++i) ni.command(0, receive(100, i, 100 * i));
    ni.settle();
    std::mt19937 random(3);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
    for (std::uint32_t m = 0; m < 1024; ++m)
        for (std::uint32_t i = 0; i < 2; ++i) parts.emplace_back(m, i);
    std::shuffle(parts.begin(), parts.end(), random);
    for (const auto& [m, i] : parts) {
        packet made = part_of(ni.params, m, 100, i);
        made.source = 1 + m % 31;
        made.source_process = m % 3;
        ni.arrive(made);
    }
    ni.settle();
    EXPECT_EQ(ni.completions[0].size(), 1024u);
    for (const completion& one : ni.completions[0]) {
        ASSERT_EQ(one.kind, static_cast<std::uint32_t>(NI_COMPLETION_RECEIVED)) << one.status;
        EXPECT_TRUE(holds(ni, 0, 100 * one.cookie, one.message, 100));
    }
    ni.expect_idle();
}

}  // namespace
}  // namespace polycast::testbench::firmware
