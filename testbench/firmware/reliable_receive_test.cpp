// SPDX-License-Identifier: Apache-2.0
// Reliable messages at a receiver: exactly once, receipts, answers, what it declines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "testbench/firmware/reliable_bench.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t source = 1;  // host 1, process 0

packet probe(std::uint32_t message, std::uint32_t lowest = 0, std::uint32_t flags = 0) {
    return control_from(1, probe_word | flags, source, flow_of_process(0), message, lowest);
}

void expect_receipt(const packet& what, const receipt& entry) {
    EXPECT_EQ(what.op, control_op);
    EXPECT_EQ(what.group, receipt_word);
    EXPECT_EQ(what.destination, 1u);
    EXPECT_EQ(what.total, source);
    EXPECT_EQ(what.tag, flow_of_process(0));
    EXPECT_THAT(entries_of(what), ElementsAre(entry));
}

TEST(firmware_reliable_receive, acknowledges_what_is_in_host_memory) {
    reliable_bench bench;
    bench.give(receive(500, 40));
    packet last = part_of(bench.ni.params, 0, 100, 1);
    last.op = reliable_op;
    bench.part(0, 100, 0);
    ASSERT_TRUE(bench.ni.arrive(last));
    bench.ni.run();
    EXPECT_TRUE(bench.ni.link.empty()) << "it is not there before its transfer has ended";
    expect_receipt(bench.only(), {.member = 0, .message = 0, .missing = all_there});
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received));
    EXPECT_TRUE(holds(bench.ni, 0, 0, 0, 100));
    for (int ticks = 0; ticks < 3; ++ticks) bench.ni.run_timer(), bench.ni.settle();
    EXPECT_FALSE(bench.ni.timer_set());
    bench.ni.expect_idle();
}

TEST(firmware_reliable_receive, takes_every_message_once) {
    reliable_bench bench;
    for (std::uint32_t i = 0; i < 4; ++i) bench.give(receive(500, 40 + i, i * 500));
    bench.part(0, 100, 0);
    bench.part(0, 100, 0);
    bench.part(0, 100, 1);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received));
    bench.sent();
    bench.part(0, 100, 1);
    expect_receipt(bench.only(), {.message = 0, .missing = all_there});
    bench.part(2, 10, 0);
    bench.sent();
    bench.part(2, 10, 0);
    expect_receipt(bench.only(), {.message = 2, .missing = all_there});
    bench.part(1, 10, 0);
    bench.part(2, 10, 0);
    bench.part(33, 10, 0);  // 3 is the lowest: up to 34
    bench.part(35, 10, 0);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received, received, received, received));
    EXPECT_EQ(bench.ni.count_of(NI_STATUS_DUPLICATE), 0u) << "repeats are no errors";
}

TEST(firmware_reliable_receive, its_numbers_are_not_those_of_others) {
    reliable_bench bench;
    for (std::uint32_t i = 0; i < 4; ++i) bench.give(receive(500, 40 + i, i * 500));
    bench.part(0, 100, 0);
    packet plain = part_of(bench.ni.params, 0, 100, 0);
    bench.arrive(plain);
    packet other = plain;
    other.op = reliable_op;
    other.source_process = 1;
    bench.arrive(other);
    EXPECT_THAT(outcome(bench.ni), IsEmpty());
    bench.part(0, 100, 1);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received));
}

TEST(firmware_reliable_receive, reports_a_gap_that_stays) {
    reliable_bench bench;
    bench.give(receive(1000, 40));
    bench.part(0, 600, 0);
    bench.part(0, 600, 2);
    bench.part(0, 600, 5);
    bench.pass(999);
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.pass(1);
    expect_receipt(bench.only(), {.message = 0, .missing = 64, .bitmap = 0b1001});
    bench.part(0, 600, 6);
    bench.pass(5000);
    EXPECT_THAT(bench.sent(), IsEmpty()) << "once";
    bench.part(0, 600, 1);
    bench.pass(1000);
    expect_receipt(bench.only(), {.message = 0, .missing = 192, .bitmap = 0b110});
}

