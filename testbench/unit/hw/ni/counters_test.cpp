// SPDX-License-Identifier: Apache-2.0
// Counters: registers, events, increments in the order of host transfers; and the bus that moves both ways at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t push_of(std::uint32_t interface, std::uint32_t counter) {
    return interface << NI_COUNTER_PUSH_INTERFACE_SHIFT | counter;
}
constexpr std::uint32_t counter_register(std::uint32_t counter) {
    return NI_COUNTER + counter * NI_COUNTER_STRIDE;
}

/// An interface whose processor takes events off the queue only when the test says so. Window 1 of process 0 is all of
/// host memory.
struct counting_bench {
    explicit counting_bench(ni_params params = {}, observer* watcher = nullptr) : ni(params, watcher) {
        ni.step();
        ni.chip.open_window(0, 1, 0, 1u << 16, 3);
        ni.chip.open_queue(0, 8192, 16);
    }
    std::vector<std::uint32_t> events() {
        std::vector<std::uint32_t> made;
        for (std::uint32_t event = ni.load(NI_EVENT); event != 0; event = ni.load(NI_EVENT)) made.push_back(event);
        return made;
    }
    static std::uint32_t event_of(std::uint32_t counter) { return NI_EVENT_COUNTER << NI_EVENT_KIND_SHIFT | counter; }
    /// In one cycle, as firmware that is fast. \returns that cycle.
    cycle transfer(std::uint32_t slot, bool to_host, std::uint32_t bytes) {
        return ni.do_now([&] { push(slot, to_host, bytes); });
    }
    void push(std::uint32_t slot, bool to_host, std::uint32_t bytes) {
        scripted_processor& cpu = *ni.chip.cpu;
        cpu.store(NI_DMA_WINDOW, 1);
        cpu.store(NI_DMA_OFFSET, to_host ? 0 : 4096);
        cpu.store(NI_DMA_ADDRESS, NI_PACKET_MEMORY_BASE + slot * cpu.load(NI_SLOT_BYTES) + slot_header_bytes);
        cpu.store(NI_DMA_LENGTH, bytes);
        cpu.store(NI_DMA_PUSH, (to_host ? NI_DMA_PUSH_TO_HOST_MASK : 0) | NI_DMA_PUSH_NOTIFY_MASK);
    }
    single ni;
};

TEST(ni_counters, are_256_registers_that_are_written_and_read) {
    counting_bench b;
    for (std::uint32_t number = 0; number < 256; ++number) EXPECT_EQ(b.ni.load(counter_register(number)), 0u);
    for (std::uint32_t number = 0; number < 256; ++number) b.ni.store(counter_register(number), 1000 + number);
    for (std::uint32_t number = 0; number < 256; ++number)
        EXPECT_EQ(b.ni.load(counter_register(number)), 1000 + number);
    EXPECT_THAT(b.events(), IsEmpty()) << "writing is no event";
    b.ni.do_now([&] {
        std::uint32_t value = 0;
        EXPECT_FALSE(b.ni.chip.cpu->bus().load(b.ni.now, counter_register(256), 4, value));
        EXPECT_FALSE(b.ni.chip.cpu->bus().store(b.ni.now, counter_register(256), 4, 1));
        EXPECT_FALSE(b.ni.chip.cpu->bus().load(b.ni.now, NI_COUNTER - 4, 4, value));
        EXPECT_FALSE(b.ni.chip.cpu->bus().load(b.ni.now, NI_COUNTER + 2, 2, value));
    });
    EXPECT_EQ(b.ni.load(NI_COUNTER_PUSH), 0u);
}

