// SPDX-License-Identifier: Apache-2.0
// Doorbells, command memory and the registers of a host's pages.
#include "hw/ni/host_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

using testing::ElementsAre;

ni_params three_processes() {
    ni_params params;
    params.host = 5;
    params.hosts = 8;
    params.processes = 3;
    params.command_entries = 2;
    return params;
}

struct fixture {
    /// All processes are enabled.
    explicit fixture(const ni_params& given = three_processes()) : params(given) {
        for (unsigned process = 0; process < params.processes; ++process)
            poke(test_chip::grant(process) + NI_HOST_GRANT_RIGHTS, NI_HOST_GRANT_RIGHTS_ENABLE_MASK);
        host.spaces.clear();
    }

    std::uint32_t peek(std::uint32_t address) {
        byte_list bytes(4);
        EXPECT_TRUE(pages.read(address, bytes)) << std::hex << address;
        return get_bytes(bytes.data(), 4);
    }
    bool poke(std::uint32_t address, std::uint32_t value) {
        byte_list bytes(4);
        put_bytes(bytes.data(), 4, value);
        return pages.write(9, address, bytes);
    }
    void fill_buffer(unsigned process, std::size_t bytes, std::uint8_t value) {
        EXPECT_TRUE(pages.write(9, test_chip::page(process) + 0x800, byte_list(bytes, value)));
    }
    bool ring(unsigned process, std::uint32_t length) {
        const std::size_t before = events.size();
        EXPECT_TRUE(poke(test_chip::page(process), length));
        return events.size() != before;
    }

    ni_params params;
    test_host host;
    event_queue events{100, [] {}};
    command_memory commands{params};
    packet_memory packets{params, [](cycle, slot_side) {}};
    timeline time;
    lone_watchdog dog{time};
    host_pages pages{params, commands, events, packets, dog.guard, host};
};

