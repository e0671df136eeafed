// SPDX-License-Identifier: Apache-2.0
// Sends with a window, and the acknowledgements that move it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t asks = 0x10;  // bit of a packet's op
constexpr std::uint32_t control_op = 1;
constexpr std::uint32_t acknowledgement = 16;  // bits 7..0 of a control packet's group
constexpr std::pair<std::uint32_t, std::uint32_t> all_sent{NI_COMPLETION_SENT, NI_STATUS_OK};
constexpr std::pair<std::uint32_t, std::uint32_t> given_up{NI_COMPLETION_FAILED, NI_STATUS_INCOMPLETE};

words windowed(const job& what, std::uint32_t window, std::uint32_t flags = 0, std::uint32_t to = 2) {
    words made = send(to, what);
    made[NI_COMMAND_OPERATION] |= (NI_SEND_WINDOW | flags) << 16;
    made.resize(NI_COMMAND_LONG_WORDS);
    made[NI_COMMAND_WINDOW] = window;
    return made;
}

struct sender {
    explicit sender(const model_params& params = {}) : ni(params) { give_windows(ni, 65536); }
    std::vector<packet> sent() {
        ni.settle();
        return std::exchange(ni.sent, {});
    }
    std::vector<std::uint32_t> offsets() {
        std::vector<std::uint32_t> made;
        for (const packet& each : sent()) made.push_back(each.offset);
        return made;
    }
    /// As the receiver's firmware turns the packet round.
    static packet acknowledgement_of(packet what) {
        std::swap(what.source, what.destination);
        what.op = control_op;
        what.group = acknowledgement;
        what.payload.resize(1);
        return what;
    }
    void acknowledge(const packet& what) {
        ASSERT_TRUE(ni.arrive(acknowledgement_of(what)));
        ni.settle();
    }
    bool tick() {
        const bool ran = ni.run_timer();
        ni.settle();
        return ran;
    }
    ni_model ni;
};

TEST(firmware_windows, no_more_than_the_window_is_under_way) {
    for (const auto& [window, packets] : std::vector<std::pair<std::uint32_t, std::size_t>>{
             {64, 1}, {127, 1}, {128, 2}, {300, 4}, {700, 10}, {0xffffffff, 10}}) {
        sender s;
        s.ni.command(0, windowed({.length = 640}, window));
        std::vector<packet> under_way = s.sent();
        EXPECT_EQ(under_way.size(), packets) << window;
        for (std::size_t next = packets; next < 10; ++next) {
            EXPECT_THAT(under_way.front().op, asks);
            s.acknowledge(under_way.front());
            under_way.erase(under_way.begin());
            const std::vector<packet> more = s.sent();
            ASSERT_EQ(more.size(), 1u);
            EXPECT_EQ(more[0].offset, 64 * next);
            under_way.push_back(more[0]);
        }
        EXPECT_THAT(outcome(s.ni), ElementsAre(all_sent)) << "SENT is no matter of acknowledgements";
        s.acknowledge(under_way.back());
        EXPECT_THAT(s.sent(), IsEmpty());
        s.ni.expect_idle();
        while (s.ni.timer_set()) s.tick();
        EXPECT_EQ(outcome(s.ni).size(), 1u);
    }
}

TEST(firmware_windows, the_last_packet_counts_with_its_own_bytes) {
    sender s;
    s.ni.command(0, windowed({.length = 70, .message = 1}, 70));
    EXPECT_THAT(s.offsets(), ElementsAre(0, 64));
    s.ni.command(0, windowed({.length = 200, .message = 2}, 130));
    std::vector<packet> under_way = s.sent();
    ASSERT_EQ(under_way.size(), 2u);
    s.acknowledge(under_way[1]);  // in any order
    EXPECT_THAT(s.offsets(), ElementsAre(128));
    s.ni.command(0, windowed({.length = 200, .message = 3}, 72));
    s.acknowledge(under_way[0]);
    under_way = s.sent();
    ASSERT_EQ(under_way.size(), 2u);
    EXPECT_EQ(under_way[0].offset, 192u);
    EXPECT_EQ(under_way[1].message, 3u);
    s.acknowledge(under_way[0]);
    EXPECT_THAT(s.offsets(), IsEmpty()) << "that was message 2's";
    s.acknowledge(under_way[1]);
    EXPECT_THAT(s.offsets(), ElementsAre(64));
}

TEST(firmware_windows, ordinary_sends_ask_for_nothing) {
    sender s;
    s.ni.command(0, send(2, {.length = 100}));
    for (const packet& each : s.sent()) EXPECT_EQ(each.op, 0u);
    s.ni.expect_idle();
}

