// SPDX-License-Identifier: Apache-2.0
// Link-in and link-out of one interface, cycle by cycle against credits; the other end of the link is the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/format/header.h"
#include "hw/ni/event_queue.h"
#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::uint32_t event_of(event_kind kind, std::uint32_t argument) {
    return static_cast<std::uint32_t>(kind) << 28 | argument;
}

/// First payload byte and status of the packet that the next event tells of; {0, 0} if there is none.
std::pair<std::uint32_t, std::uint32_t> next_packet(single& s) {
    const std::uint32_t event = s.load(NI_EVENT);
    if (event >> 28 != NI_EVENT_PACKET) return {0, 0};
    const std::uint32_t at = NI_PACKET_MEMORY_BASE + (event & NI_EVENT_ARGUMENT_MASK) * slot_bytes(small_link());
    return {s.load(at + 64) & 0xff, s.load(at + 0x2c) & 0xffff};
}

/// Takes a send slot and makes it a packet to be pushed.
std::uint32_t make_packet(single& s, std::uint32_t length = 12) {
    const std::uint32_t slot = s.load(NI_SLOT_ALLOCATE);
    const std::uint32_t at = NI_PACKET_MEMORY_BASE + slot * s.load(NI_SLOT_BYTES);
    s.store(at, length << 16);
    s.store(at + 4, 1);
    s.store(at + 64, slot);
    return slot;
}

TEST(link_in, a_packet_is_an_event_in_the_cycle_of_its_tail) {
    single s(small_link());
    s.store(NI_INTERRUPT_ENABLE, 1);
    s.chip.cpu->polling = false;
    s.chip.cpu->on_interrupt = [&](cycle) { EXPECT_EQ(s.chip.cpu->load(NI_EVENT), event_of(event_kind::packet, 0)); };
    s.run(10);
    const cycle tail = s.send_in(packet_with(small_link(), 3));
    s.run(50);
    EXPECT_THAT(s.chip.cpu->levels,
                ElementsAre(std::pair(cycle{0}, false), std::pair(tail, true), std::pair(tail, false)));
    EXPECT_EQ(s.chip.interface.statistics().packets_in, 1u);
}

TEST(link_in, gives_a_chunk_back_as_soon_as_it_is_full) {
    single s(small_link());
    s.send_in(packet_with(small_link(), 3));  // flits in cycles 0..6
    s.run(20);
    EXPECT_THAT(s.credit_cycles, ElementsAre(4, 7));
}

TEST(link_in, malformed_packets_arrive_with_their_status) {
    const ni_params params = small_link();
    single s(params);
    const link_packet good = packet_with(params, 9);
    const auto flit_of = [&](std::size_t number) { return std::span(good.flits).subspan(number * 8, 8); };
    // No head: four flits, the last a tail.
    for (std::size_t number = 2; number < 6; ++number) {
        s.flit(false, number == 5, flit_of(number));
        s.step();
    }
    EXPECT_EQ(next_packet(s).second, 1u);
    // No tail: the next head ends it.
    for (std::size_t number = 0; number < 5; ++number) {
        s.flit(number == 0, false, flit_of(number));
        s.step();
    }
    s.send_in(good);
    EXPECT_EQ(next_packet(s).second, 1u);
    EXPECT_EQ(next_packet(s), std::pair(9u, 0u));
    // Endless: cut, the rest is dropped, and every chunk is given back.
    s.credit_cycles.clear();
    for (std::size_t number = 0; number < 1000; ++number) {
        s.flit(number == 0, number == 999, flit_of(number % 7));
        s.step();
    }
    s.run(s.now + 3);
    EXPECT_EQ(s.credit_cycles.size(), 250u);
    const std::uint32_t slot = s.load(NI_EVENT) & NI_EVENT_ARGUMENT_MASK;
    const std::uint32_t status = s.load(NI_PACKET_MEMORY_BASE + slot * slot_bytes(params) + 0x2c);
    EXPECT_EQ(status, 1000u << 16 | 5u);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_PACKET_CUT_MASK);
    s.send_in(good);
    EXPECT_EQ(next_packet(s), std::pair(9u, 0u)) << "the next one is not harmed";
    const std::size_t before = s.chip.interface.memory_bytes();
    for (std::size_t number = 0; number < 5000; ++number) {
        s.flit(number == 0, false, flit_of(number % 7));
        s.step();
    }
    EXPECT_LT(s.chip.interface.memory_bytes(), before + 2000) << "no packet takes more than a slot";
}

