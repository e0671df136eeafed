// SPDX-License-Identifier: Apache-2.0
// Reliable messages at their source: numbers, receipts, repairs, questions, failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/reliable_bench.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t me = 0;  // host 0, process 0

/// Sends a message of `length` bytes to host 2 and takes its packets off.
void begin(reliable_bench& bench, std::uint32_t length, std::uint32_t to = 2) {
    bench.give(reliable(send(to, {.length = length, .message = 70})));
    bench.sent();
}

void receive_from(reliable_bench& bench, std::uint32_t host, const receipt& what) {
    bench.arrive(receipt_from(host, me, flow_of_process(0), {what}));
}

TEST(firmware_reliable_send, is_done_when_it_is_acknowledged) {
    reliable_bench bench;
    bench.give(reliable(send(2, {.length = 100, .message = 70, .cookie = 8})));
    const auto packets = bench.sent();
    ASSERT_EQ(packets.size(), 2u);
    EXPECT_EQ(packets[1].op, reliable_op);
    EXPECT_EQ(packets[1].message, 0u);
    EXPECT_EQ(packets[1].group, no_group);
    EXPECT_THAT(bench.told(), IsEmpty());
    receive_from(bench, 2, {.member = 2, .missing = all_there});
    const auto told = bench.told();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].kind, static_cast<std::uint32_t>(NI_COMPLETION_SENT));
    EXPECT_EQ(told[0].cookie, 8u);
    EXPECT_EQ(told[0].message, 70u);
    EXPECT_EQ(bench.ni.statistic(NI_STATISTIC_MESSAGES_SENT), 1u);
    while (bench.ni.run_timer()) bench.ni.settle();
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.ni.expect_idle();
}

TEST(firmware_reliable_send, numbers_count_in_each_flow) {
    reliable_bench bench;
    std::vector<std::uint32_t> numbers;
    const auto number = [&](const words& command, std::uint32_t process = 0) {
        bench.give(reliable(command), process);
        numbers.push_back(bench.only().message);
    };
    number(send(2, {.length = 10}));
    number(send(2, {.length = 10}));
    number(send(3, {.length = 10}));
    number(send(2, {.length = 10, .process = 1}));
    number(send(2, {.length = 10}), 1);
    number(send(2, {.length = 10}));
    EXPECT_THAT(numbers, ElementsAre(0, 1, 0, 0, 0, 2));
}

TEST(firmware_reliable_send, a_restarted_processor_repeats_no_number) {
    reliable_bench bench({.restarts = 3});
    bench.give(reliable(send(2, {.length = 10})));
    EXPECT_EQ(bench.only().message, 3u << 20);
}

TEST(firmware_reliable_send, receipts_count_only_from_the_receiver) {
    reliable_bench bench;
    begin(bench, 10);
    receive_from(bench, 3, {.member = 3, .missing = all_there});
    receive_from(bench, 3, {.member = 2, .missing = all_there});
    receive_from(bench, 2, {.member = 3, .missing = all_there});
    receive_from(bench, 2, {.member = 2, .message = 1, .missing = all_there});
    bench.arrive(receipt_from(2, me | 1 << 24, flow_of_process(0), {{.member = 2, .missing = all_there}}));
    bench.arrive(receipt_from(2, me, flow_of_process(1), {{.member = 2, .missing = all_there}}));
    for (const completion& each : bench.told()) EXPECT_EQ(each.kind, static_cast<std::uint32_t>(NI_COMPLETION_ERROR));
    receive_from(bench, 2, {.member = 2, .missing = all_there});
    EXPECT_THAT(outcome(bench.ni), ElementsAre(std::pair{NI_COMPLETION_SENT, NI_STATUS_OK}));
}

