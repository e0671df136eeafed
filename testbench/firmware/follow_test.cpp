// SPDX-License-Identifier: Apache-2.0
// Messages that are expected and count what is there of them, and messages that follow such counts: at one interface
// and from one to another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t none = 0xffffffff;
using result = std::pair<std::uint32_t, std::uint32_t>;
constexpr result expected_failed(ni_status status) {
    return {NI_COMPLETION_FAILED, status};
}
constexpr result counter_set{NI_COMPLETION_COUNTER_SET, NI_STATUS_OK};
constexpr result message_sent{NI_COMPLETION_SENT, NI_STATUS_OK};

struct count_at {
    std::uint32_t counter = none;
    std::uint32_t step = 0;
    std::uint32_t tell = 1;
};

/// Message `message` of process 0 of host 1 has `bytes` bytes and belongs at `offset` of window 2.
words expect(std::uint32_t message, std::uint32_t bytes, std::uint32_t offset, count_at count = {},
             std::uint32_t cookie = 7) {
    const bool counts = count.counter != none;
    return {NI_COMMAND_RECEIVE | 2 << 8 | NI_RECEIVE_EXPECTED << 16,
            cookie,
            offset,
            bytes,
            1,
            0,
            message,
            0,
            count.counter,
            counts ? count.step : 0,
            counts ? count.tell : 0};
}

words set_counter(std::uint32_t counter, std::uint32_t value, std::uint32_t cookie = 6) {
    return {NI_COMMAND_SET_COUNTER, cookie, 0, value, 0, counter};
}

/// A send to host 2 that follows a counter.
words following(const job& what, std::uint32_t counter, std::uint32_t step, std::uint32_t flags = 0) {
    words made = send(2, what);
    made[NI_COMMAND_OPERATION] |= (NI_SEND_FOLLOW | flags) << 16;
    made.resize(NI_COMMAND_LONG_WORDS);
    made[NI_COMMAND_COUNTER] = counter;
    made[NI_COMMAND_STEP] = step;
    return made;
}

/// An interface whose host has no other, with windows of `bytes` bytes.
struct alone {
    explicit alone(const model_params& params = {}, std::size_t bytes = 65536) : ni(params) {
        ni.siblings = {&ni};
        give_windows(ni, bytes);
    }
    void arrive(std::uint32_t message, std::uint32_t total, std::initializer_list<std::uint32_t> parts) {
        for (const std::uint32_t index : parts) ASSERT_TRUE(ni.arrive(part_of(ni.params, message, total, index)));
        ni.settle();
    }
    /// Offsets of packets sent since the last call.
    std::vector<std::uint32_t> sent() {
        ni.settle();
        std::vector<std::uint32_t> made;
        for (const packet& each : ni.sent) made.push_back(each.offset);
        ni.sent.clear();
        return made;
    }
    ni_model ni;
};

TEST(firmware_follow, an_expected_message_lands_in_its_place_whatever_the_order_of_buffers) {
    alone a;
    a.ni.command(0, receive(1000, 50));
    a.ni.command(0, expect(8, 200, 3000, {}, 8));
    a.ni.command(0, expect(9, 130, 5000, {}, 9));
    a.arrive(9, 130, {2, 0});
    a.arrive(8, 200, {3, 1});
    a.arrive(5, 100, {0, 1});  // unexpected
    a.arrive(8, 200, {0, 2});
    a.arrive(9, 130, {1});
    EXPECT_TRUE(holds(a.ni, 0, 3000, 8, 200));
    EXPECT_TRUE(holds(a.ni, 0, 5000, 9, 130));
    EXPECT_TRUE(holds(a.ni, 0, 0, 5, 100));
    ASSERT_THAT(outcome(a.ni), ElementsAre(received, received, received));
    EXPECT_EQ(a.ni.completions[0][0].cookie, 50u);
    EXPECT_EQ(a.ni.completions[0][1].cookie, 8u);
    EXPECT_EQ(a.ni.completions[0][2].cookie, 9u);
    EXPECT_EQ(a.ni.completions[0][2].message, 9u);
    EXPECT_EQ(a.ni.completions[0][2].length, 130u);
    EXPECT_EQ(a.ni.completions[0][2].tag, 1009u);
    a.ni.expect_idle();
}

