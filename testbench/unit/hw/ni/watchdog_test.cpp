// SPDX-License-Identifier: Apache-2.0
// The watchdog of an interface: when it expires, what is lost, and how the interface comes back.
#include "hw/ni/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/format/header.h"
#include "hw/ni/abi/ni_firmware.h"
#include "hw/ni/event_queue.h"
#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr cycle limit = 100;
constexpr cycle pause = 40;

ni_params two_processes(unsigned receive_slots = 0) {
    ni_params params = small_link();
    params.receive_slots = receive_slots;
    params.processes = 2;
    return params;
}

/// An interface whose firmware does nothing by itself, and whose host has set the watchdog.
struct watched : single {
    explicit watched(const ni_params& params = two_processes(), cycle cycles = limit) : single(params) {
        chip.cpu->state.sleeping = true;
        step();
        chip.poke(NI_HOST_RESTART, pause);
        chip.poke(NI_HOST_WATCHDOG, static_cast<std::uint32_t>(cycles));
    }
    /// The processor does this in cycle `when`.
    void at(cycle when, std::function<void()> what) {
        run(when - 1);
        do_now(std::move(what));
    }
    /// A process gives a command. \returns those that were refused so far
    std::uint32_t ring(unsigned process = 0) {
        chip.poke(test_chip::page(process) + NI_HOST_PROCESS_DOORBELL, 32);
        return chip.peek(test_chip::page(process) + NI_HOST_PROCESS_COMMANDS_REFUSED);
    }
};

TEST(watchdog, expires_where_an_event_waits_and_nothing_is_done) {
    watched s;
    s.run(50);
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    const cycle rang = s.chip.time.now();
    s.run(rang + limit);
    EXPECT_THAT(s.chip.host.hangs, ElementsAre(rang + limit));
    EXPECT_EQ(s.chip.peek(NI_HOST_DEVICE_PANIC), static_cast<std::uint32_t>(NI_PANIC_HUNG));
    EXPECT_EQ(s.chip.peek(NI_HOST_DEVICE_RESTARTS), 0u);
    EXPECT_THAT(s.chip.host.spaces, IsEmpty());
    s.run(rang + limit + pause);
    EXPECT_EQ(s.chip.peek(NI_HOST_DEVICE_PANIC), 0u);
    EXPECT_EQ(s.chip.peek(NI_HOST_DEVICE_RESTARTS), 1u);
    EXPECT_EQ(s.chip.cpu->resets, 1u);
    EXPECT_THAT(s.chip.host.spaces,
                ElementsAre(std::pair{rang + limit + pause, 0u}, std::pair{rang + limit + pause, 1u}));
    s.run(5000);
    EXPECT_THAT(s.chip.host.hangs, ElementsAre(rang + limit)) << "once: nothing waits any more";
    EXPECT_EQ(s.chip.interface.statistics().restarts, 1u);
    EXPECT_EQ(s.load(NI_RESTARTS), 1u) << "firmware's own count";
    EXPECT_TRUE(s.chip.interface.idle());
}

TEST(watchdog, is_quiet_while_operations_end) {
    watched s;
    s.run(50);
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    const cycle rang = s.chip.time.now();
    for (cycle when = rang + limit - 1; when < rang + 10 * limit; when += limit - 1)
        s.at(when, [&] { s.chip.cpu->store(NI_MARK, 2); });
    EXPECT_THAT(s.chip.host.hangs, IsEmpty());
    s.do_now([&] { s.chip.cpu->load(NI_EVENT); });
    s.run(s.now + 3 * limit);
    EXPECT_THAT(s.chip.host.hangs, IsEmpty()) << "there is nothing to do";
    // What was before does not count: neither the time nor the marks.
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    const cycle again = s.chip.time.now();
    s.run(again + limit - 1);
    EXPECT_THAT(s.chip.host.hangs, IsEmpty());
    s.run(again + limit);
    EXPECT_THAT(s.chip.host.hangs, ElementsAre(again + limit));
}

/// The last event has been taken, but what it began does not end.
TEST(watchdog, expires_in_an_endless_operation) {
    watched s;
    s.run(50);
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    cycle taken = 0;
    s.do_now([&] {
        s.chip.cpu->load(NI_EVENT);
        s.chip.cpu->state.sleeping = false;
        taken = s.chip.cpu->now;
    });
    s.run(taken + 2 * limit);
    EXPECT_EQ(s.chip.host.hangs.size(), 1u);
}