TEST(ni_counters, an_event_comes_once_until_the_counter_is_read) {
    counting_bench b;
    for (int i = 0; i < 3; ++i) b.ni.store(NI_COUNTER_PUSH, push_of(0, 200));
    b.ni.store(NI_COUNTER_PUSH, push_of(0, 7));
    b.ni.run(b.ni.now + 10);
    EXPECT_THAT(b.events(), ElementsAre(b.event_of(200), b.event_of(7)));
    b.ni.store(NI_COUNTER_PUSH, push_of(0, 200));
    b.ni.run(b.ni.now + 10);
    EXPECT_THAT(b.events(), IsEmpty()) << "it was not read";
    EXPECT_EQ(b.ni.load(counter_register(200)), 4u);
    EXPECT_EQ(b.ni.load(counter_register(7)), 1u);
    b.ni.store(counter_register(200), 0xffffffff);
    EXPECT_THAT(b.events(), IsEmpty());
    b.ni.store(NI_COUNTER_PUSH, push_of(0, 200));
    b.ni.run(b.ni.now + 10);
    EXPECT_THAT(b.events(), ElementsAre(b.event_of(200)));
    EXPECT_EQ(b.ni.load(counter_register(200)), 0u) << "modulo 2^32";
}

TEST(ni_counters, an_event_that_found_no_room_comes_with_the_next_count) {
    ni_params params;
    params.event_queue = 1;
    counting_bench b(params);
    b.ni.store(NI_COUNTER_PUSH, push_of(0, 1));
    b.ni.store(NI_COUNTER_PUSH, push_of(0, 2));
    b.ni.run(b.ni.now + 10);
    EXPECT_EQ(b.ni.load(NI_ERRORS), NI_ERRORS_EVENT_OVERFLOW_MASK);
    EXPECT_THAT(b.events(), ElementsAre(b.event_of(1)));
    b.ni.store(NI_COUNTER_PUSH, push_of(0, 2));
    b.ni.run(b.ni.now + 10);
    EXPECT_THAT(b.events(), ElementsAre(b.event_of(2)));
    EXPECT_EQ(b.ni.load(counter_register(2)), 2u);
}

TEST(ni_counters, counts_go_to_the_interface_that_is_named) {
    counting_bench b;
    b.ni.store(NI_COUNTER_PUSH, push_of(1, 9));
    b.ni.run(b.ni.now + 10);
    ASSERT_EQ(b.ni.chip.host.counts.size(), 1u);
    EXPECT_EQ(b.ni.chip.host.counts[0].interface, 1u);
    EXPECT_EQ(b.ni.chip.host.counts[0].counter, 9u);
    EXPECT_EQ(b.ni.load(counter_register(9)), 0u);
    EXPECT_EQ(b.ni.load(NI_ERRORS), 0u);
    b.ni.store(NI_COUNTER_PUSH, push_of(2, 9));
    b.ni.run(b.ni.now + 10);
    EXPECT_EQ(b.ni.load(NI_ERRORS), NI_ERRORS_BAD_COUNTER_MASK) << "the host has no such interface";
    b.ni.store(NI_ERRORS, NI_ERRORS_BAD_COUNTER_MASK);
    EXPECT_EQ(b.ni.load(NI_ERRORS), 0u);
}

TEST(ni_counters, a_count_is_made_when_the_transfers_before_it_have_ended) {
    for (const auto arbitration :
         {bus_arbitration::fifo, bus_arbitration::to_host, bus_arbitration::from_host, bus_arbitration::round_robin}) {
        for (const bool duplex : {false, true}) {
            ni_params params;
            params.arbitration = arbitration;
            params.duplex = duplex;
            counting_bench b(params);
            const std::uint32_t slot = b.ni.load(NI_SLOT_ALLOCATE);
            b.ni.do_now([&] {
                b.push(slot, true, 40);
                b.push(slot, true, 80);
                b.ni.chip.cpu->store(NI_COUNTER_PUSH, push_of(0, 3));
                b.push(slot, true, 120);
                b.ni.chip.cpu->store(NI_COUNTER_PUSH, push_of(0, 3));
            });
            const cycle begin = b.ni.now;
            b.ni.run(begin + 400);
            ASSERT_EQ(b.ni.chip.host.counts.size(), 2u);
            EXPECT_EQ(b.ni.chip.host.counts[0].when, begin + 30 + 60);
            EXPECT_EQ(b.ni.chip.host.counts[1].when, begin + 30 + 60 + 90);
        }
    }
}

