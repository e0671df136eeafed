// SPDX-License-Identifier: Apache-2.0
// Interrupt line, panic, reset, parameters; and a packet's way through two interfaces.
#include "hw/ni/network_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ni_params params_with(const std::function<void(ni_params&)>& change = {}) {
    ni_params params;
    params.host = 3;
    params.hosts = 100;
    if (change) change(params);
    return params;
}

TEST(interrupt_line, is_high_while_there_are_events_and_it_is_on) {
    single s(params_with());
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    s.run(5);
    EXPECT_EQ(s.chip.interface.events(), 1u);
    s.store(NI_INTERRUPT_ENABLE, 1);
    const cycle on = s.now;
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    s.run(on + 3);
    s.load(NI_EVENT);
    s.store(NI_INTERRUPT_ENABLE, 0);
    const cycle off = s.now;
    s.store(NI_INTERRUPT_ENABLE, 1);
    const cycle on_again = s.now;
    s.load(NI_EVENT);
    const cycle empty = s.now;
    s.run(empty + 5);
    EXPECT_THAT(s.chip.cpu->levels, ElementsAre(std::pair(cycle{0}, false), std::pair(on, true), std::pair(off, false),
                                                std::pair(on_again, true), std::pair(empty, false)));
}

TEST(interrupt_line, an_event_queue_that_is_full_loses_events_and_says_so) {
    single s(params_with([](ni_params& params) { params.event_queue = 2; }));
    s.store(NI_TIMER, 1);
    s.run(s.now + 3);
    s.store(NI_TIMER, 1);
    s.run(s.now + 3);
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
    s.store(NI_TIMER, 1);
    s.run(s.now + 3);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_EVENT_OVERFLOW_MASK);
    EXPECT_EQ(s.load(NI_EVENT_COUNT), 2u);
}

TEST(network_interface, panic_stops_the_processor_and_is_seen_by_the_host) {
    single s(params_with());
    unsigned after = 0;
    s.store(NI_INTERRUPT_ENABLE, 1);
    s.do_now([&] { s.chip.cpu->store(NI_PANIC, 0x107); });
    s.act([&] { ++after; });
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    s.run(20);
    EXPECT_TRUE(std::ranges::none_of(s.chip.cpu->levels, [](const auto& level) { return level.second; }));
    EXPECT_EQ(after, 0u);
    EXPECT_EQ(s.chip.peek(NI_HOST_DEVICE_PANIC), 0x107u);
    EXPECT_EQ(s.chip.interface.statistics().panic, 0x107u);
    s.chip.reset();
    s.run(30);
    EXPECT_EQ(after, 1u);
    EXPECT_EQ(s.chip.interface.statistics().panic, 0u);
    s.store(NI_PANIC, 0);
    EXPECT_EQ(s.chip.interface.statistics().panic, 0xffffffffu) << "no reason is one, too";
}

TEST(network_interface, a_reset_forgets_everything) {
    single s(params_with());
    s.chip.open_window(0, 0, 0, 1000, 3);
    s.load(NI_SLOT_ALLOCATE);
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    s.do_now([&] {
        s.chip.cpu->store(NI_DMA_ADDRESS, NI_PACKET_MEMORY_BASE);
        s.chip.cpu->store(NI_DMA_LENGTH, 100);
        s.chip.cpu->store(NI_DMA_PUSH, NI_DMA_PUSH_NOTIFY_MASK);
        s.chip.cpu->store(NI_TIMER, 50);
    });
    s.chip.reset();
    EXPECT_EQ(s.chip.cpu->resets, 1u);
    EXPECT_TRUE(s.chip.interface.idle());
    s.run(300);
    EXPECT_THAT(s.chip.host.transfers, IsEmpty());
    EXPECT_EQ(s.chip.interface.events(), 0u);
    EXPECT_EQ(s.load(NI_DMA_LENGTH), 0u);
    EXPECT_EQ(s.chip.peek(test_chip::grant(0) + NI_HOST_GRANT_WINDOW_BASE + NI_HOST_GRANT_WINDOW_ALLOW), 0u);
    s.store(NI_TIMER, 5);
    s.run(s.now + 8);
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_TIMER << 28) << "and works";
}

