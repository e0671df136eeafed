// SPDX-License-Identifier: Apache-2.0
// Host transfers and completions: what moves, when, in what order, and what is refused. All times are computed by hand.
#include "hw/ni/host_dma.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

/// Two processes; window 3 of process 1 is [256, 756) of host memory, to be read and written.
struct fixture {
    explicit fixture(ni_params given = {}) : params(with_two_processes(given)) {
        std::iota(host.memory.begin(), host.memory.end(), std::uint8_t{0});
        for (const unsigned process : {0u, 1u}) enable(process, true);
        window(1, 3, 256, 500, 3);
        queue(1, 4096, 4);
        slot = memory.take(slot_side::send, 0);
    }
    static ni_params with_two_processes(ni_params params) {
        params.processes = 2;
        params.payload_bytes = 256;
        return params;
    }
    void window(unsigned process, unsigned number, std::uint64_t offset, std::uint32_t bytes, std::uint32_t allow) {
        byte_list words(16);
        put_bytes(&words[0], 4, static_cast<std::uint32_t>(test_host::base + offset));
        put_bytes(&words[4], 4, static_cast<std::uint32_t>((test_host::base + offset) >> 32));
        put_bytes(&words[8], 4, bytes);
        put_bytes(&words[12], 4, allow);
        pages.write(0, test_chip::grant(process) + NI_HOST_GRANT_WINDOW_BASE + number * NI_HOST_GRANT_WINDOW_STRIDE,
                    words);
    }
    void enable(unsigned process, bool on) {
        const byte_list rights{static_cast<std::uint8_t>(on ? NI_HOST_GRANT_RIGHTS_ENABLE_MASK : 0), 0, 0, 0};
        pages.write(0, test_chip::grant(process) + NI_HOST_GRANT_RIGHTS, rights);
    }
    void queue(unsigned process, std::uint64_t offset, std::uint32_t entries) {
        pages.queue(process) = {.address = test_host::base + offset, .entries = entries};
    }
    host_transfer from_host(std::uint32_t offset, std::uint16_t length, std::uint32_t cookie = 0) const {
        return {.process = 1,
                .window = 3,
                .notify = true,
                .length = length,
                .offset = offset,
                .address = slot * memory.slot_bytes() + 64,
                .cookie = cookie};
    }
    host_transfer to_host(std::uint32_t offset, std::uint16_t length, std::uint32_t cookie = 0) const {
        host_transfer transfer = from_host(offset, length, cookie);
        transfer.to_host = true;
        return transfer;
    }
    /// Runs everything; [cycle, event] of each event in the queue as it came.
    std::vector<std::pair<cycle, std::uint32_t>> run() {
        std::vector<std::pair<cycle, std::uint32_t>> seen;
        take(seen);
        while (time.next() != engine::never) {
            time.run(time.next());
            take(seen);
        }
        return seen;
    }
    void take(std::vector<std::pair<cycle, std::uint32_t>>& seen) {
        while (!events.empty()) seen.emplace_back(time.now(), events.pop());
    }
    static std::uint32_t done(std::uint32_t cookie) { return NI_EVENT_DMA_DONE << 28 | cookie; }
    static std::uint32_t refused(std::uint32_t cookie) { return NI_EVENT_DMA_REFUSED << 28 | cookie; }

    ni_params params;
    timeline time;
    test_host host;
    test_observer watcher;
    event_queue events{1000, [] {}};
    packet_memory memory{params, [](cycle, slot_side) {}};
    command_memory commands{params};
    lone_watchdog dog{time};
    host_pages pages{params, commands, events, memory, dog.guard, host};
    host_dma dma{params, time, memory, pages, events, host, &watcher};
    std::uint32_t slot = 0;
};

using event_list = std::vector<std::pair<cycle, std::uint32_t>>;