TEST(firmware_follow, each_step_without_a_gap_counts_when_its_bytes_are_in_host_memory) {
    alone a;
    a.ni.command(0, expect(8, 64 * 5 + 10, 0, {3, 128}));
    a.arrive(8, 330, {0});
    EXPECT_THAT(a.ni.moved_before, IsEmpty());
    a.arrive(8, 330, {2, 3});
    EXPECT_THAT(a.ni.moved_before, IsEmpty()) << "there is a gap";
    a.arrive(8, 330, {1});
    EXPECT_THAT(a.ni.moved_before, ElementsAre(256, 256));
    a.arrive(8, 330, {1, 1, 2});  // duplicates
    EXPECT_EQ(a.ni.counters[3], 2u);
    a.arrive(8, 330, {5});
    EXPECT_EQ(a.ni.counters[3], 2u);
    a.arrive(8, 330, {4});
    EXPECT_EQ(a.ni.counters[3], 3u) << "the last of it counts, too";
    EXPECT_THAT(a.ni.moved_before, ElementsAre(256, 256, 330));
    EXPECT_EQ(a.ni.count_of(NI_STATUS_DUPLICATE), 3u);
    a.ni.expect_idle();
}

TEST(firmware_follow, a_message_counts_as_often_as_it_has_begun_steps) {
    for (const auto& [bytes, step, counts] : std::vector<std::array<std::uint32_t, 3>>{
             {1, 1, 1}, {64, 64, 1}, {65, 64, 2}, {640, 64, 10}, {640, 1000, 1}, {640, 0xffffffff, 1}, {200, 7, 29}}) {
        alone a;
        a.ni.command(0, expect(8, bytes, 0, {0, step}));
        for (std::uint32_t index = (bytes + 63) / 64; index-- > 0;) a.arrive(8, bytes, {index});
        EXPECT_EQ(a.ni.counters[0], counts) << bytes << " bytes in steps of " << step;
        EXPECT_THAT(outcome(a.ni), ElementsAre(received));
        a.ni.expect_idle();
    }
}

TEST(firmware_follow, counts_wait_for_room_and_hold_up_no_packet) {
    alone a({.dma_queue = 2});
    a.ni.command(0, receive(1000, 50, 10000));
    a.ni.command(0, expect(8, 128, 0, {0, 1}));
    a.ni.run();
    for (const std::uint32_t index : {1u, 0u}) a.ni.arrive(part_of(a.ni.params, 8, 128, index));
    a.ni.arrive(part_of(a.ni.params, 5, 10, 0));
    std::uint32_t before = 0;
    do {
        a.ni.run();
        if (a.ni.completions[0].size() < 2) before = a.ni.counters[0];
    } while (a.ni.run_dma(1) != 0);
    EXPECT_EQ(a.ni.counters[0], 128u);
    EXPECT_LT(before, 128u) << "the other message had to wait for all counts";
    EXPECT_THAT(outcome(a.ni), ElementsAre(received, received));
    a.ni.expect_idle();
}

TEST(firmware_follow, counts_and_packets_take_turns) {
    alone a;
    a.ni.command(0, receive(1000, 50, 10000));
    a.ni.command(0, expect(8, 128, 0, {0, 1}));
    a.ni.run();
    for (const std::uint32_t index : {1u, 0u}) a.ni.arrive(part_of(a.ni.params, 8, 128, index));
    for (const std::uint32_t message : {5u, 6u}) a.ni.arrive(part_of(a.ni.params, message, 10, 0));
    const std::vector<ni_operation> operations = a.ni.run();
    std::vector<std::size_t> packets;
    for (std::size_t i = 0; i < operations.size(); ++i)
        if (operations[i] == NI_OPERATION_RECEIVE) packets.push_back(i);
    EXPECT_THAT(packets, ElementsAre(0, 1, 3, 5));
    EXPECT_EQ(operations.size(), 2u + 2u + 16u) << "four counts with their packet, then eight in each";
    a.ni.settle();
    EXPECT_EQ(a.ni.counters[0], 128u);
}