ni_params one_slot() {
    ni_params params = small_link();
    params.receive_slots = 1;
    return params;
}

TEST(link_in, without_a_slot_packets_wait_and_give_no_credit) {
    single s(one_slot());
    s.send_in(packet_with(small_link(), 1));
    s.run(10);
    EXPECT_EQ(s.credit_cycles.size(), 2u);
    // Three packets of two chunks are all that the sender's six credits allow.
    for (std::uint8_t number = 2; number <= 4; ++number) s.send_in(packet_with(small_link(), number));
    s.run(60);
    EXPECT_EQ(s.credit_cycles.size(), 2u);
    EXPECT_EQ(next_packet(s), std::pair(1u, 0u));
    EXPECT_EQ(next_packet(s), std::pair(0u, 0u));
    EXPECT_FALSE(s.chip.interface.idle());
    for (std::uint32_t number = 2; number <= 4; ++number) {
        const cycle when = s.do_now([&] { s.chip.cpu->store(NI_SLOT_RELEASE, 0); });
        s.run(s.now + 5);
        EXPECT_EQ(s.credit_cycles.size(), 2u * number) << "both chunks of the packet that got the slot";
        EXPECT_EQ(s.credit_cycles[2 * number - 2], when + 1);
        EXPECT_EQ(s.credit_cycles[2 * number - 1], when + 2) << "one in a cycle";
        EXPECT_EQ(next_packet(s), std::pair(number, 0u));
    }
    s.store(NI_SLOT_RELEASE, 0);
    EXPECT_TRUE(s.chip.interface.idle());
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
    EXPECT_EQ(s.chip.interface.statistics().receive_slots_peak, 1u);
}

TEST(link_in, a_packet_that_gets_its_slot_while_it_arrives_goes_on) {
    single s(one_slot());
    s.send_in(packet_with(small_link(), 1));
    EXPECT_EQ(next_packet(s), std::pair(1u, 0u));
    const link_packet second = packet_with(small_link(), 2);
    for (std::size_t number = 0; number < 7; ++number) {
        s.flit(number == 0, number == 6, std::span(second.flits).subspan(number * 8, 8));
        if (number == 5) s.act([&] { s.chip.cpu->store(NI_SLOT_RELEASE, 0); });
        s.step();
    }
    s.run(s.now + 5);
    EXPECT_EQ(s.credit_cycles.size(), 4u);
    EXPECT_EQ(next_packet(s), std::pair(2u, 0u));
}

TEST(link_in, a_sender_that_ignores_credits_loses_packets_and_nobody_else_does) {
    single s(one_slot());
    for (std::uint8_t number = 1; number <= 20; ++number) s.send_in(packet_with(small_link(), number));
    EXPECT_LT(s.chip.interface.memory_bytes(), 20000u);
    for (std::uint32_t number = 1; number <= 4; ++number) {
        EXPECT_EQ(next_packet(s), std::pair(number, 0u));
        s.store(NI_SLOT_RELEASE, 0);
    }
    EXPECT_EQ(next_packet(s), std::pair(0u, 0u));
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_PACKET_CUT_MASK);
    s.send_in(packet_with(small_link(), 77));
    EXPECT_EQ(next_packet(s), std::pair(77u, 0u));
}

TEST(link_in, tells_an_observer_what_arrived) {
    test_observer watcher;
    single s(small_link(), &watcher);
    s.run(5);
    const cycle tail = s.send_in(packet_with(small_link(), 3));
    ASSERT_EQ(watcher.packets.size(), 1u);
    const auto& seen = watcher.packets.front();
    EXPECT_EQ(seen.when, tail);
    EXPECT_TRUE(seen.complete);
    EXPECT_EQ(seen.payload, byte_list(12, 3));
    EXPECT_EQ(seen.flits, 7u);
    EXPECT_EQ(format::read_common(seen.header.data()).source, 5u);
    const auto spans = watcher.of(resource::link_in);
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_EQ(spans[0].begin, 5u);
    EXPECT_EQ(spans[0].end, 12u);
    EXPECT_EQ(spans[0].source, 5u);
}