TEST(host_dma, b_bytes_hold_the_bus_for_three_quarters_of_b_rounded_up) {
    fixture f;
    for (const auto& [bytes, cycles] : std::vector<std::pair<std::uint16_t, cycle>>{
             {0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 3}, {5, 4}, {127, 96}, {128, 96}, {129, 97}, {256, 192}}) {
        const cycle begin = f.time.now();
        f.dma.push(f.to_host(0, bytes, 5));
        EXPECT_EQ(f.run(), (event_list{{begin + cycles, fixture::done(5)}})) << bytes;
    }
}

TEST(host_dma, the_rate_is_an_exact_fraction) {
    ni_params params;
    params.bus_cycles_per_byte = {7, 3};
    EXPECT_EQ(fixture(params).dma.bus_cycles(1), 3u);
    EXPECT_EQ(fixture(params).dma.bus_cycles(3), 7u);
    EXPECT_EQ(fixture(params).dma.bus_cycles(65535), 152915u);
    params.bus_cycles_per_byte = 0;
    EXPECT_EQ(fixture(params).dma.bus_cycles(65535), 0u);
}

TEST(host_dma, bytes_move_between_slot_and_window) {
    fixture f;
    f.dma.push(f.from_host(10, 5));
    f.run();
    EXPECT_EQ(byte_list(f.memory.bytes(f.slot).begin() + 64, f.memory.bytes(f.slot).begin() + 70),
              (byte_list{10, 11, 12, 13, 14, 0}));
    f.dma.push(f.to_host(100, 4));
    f.run();
    EXPECT_EQ(byte_list(f.host.memory.begin() + 355, f.host.memory.begin() + 361),
              (byte_list{99, 10, 11, 12, 13, 104}));
}

TEST(host_dma, one_transfer_at_a_time_in_order) {
    fixture f;
    f.dma.push(f.from_host(0, 100, 1));
    f.dma.push(f.to_host(0, 100, 2));
    f.dma.push(f.from_host(0, 100, 3));
    EXPECT_EQ(f.run(), (event_list{{75, fixture::done(1)}, {150, fixture::done(2)}, {225, fixture::done(3)}}));
    ni_statistics counted;
    f.dma.count(counted);
    EXPECT_EQ(counted.bus_busy, 225u);
}

TEST(host_dma, without_notify_there_is_no_event) {
    fixture f;
    host_transfer quiet = f.to_host(0, 4);
    quiet.notify = false;
    f.dma.push(quiet);
    EXPECT_THAT(f.run(), IsEmpty());
    EXPECT_EQ(f.host.transfers.size(), 1u);
}

std::vector<std::uint32_t> order_of(bus_arbitration arbitration) {
    ni_params params;
    params.arbitration = arbitration;
    fixture f(params);
    f.dma.push(f.from_host(0, 4, 1));  // begins at once
    f.dma.push(f.from_host(0, 4, 2));
    f.dma.push(f.from_host(0, 4, 3));
    f.dma.push(f.to_host(0, 4, 11));
    f.dma.push(f.to_host(0, 4, 12));
    f.dma.push(f.from_host(0, 4, 4));
    std::vector<std::uint32_t> cookies;
    for (const auto& event : f.run()) cookies.push_back(event.second & NI_EVENT_ARGUMENT_MASK);
    return cookies;
}

TEST(host_dma, arbitration_decides_between_the_directions) {
    EXPECT_THAT(order_of(bus_arbitration::fifo), ElementsAre(1, 2, 3, 11, 12, 4));
    EXPECT_THAT(order_of(bus_arbitration::to_host), ElementsAre(1, 11, 12, 2, 3, 4));
    EXPECT_THAT(order_of(bus_arbitration::from_host), ElementsAre(1, 2, 3, 4, 11, 12));
    EXPECT_THAT(order_of(bus_arbitration::round_robin), ElementsAre(1, 11, 2, 12, 3, 4));
}