TEST(firmware_reliable_send, a_gap_is_repaired_up_to_what_is_there) {
    reliable_bench bench;
    begin(bench, 64 * 8);
    // 0, 1, 3 and 5 are there; 6 and 7 may be on their way.
    receive_from(bench, 2, {.member = 2, .missing = 128, .bitmap = 0b101});
    const auto packets = bench.sent();
    ASSERT_EQ(packets.size(), 3u);
    EXPECT_EQ(packets[0].offset, 128u);
    EXPECT_EQ(packets[1].offset, 256u);
    EXPECT_EQ(packets[0].op, reliable_op);
    EXPECT_EQ(packets[0].total, 512u);
    EXPECT_EQ(packets[0].destination, 2u);
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(packets[0].payload[i], pattern(1, 128 + i));
    // Then it is asked whether it has all now.
    EXPECT_EQ(packets[2].op, control_op);
    EXPECT_EQ(packets[2].group, probe_word | alone_flag | begun(1));
    EXPECT_EQ(packets[2].message, 0u);
    // What it lacks then is not on its way.
    receive_from(bench, 2, {.member = 2 | was_asked, .missing = 384});
    EXPECT_THAT(bench.offsets(), ElementsAre(384, 448));
    receive_from(bench, 2, {.member = 2, .missing = all_there});
    EXPECT_THAT(outcome(bench.ni), ElementsAre(std::pair{NI_COMPLETION_SENT, NI_STATUS_OK}));
    bench.ni.expect_idle();
}

TEST(firmware_reliable_send, the_same_gap_is_repaired_once) {
    reliable_bench bench;
    begin(bench, 64 * 4);
    const receipt gap{.member = 2, .missing = 64, .bitmap = 1};
    receive_from(bench, 2, gap);
    EXPECT_THAT(bench.offsets(), ElementsAre(64));
    receive_from(bench, 2, gap);
    EXPECT_THAT(bench.sent(), IsEmpty());
    // If it was asked, it lacks the packet still; but asking again at once would never end.
    receive_from(bench, 2, {.member = 2 | was_asked, .missing = 64, .bitmap = 1});
    EXPECT_THAT(bench.sent(), testing::SizeIs(2));
}

TEST(firmware_reliable_send, asks_after_times_that_double_and_gives_up) {
    reliable_bench bench({.reliable_timeout = 1000, .reliable_attempts = 3});
    begin(bench, 100);
    std::uint32_t time = 1000;
    for (int attempt = 0; attempt < 3; ++attempt, time *= 2) {
        bench.pass(time - 1);
        EXPECT_THAT(bench.sent(), IsEmpty()) << attempt;
        bench.pass(1);
        const packet probe = bench.only();
        EXPECT_EQ(probe.group, probe_word | begun(1));
        EXPECT_EQ(probe.destination, 2u);
        EXPECT_EQ(probe.total, me);
        EXPECT_EQ(probe.tag, flow_of_process(0));
    }
    bench.pass(time - 1);
    EXPECT_THAT(bench.told(), IsEmpty());
    bench.pass(1);
    EXPECT_EQ(bench.only().group, probe_word | forget_flag);
    const auto told = bench.told();
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].kind, static_cast<std::uint32_t>(NI_COMPLETION_LACKS));
    EXPECT_EQ(told[0].source, 2u);
    EXPECT_EQ(told[0].cookie, 5u);
    EXPECT_EQ(told[1].kind, static_cast<std::uint32_t>(NI_COMPLETION_FAILED));
    EXPECT_EQ(told[1].status, static_cast<std::uint32_t>(NI_STATUS_UNREACHABLE));
    EXPECT_EQ(told[1].source, 2u);
    EXPECT_EQ(told[1].message, 70u);
    EXPECT_EQ(bench.ni.count_of(NI_STATUS_UNREACHABLE), 1u);
    while (bench.ni.run_timer()) bench.ni.settle();
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.ni.expect_idle();
}

TEST(firmware_reliable_send, patience_shifts_the_first_time) {
    reliable_bench bench({.reliable_timeout = 1000});
    bench.give(reliable(send(2, {.length = 10}), 3 << NI_SEND_PATIENCE_SHIFT));
    bench.sent();
    bench.pass(7999);
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.pass(1);
    EXPECT_EQ(bench.only().group, probe_word | begun(1));
}