TEST(link_out, a_packet_is_on_the_pins_in_the_cycle_of_its_push) {
    test_observer watcher;
    single s(small_link(), &watcher);
    const std::uint32_t slot = make_packet(s);
    s.store(NI_LINK_DESTINATION, 6);
    const cycle pushed = s.do_now([&] { s.chip.cpu->store(NI_LINK_PUSH, slot | NI_LINK_PUSH_SEAL_MASK); });
    s.run(s.now + 20);
    ASSERT_EQ(s.sent.size(), 1u);
    EXPECT_EQ(s.sent[0].began, pushed);
    EXPECT_EQ(s.sent[0].ended, pushed + 6);
    EXPECT_EQ(format::destination_of(s.sent[0].data.data()), 6u);
    EXPECT_EQ(s.load(NI_SLOTS_USED), 0u);
    EXPECT_TRUE(s.chip.interface.idle());
    const auto spans = watcher.of(resource::link_out);
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_EQ(spans[0].begin, pushed);
    EXPECT_EQ(spans[0].end, pushed + 7);
    EXPECT_EQ(s.chip.interface.statistics().link_busy, 7u);
    EXPECT_EQ(s.chip.interface.statistics().packets_out, 1u);
}

TEST(link_out, a_slot_is_free_when_the_last_of_its_pushes_has_left) {
    single s(small_link());
    const std::uint32_t slot = make_packet(s);
    s.store(NI_SLOT_HOLD, slot | 2u << NI_SLOT_HOLD_REFERENCES_SHIFT);
    s.do_now([&] {
        for (std::uint32_t host = 2; host < 5; ++host) {
            s.chip.cpu->store(NI_LINK_DESTINATION, host);
            s.chip.cpu->store(NI_LINK_PUSH, slot | NI_LINK_PUSH_SEAL_MASK);
        }
    });
    const cycle first = s.now;
    s.run(first + 19);
    EXPECT_EQ(s.chip.interface.slots_used(), 1u);
    s.run(first + 25);
    EXPECT_EQ(s.chip.interface.slots_used(), 0u);
    ASSERT_EQ(s.sent.size(), 3u);
    for (std::uint32_t copy = 0; copy < 3; ++copy) {
        EXPECT_EQ(format::destination_of(s.sent[copy].data.data()), copy + 2);
        EXPECT_EQ(s.sent[copy].began, first + 7 * copy) << "without a gap";
    }
}

TEST(link_out, stops_where_credits_end) {
    ni_params params = small_link();
    params.credits = 1;
    single s(params);
    const std::uint32_t slot = make_packet(s);
    const cycle pushed = s.do_now([&] { s.chip.cpu->store(NI_LINK_PUSH, slot); });
    s.run(pushed + 30);
    ASSERT_EQ(s.sent.size(), 1u);
    EXPECT_EQ(s.sent[0].cycles.size(), 4u);
    EXPECT_EQ(s.chip.interface.credits(), 0u);
    EXPECT_FALSE(s.chip.interface.sending());
    s.in.credit = 1;
    s.step();
    EXPECT_EQ(s.sent[0].cycles.back(), pushed + 31);
    s.run(s.now + 10);
    EXPECT_EQ(s.sent[0].ended, pushed + 33);
    for (unsigned spare = 0; spare < 5; ++spare) {
        s.in.credit = 1;
        s.step();
    }
    EXPECT_EQ(s.chip.interface.credits(), 1u) << "never more than the buffer has";
}

TEST(link_out, a_packet_without_credit_keeps_its_place_in_the_queue) {
    ni_params params = small_link();
    params.chunk_flits = 16;
    params.credits = 1;
    single s(params);
    const std::uint32_t slot = make_packet(s);
    s.store(NI_SLOT_HOLD, slot | 1u << NI_SLOT_HOLD_REFERENCES_SHIFT);
    s.store(NI_LINK_PUSH, slot);
    s.store(NI_LINK_PUSH, slot);
    s.run(s.now + 20);
    EXPECT_EQ(s.sent.size(), 1u);
    EXPECT_EQ(s.load(NI_LINK_SPACE), 63u);
    s.in.credit = 1;
    s.step();
    EXPECT_EQ(s.sent.size(), 2u);
    EXPECT_EQ(s.load(NI_LINK_SPACE), 64u);
}