// What has come ahead of its turn is gone over some packets at a time, and counted without waiting for another packet.
TEST(firmware_follow, many_packets_ahead_are_counted_when_the_first_one_comes) {
    constexpr std::uint32_t packets = 300;
    alone a;
    a.ni.windows[{0, 2}].bytes.resize(64 * packets);
    a.ni.command(0, expect(8, 64 * packets, 0, {0, 64}));
    for (std::uint32_t index = 1; index + 1 < packets; ++index) {
        a.ni.arrive(part_of(a.ni.params, 8, 64 * packets, index));
        a.ni.settle();
    }
    EXPECT_EQ(a.ni.counters[0], 0u);
    for (const std::uint32_t again : {5u, 150u}) a.ni.arrive(part_of(a.ni.params, 8, 64 * packets, again));
    a.ni.arrive(part_of(a.ni.params, 8, 64 * packets, 0));
    a.ni.step();
    a.ni.step();
    a.ni.step();
    for (const std::uint32_t again : {0u, 8u, 20u, 200u}) a.ni.arrive(part_of(a.ni.params, 8, 64 * packets, again));
    a.ni.settle();
    EXPECT_EQ(a.ni.counters[0], packets - 1) << "one for each packet that is there, in order";
    EXPECT_EQ(a.ni.count_of(NI_STATUS_DUPLICATE), 6u);
    a.ni.arrive(part_of(a.ni.params, 8, 64 * packets, packets - 1));
    a.ni.settle();
    EXPECT_EQ(a.ni.counters[0], packets);
    EXPECT_EQ(outcome(a.ni).back(), received);
    a.ni.expect_idle();
}

TEST(firmware_follow, a_message_that_has_ended_counts_to_its_end_and_its_entry_is_nobody_elses) {
    alone a({.dma_queue = 2});
    a.ni.command(0, expect(8, 128, 0, {0, 1}));
    for (const std::uint32_t index : {1u, 0u}) a.ni.arrive(part_of(a.ni.params, 8, 128, index));
    while (outcome(a.ni).empty()) {
        a.ni.run();
        ASSERT_NE(a.ni.run_dma(1), 0u);
    }
    ASSERT_LT(a.ni.counters[0], 100u);
    for (std::uint32_t message = 20; message < 24; ++message)
        a.ni.command(0, expect(message, 64, 64 * message, {message, 64}));
    a.ni.run();
    for (std::uint32_t message = 20; message < 24; ++message) a.ni.arrive(part_of(a.ni.params, message, 64, 0));
    a.ni.settle();
    EXPECT_EQ(a.ni.counters[0], 128u);
    for (std::uint32_t message = 20; message < 24; ++message) {
        EXPECT_EQ(a.ni.counters[message], 1u);
        EXPECT_TRUE(holds(a.ni, 0, 64 * message, message, 64));
    }
    a.ni.expect_idle();
}

TEST(firmware_follow, a_send_goes_out_step_by_step) {
    alone a;
    a.ni.command(0, following({.length = 300}, 4, 128));
    EXPECT_THAT(a.sent(), IsEmpty());
    a.ni.count(4);
    EXPECT_THAT(a.sent(), ElementsAre(0, 64));
    a.ni.count(4);
    EXPECT_THAT(a.sent(), ElementsAre(128, 192));
    EXPECT_THAT(outcome(a.ni), IsEmpty());
    a.ni.count(4);
    EXPECT_THAT(a.sent(), ElementsAre(256));
    EXPECT_THAT(outcome(a.ni), ElementsAre(message_sent));
    a.ni.expect_idle();
}