TEST(firmware_reliable_send, progress_begins_the_times_anew) {
    reliable_bench bench({.reliable_timeout = 1000, .reliable_attempts = 2});
    begin(bench, 64 * 200);
    for (std::uint32_t missing = 0; missing < 64 * 100; missing += 64) {
        bench.pass(1000);
        bench.pass(2000);
        EXPECT_FALSE(bench.sent().empty());
        receive_from(bench, 2, {.member = 2 | was_asked, .missing = missing});
        EXPECT_THAT(bench.told(), IsEmpty());
        bench.sent();
    }
    // The same again is none.
    bench.pass(1000);
    bench.pass(2000);
    receive_from(bench, 2, {.member = 2 | was_asked, .missing = 64 * 99});
    bench.pass(4000);
    EXPECT_EQ(bench.last().status, static_cast<std::uint32_t>(NI_STATUS_UNREACHABLE));
}

TEST(firmware_reliable_send, a_receiver_that_declines_ends_it_at_once) {
    reliable_bench bench;
    begin(bench, 100);
    bench.arrive(control_from(3, declined_word, me, flow_of_process(0), 0, NI_STATUS_NO_BUFFER));
    EXPECT_THAT(bench.told(), IsEmpty());
    bench.arrive(control_from(2, declined_word, me, flow_of_process(0), 0, NI_STATUS_NO_BUFFER));
    const auto told = bench.told();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].kind, static_cast<std::uint32_t>(NI_COMPLETION_FAILED));
    EXPECT_EQ(told[0].status, static_cast<std::uint32_t>(NI_STATUS_DECLINED));
    EXPECT_EQ(told[0].source, 2u);
    EXPECT_EQ(told[0].source_process, static_cast<std::uint32_t>(NI_STATUS_NO_BUFFER));
    EXPECT_EQ(bench.only().group, probe_word | forget_flag);
    bench.ni.expect_idle();
}

TEST(firmware_reliable_send, what_is_declined_is_not_sent_to_its_end) {
    reliable_bench bench({.link_queue = 1});
    ASSERT_TRUE(bench.ni.command(0, reliable(send(2, {.length = 64 * 100}))));
    for (int i = 0; i < 5; ++i) bench.ni.run(), bench.ni.run_dma(), bench.ni.run(), bench.ni.run_link(1);
    ASSERT_TRUE(bench.ni.arrive(control_from(2, declined_word, me, flow_of_process(0), 0, NI_STATUS_NO_BUFFER)));
    EXPECT_LT(bench.offsets().size(), 20u);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(std::pair{NI_COMPLETION_FAILED, NI_STATUS_DECLINED}));
    bench.told();
    bench.give(reliable(send(2, {.length = 10})));
    EXPECT_THAT(bench.offsets(), ElementsAre(0));
}

TEST(firmware_reliable_send, a_receipt_may_come_before_the_last_packet_is_noted) {
    reliable_bench bench;
    ASSERT_TRUE(bench.ni.command(0, reliable(send(2, {.length = 10}))));
    while (bench.ni.link.empty()) {
        bench.ni.step();
        bench.ni.run_dma();
    }
    ASSERT_TRUE(bench.ni.arrive(receipt_from(2, me, flow_of_process(0), {{.member = 2, .missing = all_there}})));
    bench.ni.settle();
    EXPECT_THAT(outcome(bench.ni), ElementsAre(std::pair{NI_COMPLETION_SENT, NI_STATUS_OK}));
    bench.ni.expect_idle();
}