TEST(firmware_reliable_receive, a_gap_that_closes_is_not_reported) {
    reliable_bench bench;
    bench.give(receive(1000, 40));
    bench.part(0, 600, 1);
    bench.pass(900);
    bench.part(0, 600, 0);
    while (bench.ni.timer_set() && bench.ni.timer_left() < 100'000) bench.pass(bench.ni.timer_left());
    EXPECT_THAT(bench.sent(), IsEmpty());
}

TEST(firmware_reliable_receive, packets_far_ahead_are_in_the_report) {
    reliable_bench bench;
    bench.give(receive(5000, 40));
    bench.part(0, 4000, 32);
    bench.part(0, 4000, 33);
    bench.pass(1000);
    expect_receipt(bench.only(), {.message = 0, .missing = 0, .bitmap = 0x80000000});
}

// What has come far ahead is gone over in parts: a sender that repairs what it hears of is soon told of the next gap.
TEST(firmware_reliable_receive, a_gap_behind_many_packets_that_came_ahead_is_repaired) {
    constexpr std::uint32_t packets = 300, total = 64 * packets, lost = 200;
    for (const bool again : {false, true}) {
        reliable_bench bench;
        bench.give(receive(total, 40));
        for (std::uint32_t index = 1; index < packets; ++index)
            if (index != lost) bench.part(0, total, index);
        bench.part(0, total, 0);
        bench.sent();
        std::uint32_t questions = 0, missing = 0;
        for (; missing != all_there && questions < 10; ++questions) {
            bench.arrive(probe(0));
            const std::vector<receipt> said = entries_of(bench.only());
            ASSERT_EQ(said.size(), 1u);
            missing = said[0].missing;
            // A sender that waits for the next receipt, and one that repairs what each of them names.
            if (missing == 64 * lost || (again && missing != all_there)) {
                bench.part(0, total, missing / 64);
                for (const packet& each : bench.sent())
                    if (!entries_of(each).empty() && entries_of(each)[0].missing == all_there) missing = all_there;
            }
        }
        EXPECT_EQ(missing, all_there) << "after " << questions << " questions";
        EXPECT_THAT(outcome(bench.ni), ElementsAre(received));
        bench.ni.expect_idle();
    }
}

TEST(firmware_reliable_receive, answers_questions) {
    reliable_bench bench;
    bench.give(receive(1000, 40));
    bench.arrive(probe(0));
    expect_receipt(bench.only(), {.member = was_asked, .message = 0, .missing = 0});
    bench.part(0, 200, 0);
    bench.arrive(probe(0));
    expect_receipt(bench.only(), {.member = was_asked, .message = 0, .missing = 64});
    for (const std::uint32_t index : {1u, 2u, 3u}) bench.part(0, 200, index);
    bench.sent();
    bench.arrive(probe(0));
    expect_receipt(bench.only(), {.message = 0, .missing = all_there});
    bench.arrive(probe(5));
    expect_receipt(bench.only(), {.member = was_asked, .message = 5, .missing = 0});
    bench.arrive(probe(40));
    EXPECT_THAT(bench.sent(), IsEmpty());
    EXPECT_EQ(bench.ni.count_of(NI_STATUS_MALFORMED), 0u);
    bench.arrive(probe(4, 5));
    EXPECT_EQ(bench.ni.count_of(NI_STATUS_MALFORMED), 1u);
}

TEST(firmware_reliable_receive, what_the_source_gives_up_ends_incomplete) {
    reliable_bench bench;
    for (std::uint32_t i = 0; i < 3; ++i) bench.give(receive(1000, 40 + i, 1000 * i));
    bench.part(0, 200, 0);
    bench.part(1, 200, 0);
    bench.part(2, 200, 0);
    bench.arrive(probe(1, 0, forget_flag));
    EXPECT_THAT(outcome(bench.ni), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    bench.part(1, 200, 1);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    EXPECT_EQ(bench.last().message, 1u);
    // The floor passes 0; number 2 goes on.
    bench.sent();
    bench.arrive(probe(2, 2));
    EXPECT_THAT(outcome(bench.ni), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    bench.told();
    for (const std::uint32_t index : {1u, 2u, 3u}) bench.part(2, 200, index);
    EXPECT_EQ(bench.last().cookie, 42u);
    // The buffers of the others are there again.
    bench.part(33, 10, 0);
    bench.part(34, 10, 0);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received, received));
    bench.ni.expect_idle();
}

TEST(firmware_reliable_receive, a_source_that_was_started_anew_begins_far_above) {
    reliable_bench bench;
    for (std::uint32_t i = 0; i < 3; ++i) bench.give(receive(100, 40 + i, 100 * i));
    bench.part(0, 10, 0);
    bench.part(1, 200, 0);
    constexpr std::uint32_t first = 1 << 20;
    bench.part(first, 10, 0);
    EXPECT_EQ(bench.told().size(), 2u) << "one is there, one too long";
    bench.sent();
    bench.arrive(probe(first, first));
    expect_receipt(bench.only(), {.member = was_asked, .message = first, .missing = 0});
    bench.part(first, 10, 0);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received));
}