TEST(firmware_follow, steps_need_not_be_packets) {
    alone a;
    a.ni.command(0, following({.length = 200}, 0, 50));
    std::vector<std::size_t> sent;
    for (int i = 0; i < 4; ++i) {
        a.ni.count(0);
        sent.push_back(a.sent().size());
    }
    EXPECT_THAT(sent, ElementsAre(0, 1, 1, 2));
    a.ni.expect_idle();
}

TEST(firmware_follow, the_whole_message_waits_for_its_end) {
    alone a;
    a.ni.command(0, following({.length = 130}, 4, 64, NI_SEND_WHOLE));
    for (int i = 0; i < 2; ++i) a.ni.count(4);
    EXPECT_THAT(a.sent(), IsEmpty());
    a.ni.count(4);
    EXPECT_THAT(a.sent(), ElementsAre(0, 64, 128));
    a.ni.expect_idle();
}

TEST(firmware_follow, what_was_counted_before_may_go_at_once) {
    alone a;
    a.ni.command(0, set_counter(1, 2));
    a.ni.command(0, following({.length = 200, .cookie = 11}, 1, 64));
    EXPECT_THAT(a.sent(), ElementsAre(0, 64));
    a.ni.command(0, set_counter(1, 0x4000000));
    EXPECT_THAT(a.sent(), ElementsAre(128, 192)) << "products beyond 32 bits are more than all";
    EXPECT_THAT(outcome(a.ni), ElementsAre(counter_set, counter_set, message_sent));
    a.ni.expect_idle();
}

TEST(firmware_follow, a_message_goes_on_while_it_comes_in) {
    alone a;
    // Both windows are the same memory, as those of a real process are.
    a.ni.command(0, expect(8, 500, 0, {5, 100}));
    a.ni.command(0, following({.length = 500, .message = 8, .window = 2}, 5, 100));
    a.ni.windows[{0, 2}].read = true;
    for (std::uint32_t index = 0; index < 8; ++index) {
        a.arrive(8, 500, {index});
        for (const packet& each : a.ni.sent) {
            EXPECT_LT(each.offset + each.payload.size(), (index + 1) * 64 + 1);
            for (std::uint32_t i = 0; i < each.payload.size(); ++i)
                EXPECT_EQ(each.payload[i], pattern(8, each.offset + i));
        }
    }
    EXPECT_EQ(a.ni.sent.size(), 8u);
    EXPECT_THAT(outcome(a.ni), ElementsAre(received, message_sent));
    a.ni.expect_idle();
}

TEST(firmware_follow, other_interfaces_of_the_host_count_too) {
    std::vector<std::unique_ptr<alone>> host;
    for (int i = 0; i < 4; ++i) host.push_back(std::make_unique<alone>());
    for (const auto& each : host)
        for (int i = 0; i < 4; ++i) each->ni.siblings.assign({&host[0]->ni, &host[1]->ni, &host[2]->ni, &host[3]->ni});
    host[1]->ni.command(0, expect(8, 128, 0, {2, 64, 0b1001}));
    host[3]->ni.command(0, following({.length = 128}, 2, 64));
    EXPECT_THAT(host[3]->sent(), IsEmpty());
    host[1]->arrive(8, 128, {0});
    EXPECT_THAT(host[3]->sent(), ElementsAre(0));
    host[1]->arrive(8, 128, {1});
    EXPECT_THAT(host[3]->sent(), ElementsAre(64));
    std::vector<std::uint32_t> counts;
    for (const auto& each : host) counts.push_back(each->ni.counters[2]);
    EXPECT_THAT(counts, ElementsAre(2, 0, 0, 2));
    for (const auto& each : host) each->ni.expect_idle();
}