TEST(ni_counters, a_count_overtakes_no_transfer_on_a_bus_for_both_directions) {
    ni_params params;
    params.arbitration = bus_arbitration::to_host;
    counting_bench b(params);
    const std::uint32_t slot = b.ni.load(NI_SLOT_ALLOCATE);
    const cycle begin = b.ni.do_now([&] {
        b.push(slot, false, 40);
        b.push(slot, false, 80);
        b.ni.chip.cpu->store(NI_COUNTER_PUSH, push_of(0, 3));
    });
    b.ni.run(begin + 200);
    ASSERT_EQ(b.ni.chip.host.counts.size(), 1u);
    EXPECT_EQ(b.ni.chip.host.counts[0].when, begin + 90);
}

TEST(ni_counters, counts_take_bus_time_as_completions_do) {
    for (const auto& [charged, taken] : std::vector<std::pair<bool, cycle>>{{false, 0}, {true, 3}}) {
        ni_params params;
        params.charge_completions = charged;
        counting_bench b(params);
        const cycle begin = b.ni.do_now([&] {
            for (int i = 0; i < 4; ++i) b.ni.chip.cpu->store(NI_COUNTER_PUSH, push_of(0, 3));
        });
        b.ni.run(begin + 100);
        ASSERT_EQ(b.ni.chip.host.counts.size(), 4u);
        for (cycle i = 0; i < 4; ++i) EXPECT_EQ(b.ni.chip.host.counts[i].when, begin + taken * (i + 1));
        EXPECT_EQ(b.ni.chip.interface.statistics().bus_busy, 4 * taken);
    }
}

TEST(ni_counters, a_count_takes_a_place_of_the_transfer_queue) {
    ni_params params;
    params.dma_queue = 2;
    counting_bench b(params);
    const std::uint32_t slot = b.ni.load(NI_SLOT_ALLOCATE);
    b.ni.do_now([&] {
        b.push(slot, true, 128);  // on the bus at once
        b.ni.chip.cpu->store(NI_COUNTER_PUSH, push_of(0, 3));
        EXPECT_EQ(b.ni.chip.cpu->load(NI_DMA_SPACE), 1u);
        b.ni.chip.cpu->store(NI_COUNTER_PUSH, push_of(0, 4));
        b.ni.chip.cpu->store(NI_COUNTER_PUSH, push_of(0, 5));
        EXPECT_EQ(b.ni.chip.cpu->load(NI_ERRORS), NI_ERRORS_DMA_FULL_MASK);
    });
    b.ni.run(b.ni.now + 200);
    EXPECT_EQ(b.ni.chip.host.counts.size(), 2u);
    EXPECT_TRUE(std::ranges::count(b.events(), NI_EVENT_DMA_READY << NI_EVENT_KIND_SHIFT) == 1);
}

TEST(ni_counters, a_count_is_a_use_of_the_bus) {
    test_observer watcher;
    counting_bench b({}, &watcher);
    b.ni.store(NI_COUNTER_PUSH, push_of(0, 3));
    b.ni.run(b.ni.now + 10);
    const std::vector<span_record> spans = watcher.of(resource::bus);
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_EQ(spans[0].what, 3);
    EXPECT_EQ(spans[0].source, ~0u);
}

TEST(ni_counters, a_reset_clears_them_and_what_is_queued) {
    counting_bench b;
    b.ni.store(NI_COUNTER_PUSH, push_of(0, 3));
    b.ni.run(b.ni.now + 5);
    EXPECT_FALSE(b.ni.chip.idle()) << "an event is there";
    const std::uint32_t slot = b.ni.load(NI_SLOT_ALLOCATE);
    b.ni.do_now([&] {
        b.push(slot, true, 128);
        b.ni.chip.cpu->store(NI_COUNTER_PUSH, push_of(0, 3));
    });
    b.ni.chip.reset();
    b.ni.run(b.ni.now + 300);
    EXPECT_EQ(b.ni.load(counter_register(3)), 0u);
    EXPECT_THAT(b.events(), IsEmpty());
    b.ni.store(NI_COUNTER_PUSH, push_of(0, 3));
    b.ni.run(b.ni.now + 5);
    EXPECT_THAT(b.events(), ElementsAre(b.event_of(3))) << "the event before the reset was the one of another life";
}

