// SPDX-License-Identifier: Apache-2.0
// Every register as firmware sees it.
#include "hw/ni/register_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(registers, tell_the_facts) {
    single s(params_with([](ni_params& params) {
        params.payload_bytes = 77;
        params.processes = 4;
        params.command_entries = 9;
        params.group_entries = 33;
        params.header_ports = 20;
        params.header_stops = 11;
        params.wait = wait_mode::interrupt;
        params.reliable.timeout = 5000;
        params.reliable.attempts = 6;
        params.reliable.ack_delay = 700;
    }));
    EXPECT_EQ(s.load(NI_HOST), 3u);
    EXPECT_EQ(s.load(NI_HOSTS), 100u);
    EXPECT_EQ(s.load(NI_PAYLOAD), 77u);
    EXPECT_EQ(s.load(NI_SLOT_BYTES), 64u + 80u);
    EXPECT_EQ(s.load(NI_PROCESSES), 4u);
    EXPECT_EQ(s.load(NI_COMMAND_BYTES), 128u);
    EXPECT_EQ(s.load(NI_COMMAND_ENTRIES), 9u);
    EXPECT_EQ(s.load(NI_GROUP_ENTRIES), 33u);
    EXPECT_EQ(s.load(NI_OPTIONS), NI_WAIT_MODE_INTERRUPT);
    EXPECT_EQ(s.load(NI_STOP_BYTES), 2u + 3u);
    EXPECT_EQ(s.load(NI_STOPS), 11u);
    EXPECT_EQ(s.load(NI_RELIABLE_TIMEOUT), 5000u);
    EXPECT_EQ(s.load(NI_RELIABLE_ATTEMPTS), 6u);
    EXPECT_EQ(s.load(NI_RELIABLE_ACK_DELAY), 700u);
    EXPECT_EQ(s.load(NI_RESTARTS), 0u);
    for (std::uint32_t fact = NI_HOST; fact <= NI_RESTARTS; fact += 4) {
        const std::uint32_t before = s.load(fact);
        s.store(fact, ~before);
        EXPECT_EQ(s.load(fact), before) << "read only";
    }
}

TEST(registers, keep_operands_as_wide_as_they_are) {
    single s(params_with());
    for (const auto& [address, mask] :
         std::vector<std::pair<std::uint32_t, std::uint32_t>>{{NI_INTERRUPT_ENABLE, 1},
                                                              {NI_LINK_DESTINATION, 0xffffff},
                                                              {NI_LINK_HOPS, 0xffff},
                                                              {NI_LINK_ROUTE, 0xffffffff},
                                                              {NI_DMA_WINDOW, 0xffff},
                                                              {NI_DMA_OFFSET, 0xffffffff},
                                                              {NI_DMA_ADDRESS, 0xffffffff},
                                                              {NI_DMA_LENGTH, 0xffff},
                                                              {NI_GROUP_ROOT, 0xffffff},
                                                              {NI_GROUP_NUMBER, 0xffff}}) {
        EXPECT_EQ(s.load(address), 0u) << std::hex << address;
        s.store(address, 0xffffffff);
        EXPECT_EQ(s.load(address), mask) << std::hex << address;
    }
    for (std::uint32_t word = 0; word < 7; ++word) s.store(NI_COMPLETION + 4 * word, 0x1000 + word);
    for (std::uint32_t word = 0; word < 7; ++word) EXPECT_EQ(s.load(NI_COMPLETION + 4 * word), 0x1000 + word);
}

TEST(registers, those_to_be_written_read_as_zero) {
    single s(params_with());
    for (const std::uint32_t address : {NI_MARK, NI_SLOT_HOLD, NI_SLOT_RELEASE, NI_LINK_PUSH, NI_DMA_PUSH,
                                        NI_COMPLETION_PUSH, NI_COMMAND_DONE, NI_GROUP_FREE, NI_CONSOLE, NI_PANIC})
        EXPECT_EQ(s.load(address), 0u) << std::hex << address;
}