TEST(firmware_reliable_receive, a_receiver_that_was_started_anew_lets_the_source_say) {
    reliable_bench bench({.restarts = 1});
    for (std::uint32_t i = 0; i < 3; ++i) bench.give(receive(100, 40 + i, 100 * i));
    bench.part(3, 10, 0);
    EXPECT_THAT(bench.sent(), IsEmpty());
    bench.arrive(probe(3, 3));
    bench.sent();
    bench.part(3, 10, 0);
    bench.part(2, 10, 0);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received));
}

/// It may have finished any that had begun, and its receipt may be lost.
TEST(firmware_reliable_receive, a_receiver_that_was_started_anew_takes_none_that_had_begun) {
    reliable_bench bench({.restarts = 1});
    for (std::uint32_t i = 0; i < 5; ++i) bench.give(receive(100, 40 + i, 100 * i));
    bench.arrive(probe(4, 3, begun(3)));
    const packet no = bench.only();
    EXPECT_EQ(no.group, declined_word);
    EXPECT_EQ(no.message, 4u);
    EXPECT_EQ(no.offset, static_cast<std::uint32_t>(NI_STATUS_HUNG));
    for (const std::uint32_t number : {3u, 4u, 5u}) bench.part(number, 10, 0);
    EXPECT_THAT(outcome(bench.ni), IsEmpty());
    bench.part(6, 10, 0);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received));
    bench.sent();
    bench.arrive(probe(5, 5, begun(2)));
    EXPECT_EQ(bench.only().group, declined_word);
    // The source gives the last of them up: the window goes on behind what is there.
    bench.arrive(probe(5, 7, forget_flag));
    bench.part(38, 10, 0);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received, received));
    bench.ni.expect_idle();
}

TEST(firmware_reliable_receive, questions_do_not_disown_what_is_known) {
    for (const std::uint32_t restarts : {0u, 1u}) {
        reliable_bench bench({.restarts = restarts});
        for (std::uint32_t i = 0; i < 3; ++i) bench.give(receive(100, 40 + i, 100 * i));
        bench.arrive(probe(0, 0));
        bench.part(0, 10, 0);
        bench.sent();
        bench.arrive(probe(1, 1, begun(1)));
        expect_receipt(bench.only(), {.member = was_asked, .message = 1, .missing = 0});
        bench.part(1, 10, 0);
        EXPECT_THAT(outcome(bench.ni), ElementsAre(received, received));
        bench.arrive(probe(2, 2, begun(33)));
        EXPECT_EQ(bench.ni.count_of(NI_STATUS_MALFORMED), 1u) << "a flow has 32 at most";
    }
}