TEST(firmware_follow, a_process_has_its_own_counters) {
    alone a({.processes = 3});
    a.ni.command(2, set_counter(84, 1));
    a.ni.command(2, set_counter(85, 1));  // 256 / 3 = 85 counters
    a.ni.command(1, expect(8, 10, 0, {84, 64}));
    a.ni.settle();
    packet for_one = part_of(a.ni.params, 8, 10, 0);
    for_one.process = 1;
    a.ni.arrive(for_one);
    a.ni.settle();
    EXPECT_EQ(a.ni.counters[2 * 85 + 84], 1u);
    EXPECT_EQ(a.ni.counters[1 * 85 + 84], 1u);
    EXPECT_THAT(outcome(a.ni, 2), ElementsAre(counter_set, expected_failed(NI_STATUS_BAD_COMMAND)));
    // An event of a counter that is nobody's.
    a.ni.count(255);
    a.ni.expect_idle();
}

TEST(firmware_follow, a_counter_that_is_being_set_is_not_read) {
    alone a({.late_stores = true});
    a.ni.counters[1] = 5;  // of an older message
    a.ni.command(0, set_counter(1, 0));
    a.ni.hold_stores = true;
    EXPECT_EQ(a.ni.step(NI_ROLE_RECEIVE), NI_OPERATION_COMMAND);
    const auto held = a.ni.take_held();
    a.ni.hold_stores = false;
    a.ni.command(0, following({.length = 128}, 1, 64));
    EXPECT_EQ(a.ni.step(NI_ROLE_SEND), NI_OPERATION_COMMAND);
    EXPECT_EQ(a.ni.step(NI_ROLE_SEND), NI_OPERATION_IDLE);
    a.ni.make(held);
    EXPECT_THAT(a.sent(), IsEmpty());
    a.ni.count(1);
    EXPECT_THAT(a.sent(), ElementsAre(0));
    a.ni.count(1);
    a.ni.expect_idle();
}

TEST(firmware_follow, queues_take_turns_and_a_waiting_one_holds_up_no_other) {
    alone a;
    const auto second = [](std::uint32_t packets) {
        words made = send(2, {.length = 64 * packets, .message = 3, .cookie = 3});
        made[NI_COMMAND_OPERATION] |= NI_SEND_SECOND << 16;
        return made;
    };
    a.ni.command(0, following({.length = 8 * 64, .message = 1, .cookie = 1}, 0, 64));
    a.ni.command(0, send(2, {.length = 64, .message = 2, .cookie = 2}));
    a.ni.command(0, second(7));
    a.ni.command(1, send(2, {.length = 64, .message = 4, .cookie = 4}));
    const auto messages = [&a] {
        a.ni.settle();
        std::vector<std::uint32_t> made;
        for (const packet& each : a.ni.sent) made.push_back(each.message);
        a.ni.sent.clear();
        return made;
    };
    // Four packets are under way before the next command is looked at.
    EXPECT_THAT(messages(), ElementsAre(3, 3, 3, 3, 3, 4, 3, 3)) << "message 2 is behind one that waits";
    a.ni.command(0, set_counter(0, 8));
    a.ni.command(0, second(4));
    EXPECT_THAT(messages(), ElementsAre(1, 1, 1, 1, 1, 3, 1, 3, 1, 3, 1, 3, 2));
    a.ni.expect_idle();
}

TEST(firmware_follow, a_send_that_fails_lets_the_next_of_its_queue_go) {
    alone a;
    a.ni.windows[{0, 1}].bytes.resize(100);
    a.ni.command(0, following({.length = 300, .cookie = 1}, 0, 64));
    a.ni.command(0, send(2, {.length = 64, .message = 2, .cookie = 2}));
    a.ni.count(0);
    EXPECT_THAT(a.sent(), ElementsAre(0));
    a.ni.count(0);  // beyond the window
    EXPECT_THAT(a.sent(), ElementsAre(64, 0)) << "the receiver of the first is told, then comes the next";
    EXPECT_THAT(outcome(a.ni), ElementsAre(expected_failed(NI_STATUS_REFUSED), message_sent));
    a.ni.expect_idle();
}