TEST(registers, anything_else_is_a_bus_error) {
    single s(params_with());
    s.do_now([&] {
        processor_bus& bus = s.chip.cpu->bus();
        std::uint32_t value = 0;
        for (const std::uint32_t address :
             {0x00000080u, 0x10000000u, 0x1ffffffcu, 0x40000050u, 0x4000005cu, 0x4000014cu, 0x80000000u, 0xfffffffcu,
              0x21000000u, 0x31000000u, 0x38000000u + 256 * 128, NI_RIGHTS + NI_RIGHTS_ELEMENTS * NI_RIGHTS_STRIDE}) {
            EXPECT_FALSE(bus.load(s.now + 1, address, 4, value)) << std::hex << address;
            EXPECT_FALSE(bus.store(s.now + 1, address, 4, 1)) << std::hex << address;
        }
        for (const unsigned bytes : {1u, 2u}) {
            EXPECT_FALSE(bus.load(s.now + 1, NI_HOST, bytes, value));
            EXPECT_FALSE(bus.store(s.now + 1, NI_LINK_HOPS, bytes, 1));
        }
        EXPECT_FALSE(bus.load(s.now + 1, NI_HOST + 2, 4, value));
        EXPECT_FALSE(bus.load(s.now + 1, NI_PACKET_MEMORY_BASE + 1, 4, value));
        EXPECT_FALSE(bus.store(s.now + 1, NI_PACKET_MEMORY_BASE + 1, 2, 1));
    });
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
}

TEST(registers, slots) {
    single s(params_with([](ni_params& params) { params.send_slots = 2; }));
    const std::uint32_t a = s.load(NI_SLOT_ALLOCATE);
    const std::uint32_t b = s.load(NI_SLOT_ALLOCATE);
    EXPECT_NE(a, b);
    EXPECT_EQ(s.load(NI_SLOTS_USED), 2u);
    EXPECT_EQ(s.load(NI_SLOT_ALLOCATE), 0xffffffffu);
    EXPECT_EQ(s.load(NI_EVENT), 0u);
    s.store(NI_SLOT_HOLD, a | 1u << NI_SLOT_HOLD_REFERENCES_SHIFT);
    s.store(NI_SLOT_RELEASE, a);
    EXPECT_EQ(s.load(NI_EVENT_COUNT), 0u);
    s.store(NI_SLOT_RELEASE, a);
    EXPECT_EQ(s.load(NI_EVENT_COUNT), 1u);
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_SLOT_READY << 28);
    s.store(NI_SLOT_RELEASE, b);
    EXPECT_EQ(s.load(NI_EVENT), 0u) << "nobody had asked";
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
    s.store(NI_SLOT_RELEASE, b);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_SLOT_MASK);
    s.store(NI_ERRORS, NI_ERRORS_BAD_SLOT_MASK);
    s.store(NI_SLOT_HOLD, b);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_SLOT_MASK);
    s.store(NI_ERRORS, 0);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_SLOT_MASK) << "ones clear";
    s.store(NI_ERRORS, ~0u);
    s.store(NI_PACKET_MEMORY_BASE + 20 * slot_bytes(params_with()), 1);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_SLOT_MASK) << "a store to a slot never used";
}

TEST(registers, rights_are_those_that_the_manager_gives) {
    single s(params_with([](ni_params& params) { params.processes = 3; }));
    s.chip.poke(test_chip::grant(0) + NI_HOST_GRANT_RIGHTS, 0);
    s.chip.poke(test_chip::grant(2) + NI_HOST_GRANT_RIGHTS,
                NI_HOST_GRANT_RIGHTS_ENABLE_MASK | NI_HOST_GRANT_RIGHTS_OBSERVE_MASK);
    const std::array wanted{0u, NI_RIGHTS_ENABLE_MASK, NI_RIGHTS_ENABLE_MASK | NI_RIGHTS_OBSERVE_MASK, 0u};
    for (std::uint32_t process = 0; process < wanted.size(); ++process) {
        const std::uint32_t address = NI_RIGHTS + process * NI_RIGHTS_STRIDE;
        EXPECT_EQ(s.load(address), wanted[process]) << process;
        s.store(address, ~wanted[process]);
        EXPECT_EQ(s.load(address), wanted[process]) << "firmware cannot give any: " << process;
    }
}