TEST(link_out, the_queue_has_an_end_and_tells_when_there_is_room_again) {
    ni_params params = small_link();
    params.link_queue = 2;
    params.credits = 100;
    single s(params);
    const std::uint32_t slot = make_packet(s);
    s.store(NI_SLOT_HOLD, slot | 9u << NI_SLOT_HOLD_REFERENCES_SHIFT);
    s.store(NI_LINK_PUSH, slot);
    EXPECT_EQ(s.load(NI_LINK_SPACE), 2u);
    s.do_now([&] {
        s.chip.cpu->store(NI_LINK_PUSH, slot);
        s.chip.cpu->store(NI_LINK_PUSH, slot);
        EXPECT_EQ(s.chip.cpu->load(NI_ERRORS), 0u);
        s.chip.cpu->store(NI_LINK_PUSH, slot);
        EXPECT_EQ(s.chip.cpu->load(NI_ERRORS), NI_ERRORS_LINK_FULL_MASK);
        EXPECT_EQ(s.chip.cpu->load(NI_LINK_SPACE), 0u);
        EXPECT_EQ(s.chip.cpu->load(NI_EVENT), 0u);
    });
    s.run(40);
    EXPECT_EQ(s.sent.size(), 3u);
    EXPECT_EQ(s.load(NI_EVENT), event_of(event_kind::link_ready, 0));
    EXPECT_EQ(s.load(NI_EVENT), 0u);
    s.do_now([&] {
        for (unsigned push = 0; push < 2; ++push) s.chip.cpu->store(NI_LINK_PUSH, slot);
        s.chip.cpu->store(NI_ERRORS, ~0u);
    });
    s.store(NI_LINK_PUSH, slot);
    EXPECT_EQ(s.load(NI_LINK_SPACE), 0u) << "asks for the event";
    s.run(s.now + 40);
    EXPECT_EQ(s.load(NI_EVENT), event_of(event_kind::link_ready, 0));
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
}

TEST(link_out, what_cannot_be_sent_is_refused_and_keeps_its_reference) {
    single s(small_link());
    const std::uint32_t slot = make_packet(s);
    const std::uint32_t at = NI_PACKET_MEMORY_BASE + slot * slot_bytes(small_link());
    s.store(NI_LINK_DESTINATION, 8);
    s.store(NI_LINK_PUSH, slot);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_PACKET_MASK);
    s.store(NI_ERRORS, NI_ERRORS_BAD_PACKET_MASK);
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
    s.store(NI_LINK_DESTINATION, 2);
    s.store(at, 33u << 16);
    s.store(NI_LINK_PUSH, slot);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_PACKET_MASK);
    EXPECT_EQ(s.chip.interface.slots_used(), 1u);
    s.store(NI_LINK_PUSH, slot + 1);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_PACKET_MASK | NI_ERRORS_BAD_SLOT_MASK);
    EXPECT_THAT(s.sent, IsEmpty());
    EXPECT_TRUE(s.chip.interface.statistics().errors == (NI_ERRORS_BAD_PACKET_MASK | NI_ERRORS_BAD_SLOT_MASK));
}

/// Writes bytes into a memory of the interface, which may not be in use; words are stored.
void write_bytes(single& s, std::uint32_t address, const byte_list& bytes) {
    s.do_now([&] {
        for (std::size_t index = 0; index < bytes.size(); ++index)
            EXPECT_TRUE(
                s.chip.cpu->bus().store(s.now + 1, address + static_cast<std::uint32_t>(index), 1, bytes[index]));
    });
}

/// Takes an entry of the group table. \returns the address of its first free word
std::uint32_t group_entry(single& s) {
    s.store(NI_GROUP_NUMBER, 0xffff);
    return NI_GROUP_MEMORY_BASE + s.load(NI_GROUP_ALLOCATE) * group_entry_bytes + 8;
}