TEST(firmware_windows, acknowledgements_that_are_not_for_it_move_nothing) {
    sender s;
    s.ni.command(0, windowed({.length = 640}, 128));
    const std::vector<packet> under_way = s.sent();
    ASSERT_EQ(under_way.size(), 2u);
    const std::vector<std::pair<const char*, void (*)(packet&)>> wrong{
        {"host", [](packet& p) { p.source = 3; }},
        {"process", [](packet& p) { p.process = 1; }},
        {"source process", [](packet& p) { p.source_process = 1; }},
        {"no such process", [](packet& p) { p.source_process = 255; }},
        {"message", [](packet& p) { p.message = 2; }},
        {"not sent yet", [](packet& p) { p.offset = 128; }},
        {"far behind", [](packet& p) { p.offset = 0xffffffc0; }},
    };
    for (const auto& [what, change] : wrong) {
        packet forged = sender::acknowledgement_of(under_way[0]);
        change(forged);
        s.ni.arrive(forged);
        EXPECT_THAT(s.sent(), IsEmpty()) << what;
    }
    for (int i = 0; i < 5; ++i) s.acknowledge(under_way[0]);
    EXPECT_LE(s.sent().size(), 5u);
    s.ni.expect_idle();
}

TEST(firmware_windows, a_window_that_stays_full_ends_the_send_and_the_next_one_goes) {
    sender s;
    s.ni.command(0, windowed({.length = 640, .message = 1, .cookie = 1}, 128));
    s.ni.command(0, send(2, {.length = 64, .message = 2, .cookie = 2}));
    const std::vector<packet> under_way = s.sent();
    ASSERT_EQ(under_way.size(), 2u);
    EXPECT_TRUE(s.tick());
    s.acknowledge(under_way[0]);  // it moves
    EXPECT_THAT(s.offsets(), ElementsAre(128));
    EXPECT_TRUE(s.tick());
    EXPECT_THAT(outcome(s.ni), IsEmpty());
    EXPECT_TRUE(s.tick());
    ASSERT_THAT(outcome(s.ni), ElementsAre(given_up, all_sent));
    EXPECT_EQ(s.ni.completions[0][0].cookie, 1u);
    const std::vector<packet> after = s.sent();
    ASSERT_EQ(after.size(), 2u);
    EXPECT_EQ(after[0].message, 1u) << "the ABORT";
    EXPECT_EQ(after[1].message, 2u);
    EXPECT_EQ(s.ni.count_of(NI_STATUS_INCOMPLETE), 1u);
    s.acknowledge(under_way[1]);  // late
    EXPECT_THAT(s.sent(), IsEmpty());
    s.tick();
    EXPECT_FALSE(s.tick()) << "the clock goes on for nothing";
    s.ni.expect_idle();
}

TEST(firmware_windows, who_waits_for_a_counter_has_time) {
    sender s;
    words both = windowed({.length = 256}, 64, NI_SEND_FOLLOW);
    both[NI_COMMAND_COUNTER] = 2;
    both[NI_COMMAND_STEP] = 128;
    s.ni.command(0, both);
    s.ni.settle();
    EXPECT_FALSE(s.ni.timer_set());
    s.ni.count(2);
    std::vector<packet> under_way = s.sent();
    ASSERT_EQ(under_way.size(), 1u);
    EXPECT_TRUE(s.ni.timer_set());
    s.ni.count(2);
    EXPECT_THAT(s.sent(), IsEmpty()) << "the window is full";
    for (const std::uint32_t offset : {64u, 128u, 192u}) {
        s.acknowledge(under_way[0]);
        under_way = s.sent();
        ASSERT_EQ(under_way.size(), 1u);
        EXPECT_EQ(under_way[0].offset, offset);
    }
    EXPECT_THAT(outcome(s.ni), ElementsAre(all_sent));
    s.ni.expect_idle();
}

TEST(firmware_windows, a_full_window_holds_up_neither_the_other_queue_nor_other_processes) {
    sender s;
    s.ni.command(0, windowed({.length = 640, .message = 1, .cookie = 1}, 64));
    s.ni.command(0, windowed({.length = 640, .message = 2, .cookie = 2}, 128, NI_SEND_SECOND, 3));
    s.ni.command(1, send(2, {.length = 640, .message = 3, .cookie = 3}));
    std::vector<packet> under_way;
    std::array<std::size_t, 4> count{};
    for (const packet& each : s.sent()) {
        ++count[each.message];
        if (each.message == 2) under_way.push_back(each);
    }
    ASSERT_THAT(count, ElementsAre(0, 1, 2, 10));
    s.acknowledge(under_way[0]);
    EXPECT_THAT(s.offsets(), ElementsAre(128)) << "message 2 goes on";
}