TEST(registers, transfers_go_through_the_registers_as_they_are_at_the_push) {
    single s(params_with([](ni_params& params) { params.processes = 2; }));
    s.chip.open_window(1, 2, 1000, 64, 3);
    std::ranges::fill(std::span(s.chip.host.memory).subspan(1000, 64), std::uint8_t{7});
    const std::uint32_t slot = s.load(NI_SLOT_ALLOCATE);
    const std::uint32_t at = NI_PACKET_MEMORY_BASE + slot * slot_bytes(s.chip.interface.params());
    const cycle pushed = s.do_now([&] {
        s.chip.cpu->store(NI_DMA_WINDOW, 1u << NI_DMA_WINDOW_PROCESS_SHIFT | 2u);
        s.chip.cpu->store(NI_DMA_OFFSET, 60);
        s.chip.cpu->store(NI_DMA_ADDRESS, at + 65);
        s.chip.cpu->store(NI_DMA_LENGTH, 4);
        s.chip.cpu->store(NI_DMA_PUSH, NI_DMA_PUSH_NOTIFY_MASK | 0x123);
        s.chip.cpu->store(NI_DMA_LENGTH, 5);
        s.chip.cpu->store(NI_DMA_PUSH, 0x321u);
        s.chip.cpu->store(NI_DMA_LENGTH, 2);
        s.chip.cpu->store(NI_DMA_ADDRESS, 0x1ffffffe);
        s.chip.cpu->store(NI_DMA_PUSH, 0x322u);
        EXPECT_EQ(s.chip.cpu->load(NI_DMA_SPACE), 254u);
        EXPECT_EQ(s.chip.cpu->load(NI_DMA_ERROR), NI_DMA_ERROR_NONE);
    });
    EXPECT_FALSE(s.chip.interface.idle());
    s.run(pushed + 3);
    EXPECT_THAT(s.chip.host.transfers, ElementsAre(test_host::transfer{pushed + 3, false, test_host::base + 1060, 4}));
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_DMA_DONE << 28 | 0x123u);
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_DMA_REFUSED << 28 | 0x321u);
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_DMA_REFUSED << 28 | 0x322u);
    EXPECT_EQ(s.load(NI_DMA_ERROR), NI_DMA_ERROR_BAD_ADDRESS);
    EXPECT_EQ(s.load(at + 64), 0x07070700u);
    EXPECT_EQ(s.load(at + 68), 0x00000007u);
}

TEST(registers, completions) {
    single s(params_with());
    s.chip.open_queue(0, 512, 2);
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_QUEUE_INTERRUPT, 1);
    const cycle pushed = s.do_now([&] {
        for (std::uint32_t word = 0; word < 7; ++word) s.chip.cpu->store(NI_COMPLETION + 4 * word, 10 + word);
        s.chip.cpu->store(NI_COMPLETION_PUSH, 0);
        s.chip.cpu->store(NI_COMPLETION, 99);
        s.chip.cpu->store(NI_COMPLETION_PUSH, 0);
    });
    EXPECT_THAT(s.chip.host.completions, ElementsAre(std::pair(pushed, 0u), std::pair(pushed, 0u)));
    EXPECT_EQ(s.chip.host.word(512), 10u);
    EXPECT_EQ(s.chip.host.word(512 + 24), 16u);
    EXPECT_EQ(s.chip.host.word(512 + 28), 1u);
    EXPECT_EQ(s.chip.host.word(544), 99u);
    EXPECT_EQ(s.chip.peek(test_chip::page(0) + NI_HOST_PROCESS_QUEUE_WRITTEN), 2u);
    s.store(NI_COMPLETION_PUSH, 0);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_COMPLETION_LOST_MASK);
    EXPECT_EQ(s.load(NI_DMA_ERROR), NI_DMA_ERROR_COMPLETION_OVERFLOW);
}