TEST(network_interface, a_process_sees_the_activity_of_its_own_packets_only) {
    ni_params params = small_link();
    params.processes = 3;
    single s(params);
    const auto activity = [&s](unsigned process) {
        return s.chip.peek(test_chip::page(process) + NI_HOST_PROCESS_ACTIVITY);
    };
    const auto arrive = [&](std::uint8_t process, std::uint16_t group) {
        byte_list slot(slot_bytes(params));
        put_bytes(slot.data(), 4, 12u << 16);
        slot[0x11] = process;
        put_bytes(&slot[0x14], 4, group);
        link_packet packet;
        build_packet(params, slot, {.destination = 1, .seal = true}, packet);
        s.send_in(packet);
        s.step();
    };
    s.chip.open_window(2, 0, 0, 1000, 3);
    arrive(1, format::no_group);
    arrive(1, 7);  // whom it is delivered to, firmware finds out
    arrive(200, format::no_group);
    EXPECT_EQ(activity(1), 1u << NI_HOST_PROCESS_ACTIVITY_RECEIVING_SHIFT);
    EXPECT_EQ(activity(0) + activity(2), 0u);
    EXPECT_EQ(s.chip.peek(NI_HOST_DEVICE_ACTIVITY), 3u << NI_HOST_DEVICE_ACTIVITY_RECEIVING_SHIFT);
    s.load(NI_EVENT);
    const std::uint32_t of_group = s.load(NI_EVENT) & NI_EVENT_ARGUMENT_MASK;
    const std::uint32_t sent = s.load(NI_SLOT_ALLOCATE);
    EXPECT_EQ(activity(2), 0u);
    const auto move = [&](std::uint32_t slot, std::uint32_t push) {
        s.do_now([&] {
            s.chip.cpu->store(NI_DMA_WINDOW, 2u << NI_DMA_WINDOW_PROCESS_SHIFT);
            s.chip.cpu->store(NI_DMA_ADDRESS, NI_PACKET_MEMORY_BASE + slot * slot_bytes(params) + slot_header_bytes);
            s.chip.cpu->store(NI_DMA_LENGTH, 12);
            s.chip.cpu->store(NI_DMA_PUSH, push);
        });
    };
    move(sent, 0);
    move(of_group, NI_DMA_PUSH_TO_HOST_MASK | NI_DMA_PUSH_RELEASE_SLOT_MASK);
    EXPECT_EQ(activity(2),
              1u << NI_HOST_PROCESS_ACTIVITY_SENDING_SHIFT | 1u << NI_HOST_PROCESS_ACTIVITY_RECEIVING_SHIFT);
    s.run(s.now + 50);
    EXPECT_EQ(activity(2), 1u << NI_HOST_PROCESS_ACTIVITY_SENDING_SHIFT);
    s.store(NI_SLOT_RELEASE, sent);
    EXPECT_EQ(activity(2), 0u);
    EXPECT_EQ(activity(1), 1u << NI_HOST_PROCESS_ACTIVITY_RECEIVING_SHIFT);
}

TEST(network_interface, takes_little_memory_while_idle) {
    single s(params_with());
    s.run(1000);
    EXPECT_LT(s.chip.interface.memory_bytes(), 4000u);
}

TEST(network_interface, refuses_parameters_out_of_range) {
    const std::vector<std::function<void(ni_params&)>> wrong{
        [](ni_params& params) { params.host = 100; },
        [](ni_params& params) { params.hosts = 0; },
        [](ni_params& params) { params.flit_bytes = 0; },
        [](ni_params& params) { params.flit_bytes = 65; },
        [](ni_params& params) { params.header_bytes = 30; },
        [](ni_params& params) { params.chunk_flits = 0; },
        [](ni_params& params) { params.credits = 0; },
        [](ni_params& params) { params.payload_bytes = 0; },
        [](ni_params& params) { params.payload_bytes = 65536; },
        [](ni_params& params) { params.processes = 0; },
        [](ni_params& params) { params.processes = 65; },
        [](ni_params& params) { params.command_entries = 0; },
        [](ni_params& params) { params.command_entries = 1025; },
        [](ni_params& params) {
            params.hosts = 10000;
            params.processes = 64;
            params.command_entries = 256;
        },
        [](ni_params& params) { params.group_entries = 2049; },
        [](ni_params& params) { params.group_entries = 0; },
        [](ni_params& params) { params.link_queue = 0; },
        [](ni_params& params) { params.dma_queue = 0; },
        [](ni_params& params) { params.event_queue = 0; },
        [](ni_params& params) {
            params.bus_cycles_per_byte = {-1, 2};
        },
        [](ni_params& params) { params.send_slots = 1u << 24; },
        [](ni_params& params) { params.send_slots = params.receive_slots = 50000; },
    };
    EXPECT_NO_THROW(check_params(params_with()));
    for (std::size_t which = 0; which < wrong.size(); ++which)
        EXPECT_THROW(test_chip{params_with(wrong[which])}, input_error) << which;
}

