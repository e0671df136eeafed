// SPDX-License-Identifier: Apache-2.0
// Full queues, no slots, two roles, interrupts: work waits, everything else goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testbench/firmware/commands.h"

extern "C" {
/// The handler of the external interrupt, and the switch that the target's main() sets (firmware/events.h, state.h).
void event_interrupt(struct ni_firmware* firmware);
void event_use_interrupts(struct ni_firmware* firmware);
}

namespace polycast::testbench::firmware {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(firmware_pressure, a_full_link_stops_copies_only) {
    ni_model ni({.link_queue = 2});
    give_windows(ni, 10000);
    for (std::uint32_t i = 0; i < 8; ++i) ni.command(0, send(5, {.length = 64, .message = i}));
    ni.settle(false);
    EXPECT_EQ(ni.link.size(), 2u);
    const std::uint32_t looks = ni.loads_of(NI_LINK_SPACE);
    ni.command(1, receive(500, 3));
    packet part = part_of(ni.params, 9, 10, 0);
    part.process = 1;
    ni.arrive(part);
    ni.settle(false);
    EXPECT_THAT(outcome(ni, 1), ElementsAre(Pair(NI_COMPLETION_RECEIVED, 0)));
    EXPECT_EQ(ni.loads_of(NI_LINK_SPACE), looks) << "it waits for link_ready";
    ni.expect_idle();
    EXPECT_EQ(ni.sent.size(), 8u);
}

TEST(firmware_pressure, a_full_transfer_queue_stops_transfers_only) {
    ni_model ni({.dma_queue = 1});
    give_windows(ni, 10000);
    ni.command(0, receive(500, 1));
    ni.command(0, receive(500, 2));
    ni.command(0, send(5, {.length = 64}));
    ni.run();
    EXPECT_EQ(ni.transfers(), 1u);
    for (std::uint32_t m = 0; m < 3; ++m) ni.arrive(part_of(ni.params, m, 10, 0));
    ni.command(0, set_group(1, 4, 0, {3}));
    ni.run();
    EXPECT_EQ(ni.commands_taken(), 0u) << "commands are taken up, their completions wait";
    const std::uint32_t looks = ni.loads_of(NI_DMA_SPACE);
    ni.event(15, 0);
    ni.run();
    EXPECT_EQ(ni.loads_of(NI_DMA_SPACE), looks) << "it waits for dma_ready";
    ni.expect_idle();
    EXPECT_EQ(ni.sent.size(), 1u);
    const auto all = outcome(ni);
    EXPECT_EQ(
        std::count(all.begin(), all.end(), std::make_pair<std::uint32_t, std::uint32_t>(NI_COMPLETION_RECEIVED, 0)), 2);
    EXPECT_EQ(std::count(all.begin(), all.end(), std::make_pair<std::uint32_t, std::uint32_t>(NI_COMPLETION_SENT, 0)),
              1);
    EXPECT_EQ(all.size(), 5u);
}

// A member with children gets the packet and, as no hops are left, an error about it: there is one place for both.
TEST(firmware_pressure, an_error_about_a_packet_leaves_its_transfer_the_place) {
    ni_model ni({.dma_queue = 1});
    give_windows(ni, 1000);
    ni.command(0, set_group(1, 4, deliver_to(0), {3}));
    ni.command(0, receive(500, 7));
    ni.settle();
    packet last = part_of(ni.params, 9, 10, 0);
    last.group = 4;
    last.hops = 0;
    ni.arrive(last);
    ni.settle();
    EXPECT_TRUE(holds(ni, 0, 0, 9, 10));
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_GROUP_SET, 0), Pair(NI_COMPLETION_RECEIVED, 0),
                                         Pair(NI_COMPLETION_ERROR, NI_STATUS_LOOP)));
    ni.expect_idle();
}