TEST(firmware_follow, a_packet_with_another_length_is_none_of_the_expected_message) {
    alone a;
    a.ni.command(0, expect(8, 128, 0, {0, 64}));
    a.arrive(8, 192, {0});
    a.arrive(8, 64, {0});
    EXPECT_THAT(outcome(a.ni), ElementsAre(error(NI_STATUS_MALFORMED), error(NI_STATUS_MALFORMED)));
    EXPECT_FALSE(a.ni.timer_set()) << "nothing has come of it";
    EXPECT_EQ(a.ni.counters[0], 0u);
    a.arrive(8, 128, {1, 0});
    EXPECT_EQ(a.ni.counters[0], 2u);
    EXPECT_EQ(outcome(a.ni).back(), received);
    a.ni.expect_idle();
}

TEST(firmware_follow, an_expected_message_that_stops_fails_and_its_place_is_nobody_elses) {
    alone a;
    a.ni.command(0, expect(8, 192, 0, {0, 64}));
    for (int tick = 0; tick < 5; ++tick) EXPECT_FALSE(a.ni.run_timer()) << "before it begins it may take its time";
    a.arrive(8, 192, {0});
    for (int tick = 0; tick < 2; ++tick) {
        EXPECT_THAT(outcome(a.ni), IsEmpty());
        ASSERT_TRUE(a.ni.run_timer());
        a.ni.settle();
    }
    EXPECT_THAT(outcome(a.ni), ElementsAre(expected_failed(NI_STATUS_INCOMPLETE)));
    EXPECT_EQ(a.ni.completions[0][0].cookie, 7u);
    EXPECT_EQ(a.ni.completions[0][0].message, 8u);
    EXPECT_EQ(a.ni.count_of(NI_STATUS_INCOMPLETE), 1u);
    a.arrive(9, 64, {0});
    EXPECT_EQ(outcome(a.ni).back(), error(NI_STATUS_NO_BUFFER));
    a.ni.command(0, expect(8, 192, 0, {0, 64}));  // a new try
    a.arrive(8, 192, {0, 1, 2});
    EXPECT_EQ(outcome(a.ni).back(), received);
    EXPECT_FALSE(a.ni.timer_set() && (a.ni.run_timer(), a.ni.settle(), a.ni.timer_set())) << "the clock goes on";
    a.ni.expect_idle();
}

TEST(firmware_follow, an_expected_message_whose_window_is_gone_fails_and_counts_no_more) {
    alone a;
    a.ni.windows[{0, 2}].bytes.resize(100);
    a.ni.command(0, expect(8, 192, 0, {0, 64}));
    a.arrive(8, 192, {0});
    a.arrive(8, 192, {1});
    a.arrive(8, 192, {2});
    EXPECT_EQ(outcome(a.ni).front(), expected_failed(NI_STATUS_REFUSED));
    EXPECT_EQ(a.ni.completions[0][0].cookie, 7u);
    EXPECT_LE(a.ni.counters[0], 2u) << "the one that was queued with the transfer, no further one";
    a.ni.expect_idle();
}

TEST(firmware_follow, counts_that_wait_when_their_message_fails_are_not_made) {
    alone a({.dma_queue = 3});
    a.ni.windows[{0, 2}].bytes.resize(100);
    a.ni.command(0, expect(8, 192, 0, {0, 1}));
    for (const std::uint32_t index : {1u, 0u}) a.ni.arrive(part_of(a.ni.params, 8, 192, index));
    a.ni.settle();
    EXPECT_THAT(outcome(a.ni), ElementsAre(expected_failed(NI_STATUS_REFUSED)));
    EXPECT_LT(a.ni.counters[0], 10u);
    a.ni.expect_idle();
    a.ni.command(0, receive(90, 2));
    a.arrive(9, 64, {0});
    EXPECT_EQ(outcome(a.ni).back(), received);
}