/// A receiver, and what it answers.
struct answerer {
    explicit answerer(const model_params& params = {}) : ni(params) { give_windows(ni, 65536); }
    packet asking(std::uint32_t message, std::uint32_t total, std::uint32_t index) {
        packet made = part_of(ni.params, message, total, index);
        made.op = asks;
        made.source = 4;
        made.source_process = 3;
        return made;
    }
    void expect_answer(const packet& to) {
        ASSERT_FALSE(ni.sent.empty());
        const packet got = ni.sent.front();
        ni.sent.erase(ni.sent.begin());
        EXPECT_EQ(got.destination, to.source);
        EXPECT_EQ(got.source, ni.params.host);
        EXPECT_EQ(got.op, control_op);
        EXPECT_EQ(got.group, acknowledgement);
        EXPECT_EQ(got.kind, 0u);
        EXPECT_EQ(got.vc_class, to.vc_class);
        EXPECT_EQ(got.process, to.process);
        EXPECT_EQ(got.source_process, to.source_process);
        EXPECT_EQ(got.message, to.message);
        EXPECT_EQ(got.offset, to.offset);
        EXPECT_EQ(got.payload.size(), 1u);
        EXPECT_TRUE(got.seal);
    }
    ni_model ni;
};

TEST(firmware_windows, a_packet_is_acknowledged_when_it_has_left_memory_and_not_before) {
    answerer a;
    a.ni.command(0, receive(1000, 50));
    a.ni.run();
    packet first = a.asking(8, 200, 1);
    first.vc_class = 5;
    a.ni.arrive(first);
    a.ni.run();
    a.ni.run_link();
    EXPECT_THAT(a.ni.sent, IsEmpty());
    EXPECT_EQ(a.ni.transfers(), 1u);
    a.ni.run_dma();
    a.ni.run();
    a.ni.run_link();
    ASSERT_EQ(a.ni.sent.size(), 1u);
    EXPECT_EQ(a.ni.slots_used(), 0u);
    a.expect_answer(first);
    for (const std::uint32_t index : {0u, 2u, 3u}) {
        a.ni.arrive(a.asking(8, 200, index));
        a.ni.settle();
        a.expect_answer(a.asking(8, 200, index));
    }
    EXPECT_THAT(outcome(a.ni), ElementsAre(received));
    EXPECT_TRUE(holds(a.ni, 0, 0, 8, 200));
    a.ni.expect_idle();
}

TEST(firmware_windows, a_packet_that_is_dropped_is_acknowledged_too) {
    struct dropped {
        const char* why;
        ni_status status;
        std::function<void(answerer&, packet&)> make;
    };
    const std::vector<dropped> all{
        {"no buffer", NI_STATUS_NO_BUFFER, [](answerer&, packet&) {}},
        {"small", NI_STATUS_BUFFER_TOO_SMALL, [](answerer& a, packet&) { a.ni.command(0, receive(10, 1)); }},
        {"no process", NI_STATUS_NO_PROCESS, [](answerer&, packet& p) { p.process = 9; }},
        {"refused", NI_STATUS_REFUSED, [](answerer& a, packet&) { a.ni.command(0, receive(1000, 1, 0, 99)); }},
        {"duplicate", NI_STATUS_DUPLICATE,
         [](answerer& a, packet& p) {
             a.ni.command(0, receive(1000, 1));
             packet before = p;
             before.op = 0;
             a.ni.run();
             a.ni.arrive(before);
         }},
        {"another total", NI_STATUS_MALFORMED,
         [](answerer& a, packet& p) {
             a.ni.command(0, receive(1000, 1));
             packet before = p;
             before.total = 300;
             before.op = 0;
             a.ni.run();
             a.ni.arrive(before);
         }},
    };
    for (const dropped& each : all) {
        SCOPED_TRACE(each.why);
        answerer a;
        packet bad = a.asking(8, 200, 1);
        each.make(a, bad);
        a.ni.settle();
        a.ni.arrive(bad);
        a.ni.settle();
        ASSERT_EQ(a.ni.sent.size(), 1u);
        a.expect_answer(bad);
        EXPECT_EQ(a.ni.count_of(each.status), 1u);
        a.ni.expect_idle();
    }
}