TEST(registers, a_full_transfer_queue_is_an_error) {
    single s(params_with([](ni_params& params) { params.dma_queue = 1; }));
    s.do_now([&] {
        s.chip.cpu->store(NI_COMPLETION_PUSH, 0);  // lost at once
        s.chip.cpu->store(NI_ERRORS, ~0u);
    });
    s.chip.open_window(0, 0, 0, 100, 3);
    s.load(NI_SLOT_ALLOCATE);
    s.do_now([&] {
        s.chip.cpu->store(NI_DMA_ADDRESS, NI_PACKET_MEMORY_BASE);
        s.chip.cpu->store(NI_DMA_LENGTH, 100);
        s.chip.cpu->store(NI_DMA_PUSH, 0);
        s.chip.cpu->store(NI_DMA_PUSH, 0);
        EXPECT_EQ(s.chip.cpu->load(NI_ERRORS), 0u);
        s.chip.cpu->store(NI_COMPLETION_PUSH, 0);
        EXPECT_EQ(s.chip.cpu->load(NI_ERRORS), NI_ERRORS_DMA_FULL_MASK);
        s.chip.cpu->store(NI_ERRORS, ~0u);
        s.chip.cpu->store(NI_DMA_PUSH, 0);
        EXPECT_EQ(s.chip.cpu->load(NI_ERRORS), NI_ERRORS_DMA_FULL_MASK);
    });
    s.run(s.now + 200);
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_DMA_READY << 28);
}

TEST(registers, commands) {
    single s(params_with([](ni_params& params) { params.command_entries = 1; }));
    EXPECT_TRUE(s.chip.interface.host_write(0, test_chip::page(0) + 0x800, byte_list(32, 0x5a)));
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    EXPECT_EQ(s.chip.peek(test_chip::page(0) + NI_HOST_PROCESS_COMMAND_SPACE), 0u);
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_COMMAND << 28);
    EXPECT_EQ(s.load(NI_COMMAND_MEMORY_BASE + 28), 0x5a5a5a5au);
    EXPECT_EQ(s.load(NI_COMMAND_MEMORY_BASE + 32), 0u);
    EXPECT_FALSE(s.chip.interface.idle());
    EXPECT_THAT(s.chip.host.spaces, IsEmpty());
    const cycle done = s.do_now([&] { s.chip.cpu->store(NI_COMMAND_DONE, 0); });
    EXPECT_THAT(s.chip.host.spaces, ElementsAre(std::pair(done, 0u)));
    EXPECT_TRUE(s.chip.interface.idle());
    s.store(NI_COMMAND_DONE, 0);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_COMMAND_MASK);
    EXPECT_EQ(s.chip.host.spaces.size(), 1u);
}

TEST(registers, a_host_hears_of_command_space_only_when_it_had_none) {
    single s(params_with([](ni_params& params) { params.command_entries = 2; }));
    const auto ring = [&s] { s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32); };
    ring();
    s.store(NI_COMMAND_DONE, 0);
    EXPECT_THAT(s.chip.host.spaces, IsEmpty());
    ring();
    ring();
    s.store(NI_COMMAND_DONE, 0);
    EXPECT_EQ(s.chip.host.spaces.size(), 1u);
    s.store(NI_COMMAND_DONE, 1);
    EXPECT_EQ(s.chip.host.spaces.size(), 1u);
}

TEST(registers, groups) {
    single s(params_with([](ni_params& params) { params.group_entries = 2; }));
    s.store(NI_GROUP_ROOT, 4);
    s.store(NI_GROUP_NUMBER, 5);
    EXPECT_EQ(s.load(NI_GROUP_ENTRY), 0xffffffffu);
    const std::uint32_t entry = s.load(NI_GROUP_ALLOCATE);
    s.store(NI_GROUP_MEMORY_BASE + entry * 128 + 64, 0xabcd);
    EXPECT_EQ(s.load(NI_GROUP_ENTRY), 0xffffffffu) << "looked up when the number was written";
    s.store(NI_GROUP_NUMBER, 5);
    EXPECT_EQ(s.load(NI_GROUP_ENTRY), entry);
    EXPECT_EQ(s.load(NI_GROUP_MEMORY_BASE + entry * 128 + 64), 0xabcdu);
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
    EXPECT_EQ(s.load(NI_GROUP_ALLOCATE), 0xffffffffu);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_GROUP_MASK) << "it is there already";
    s.store(NI_ERRORS, ~0u);
    s.store(NI_GROUP_NUMBER, 0xffff);
    EXPECT_NE(s.load(NI_GROUP_ALLOCATE), 0xffffffffu);
    EXPECT_EQ(s.load(NI_GROUP_ALLOCATE), 0xffffffffu) << "full";
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
    s.store(NI_GROUP_FREE, entry);
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
    s.store(NI_GROUP_FREE, entry);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_GROUP_MASK);
}