TEST(firmware_pressure, completions_wait_without_being_lost) {
    ni_model ni({.command_entries = 64, .dma_queue = 1});
    give_windows(ni, 10000);
    ni.command(0, send(5, {.length = 64}));
    ni.run();
    ASSERT_EQ(ni.transfers(), 1u);
    for (std::uint32_t i = 0; i < 40; ++i) ni.command(1, clear_group(1, i));
    for (std::uint32_t i = 0; i < 2; ++i) ni.command(0, clear_group(1, i));
    ni.run();
    EXPECT_LT(ni.commands_taken(), 42u);
    EXPECT_GT(ni.commands_taken(), 0u) << "no room for more completions";
    ni.expect_idle();
    EXPECT_EQ(ni.completions[1].size(), 40u);
    EXPECT_EQ(ni.completions[0].size(), 3u);
}

TEST(firmware_pressure, without_send_slots_it_waits) {
    ni_model ni({.send_slots = 2});
    give_windows(ni, 10000);
    ni.command(0, send(5, {.length = 640}));
    ni.run();
    EXPECT_EQ(ni.transfers(), 2u);
    const std::uint32_t looks = ni.loads_of(NI_SLOT_ALLOCATE);
    ni.event(15, 0);
    ni.run();
    EXPECT_EQ(ni.loads_of(NI_SLOT_ALLOCATE), looks) << "it waits for slot_ready";
    ni.expect_idle();
    EXPECT_EQ(ni.sent.size(), 10u);
}

TEST(firmware_pressure, the_smallest_interface_does_everything) {
    ni_model ni({.command_entries = 8, .send_slots = 1, .receive_slots = 1, .link_queue = 1, .dma_queue = 1});
    give_windows(ni, 10000);
    ni.command(0, set_group(0, 4, NI_GROUP_FCFS, {5, 6, 7}));
    ni.command(1, set_group(1, 4, deliver_to(1), {5, 6}));
    ni.command(0, send_group(0, 4, {.length = 200}));
    ni.command(0, send(5, {.length = 200}));
    ni.command(1, send_tree({6}, {.length = 200}));
    ni.command(1, receive(500, 3));
    for (std::uint32_t i = 0; i < 3; ++i) {
        packet part = part_of(ni.params, 9, 150, i);
        part.source_process = 1;
        part.group = 4;
        part.hops = 3;
        while (!ni.arrive(part)) ni.settle();
    }
    ni.expect_idle();
    EXPECT_EQ(ni.sent.size(), 3u * 4 + 4 + 4 + 3 * 2);
    EXPECT_TRUE(holds(ni, 1, 0, 9, 150));
}

/// Asks both roles until both are idle, and makes an operation of one while the other one's is under way.
void run_roles(ni_model& ni) {
    while (ni.step(NI_ROLE_RECEIVE) != NI_OPERATION_IDLE || ni.step(NI_ROLE_SEND) != NI_OPERATION_IDLE) {
    }
}

TEST(firmware_roles, share_the_events) {
    ni_model ni({.late_stores = true});
    give_windows(ni, 10000);
    ni.command(0, set_group(1, 4, deliver_to(0), {5, 6}));
    ni.command(0, receive(500, 3));
    run_roles(ni);
    packet part = part_of(ni.params, 9, 10, 0);
    part.group = 4;
    part.hops = 3;
    ni.arrive(part);
    ni.command(0, send(5, {.length = 10}));
    // The sending side comes first and keeps the packet for the receiving one.
    EXPECT_EQ(ni.step(NI_ROLE_SEND), NI_OPERATION_COMMAND);
    EXPECT_EQ(ni.step(NI_ROLE_RECEIVE), NI_OPERATION_RECEIVE);
    EXPECT_EQ(ni.step(NI_ROLE_SEND), NI_OPERATION_KEEP);
    EXPECT_EQ(ni.step(NI_ROLE_SEND), NI_OPERATION_IDLE) << "not before the time of the RECEIVE is over";
    EXPECT_EQ(ni.step(NI_ROLE_RECEIVE), NI_OPERATION_IDLE);
    EXPECT_EQ(ni.step(NI_ROLE_SEND), NI_OPERATION_SEND);
    EXPECT_EQ(ni.step(NI_ROLE_RECEIVE), NI_OPERATION_IDLE) << "it makes no copies";
    EXPECT_EQ(ni.step(NI_ROLE_SEND), NI_OPERATION_SEND);
    ni.run_dma();
    EXPECT_EQ(ni.step(NI_ROLE_RECEIVE), NI_OPERATION_IDLE) << "keeps the ended transfer for the sending side";
    run_roles(ni);
    ni.run_dma();
    ni.run_link();
    EXPECT_EQ(ni.sent.size(), 3u);
    ni.completions[0].erase(ni.completions[0].begin());
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_RECEIVED, 0), Pair(NI_COMPLETION_SENT, 0)));
    run_roles(ni);
    EXPECT_EQ(ni.slots_used(), 0u);
}