TEST(watchdog, is_off_without_a_limit) {
    watched s(two_processes(), 0);
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    s.run(100'000);
    EXPECT_THAT(s.chip.host.hangs, IsEmpty());
}

TEST(watchdog, panic_is_a_restart) {
    watched s;
    s.at(200, [&] { s.chip.cpu->store(NI_PANIC, 77); });
    EXPECT_EQ(s.chip.peek(NI_HOST_DEVICE_PANIC), 77u);
    EXPECT_THAT(s.chip.host.hangs, ElementsAre(200));
    s.run(200 + pause);
    EXPECT_EQ(s.chip.peek(NI_HOST_DEVICE_PANIC), 0u);
    EXPECT_EQ(s.chip.cpu->resets, 1u);
    EXPECT_EQ(s.chip.interface.statistics().panic, 0u);
    EXPECT_EQ(s.chip.interface.statistics().restarts, 1u);
}

TEST(watchdog, takes_no_commands_while_it_is_down) {
    watched s;
    EXPECT_EQ(s.ring(), 0u);
    s.run(limit + 10);
    ASSERT_EQ(s.chip.host.hangs.size(), 1u);
    EXPECT_EQ(s.chip.peek(test_chip::page(0) + NI_HOST_PROCESS_COMMAND_SPACE), 0u);
    EXPECT_EQ(s.ring(), 1u) << "ignored";
    s.run(limit + pause + 10);
    EXPECT_EQ(s.chip.peek(test_chip::page(0) + NI_HOST_PROCESS_COMMAND_SPACE), 64u) << "none is open any more";
    EXPECT_EQ(s.ring(), 1u);
}

/// Every chunk goes back once, of packets that have slots, wait for one, are half here, or come meanwhile.
TEST(watchdog, drops_what_comes_with_all_credits) {
    for (const unsigned slots : {0u, 1u}) {
        for (unsigned half = 0; half <= 7; ++half) {
            watched s(two_processes(slots));
            const link_packet packet = packet_with(two_processes(), 3);
            const cycle expires = s.send_in(packet) + limit;
            s.send_in(packet);
            s.run(expires - half);
            s.send_in(packet);  // `half` flits of it come before
            EXPECT_THAT(s.chip.host.hangs, ElementsAre(expires));
            s.send_in(packet);
            s.run(expires + pause - 3);
            s.send_in(packet);  // ends behind the restart
            EXPECT_EQ(s.chip.cpu->resets, 1u);
            s.run(s.now + 50);
            EXPECT_EQ(s.credit_cycles.size(), 2u * 5) << slots << " slots, " << half << " flits";
            EXPECT_EQ(s.chip.interface.slots_used(), 0u);
            EXPECT_EQ(s.chip.interface.events(), 0u);
            s.send_in(packet);
            s.step();
            EXPECT_EQ(s.load(NI_EVENT) >> 28, static_cast<std::uint32_t>(NI_EVENT_PACKET)) << "the next one comes";
        }
    }
}

TEST(watchdog, what_leaves_leaves_whole) {
    watched s;
    std::vector<std::uint32_t> slots;
    const auto make = [&] {
        s.do_now([&] {
            const std::uint32_t slot = s.chip.cpu->load(NI_SLOT_ALLOCATE);
            const std::uint32_t at = NI_PACKET_MEMORY_BASE + slot * s.chip.cpu->load(NI_SLOT_BYTES);
            s.chip.cpu->store(at, 12u << 16);
            s.chip.cpu->store(at + 4, 1);
            s.chip.cpu->store(NI_LINK_DESTINATION, 3);
            s.chip.cpu->store(NI_LINK_PUSH, slot | NI_LINK_PUSH_SEAL_MASK);
        });
    };
    EXPECT_EQ(s.ring(), 0u);
    s.run(s.chip.time.now() + limit - 3);
    make();
    make();
    while (s.chip.host.hangs.empty()) s.step();
    EXPECT_EQ(s.sent.size(), 1u);
    s.run(s.now + 500);
    ASSERT_EQ(s.sent.size(), 1u) << "the second one is gone";
    EXPECT_EQ(s.sent.front().cycles.size(), 7u);
    EXPECT_NE(s.sent.front().ended, 0u);
    EXPECT_EQ(s.chip.interface.slots_used(), 0u);
    EXPECT_EQ(s.chip.interface.statistics().errors, 0u);
}

/// Transfers and completions that were queued are gone, also the one on the bus.
TEST(watchdog, nothing_is_written_to_the_host_any_more) {
    watched s;
    s.chip.open_queue(0, 0x1000, 8);
    s.do_now([&] {
        s.chip.cpu->state.sleeping = false;
        s.chip.cpu->store(NI_COMPLETION, 1);
        s.chip.cpu->store(NI_COMPLETION_PUSH, 0);
    });
    EXPECT_EQ(s.chip.peek(test_chip::page(0) + NI_HOST_PROCESS_QUEUE_WRITTEN), 1u);
    EXPECT_EQ(s.ring(), 0u);
    s.chip.open_window(0, 0, 0, 0x1000, NI_HOST_GRANT_WINDOW_ALLOW_WRITE_MASK);
    s.run(s.chip.time.now() + limit - 4);
    s.do_now([&] {
        const std::uint32_t slot = s.chip.cpu->load(NI_SLOT_ALLOCATE);
        s.chip.cpu->store(NI_DMA_WINDOW, 0);
        s.chip.cpu->store(NI_DMA_OFFSET, 0);
        s.chip.cpu->store(NI_DMA_ADDRESS, NI_PACKET_MEMORY_BASE + slot * s.chip.cpu->load(NI_SLOT_BYTES) + 64);
        s.chip.cpu->store(NI_DMA_LENGTH, 32);
        s.chip.cpu->store(NI_DMA_PUSH, NI_DMA_PUSH_TO_HOST_MASK | NI_DMA_PUSH_RELEASE_SLOT_MASK);
        s.chip.cpu->store(NI_COMPLETION_PUSH, 0);
    });
    const std::size_t before = s.chip.host.transfers.size();
    s.chip.cpu->state.sleeping = true;
    s.run(s.now + 1000);
    EXPECT_EQ(s.chip.host.hangs.size(), 1u);
    EXPECT_EQ(s.chip.host.transfers.size(), before);
    EXPECT_EQ(s.chip.peek(test_chip::page(0) + NI_HOST_PROCESS_QUEUE_WRITTEN), 1u) << "the queue itself stays";
}

}  // namespace
}  // namespace polycast::hw::ni