TEST(firmware_reliable_receive, declines_without_a_buffer_and_stays_with_it) {
    reliable_bench bench;
    bench.part(0, 10, 0);
    const packet no = bench.only();
    EXPECT_EQ(no.group, declined_word);
    EXPECT_EQ(no.destination, 1u);
    EXPECT_EQ(no.message, 0u);
    EXPECT_EQ(no.offset, static_cast<std::uint32_t>(NI_STATUS_NO_BUFFER));
    EXPECT_EQ(no.total, source);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(error(NI_STATUS_NO_BUFFER)));
    bench.give(receive(100, 40));
    bench.told();
    bench.part(0, 10, 0);
    EXPECT_THAT(bench.told(), IsEmpty());
    bench.arrive(probe(0));
    EXPECT_EQ(bench.only().group, declined_word);
    bench.part(1, 200, 0);
    EXPECT_EQ(bench.only().offset, static_cast<std::uint32_t>(NI_STATUS_BUFFER_TOO_SMALL));
    bench.told();
    bench.part(2, 10, 0);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received));
    bench.ni.expect_idle();
}

TEST(firmware_reliable_receive, declines_when_its_window_is_refused) {
    for (const bool last : {false, true}) {
        reliable_bench bench;
        bench.give(receive(200, 40));
        bench.give(receive(200, 41, 200));
        if (!last) bench.ni.windows[{0, 2}].write = false;
        bench.part(0, 100, 0);
        bench.ni.windows[{0, 2}].write = false;
        bench.part(0, 100, 1);
        const packet no = bench.only();
        EXPECT_EQ(no.group, declined_word);
        EXPECT_EQ(no.offset, static_cast<std::uint32_t>(NI_STATUS_REFUSED));
        EXPECT_THAT(outcome(bench.ni), ElementsAre(std::pair{NI_COMPLETION_FAILED, NI_STATUS_REFUSED}));
        bench.ni.windows[{0, 2}].write = true;
        bench.told();
        bench.part(1, 10, 0);
        EXPECT_EQ(bench.last().cookie, 41u);
        bench.ni.expect_idle();
    }
}

TEST(firmware_reliable_receive, flows_are_shared_by_quota) {
    reliable_bench bench({.hosts = 200, .processes = 2});
    const auto from = [&](std::uint32_t host, std::uint32_t process) {
        packet made = part_of(bench.ni.params, 0, 10, 0);
        made.op = reliable_op;
        made.source = host;
        made.process = process;
        bench.give(receive(100, 40), process);
        bench.arrive(made);
        const packet answer = bench.only();
        EXPECT_EQ(answer.destination, host);
        return answer;
    };
    for (std::uint32_t host = 1; host <= 64; ++host) EXPECT_EQ(from(host, 0).group, receipt_word);
    const packet no = from(65, 0);
    EXPECT_EQ(no.group, declined_word);
    EXPECT_EQ(no.offset, static_cast<std::uint32_t>(NI_STATUS_TABLE_FULL));
    EXPECT_EQ(no.tag, flow_of_process(0));
    EXPECT_EQ(no.total, 65u);
    EXPECT_EQ(from(65, 1).group, receipt_word);
    bench.ni.expect_idle();
}

TEST(firmware_reliable_receive, what_stays_half_received_is_declined) {
    reliable_bench bench;
    bench.give(receive(200, 40));
    bench.part(0, 100, 0);
    for (int tick = 0; tick < 2; ++tick) {
        EXPECT_THAT(bench.sent(), IsEmpty()) << tick;
        ASSERT_TRUE(bench.ni.run_timer());
        bench.ni.settle();
    }
    EXPECT_EQ(bench.only().offset, static_cast<std::uint32_t>(NI_STATUS_INCOMPLETE));
    EXPECT_THAT(outcome(bench.ni), ElementsAre(error(NI_STATUS_INCOMPLETE)));
    bench.told();
    bench.part(1, 10, 0);
    EXPECT_THAT(outcome(bench.ni), ElementsAre(received));
}