TEST(host_pages, a_process_sees_the_activity_of_its_own_packets_and_the_manager_that_of_all) {
    fixture f;
    const auto activity = [&f](unsigned process) {
        return f.peek(test_chip::page(process) + NI_HOST_PROCESS_ACTIVITY);
    };
    EXPECT_EQ(f.peek(NI_HOST_DEVICE_ACTIVITY), 0u);
    const std::uint32_t sending = f.packets.take(slot_side::send, 1);
    f.packets.take(slot_side::receive, 1);
    const std::uint32_t receiving = f.packets.take(slot_side::receive, 1);
    EXPECT_EQ(f.peek(NI_HOST_DEVICE_ACTIVITY), 0x0002'0001u);
    for (unsigned process = 0; process < 3; ++process) EXPECT_EQ(activity(process), 0u) << "nobody's yet";
    f.packets.belongs(sending, 1);
    f.packets.belongs(receiving, 2);
    f.packets.belongs(receiving, 0);  // whose it is has been said
    f.packets.belongs(receiving, 3);
    EXPECT_EQ(activity(0), 0u);
    EXPECT_EQ(activity(1), 0x0000'0001u);
    EXPECT_EQ(activity(2), 0x0001'0000u);
    f.packets.release(sending, 2);
    EXPECT_EQ(activity(1), 0u);
    EXPECT_EQ(f.peek(NI_HOST_DEVICE_ACTIVITY), 0x0002'0000u);
    f.packets.belongs(sending, 1);  // a slot that is free
    EXPECT_EQ(f.packets.take(slot_side::send, 3), sending);
    EXPECT_EQ(activity(1), 0u) << "nobody's again";
    f.packets.reset();
    EXPECT_EQ(activity(2), 0u);
    EXPECT_TRUE(f.poke(test_chip::page(0) + NI_HOST_PROCESS_ACTIVITY, 7)) << "read only";
    EXPECT_EQ(activity(0), 0u);
}

TEST(host_pages, the_device_page_says_what_it_is) {
    fixture f;
    EXPECT_EQ(f.peek(NI_HOST_ID), 0x706f6c79u);
    EXPECT_EQ(f.peek(NI_HOST_VERSION), NI_HOST_VERSION_RESET);
    EXPECT_EQ(f.peek(NI_HOST_PROCESS_COUNT), 3u);
    EXPECT_EQ(f.peek(NI_HOST_HOST_NUMBER), 5u);
    f.events.raise(ni_error::bad_slot);
    EXPECT_EQ(f.peek(NI_HOST_DEVICE_ERRORS), 8u);
    f.pages.set_panic(0x105);
    EXPECT_EQ(f.peek(NI_HOST_DEVICE_PANIC), 0x105u);
    EXPECT_TRUE(f.poke(NI_HOST_DEVICE_ERRORS, 0xffffffff));
    EXPECT_EQ(f.peek(NI_HOST_DEVICE_ERRORS), 8u) << "read only";
}

TEST(host_pages, registers_keep_what_is_written) {
    fixture f;
    for (unsigned process = 0; process < 3; ++process) {
        EXPECT_TRUE(f.poke(test_chip::page(process) + NI_HOST_PROCESS_QUEUE_READ, 0x89ab0000u + process));
        EXPECT_EQ(f.peek(test_chip::page(process) + NI_HOST_PROCESS_QUEUE_READ), 0x89ab0000u + process);
        for (const std::uint32_t offset :
             {NI_HOST_GRANT_QUEUE_LOW, NI_HOST_GRANT_QUEUE_HIGH, NI_HOST_GRANT_QUEUE_ENTRIES}) {
            EXPECT_TRUE(f.poke(test_chip::grant(process) + offset, 0x89ab0000u + offset + process));
            EXPECT_EQ(f.peek(test_chip::grant(process) + offset), 0x89ab0000u + offset + process);
        }
    }
    EXPECT_EQ(f.pages.queue(1).address, 0x89ab'0015'89ab'0011u);
    for (unsigned window = 0; window < NI_HOST_GRANT_WINDOW_ELEMENTS; ++window) {
        const std::uint32_t at = test_chip::grant(1) + NI_HOST_GRANT_WINDOW_BASE + window * NI_HOST_GRANT_WINDOW_STRIDE;
        for (const std::uint32_t offset :
             {NI_HOST_GRANT_WINDOW_LOW, NI_HOST_GRANT_WINDOW_HIGH, NI_HOST_GRANT_WINDOW_BYTES}) {
            EXPECT_TRUE(f.poke(at + offset, 0x12340000u + at + offset));
            EXPECT_EQ(f.peek(at + offset), 0x12340000u + at + offset);
        }
        EXPECT_TRUE(f.poke(at + NI_HOST_GRANT_WINDOW_ALLOW, 0xfffffffe));
        EXPECT_EQ(f.peek(at + NI_HOST_GRANT_WINDOW_ALLOW), 2u);
        EXPECT_FALSE(f.pages.window(1, window).read);
        EXPECT_TRUE(f.pages.window(1, window).write);
        EXPECT_EQ(f.pages.window(1, window).address, std::uint64_t{0x12340000u + at + 4} << 32 | (0x12340000u + at));
        EXPECT_FALSE(f.pages.window(0, window).registered());
    }
    EXPECT_TRUE(f.poke(test_chip::grant(2) + NI_HOST_GRANT_RIGHTS, 0xfffffffe));
    EXPECT_EQ(f.peek(test_chip::grant(2) + NI_HOST_GRANT_RIGHTS), NI_HOST_GRANT_RIGHTS_OBSERVE_MASK);
    EXPECT_TRUE(f.poke(test_chip::page(1) + NI_HOST_PROCESS_QUEUE_INTERRUPT, 3));
    EXPECT_EQ(f.peek(test_chip::page(1) + NI_HOST_PROCESS_QUEUE_INTERRUPT), 1u);
    for (const std::uint32_t offset : {NI_HOST_PROCESS_COMMAND_SPACE, NI_HOST_PROCESS_COMMANDS_REFUSED,
                                       NI_HOST_PROCESS_QUEUE_WRITTEN, NI_HOST_PROCESS_QUEUE_LOST}) {
        const std::uint32_t before = f.peek(test_chip::page(0) + offset);
        EXPECT_TRUE(f.poke(test_chip::page(0) + offset, 77));
        EXPECT_EQ(f.peek(test_chip::page(0) + offset), before);
    }
}

TEST(host_pages, a_process_reaches_nothing_but_its_own_doorbell_queue_and_command_buffer) {
    fixture f;
    f.poke(test_chip::grant(1) + NI_HOST_GRANT_QUEUE_LOW, 0x1000);
    f.poke(test_chip::grant(1) + NI_HOST_GRANT_QUEUE_ENTRIES, 8);
    f.poke(test_chip::grant(1) + NI_HOST_GRANT_WINDOW_BASE + NI_HOST_GRANT_WINDOW_BYTES, 100);
    const byte_list nonsense{0xff, 0xff, 0xff, 0xff};
    std::vector<std::uint32_t> taken;
    for (std::uint32_t offset = 0; offset < NI_HOST_PROCESS_COMMAND_BUFFER_BASE; offset += 4) {
        const std::uint32_t address = test_chip::page(1) + offset;
        byte_list before(4), after(4);
        const bool there = f.pages.read(address, before);
        EXPECT_EQ(f.pages.write(9, address, nonsense), there) << "what cannot be read cannot be written: " << offset;
        if (there && f.pages.read(address, after) && before != after) taken.push_back(offset);
    }
    EXPECT_THAT(taken, ElementsAre(NI_HOST_PROCESS_QUEUE_READ, NI_HOST_PROCESS_QUEUE_INTERRUPT));
    EXPECT_EQ(f.pages.queue(1).address, 0x1000u);
    EXPECT_EQ(f.pages.queue(1).entries, 8u);
    EXPECT_EQ(f.pages.window(1, 0).bytes, 100u);
    for (unsigned window = 0; window < windows_per_process; ++window)
        EXPECT_FALSE(f.pages.window(1, window).registered());
}

TEST(host_pages, setting_the_queue_up_starts_it_anew) {
    fixture f;
    completion_queue& queue = f.pages.queue(2);
    queue = {.address = 1, .entries = 4, .read = 5, .written = 6, .lost = 7, .interrupt = false};
    EXPECT_EQ(f.peek(test_chip::page(2) + NI_HOST_PROCESS_QUEUE_WRITTEN), 6u);
    EXPECT_EQ(f.peek(test_chip::page(2) + NI_HOST_PROCESS_QUEUE_LOST), 7u);
    EXPECT_TRUE(f.poke(test_chip::grant(2) + NI_HOST_GRANT_QUEUE_ENTRIES, 9));
    EXPECT_EQ(queue.read + queue.written + queue.lost, 0u);
    EXPECT_EQ(queue.entries, 9u);
}

TEST(host_pages, turning_the_interrupt_on_tells_of_entries_that_wait) {
    fixture f;
    f.poke(test_chip::page(1) + NI_HOST_PROCESS_QUEUE_INTERRUPT, 1);
    EXPECT_TRUE(f.host.completions.empty());
    f.pages.queue(1).written = 1;
    f.poke(test_chip::page(1) + NI_HOST_PROCESS_QUEUE_INTERRUPT, 1);
    EXPECT_THAT(f.host.completions, ElementsAre(std::pair(cycle{9}, 1u)));
}

TEST(host_pages, each_process_has_a_job_that_the_manager_gives) {
    fixture f;
    for (const unsigned process : {0u, 1u, 2u}) {
        EXPECT_EQ(f.pages.job(process), 0u);
        EXPECT_TRUE(f.poke(test_chip::grant(process) + NI_HOST_GRANT_JOB, 0xffff0000 + process));
    }
    EXPECT_EQ(f.peek(test_chip::grant(1) + NI_HOST_GRANT_JOB), 0xffff0001u);
    EXPECT_EQ(f.pages.job(2), 0xffff0002u);
    EXPECT_EQ(f.pages.job(3), 0u) << "no such process";
    EXPECT_TRUE(f.pages.other_job(2, 0xffff0001));
    EXPECT_FALSE(f.pages.other_job(2, 0xffff0002));
    EXPECT_FALSE(f.pages.other_job(3, 5)) << "it is of no job";
    f.pages.refuse_job(1);
    f.pages.refuse_job(1);
    f.pages.refuse_job(3);
    EXPECT_TRUE(f.poke(test_chip::grant(1) + NI_HOST_GRANT_JOBS_REFUSED, 7)) << "read only";
    EXPECT_EQ(f.peek(test_chip::grant(0) + NI_HOST_GRANT_JOBS_REFUSED), 0u);
    EXPECT_EQ(f.peek(test_chip::grant(1) + NI_HOST_GRANT_JOBS_REFUSED), 2u);
    EXPECT_EQ(f.peek(NI_HOST_DEVICE_JOBS_REFUSED), 2u);
    f.pages.reset();
    EXPECT_EQ(f.pages.job(1), 0u);
}

TEST(host_pages, bad_accesses_are_bus_errors) {
    fixture f;
    byte_list word(4);
    byte_list half(2);
    byte_list three_words(12);
    EXPECT_FALSE(f.pages.read(NI_HOST_DEVICE_JOBS_REFUSED + 4, word)) << "a hole";
    EXPECT_FALSE(f.pages.write(9, NI_HOST_DEVICE_JOBS_REFUSED + 4, word));
    EXPECT_FALSE(f.pages.read(0x002, word)) << "not aligned";
    EXPECT_FALSE(f.pages.read(0x000, half));
    EXPECT_FALSE(f.pages.read(0x000, {}));
    EXPECT_FALSE(f.pages.read(test_chip::page(3), word)) << "no such process";
    EXPECT_FALSE(f.pages.write(9, test_chip::page(3), word));
    EXPECT_FALSE(f.pages.write(9, test_chip::page(3) + 0x800, word));
    EXPECT_FALSE(f.pages.read(test_chip::page(3) + 0x800, word));
    EXPECT_FALSE(f.pages.read(test_chip::page(0) + 0xffc, three_words)) << "leaves the command buffer";
    EXPECT_FALSE(f.pages.write(9, test_chip::page(0) + 0xffe, word));
    EXPECT_FALSE(f.pages.write(9, test_chip::page(0) + 0x200, word));
    EXPECT_FALSE(f.pages.read(test_chip::grant(3), word));
    EXPECT_FALSE(f.pages.write(9, test_chip::grant(3), word));
    EXPECT_FALSE(f.pages.read(test_chip::grant(0) + NI_HOST_GRANT_JOBS_REFUSED + 4, word)) << "a hole";
    EXPECT_FALSE(f.pages.write(9, test_chip::grant(0) + NI_HOST_GRANT_JOBS_REFUSED + 4, word));
    EXPECT_FALSE(f.pages.read(0xffffff00u, word));
    EXPECT_TRUE(f.pages.read(test_chip::page(0) + NI_HOST_PROCESS_QUEUE_READ, three_words))
        << "registers one after the other";
}

TEST(host_pages, grants_are_no_command_buffers_whatever_their_place_in_a_page) {
    ni_params params = three_processes();
    // Eight grants lie in a page of 4 KiB, half of them where a process page has its command buffer.
    params.processes = 8;
    fixture f(params);
    for (unsigned process = 0; process < params.processes; ++process) {
        const std::uint32_t low = test_chip::grant(process) + NI_HOST_GRANT_QUEUE_LOW;
        EXPECT_TRUE(f.poke(low, 0x1000 * process)) << process;
        EXPECT_EQ(f.peek(low), 0x1000 * process);
    }
}

TEST(host_pages, the_command_buffer_takes_any_bytes) {
    fixture f;
    EXPECT_TRUE(f.pages.write(9, test_chip::page(1) + 0x803, byte_list{1, 2, 3}));
    byte_list bytes(6);
    EXPECT_TRUE(f.pages.read(test_chip::page(1) + 0x801, bytes));
    EXPECT_THAT(bytes, ElementsAre(0, 0, 1, 2, 3, 0));
    EXPECT_TRUE(f.pages.read(test_chip::page(0) + 0x801, bytes));
    EXPECT_THAT(bytes, ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(doorbells, a_command_is_copied_and_becomes_an_event) {
    fixture f;
    f.fill_buffer(2, 40, 0x11);
    EXPECT_TRUE(f.ring(2, 36));
    EXPECT_EQ(f.events.pop(), NI_EVENT_COMMAND << 28 | 4u) << "process 2 has entries 4 and 5";
    f.fill_buffer(2, 40, 0x22);
    const std::uint32_t at = 4 * command_bytes(f.params);
    std::uint32_t value = 0;
    EXPECT_TRUE(f.commands.load(at, 4, value));
    EXPECT_EQ(value, 0x11111111u);
    EXPECT_TRUE(f.commands.load(at + 32, 4, value));
    EXPECT_EQ(value, 0x11111111u);
    EXPECT_TRUE(f.commands.load(at + 36, 4, value));
    EXPECT_EQ(value, 0u) << "nothing behind the length";
}

TEST(doorbells, lengths_that_are_no_commands_are_ignored_and_counted) {
    fixture f;
    const std::uint32_t most = command_bytes(f.params);
    EXPECT_EQ(most, 128u);
    for (const std::uint32_t length : {0u, 28u, 31u, 33u, most + 4, 0xffffu}) EXPECT_FALSE(f.ring(0, length)) << length;
    EXPECT_EQ(f.peek(test_chip::page(0) + NI_HOST_PROCESS_COMMANDS_REFUSED), 6u);
    EXPECT_EQ(f.peek(test_chip::page(1) + NI_HOST_PROCESS_COMMANDS_REFUSED), 0u);
    EXPECT_EQ(f.pages.refused(), 6u);
    EXPECT_TRUE(f.ring(0, 32));
    EXPECT_TRUE(f.ring(0, most));
}

TEST(doorbells, each_process_has_its_own_entries) {
    fixture f;
    EXPECT_EQ(f.peek(test_chip::page(0) + NI_HOST_PROCESS_COMMAND_SPACE), 2u);
    EXPECT_TRUE(f.ring(0, 32));
    EXPECT_TRUE(f.ring(0, 32));
    EXPECT_FALSE(f.ring(0, 32));
    EXPECT_EQ(f.peek(test_chip::page(0) + NI_HOST_PROCESS_COMMAND_SPACE), 0u);
    EXPECT_EQ(f.peek(test_chip::page(1) + NI_HOST_PROCESS_COMMAND_SPACE), 2u);
    EXPECT_TRUE(f.ring(1, 32));
    EXPECT_EQ(f.commands.outstanding(), 3u);
    EXPECT_TRUE(f.commands.give_back(1));
    EXPECT_FALSE(f.commands.give_back(1));
    EXPECT_FALSE(f.commands.give_back(3)) << "process 1's second was never taken";
    EXPECT_FALSE(f.commands.give_back(6));
    EXPECT_FALSE(f.commands.give_back(0xffffffffu));
    EXPECT_TRUE(f.ring(0, 32));
}

TEST(doorbells, of_a_process_that_is_not_enabled_are_ignored_and_counted) {
    fixture f;
    EXPECT_TRUE(f.ring(1, 32));
    EXPECT_TRUE(f.poke(test_chip::grant(1) + NI_HOST_GRANT_RIGHTS, 0));
    EXPECT_EQ(f.peek(test_chip::page(1) + NI_HOST_PROCESS_COMMAND_SPACE), 0u);
    EXPECT_EQ(f.peek(test_chip::page(0) + NI_HOST_PROCESS_COMMAND_SPACE), 2u);
    EXPECT_FALSE(f.ring(1, 32));
    EXPECT_EQ(f.peek(test_chip::page(1) + NI_HOST_PROCESS_COMMANDS_REFUSED), 1u);
    EXPECT_EQ(f.commands.outstanding(), 1u) << "what it has given stays";
    EXPECT_TRUE(f.ring(0, 32));
    EXPECT_TRUE(f.poke(test_chip::grant(1) + NI_HOST_GRANT_RIGHTS, NI_HOST_GRANT_RIGHTS_ENABLE_MASK));
    EXPECT_THAT(f.host.spaces, ElementsAre(std::pair(cycle{9}, 1u))) << "it is told, once";
    EXPECT_TRUE(f.poke(test_chip::grant(1) + NI_HOST_GRANT_RIGHTS, NI_HOST_GRANT_RIGHTS_ENABLE_MASK));
    EXPECT_EQ(f.host.spaces.size(), 1u);
    EXPECT_TRUE(f.ring(1, 32));
}

TEST(host_pages, nobody_is_enabled_after_a_reset) {
    fixture f;
    EXPECT_TRUE(f.pages.enabled(2));
    EXPECT_FALSE(f.pages.enabled(3)) << "no such process";
    f.pages.reset();
    for (unsigned process = 0; process < 3; ++process) EXPECT_EQ(f.pages.rights(process), 0u);
}

TEST(doorbells, an_entry_taken_again_holds_nothing_of_the_command_before) {
    fixture f;
    f.fill_buffer(0, 128, 0x33);
    EXPECT_TRUE(f.ring(0, 128));
    EXPECT_TRUE(f.commands.give_back(0));
    EXPECT_TRUE(f.ring(0, 32));
    std::uint32_t value = 1;
    EXPECT_TRUE(f.commands.load(32, 4, value));
    EXPECT_EQ(value, 0u);
}

TEST(doorbells, without_room_in_the_event_queue_a_command_is_refused) {
    fixture f;
    for (unsigned event = 0; event < 100; ++event) f.events.push(event_kind::timer, 0);
    EXPECT_FALSE(f.ring(0, 32));
    EXPECT_EQ(f.peek(test_chip::page(0) + NI_HOST_PROCESS_COMMAND_SPACE), 2u);
    EXPECT_EQ(f.peek(test_chip::page(0) + NI_HOST_PROCESS_COMMANDS_REFUSED), 1u);
}

TEST(command_memory, keeps_what_firmware_writes_behind_a_short_command) {
    fixture f;
    f.ring(0, 32);
    const std::uint32_t last = command_bytes(f.params) - 4;
    std::uint32_t value = 1;
    EXPECT_TRUE(f.commands.load(last, 4, value));
    EXPECT_EQ(value, 0u);
    EXPECT_TRUE(f.commands.store(last, 1, 0x12));
    EXPECT_TRUE(f.commands.load(last, 4, value));
    EXPECT_EQ(value, 0x12u);
    EXPECT_TRUE(f.commands.store(command_bytes(f.params), 4, 0x12)) << "an entry that was never taken";
    EXPECT_TRUE(f.commands.load(command_bytes(f.params), 4, value));
    EXPECT_EQ(value, 0u);
}

TEST(command_memory, of_short_commands_does_not_grow_with_the_network) {
    ni_params params;
    params.hosts = 10000;
    params.command_entries = 1024;
    command_memory commands(params);
    const std::vector<std::uint8_t> command(32, 0x11), worm(1000, 0x22);
    for (unsigned number = 0; number < 1023; ++number) ASSERT_EQ(commands.put(0, command), number);
    EXPECT_LT(commands.memory_bytes(), 40000u);
    const std::uint32_t at = commands.put(0, worm) * command_bytes(params);
    std::uint32_t value = 0;
    EXPECT_TRUE(commands.load(at + 996, 4, value));
    EXPECT_EQ(value, 0x22222222u);
}

TEST(command_memory, ends_where_the_processes_end) {
    fixture f;
    f.ring(0, 32);
    const std::uint32_t end = 3 * 2 * command_bytes(f.params);
    std::uint32_t value = 0;
    EXPECT_TRUE(f.commands.load(end - 4, 4, value));
    EXPECT_FALSE(f.commands.load(end, 4, value));
    EXPECT_TRUE(f.commands.store(0, 2, 0xabcd));
    EXPECT_TRUE(f.commands.load(0, 4, value));
    EXPECT_EQ(value, 0xabcdu);
    EXPECT_FALSE(f.commands.store(end, 4, 0));
}

}  // namespace
}  // namespace polycast::hw::ni