TEST(firmware_reliable_send, a_flow_has_32_messages_under_way) {
    reliable_bench bench({.command_entries = 64});
    for (std::uint32_t i = 0; i < 40; ++i) bench.give(reliable(send(2, {.length = 10, .message = i})));
    EXPECT_EQ(bench.sent().size(), 32u);
    receive_from(bench, 2, {.member = 2, .message = 1, .missing = all_there});
    EXPECT_THAT(bench.sent(), IsEmpty()) << "number 0 is not acknowledged";
    receive_from(bench, 2, {.member = 2, .message = 0, .missing = all_there});
    const auto more = bench.sent();
    ASSERT_EQ(more.size(), 2u);
    EXPECT_EQ(more[0].message, 32u);
    EXPECT_EQ(more[1].message, 33u);
    bench.give(reliable(send(3, {.length = 10})));
    EXPECT_EQ(bench.only().message, 0u) << "other flows do not wait";
}

TEST(firmware_reliable_send, flows_are_shared_by_quota) {
    reliable_bench bench({.hosts = 200, .processes = 2});
    for (std::uint32_t host = 1; host <= 64; ++host) {
        bench.give(reliable(send(host, {.length = 10})));
        receive_from(bench, host, {.member = host, .missing = all_there});
        EXPECT_EQ(bench.last().kind, static_cast<std::uint32_t>(NI_COMPLETION_SENT));
    }
    bench.give(reliable(send(65, {.length = 10})));
    EXPECT_EQ(bench.last().status, static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    bench.give(reliable(send(64, {.length = 10})));
    EXPECT_THAT(bench.told(), IsEmpty());
    bench.give(reliable(send(65, {.length = 10})), 1);
    EXPECT_THAT(bench.told(1), IsEmpty());
    bench.give(send(65, {.length = 10}));
    EXPECT_EQ(bench.last().kind, static_cast<std::uint32_t>(NI_COMPLETION_SENT));
}

TEST(firmware_reliable_send, a_window_that_is_gone_fails_it) {
    reliable_bench bench;
    begin(bench, 200);
    bench.ni.windows[{0, 1}].read = false;
    receive_from(bench, 2, {.member = 2, .missing = 0, .bitmap = 0b10});
    EXPECT_THAT(outcome(bench.ni), ElementsAre(std::pair{NI_COMPLETION_FAILED, NI_STATUS_REFUSED}));
    bench.told();
    bench.give(reliable(send(2, {.length = 64})));
    EXPECT_THAT(outcome(bench.ni), ElementsAre(std::pair{NI_COMPLETION_FAILED, NI_STATUS_REFUSED}));
    bench.ni.expect_idle();
}

TEST(firmware_reliable_send, refuses_bad_commands) {
    const auto status = [](const words& command, const model_params& params = {}) {
        reliable_bench bench(params);
        bench.give(reliable(command));
        const auto told = bench.told();
        EXPECT_EQ(told.size(), 1u);
        return told.empty() ? 0 : told.front().status;
    };
    const auto with = [](words command, std::uint32_t flags) {
        command[0] |= flags << 16;
        command.resize(NI_COMMAND_LONG_WORDS, 64);
        return command;
    };
    constexpr std::uint32_t bad = NI_STATUS_BAD_COMMAND;
    EXPECT_EQ(status(send(0, {.length = 10})), bad);
    EXPECT_EQ(status(send(32, {.length = 10})), bad);
    EXPECT_EQ(status(send(2, {.length = 0})), bad);
    EXPECT_EQ(status(send(2, {.length = 10, .process = 64})), bad);
    EXPECT_EQ(status(with(send(2, {.length = 10}), NI_SEND_WINDOW)), bad);
    EXPECT_EQ(status(with(send(2, {.length = 10}), NI_SEND_RESERVE)), bad);
    EXPECT_EQ(status(with(send(32, {.length = 10}), NI_SEND_OPERAND), {.units = 1}), bad);
    EXPECT_EQ(status(send(2, {.length = 10}), {.payload = 15}), bad);
    EXPECT_EQ(status(send_tree({6}, {.length = 10})), bad) << "a worm without a group";
    reliable_bench bench;
    bench.give(set_group(0, 7, 0, {2, 3}));
    bench.told();
    bench.give(reliable(send_group(0, 7, {.length = 10})));
    EXPECT_EQ(bench.last().status, bad) << "a group without receipts";
}

}  // namespace
}  // namespace polycast::testbench::firmware