TEST(firmware_follow, commands_are_checked) {
    struct attempt {
        const char* what;
        words command;
    };
    const auto changed = [](words made, std::uint32_t word, std::uint32_t value) {
        made.resize(NI_COMMAND_LONG_WORDS);
        made[word] = value;
        return made;
    };
    const auto flagged = [](words made, std::uint32_t flags) {
        made.resize(NI_COMMAND_LONG_WORDS);
        made[NI_COMMAND_OPERATION] |= flags << 16;
        return made;
    };
    const words good = expect(8, 100, 0, {3, 64});
    const words follow = following({.length = 100}, 3, 64);
    const words window = changed(flagged(send(2, {.length = 100}), NI_SEND_WINDOW), NI_COMMAND_WINDOW, 64);
    words operand = following({.length = 10}, 3, 64, NI_SEND_OPERAND);
    operand[NI_COMMAND_TO] = 32;
    const std::vector<attempt> attempts{
        {"no bytes", changed(good, NI_COMMAND_LENGTH, 0)},
        {"beyond 4 GiB", changed(good, NI_COMMAND_OFFSET, 0xffffffff)},
        {"no such source", changed(good, NI_COMMAND_TO, 33)},
        {"no such counter", changed(good, NI_COMMAND_COUNTER, 128)},
        {"counter of all ones but one", changed(good, NI_COMMAND_COUNTER, 0xfffffffe)},
        {"no step", changed(good, NI_COMMAND_STEP, 0)},
        {"nobody to tell", changed(good, NI_COMMAND_TELL, 0)},
        {"unknown flag", flagged(good, 2)},
        {"counter not there", set_counter(128, 1)},
        {"counter far off", set_counter(0x10000, 1)},
        {"followed counter", changed(follow, NI_COMMAND_COUNTER, 128)},
        {"followed step", changed(follow, NI_COMMAND_STEP, 0)},
        {"whole of nothing", flagged(send(2, {.length = 100}), NI_SEND_WHOLE)},
        {"operand that follows", operand},
        {"rail that follows", flagged(follow, NI_SEND_RESERVE)},
        {"small window", changed(window, NI_COMMAND_WINDOW, 63)},
        {"window to itself", changed(window, NI_COMMAND_TO, 0)},
        {"rail with a window", flagged(window, NI_SEND_RESERVE)},
        {"group with a window", flagged({NI_COMMAND_SEND_GROUP | 1 << 8, 5, 0, 10, 0, 3, 1, 0}, NI_SEND_WINDOW)},
        {"group in the second queue", flagged({NI_COMMAND_SEND_GROUP | 1 << 8, 5, 0, 10, 0, 3, 1, 0}, NI_SEND_SECOND)},
    };
    for (const attempt& each : attempts) {
        alone a({.units = 1});
        a.ni.command(0, each.command);
        a.ni.settle();
        EXPECT_THAT(outcome(a.ni), ElementsAre(expected_failed(NI_STATUS_BAD_COMMAND))) << each.what;
        a.ni.expect_idle();
    }
    alone a;
    a.ni.command(0, good);
    a.ni.command(0, good);
    a.ni.settle();
    EXPECT_THAT(outcome(a.ni), ElementsAre(expected_failed(NI_STATUS_BAD_COMMAND))) << "it is expected already";
    alone full({.processes = 1});
    for (std::uint32_t message = 0; message < 1025; ++message) {
        full.ni.command(0, expect(message, 10, 0));
        full.ni.settle();
    }
    EXPECT_THAT(outcome(full.ni), ElementsAre(expected_failed(NI_STATUS_TABLE_FULL)));
}

}  // namespace
}  // namespace polycast::testbench::firmware