/// Makes a packet of a kind.
std::uint32_t make_worm(single& s, format::packet_kind kind) {
    const std::uint32_t slot = make_packet(s);
    s.store(NI_PACKET_MEMORY_BASE + slot * slot_bytes(small_link()), 12u << 16 | static_cast<std::uint32_t>(kind));
    return slot;
}

/// What a packet has behind its common header.
byte_list route_of(const single::sent_packet& packet, std::size_t bytes) {
    const auto first = packet.data.begin() + format::common_header_bytes;
    return {first, first + static_cast<std::ptrdiff_t>(bytes)};
}

TEST(link_out, worms_go_by_the_route_that_the_push_has_found) {
    using format::packet_kind;
    single s(small_link());
    const byte_list path{2, 0, 3, 0, 0x81, 4, 1, 0x18};
    const byte_list next{1, 0, 9, 0, 1, 0, 0, 0};
    // From each memory, at any alignment, and the memory may be used anew at once.
    const std::uint32_t spare = NI_PACKET_MEMORY_BASE + make_packet(s) * slot_bytes(small_link()) + 64;
    std::array<std::uint8_t, 32> command{};
    ASSERT_TRUE(s.chip.interface.host_write(s.now, test_chip::page(0) + NI_HOST_PROCESS_COMMAND_BUFFER_BASE, command));
    s.chip.poke(test_chip::page(0) + NI_HOST_PROCESS_DOORBELL, 32);
    for (const std::uint32_t address : {spare, spare + 3, group_entry(s), NI_COMMAND_MEMORY_BASE + 9}) {
        const std::uint32_t slot = make_worm(s, packet_kind::path);
        write_bytes(s, address, path);
        s.store(NI_LINK_ROUTE, address);
        s.store(NI_SLOT_HOLD, slot | 2u << NI_SLOT_HOLD_REFERENCES_SHIFT);
        s.sent.clear();
        s.do_now([&] {
            s.chip.cpu->store(NI_LINK_PUSH, slot | NI_LINK_PUSH_SEAL_MASK);
            s.chip.cpu->store(NI_LINK_PUSH, slot | NI_LINK_PUSH_SEAL_MASK);
            for (std::uint32_t index = 0; index < next.size(); ++index)
                EXPECT_TRUE(s.chip.cpu->bus().store(s.now + 1, address + index, 1, next[index]));
            s.chip.cpu->store(NI_LINK_PUSH, slot | NI_LINK_PUSH_SEAL_MASK);
        });
        for (unsigned chunk = 0; chunk < 8; ++chunk) {
            s.in.credit = 1;
            s.run(s.now + 10);
        }
        ASSERT_EQ(s.sent.size(), 3u) << std::hex << address;
        for (std::size_t copy = 0; copy < 3; ++copy) {
            EXPECT_EQ(s.sent[copy].data[0] & 0xf, 3);
            EXPECT_EQ(route_of(s.sent[copy], copy < 2 ? 8 : 5),
                      copy < 2 ? path : byte_list(next.begin(), next.begin() + 5));
            // 18 or 15 bytes of header in flits of 8, then 24 + 12 + 4 bytes.
            EXPECT_EQ(s.sent[copy].cycles.size(), (copy < 2 ? 3u : 2u) + 5u);
        }
        EXPECT_EQ(s.load(NI_ERRORS), 0u);
    }
    // Of the other kinds.
    write_bytes(s, spare, {0x42, 0x55, 0x66, 0x77});
    s.store(NI_LINK_ROUTE, spare);
    s.sent.clear();
    for (const packet_kind kind : {packet_kind::tree, packet_kind::ssr})
        s.store(NI_LINK_PUSH, make_worm(s, kind) | NI_LINK_PUSH_SEAL_MASK);
    for (unsigned chunk = 0; chunk < 4; ++chunk) {
        s.in.credit = 1;
        s.run(s.now + 10);
    }
    ASSERT_EQ(s.sent.size(), 2u);
    EXPECT_EQ(route_of(s.sent[0], 2), byte_list({0x42, 0}));
    EXPECT_EQ(route_of(s.sent[1], 4), byte_list({0x42, 0x55, 0x66, 0}));
}