TEST(host_dma, a_completion_overtakes_no_transfer_whatever_the_arbitration) {
    for (const auto arbitration :
         {bus_arbitration::fifo, bus_arbitration::to_host, bus_arbitration::from_host, bus_arbitration::round_robin}) {
        ni_params params;
        params.arbitration = arbitration;
        fixture f(params);
        f.dma.push(f.from_host(0, 8));
        f.dma.push(f.from_host(0, 16));
        f.dma.push(f.to_host(0, 24));
        f.dma.push(1, completion_words{1});
        f.dma.push(f.from_host(0, 12));
        f.run();
        std::vector<std::size_t> before;
        for (const auto& transfer : f.host.transfers) {
            if (transfer.write && transfer.bytes == 32) break;
            before.push_back(transfer.bytes);
        }
        for (const std::size_t bytes : {8u, 16u, 24u})
            EXPECT_EQ(std::ranges::count(before, bytes), 1) << static_cast<int>(arbitration);
    }
}

TEST(host_dma, a_transfer_that_leaves_its_window_moves_nothing) {
    struct attempt {
        std::uint32_t offset;
        std::uint16_t length;
        dma_error expected;
    };
    for (const attempt& a : std::vector<attempt>{{0, 256, dma_error::none},
                                                 {244, 256, dma_error::none},
                                                 {245, 256, dma_error::outside},
                                                 {499, 1, dma_error::none},
                                                 {500, 0, dma_error::none},
                                                 {500, 1, dma_error::outside},
                                                 {501, 0, dma_error::outside},
                                                 {0xffffffff, 1, dma_error::outside},
                                                 {0xffffff00, 256, dma_error::outside}}) {
        for (const bool to_host : {false, true}) {
            fixture f;
            const byte_list before = f.host.memory;
            f.dma.push(to_host ? f.to_host(a.offset, a.length, 6) : f.from_host(a.offset, a.length, 6));
            const event_list seen = f.run();
            EXPECT_EQ(f.dma.last_error(), a.expected) << a.offset << " " << a.length;
            if (a.expected == dma_error::none) {
                EXPECT_EQ(seen.back().second, fixture::done(6));
                continue;
            }
            EXPECT_EQ(seen, (event_list{{0, fixture::refused(6)}})) << "at once, the bus is not used";
            EXPECT_THAT(f.host.transfers, IsEmpty());
            EXPECT_EQ(f.host.memory, before);
            EXPECT_THAT(f.memory.bytes(f.slot), Each(0));
        }
    }
}

TEST(host_dma, says_why_it_refuses) {
    fixture f;
    f.window(1, 4, 0, 100, 1);
    f.window(1, 5, 0, 100, 2);
    f.window(0, 6, 0, 100, 3);
    const auto error_of = [&f](host_transfer transfer) {
        f.dma.push(transfer);
        f.run();
        return f.dma.last_error();
    };
    const auto changed = [](host_transfer transfer, auto&& change) {
        change(transfer);
        return transfer;
    };
    const host_transfer in = f.from_host(0, 4);
    const host_transfer out = f.to_host(0, 4);
    EXPECT_EQ(error_of(changed(in, [](auto& t) { t.process = 2; })), dma_error::no_process);
    EXPECT_EQ(error_of(changed(in, [](auto& t) { t.process = 255; })), dma_error::no_process);
    EXPECT_EQ(error_of(changed(in, [](auto& t) { t.window = 2; })), dma_error::no_window);
    EXPECT_EQ(error_of(changed(in, [](auto& t) { t.window = 16; })), dma_error::no_window);
    EXPECT_EQ(error_of(changed(in, [](auto& t) { t.window = 255; })), dma_error::no_window);
    EXPECT_EQ(error_of(changed(in, [](auto& t) { t.window = 6; })), dma_error::no_window) << "another process's";
    EXPECT_EQ(error_of(changed(in, [](auto& t) { t.window = 5; })), dma_error::forbidden);
    EXPECT_EQ(error_of(changed(out, [](auto& t) { t.window = 4; })), dma_error::forbidden);
    const std::uint32_t size = f.memory.slot_bytes();
    EXPECT_EQ(error_of(changed(in, [&](auto& t) { t.address = f.slot * size + size - 3; })), dma_error::bad_address);
    EXPECT_EQ(error_of(changed(in, [&](auto& t) { t.address = (f.slot + 1) * size; })), dma_error::bad_address);
    EXPECT_EQ(error_of(changed(in, [](auto& t) { t.address = packet_memory::none; })), dma_error::bad_address);
    EXPECT_EQ(f.events.errors(), NI_ERRORS_BAD_SLOT_MASK);
    EXPECT_THAT(f.host.transfers, IsEmpty());
    ni_statistics counted;
    f.dma.count(counted);
    EXPECT_EQ(counted.transfers_refused, 11u);
    EXPECT_EQ(counted.bus_busy, 0u);
}