TEST(registers, time_counts_from_reset_and_holds_its_high_word) {
    single s(params_with());
    s.run(100);
    std::uint32_t low = 0;
    const cycle when = s.do_now([&] { low = s.chip.cpu->load(NI_TIME_LOW); });
    EXPECT_EQ(low, when);
    s.chip.reset();
    const cycle reset_at = s.chip.time.now();
    const cycle later = s.do_now([&] { low = s.chip.cpu->load(NI_TIME_LOW); });
    EXPECT_EQ(low, later - reset_at);
    // Far on, in one leap.
    const cycle leap = (cycle{5} << 32) + reset_at + 0xffffffff;
    s.chip.cpu->polling = false;
    s.chip.cpu->at(leap, [&] {
        EXPECT_EQ(s.chip.cpu->load(NI_TIME_LOW), 0xffffffffu);
        s.chip.cpu->polling = true;
    });
    s.step();
    s.now = leap - 1;
    s.run(leap + 5);
    EXPECT_EQ(s.load(NI_TIME_HIGH), 5u) << "as it was when the low word was read";
    s.load(NI_TIME_LOW);
    EXPECT_EQ(s.load(NI_TIME_HIGH), 6u);
}

TEST(registers, the_timer_comes_once_and_can_be_taken_back) {
    single s(params_with());
    const cycle set = s.do_now([&] { s.chip.cpu->store(NI_TIMER, 10); });
    s.run(set + 9);
    EXPECT_EQ(s.chip.interface.events(), 0u);
    s.run(set + 10);
    EXPECT_EQ(s.chip.interface.events(), 1u);
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_TIMER << 28);
    s.store(NI_TIMER, 10);
    s.store(NI_TIMER, 20);
    const cycle again = s.now;
    s.run(again + 19);
    EXPECT_EQ(s.chip.interface.events(), 0u) << "the new time counts";
    s.run(again + 21);
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_TIMER << 28);
    s.store(NI_TIMER, 20);
    s.store(NI_TIMER, 10);
    const cycle sooner = s.now;
    s.run(sooner + 10);
    EXPECT_EQ(s.chip.interface.events(), 1u) << "an earlier one, too";
    EXPECT_EQ(s.load(NI_EVENT), NI_EVENT_TIMER << 28);
    s.run(sooner + 30);
    EXPECT_EQ(s.chip.interface.events(), 0u);
    const std::size_t calls = s.chip.time.size();
    for (unsigned again_and_again = 0; again_and_again < 50; ++again_and_again) s.store(NI_TIMER, 1000);
    EXPECT_LE(s.chip.time.size(), calls + 1) << "timers that are set anew leave nothing behind";
    s.store(NI_TIMER, 10);
    s.store(NI_TIMER, 0);
    s.run(s.now + 30);
    EXPECT_EQ(s.chip.interface.events(), 0u);
}

TEST(registers, console_and_marks_reach_the_observer) {
    test_observer watcher;
    single s(params_with(), &watcher);
    s.do_now([&] {
        for (const char character : std::string("hi\nyou"))
            s.chip.cpu->store(NI_CONSOLE, static_cast<std::uint8_t>(character));
    });
    EXPECT_THAT(watcher.lines, ElementsAre("hi"));
    s.store(NI_MARK, 0);
    const cycle begun = s.now;
    s.run(begun + 4);
    const std::uint32_t slot = s.load(NI_SLOT_ALLOCATE);
    s.store(NI_PACKET_MEMORY_BASE + slot * slot_bytes(params_with()) + 4, 42);
    s.store(NI_LINK_PUSH, slot);
    s.store(NI_MARK, 3);
    const auto spans = watcher.of(resource::ni_processor);
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_EQ(spans[0].what, 3);
    EXPECT_EQ(spans[0].begin, begun);
    EXPECT_EQ(spans[0].end, s.now);
    EXPECT_EQ(spans[0].source, 42u);
}

}  // namespace
}  // namespace polycast::hw::ni