TEST(link_out, a_worm_without_a_route_is_refused_and_keeps_its_reference) {
    using format::packet_kind;
    single s(small_link());
    const std::uint32_t slot = make_worm(s, packet_kind::path);
    const std::uint32_t entry = group_entry(s);
    const std::uint32_t groups_end = NI_GROUP_MEMORY_BASE + small_link().group_entries * group_entry_bytes;
    const auto refused = [&](std::uint32_t address) {
        s.store(NI_LINK_ROUTE, address);
        s.store(NI_LINK_PUSH, slot);
        const std::uint32_t errors = s.load(NI_ERRORS);
        s.store(NI_ERRORS, ~0u);
        return errors == NI_ERRORS_BAD_PACKET_MASK;
    };
    for (const std::uint32_t stops : {0u, 9u, 255u}) {
        s.store(entry, stops);
        EXPECT_TRUE(refused(entry)) << stops;
    }
    s.store(entry, 0xff00);
    EXPECT_TRUE(refused(entry)) << "none, whatever the next is";
    for (const std::uint32_t address : {0u, 0x80u, NI_DATA_MEMORY_BASE, NI_DATA_MEMORY_BASE + 64, NI_HOST,
                                        NI_LINK_ROUTE, groups_end, groups_end + 100, 0xffffffffu})
        EXPECT_TRUE(refused(address)) << std::hex << address;
    // The route ends behind the last entry.
    s.store(NI_PACKET_MEMORY_BASE + slot * slot_bytes(small_link()), 12u << 16 | 2);
    EXPECT_TRUE(refused(groups_end - 2));
    EXPECT_FALSE(refused(groups_end - 3));
    // An empty bit string; a kind that there is not.
    s.store(NI_SLOT_HOLD, slot | 5u << NI_SLOT_HOLD_REFERENCES_SHIFT);
    s.run(s.now + 20);
    s.store(NI_PACKET_MEMORY_BASE + slot * slot_bytes(small_link()), 12u << 16 | 1);
    s.store(entry, 0xff00);
    EXPECT_TRUE(refused(entry));
    s.store(NI_PACKET_MEMORY_BASE + slot * slot_bytes(small_link()), 12u << 16 | 4);
    s.store(entry, 1);
    EXPECT_TRUE(refused(entry));
    EXPECT_EQ(s.chip.interface.slots_used(), 1u);
    EXPECT_EQ(s.sent.size(), 1u);
}

TEST(link_out, a_packet_that_becomes_another_kind_while_it_waits_is_not_sent) {
    single s(small_link());
    const std::uint32_t first = make_packet(s);
    const std::uint32_t worm = make_worm(s, format::packet_kind::ssr);
    const std::uint32_t plain = make_packet(s);
    const std::uint32_t entry = group_entry(s);
    s.do_now([&] {
        s.chip.cpu->store(NI_LINK_ROUTE, entry);
        for (const std::uint32_t slot : {first, worm, plain}) s.chip.cpu->store(NI_LINK_PUSH, slot);
        s.chip.cpu->store(NI_PACKET_MEMORY_BASE + worm * slot_bytes(small_link()), 12u << 16);
        s.chip.cpu->store(NI_PACKET_MEMORY_BASE + plain * slot_bytes(small_link()), 12u << 16 | 3);
    });
    s.run(40);
    EXPECT_EQ(s.sent.size(), 1u);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_PACKET_MASK);
    EXPECT_TRUE(s.chip.interface.slots_used() == 0);
}

TEST(link_out, a_slot_spoilt_or_given_away_while_it_waits_is_not_sent) {
    single s(small_link());
    const std::uint32_t first = make_packet(s);
    const std::uint32_t spoilt = make_packet(s);
    const std::uint32_t gone = make_packet(s);
    s.do_now([&] {
        for (const std::uint32_t slot : {first, spoilt, gone}) s.chip.cpu->store(NI_LINK_PUSH, slot);
        s.chip.cpu->store(NI_PACKET_MEMORY_BASE + spoilt * slot_bytes(small_link()), 0xffff0000);
        s.chip.cpu->store(NI_SLOT_RELEASE, gone);
    });
    s.run(40);
    EXPECT_EQ(s.sent.size(), 1u);
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_BAD_PACKET_MASK | NI_ERRORS_BAD_SLOT_MASK);
    EXPECT_TRUE(s.chip.interface.idle());
}

}  // namespace
}  // namespace polycast::hw::ni