TEST(ni_duplex_bus, what_ends_after_a_reset_was_begun_after_it) {
    for (const bool duplex : {false, true}) {
        ni_params params;
        params.duplex = duplex;
        counting_bench b(params);
        b.transfer(b.ni.load(NI_SLOT_ALLOCATE), true, 40);
        b.ni.chip.reset();
        b.ni.chip.open_window(0, 1, 0, 1u << 16, 3);
        const cycle begin = b.transfer(b.ni.load(NI_SLOT_ALLOCATE), true, 120);
        b.ni.run(begin + 400);
        ASSERT_EQ(b.ni.chip.host.transfers.size(), 1u);
        EXPECT_EQ(b.ni.chip.host.transfers[0].when, begin + 90);
    }
}

struct bus_end {
    cycle when;
    bool to_host;
    bool operator==(const bus_end&) const = default;
};

/// Transfers pushed in one cycle; when each moved, counted from there.
std::vector<bus_end> ends_of(const ni_params& params, std::initializer_list<std::pair<bool, std::uint32_t>> transfers) {
    counting_bench b(params);
    const std::uint32_t slot = b.ni.load(NI_SLOT_ALLOCATE);
    const cycle begin = b.ni.do_now([&] {
        for (const auto& [to_host, bytes] : transfers) b.push(slot, to_host, bytes);
    });
    b.ni.run(begin + 1000);
    std::vector<bus_end> made;
    for (const test_host::transfer& each : b.ni.chip.host.transfers) made.push_back({each.when - begin, each.write});
    EXPECT_EQ(b.events().size(), transfers.size());
    return made;
}

TEST(ni_duplex_bus, moves_one_transfer_in_each_direction_at_once) {
    ni_params params;
    EXPECT_THAT(ends_of(params, {{false, 40}, {true, 80}, {false, 40}, {true, 4}}),
                ElementsAre(bus_end{30, false}, bus_end{90, true}, bus_end{120, false}, bus_end{123, true}));
    params.duplex = true;
    EXPECT_THAT(ends_of(params, {{false, 40}, {true, 80}, {false, 40}, {true, 4}}),
                ElementsAre(bus_end{30, false}, bus_end{60, true}, bus_end{60, false}, bus_end{63, true}));
    params.arbitration = bus_arbitration::to_host;
    EXPECT_THAT(ends_of(params, {{false, 40}, {false, 40}, {true, 4}}),
                ElementsAre(bus_end{3, true}, bus_end{30, false}, bus_end{60, false}));
}

TEST(ni_duplex_bus, completions_keep_the_order_of_their_direction_and_wait_for_no_other) {
    ni_params params;
    params.duplex = true;
    counting_bench b(params);
    const std::uint32_t slot = b.ni.load(NI_SLOT_ALLOCATE);
    const cycle begin = b.ni.do_now([&] {
        b.push(slot, false, 120);
        b.push(slot, true, 40);
        b.ni.chip.cpu->store(NI_COMPLETION_PUSH, 0);
        b.push(slot, true, 40);
    });
    b.ni.run(begin + 200);
    std::vector<std::pair<cycle, std::size_t>> moved;
    for (const test_host::transfer& each : b.ni.chip.host.transfers) moved.emplace_back(each.when - begin, each.bytes);
    EXPECT_THAT(moved, ElementsAre(std::pair(30, 40), std::pair(30, 32), std::pair(60, 40), std::pair(90, 120)));
    EXPECT_EQ(b.ni.chip.interface.statistics().bus_busy, 90u + 60u);
}

TEST(ni_duplex_bus, is_idle_when_both_directions_are) {
    for (const bool to_host : {false, true}) {
        ni_params params;
        params.duplex = true;
        counting_bench b(params);
        const std::uint32_t slot = b.ni.load(NI_SLOT_ALLOCATE);
        b.transfer(slot, to_host, 100);
        b.ni.store(NI_SLOT_RELEASE, slot);
        b.ni.run(b.ni.now + 20);
        EXPECT_FALSE(b.ni.chip.idle());
        b.ni.run(b.ni.now + 200);
        EXPECT_EQ(b.events().size(), 1u);
        EXPECT_TRUE(b.ni.chip.idle());
    }
}

}  // namespace
}  // namespace polycast::hw::ni