TEST(firmware_roles, pushes_that_are_under_way_count) {
    // One place in the transfer queue, which an operation of the receiving side is about to take.
    ni_model ni({.dma_queue = 1, .late_stores = true});
    give_windows(ni, 10000);
    ni.command(0, receive(500, 3));
    run_roles(ni);
    ni.arrive(part_of(ni.params, 9, 10, 0));
    ni.command(0, send(5, {.length = 10}));
    ni.hold_stores = true;
    EXPECT_EQ(ni.step(NI_ROLE_RECEIVE), NI_OPERATION_RECEIVE);
    const auto received = ni.take_held();
    ni.hold_stores = false;
    EXPECT_EQ(ni.step(NI_ROLE_SEND), NI_OPERATION_COMMAND);
    EXPECT_EQ(ni.step(NI_ROLE_SEND), NI_OPERATION_IDLE) << "no room is left";
    ni.make(received);
    do run_roles(ni);
    while (ni.run_dma() + ni.run_link() != 0);
    EXPECT_THAT(outcome(ni), ElementsAre(Pair(NI_COMPLETION_RECEIVED, 0), Pair(NI_COMPLETION_SENT, 0)));
    EXPECT_EQ(ni.slots_used(), 0u);
}

TEST(firmware_roles, what_was_not_handed_over_yet_is_flushed_with_its_message) {
    ni_model ni({.late_stores = true});
    ni.command(0, set_group(1, 4, NI_GROUP_FCFS, {5, 6}));
    run_roles(ni);
    packet part = part_of(ni.params, 9, 128, 0);
    part.group = 4;
    part.hops = 3;
    ni.arrive(part);
    EXPECT_EQ(ni.step(NI_ROLE_RECEIVE), NI_OPERATION_RECEIVE);
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(ni.run_timer());
        while (ni.step(NI_ROLE_SEND) != NI_OPERATION_IDLE) {
        }
    }
    EXPECT_TRUE(ni.link.empty());
    run_roles(ni);
    EXPECT_EQ(ni.link.size(), 2u);
    ni.run_link();
    EXPECT_EQ(ni.slots_used(), 0u);
}

TEST(firmware_interrupt, the_handler_moves_events_to_a_ring) {
    ni_model ni({.command_entries = 600, .wait_mode = NI_WAIT_MODE_INTERRUPT});
    give_windows(ni, 10000);
    event_use_interrupts(ni.state());
    for (std::uint32_t i = 0; i < 300; ++i) ni.command(0, receive(10, i, 10 * i));
    EXPECT_TRUE(ni.run().empty()) << "only the handler reads events";
    event_interrupt(ni.state());
    EXPECT_EQ(ni.events(), 300u - 128);
    EXPECT_FALSE(ni.interrupts_on()) << "the ring is full";
    EXPECT_EQ(ni.step(), NI_OPERATION_COMMAND);
    EXPECT_TRUE(ni.interrupts_on());
    while (ni.events() != 0) {
        event_interrupt(ni.state());
        ni.run();
    }
    EXPECT_EQ(ni.commands_taken(), 0u);
    for (std::uint32_t m = 0; m < 300; ++m) ni.arrive(part_of(ni.params, m, 10, 0));
    while (ni.events() != 0 || ni.transfers() != 0) {
        event_interrupt(ni.state());
        ni.run();
        ni.run_dma();
    }
    ASSERT_EQ(ni.completions[0].size(), 300u);
    for (std::uint32_t m = 0; m < 300; ++m) EXPECT_EQ(ni.completions[0][m].cookie, m) << "in order";
    EXPECT_EQ(ni.slots_used(), 0u);
}

}  // namespace
}  // namespace polycast::testbench::firmware