/// Two interfaces back to back: what host 0 sends, host 1 gets. Both processors take no time.
struct pair_of_chips {
    explicit pair_of_chips(unsigned header_bytes) {
        ni_params params;
        params.hosts = 2;
        params.header_bytes = header_bytes;
        for (std::uint32_t host = 0; host < 2; ++host) {
            params.host = host;
            auto made = std::make_unique<test_chip>(params, &watcher);
            chips[host] = made.get();
            made->cpu->polling = false;
            made->cpu->at(0, [cpu = made->cpu] { cpu->store(NI_INTERRUPT_ENABLE, 1); });
            made->open_window(0, 0, 0, 1000, 3);
            network.add(std::move(made), "host");
        }
        network.connect({0, 0}, {1, 0}, {.delay = 1, .chunk_flits = 8});
    }
    std::array<test_chip*, 2> chips{};
    test_observer watcher;
    engine::network network;
};

TEST(network_interface, a_packet_takes_the_time_of_both_buses_and_its_flits) {
    for (const unsigned header_bytes : {0u, format::free_header_bytes({.hosts = 2})}) {
        pair_of_chips p(header_bytes);
        scripted_processor& sender = *p.chips[0]->cpu;
        scripted_processor& receiver = *p.chips[1]->cpu;
        std::iota(p.chips[0]->host.memory.begin(), p.chips[0]->host.memory.begin() + 128, std::uint8_t{1});
        // Asked for at 100, 128 bytes cross the bus; when they have, the packet is pushed.
        sender.at(100, [&] {
            sender.load(NI_SLOT_ALLOCATE);
            sender.store(NI_PACKET_MEMORY_BASE, 128u << 16);
            sender.store(NI_DMA_ADDRESS, NI_PACKET_MEMORY_BASE + 64);
            sender.store(NI_DMA_LENGTH, 128);
            sender.store(NI_DMA_PUSH, NI_DMA_PUSH_NOTIFY_MASK);
        });
        sender.on_interrupt = [&](cycle now) {
            EXPECT_EQ(now, 196u);
            EXPECT_EQ(sender.load(NI_EVENT), NI_EVENT_DMA_DONE << 28);
            sender.store(NI_LINK_DESTINATION, 1);
            sender.store(NI_LINK_PUSH, NI_LINK_PUSH_SEAL_MASK);
        };
        receiver.on_interrupt = [&](cycle) {
            EXPECT_EQ(receiver.load(NI_EVENT), NI_EVENT_PACKET << 28);
            receiver.store(NI_DMA_OFFSET, 200);
            receiver.store(NI_DMA_ADDRESS, NI_PACKET_MEMORY_BASE + 64);
            receiver.store(NI_DMA_LENGTH, 128);
            receiver.store(NI_DMA_PUSH, NI_DMA_PUSH_TO_HOST_MASK | NI_DMA_PUSH_RELEASE_SLOT_MASK);
        };
        p.network.run(1000);
        // Head on the output pins at 196, one cycle of link, the other flits behind it, then the bus.
        const cycle flits = header_bytes != 0 ? 128 : 13 + 24 + 128 + 4;
        const cycle tail = 196 + 1 + flits - 1;
        ASSERT_EQ(p.watcher.packets.size(), 1u);
        EXPECT_EQ(p.watcher.packets[0].when, tail);
        EXPECT_THAT(p.chips[1]->host.transfers,
                    ElementsAre(test_host::transfer{tail + 96, true, test_host::base + 200, 128}));
        EXPECT_TRUE(std::ranges::equal(std::span(p.chips[0]->host.memory).first(128),
                                       std::span(p.chips[1]->host.memory).subspan(200, 128)));
        EXPECT_TRUE(p.chips[0]->interface.idle());
        EXPECT_TRUE(p.chips[1]->interface.idle());
        EXPECT_EQ(p.chips[0]->interface.credits(), 80u);
        EXPECT_EQ(p.chips[1]->interface.statistics().residency_max, 96u);
        EXPECT_EQ(p.chips[0]->interface.statistics().errors, 0u);
        EXPECT_EQ(p.network.next_activity(), engine::never) << "nothing polls";
    }
}

}  // namespace
}  // namespace polycast::hw::ni