TEST(host_dma, nothing_is_moved_for_a_process_that_is_not_enabled) {
    fixture f;
    f.enable(1, false);
    f.dma.push(f.to_host(0, 100, 4));
    f.dma.push(f.from_host(0, 100, 5));
    EXPECT_EQ(f.run(), (event_list{{0, fixture::refused(4)}, {0, fixture::refused(5)}}));
    EXPECT_EQ(f.dma.last_error(), dma_error::no_process);
    f.enable(1, true);
    f.dma.push(f.to_host(0, 100, 6));
    f.time.run(10);
    f.enable(1, false);
    EXPECT_EQ(f.run(), (event_list{{75, fixture::refused(6)}})) << "nor what is on the bus";
    EXPECT_THAT(f.host.transfers, IsEmpty());
}

TEST(host_dma, host_memory_is_told_whose_each_access_is) {
    fixture f;
    f.window(0, 3, 512, 500, 3);
    f.queue(0, 8192, 4);
    host_transfer others = f.to_host(0, 4);
    others.process = 0;
    f.dma.push(f.to_host(0, 4));
    f.dma.push(others);
    f.dma.push(0, {1});
    f.dma.push(1, {1});
    f.run();
    EXPECT_THAT(f.host.processes, ElementsAre(1, 0, 0, 1));
}

TEST(host_dma, a_window_onto_nothing_is_refused_when_the_bus_says_so) {
    fixture f;
    f.window(1, 3, 65530, 500, 3);
    f.dma.push(f.to_host(0, 8, 4));
    EXPECT_EQ(f.run(), (event_list{{6, fixture::refused(4)}}));
    EXPECT_EQ(f.dma.last_error(), dma_error::outside);
}

TEST(host_dma, a_window_closed_during_the_transfer_stops_it) {
    fixture f;
    f.dma.push(f.to_host(0, 100, 4));
    f.time.run(10);
    f.window(1, 3, 256, 500, 0);
    EXPECT_EQ(f.run(), (event_list{{75, fixture::refused(4)}}));
    EXPECT_THAT(f.host.transfers, IsEmpty());
}

TEST(host_dma, release_takes_the_reference_at_the_end_refused_or_not) {
    fixture f;
    f.memory.hold(f.slot, 2);
    host_transfer good = f.to_host(0, 4);
    good.release_slot = true;
    host_transfer bad = f.to_host(1000, 4);
    bad.release_slot = true;
    f.dma.push(good);
    f.time.run(2);
    f.memory.release(f.slot, 2);
    EXPECT_TRUE(f.memory.in_use(f.slot));
    f.time.run(3);
    EXPECT_TRUE(f.memory.in_use(f.slot));
    f.dma.push(bad);
    EXPECT_FALSE(f.memory.in_use(f.slot));
    EXPECT_EQ(f.events.errors(), 0u);
    f.dma.push(bad);
    EXPECT_EQ(f.events.errors(), NI_ERRORS_BAD_SLOT_MASK);
}