TEST(firmware_windows, who_cannot_be_trusted_is_not_answered) {
    const std::vector<std::pair<const char*, void (*)(packet&)>> wrong{
        {"check word", [](packet& p) { p.status = 2; }},
        {"another host's", [](packet& p) { p.status = 16; }},
        {"unknown source", [](packet& p) { p.source = 32; }},
        {"itself", [](packet& p) { p.source = 0; }},
        {"length", [](packet& p) { p.payload.resize(3); }},
        {"group", [](packet& p) { p.group = 3; }},
        {"worm", [](packet& p) { p.kind = 1; }},
        {"unknown op", [](packet& p) { p.op = asks | 7; }},
    };
    for (const auto& [what, change] : wrong) {
        answerer a({.units = 1});
        a.ni.command(0, receive(1000, 50));
        a.ni.run();
        packet bad = a.asking(8, 200, 0);
        change(bad);
        a.ni.arrive(bad);
        a.ni.settle();
        EXPECT_THAT(a.ni.sent, IsEmpty()) << what;
        a.ni.expect_idle();
    }
}

TEST(firmware_windows, acknowledgements_wait_for_the_link_and_block_nothing) {
    answerer a({.link_queue = 1});
    a.ni.command(0, receive(1000, 50));
    a.ni.command(0, receive(1000, 51));
    a.ni.run();
    for (std::uint32_t index = 0; index < 4; ++index) a.ni.arrive(a.asking(8, 256, index));
    packet plain = part_of(a.ni.params, 9, 64, 0);
    a.ni.arrive(plain);
    a.ni.settle(false);
    EXPECT_THAT(outcome(a.ni), ElementsAre(received, received)) << "the link has taken one packet only";
    EXPECT_EQ(a.ni.link.size(), 1u);
    a.ni.settle();
    EXPECT_EQ(a.ni.sent.size(), 4u);
    a.ni.expect_idle();
}

// Whoever finds that no slot is free lets go on what waits for more of them than there are. The receiving side notes
// the tick, so that the sending one looks for what has expired before it asks for another slot.
TEST(firmware_windows, a_window_that_ends_without_a_slot_holds_up_no_message_in_turn) {
    for (std::uint32_t when = 0; when < 30; ++when) {
        sender s({.send_slots = 4});
        const auto steps = [&](std::uint32_t most) {
            for (std::uint32_t i = 0; i < most; ++i) {
                while (s.ni.step(NI_ROLE_RECEIVE) != NI_OPERATION_IDLE) {
                }
                s.ni.step(NI_ROLE_SEND);
                s.ni.run_dma();
                s.ni.run_link();
            }
        };
        s.ni.command(1, set_group(0, 4, NI_GROUP_FCFS, {5, 6}));
        s.ni.command(0, windowed({.length = 640}, 64));
        steps(20);
        s.ni.run_timer();
        steps(50);
        s.ni.command(1, send_group(0, 4, {.length = 640}));
        steps(when);
        s.ni.run_timer();
        steps(200);
        EXPECT_THAT(outcome(s.ni), ElementsAre(given_up)) << when;
        EXPECT_THAT(outcome(s.ni, 1), ElementsAre(testing::Pair(NI_COMPLETION_GROUP_SET, NI_STATUS_OK), all_sent))
            << when;
        s.ni.expect_idle();
    }
}

TEST(firmware_windows, both_ends_together) {
    sender s;
    answerer a({.host = 2});
    a.ni.command(0, receive(5000, 50));
    a.ni.settle();
    s.ni.command(0, windowed({.length = 4000, .message = 1}, 200));
    std::size_t most = 0, packets = 0;
    for (std::vector<packet> sent = s.sent(); !sent.empty(); sent = s.sent()) {
        most = std::max(most, sent.size());
        packets += sent.size();
        for (const packet& each : sent) ASSERT_TRUE(a.ni.arrive(each));
        a.ni.settle();
        for (const packet& each : std::exchange(a.ni.sent, {})) ASSERT_TRUE(s.ni.arrive(each));
    }
    EXPECT_EQ(most, 3u);
    EXPECT_EQ(packets, 63u);
    EXPECT_TRUE(holds(a.ni, 0, 0, 1, 4000));
    EXPECT_THAT(outcome(a.ni), ElementsAre(received));
    EXPECT_THAT(outcome(s.ni), ElementsAre(all_sent));
    s.ni.expect_idle();
    a.ni.expect_idle();
}

}  // namespace
}  // namespace polycast::testbench::firmware