/// Gaps of three flows open and close, and are reported later, while repeats come in bursts and the processor comes
/// late to everything; for much less than a tick.
std::uint64_t declined_in_bursts(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    reliable_bench bench({.hosts = 64, .reliable_ack_delay = 200});
    constexpr std::uint32_t flows = 3;
    for (std::uint32_t i = 0; i < flows + 1; ++i) bench.give(receive(200, 40 + i, 200 * i));
    bench.part(0, 100, 0);
    std::vector<std::uint32_t> next(flows), number(flows);
    for (std::uint32_t event = 0; event < 400'000; ++event) {
        bench.ni.advance(draw(100));
        bench.ni.step(draw(3) == 0 ? NI_ROLE_ALL : draw(2) == 0 ? NI_ROLE_RECEIVE : NI_ROLE_SEND);
        bench.ni.run_dma(draw(2));
        bench.ni.run_link(1);
        if (draw(20) != 0) continue;
        const std::uint32_t flow = draw(flows);
        packet made = part_of(bench.ni.params, number[flow], 100, 1 - next[flow]);
        made.op = reliable_op;
        made.source = 2 + flow;
        bench.ni.arrive(made);
        number[flow] += next[flow];
        next[flow] = 1 - next[flow];
        if (next[flow] == 0) {
            EXPECT_TRUE(bench.ni.command(0, receive(200, 40 + flow, 200 * flow)));
        }
        made = part_of(bench.ni.params, 0, 100, 0);
        made.op = reliable_op;
        for (std::uint32_t left = draw(12); left != 0; --left) bench.ni.arrive(made);
    }
    bench.ni.settle();
    return bench.ni.count_of(NI_STATUS_INCOMPLETE);
}

/// Events of the timer for deadlines that were met meanwhile are no ticks. Prints its seed; POLYCAST_SEED replays one.
TEST(firmware_reliable_receive, late_deadlines_are_no_ticks) {
    const char* const given = std::getenv("POLYCAST_SEED");
    const std::uint32_t seed =
        given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0)) : std::random_device{}();
    for (std::uint32_t part = 0; part < 4; ++part)
        EXPECT_EQ(declined_in_bursts(seed + part), 0u) << "POLYCAST_SEED=" << seed << " part " << part;
}

TEST(firmware_reliable_receive, deadlines_do_not_hurry_the_ticks_of_others) {
    reliable_bench bench({.reliable_timeout = 1'000'000, .reliable_attempts = 255});
    bench.give(receive(200, 40));
    bench.arrive(part_of(bench.ni.params, 9, 100, 0));  // half-received, not reliable
    constexpr std::uint32_t tick = 1 << 25;
    std::uint32_t time = 0;
    while (bench.told().empty() && time < 5 * tick) {
        if (time % 5'000'000 == 0) bench.give(reliable(send(2, {.length = 10})));
        bench.arrive(
            receipt_from(2, 0, flow_of_process(0), {{.member = 2, .message = time / 5'000'000, .missing = all_there}}));
        for (std::uint32_t left = 1'000'000; left != 0;) {
            const std::uint32_t step = bench.ni.timer_set() ? std::min(left, bench.ni.timer_left()) : left;
            bench.pass(step);
            left -= step;
        }
        std::erase_if(bench.ni.completions[0], [](const completion& one) { return one.kind == NI_COMPLETION_SENT; });
        time += 1'000'000;
    }
    EXPECT_GT(time, 2 * tick);
    EXPECT_LT(time, 4 * tick);
}

}  // namespace
}  // namespace polycast::testbench::firmware