TEST(host_dma, a_slot_given_away_during_its_transfer_moves_nothing) {
    fixture f;
    f.dma.push(f.to_host(0, 100, 7));
    f.time.run(5);
    f.memory.release(f.slot, 5);
    EXPECT_EQ(f.run(), (event_list{{75, fixture::refused(7)}}));
    EXPECT_EQ(f.dma.last_error(), dma_error::bad_address);
    EXPECT_THAT(f.host.transfers, IsEmpty());
}

TEST(host_dma, the_queue_has_an_end_and_tells_when_there_is_room_again) {
    ni_params params;
    params.dma_queue = 2;
    fixture f(params);
    EXPECT_TRUE(f.dma.push(f.to_host(0, 4, 1)));  // on the bus
    EXPECT_TRUE(f.dma.push(f.from_host(0, 4, 2)));
    EXPECT_TRUE(f.dma.push(1, {}));
    EXPECT_EQ(f.dma.space(), 0u);
    EXPECT_FALSE(f.dma.push(f.to_host(0, 4, 9)));
    EXPECT_FALSE(f.dma.push(1, {}));
    const event_list seen = f.run();
    EXPECT_EQ(seen, (event_list{{3, fixture::done(1)}, {3, NI_EVENT_DMA_READY << 28}, {6, fixture::done(2)}}));
    EXPECT_EQ(f.dma.space(), 2u);
    EXPECT_TRUE(f.dma.idle());
}

TEST(host_dma, asking_for_space_when_there_is_none_asks_for_the_event) {
    ni_params params;
    params.dma_queue = 1;
    fixture f(params);
    f.dma.push(f.to_host(0, 4, 1));
    EXPECT_EQ(f.dma.ask_space(), 1u);
    f.dma.push(f.to_host(0, 4, 2));
    EXPECT_EQ(f.dma.ask_space(), 0u);
    EXPECT_EQ(f.run(), (event_list{{3, fixture::done(1)}, {3, NI_EVENT_DMA_READY << 28}, {6, fixture::done(2)}}));
}

TEST(completions, entries_go_round_the_ring_and_number_themselves) {
    fixture f;
    f.pages.queue(1).interrupt = true;
    for (std::uint32_t number = 1; number <= 10; ++number) {
        EXPECT_TRUE(f.dma.push(1, {number, 2, 3, 4, 5, 6, 7}));
        f.run();
        const std::uint64_t at = 4096 + (number - 1) % 4 * 32;
        EXPECT_EQ(f.host.word(at), number);
        EXPECT_EQ(f.host.word(at + 24), 7u);
        EXPECT_EQ(f.host.word(at + 28), number);
        EXPECT_EQ(f.pages.queue(1).written, number);
        ++f.pages.queue(1).read;
    }
    EXPECT_EQ(f.host.completions.size(), 10u);
    EXPECT_EQ(f.host.completions.front(), std::pair(cycle{0}, 1u)) << "no bus time";
}

TEST(completions, a_full_ring_loses_entries_and_counts_them) {
    fixture f;
    const byte_list untouched(f.host.memory.begin() + 4096 + 128, f.host.memory.begin() + 4096 + 256);
    for (std::uint32_t number = 1; number <= 6; ++number) f.dma.push(1, {number});
    f.run();
    EXPECT_EQ(f.pages.queue(1).written, 4u);
    EXPECT_EQ(f.pages.queue(1).lost, 2u);
    EXPECT_EQ(f.host.word(4096), 1u) << "not overwritten";
    EXPECT_TRUE(std::ranges::equal(untouched, std::span(f.host.memory).subspan(4096 + 128, 128)));
    EXPECT_EQ(f.dma.last_error(), dma_error::completion_overflow);
    EXPECT_EQ(f.events.errors(), NI_ERRORS_COMPLETION_LOST_MASK);
    f.pages.queue(1).read = 1;
    f.dma.push(1, {7});
    f.run();
    EXPECT_EQ(f.host.word(4096), 7u);
    EXPECT_EQ(f.host.word(4096 + 28), 5u);
}

TEST(completions, without_a_queue_or_memory_behind_it_they_are_lost) {
    fixture f;
    f.dma.push(0, {1});  // not set up
    f.dma.push(2, {1});  // no such process
    f.dma.push(255, {1});
    f.queue(0, 65536, 4);  // no memory there
    f.dma.push(0, {1});
    f.run();
    ni_statistics counted;
    f.dma.count(counted);
    EXPECT_EQ(counted.completions_lost, 4u);
    EXPECT_EQ(f.pages.queue(0).lost, 1u) << "since it was set up";
    EXPECT_EQ(f.pages.queue(0).written, 0u);
    EXPECT_TRUE(f.host.completions.empty());
}

TEST(completions, of_a_process_that_is_not_enabled_are_lost) {
    ni_params params;
    params.charge_completions = true;
    fixture f(params);
    f.dma.push(1, {1});  // is on the bus
    f.dma.push(1, {1});  // waits for it
    f.time.run(10);
    f.enable(1, false);
    f.run();
    EXPECT_EQ(f.pages.queue(1).written, 0u);
    EXPECT_EQ(f.pages.queue(1).lost, 2u);
    EXPECT_EQ(f.dma.last_error(), dma_error::no_process);
    EXPECT_THAT(f.host.transfers, IsEmpty());
    f.enable(1, true);
    f.dma.push(1, {2});
    f.run();
    EXPECT_EQ(f.host.word(4096), 2u) << "the queue is as it was";
}

TEST(completions, counts_wrap_at_two_to_the_32) {
    fixture f;
    f.pages.queue(1).written = f.pages.queue(1).read = 0xffffffffu;
    f.dma.push(1, {1});
    f.dma.push(1, {2});
    f.run();
    EXPECT_EQ(f.pages.queue(1).written, 1u);
    EXPECT_EQ(f.host.word(4096 + 3 * 32 + 28), 0u);
    EXPECT_EQ(f.host.word(4096 + 28), 1u);
}

TEST(completions, can_be_charged_for_the_bus) {
    ni_params params;
    params.charge_completions = true;
    fixture f(params);
    f.pages.queue(1).interrupt = true;
    f.dma.push(f.to_host(0, 100));
    f.dma.push(1, {1});
    f.dma.push(1, {2});
    f.run();
    EXPECT_THAT(f.host.completions, ElementsAre(std::pair(cycle{99}, 1u), std::pair(cycle{123}, 1u)));
}

TEST(host_dma, tells_an_observer_who_used_the_bus) {
    fixture f;
    f.memory.set_word(f.slot, slot_word::source, 9);
    f.memory.set_word(f.slot, slot_word::message, 8);
    f.memory.set_word(f.slot, slot_word::offset, 128);
    f.dma.push(f.to_host(0, 100));
    f.dma.push(f.from_host(0, 4));
    f.dma.push(1, {0, 0, 0xffffff, 44});
    f.run();
    ASSERT_EQ(f.watcher.spans.size(), 3u);
    const span_record& first = f.watcher.spans[0];
    EXPECT_EQ(first.where, resource::bus);
    EXPECT_EQ(first.what, 1);
    EXPECT_EQ(first.begin, 0u);
    EXPECT_EQ(first.end, 75u);
    EXPECT_EQ(first.source, 9u);
    EXPECT_EQ(first.message, 8u);
    EXPECT_EQ(first.offset, 128u);
    EXPECT_EQ(f.watcher.spans[1].what, 0);
    EXPECT_EQ(f.watcher.spans[1].begin, 75u);
    EXPECT_EQ(f.watcher.spans[1].end, 78u);
    EXPECT_EQ(f.watcher.spans[2].what, 2);
    EXPECT_EQ(f.watcher.spans[2].source, ~0u);
    EXPECT_EQ(f.watcher.spans[2].message, 44u);
    f.watcher.spans_wanted = false;
    f.dma.push(f.to_host(0, 100));
    f.run();
    EXPECT_EQ(f.watcher.spans.size(), 3u);
}

}  // namespace
}  // namespace polycast::hw::ni
