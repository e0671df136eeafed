// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/packet_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace polycast::hw::ni {
namespace {

using testing::Each;
using testing::ElementsAre;

ni_params few(unsigned send, unsigned receive) {
    ni_params params;
    params.payload_bytes = 30;
    params.hosts = 40;
    params.send_slots = send;
    params.receive_slots = receive;
    return params;
}

struct fixture {
    explicit fixture(const ni_params& params)
        : memory(params, [this](cycle now, slot_side side) { freed.emplace_back(now, side); }) {}
    std::vector<std::pair<cycle, slot_side>> freed;
    packet_memory memory;
};

TEST(packet_memory, a_slot_holds_header_and_payload) {
    EXPECT_EQ(slot_bytes(few(1, 1)), 64u + 32u);
    EXPECT_EQ(packet_memory(few(1, 1), {}).slot_bytes(), 96u);
}

TEST(packet_memory, sides_cannot_starve_each_other) {
    fixture f(few(1, 2));
    const std::uint32_t send = f.memory.take(slot_side::send, 0);
    EXPECT_EQ(f.memory.take(slot_side::send, 0), packet_memory::none);
    const std::uint32_t first = f.memory.take(slot_side::receive, 0);
    const std::uint32_t second = f.memory.take(slot_side::receive, 0);
    EXPECT_EQ(f.memory.take(slot_side::receive, 0), packet_memory::none);
    EXPECT_NE(send, first);
    EXPECT_NE(first, second);
    EXPECT_EQ(f.memory.used(), 3u);
    EXPECT_EQ(f.memory.used(slot_side::receive), 2u);
}

TEST(packet_memory, a_slot_is_free_when_its_last_reference_is_gone) {
    fixture f(few(1, 1));
    const std::uint32_t slot = f.memory.take(slot_side::send, 0);
    EXPECT_TRUE(f.memory.hold(slot, 2));
    EXPECT_TRUE(f.memory.release(slot, 1));
    EXPECT_TRUE(f.memory.release(slot, 2));
    EXPECT_TRUE(f.memory.in_use(slot));
    EXPECT_TRUE(f.memory.release(slot, 3));
    EXPECT_FALSE(f.memory.in_use(slot));
    EXPECT_FALSE(f.memory.release(slot, 4));
    EXPECT_FALSE(f.memory.hold(slot, 1));
    EXPECT_FALSE(f.memory.release(77, 4));
    EXPECT_FALSE(f.memory.hold(packet_memory::none, 1));
}

TEST(packet_memory, references_are_counted_without_overflow) {
    fixture f(few(1, 1));
    const std::uint32_t slot = f.memory.take(slot_side::send, 0);
    EXPECT_TRUE(f.memory.hold(slot, 0xfffffffeu));
    EXPECT_FALSE(f.memory.hold(slot, 1));
    EXPECT_TRUE(f.memory.release(slot, 0));
    EXPECT_TRUE(f.memory.in_use(slot));
}

TEST(packet_memory, tells_of_a_free_slot_only_who_had_none) {
    fixture f(few(1, 1));
    const std::uint32_t send = f.memory.take(slot_side::send, 0);
    const std::uint32_t receive = f.memory.take(slot_side::receive, 0);
    f.memory.release(send, 5);
    EXPECT_TRUE(f.freed.empty());
    EXPECT_EQ(f.memory.take(slot_side::receive, 6), packet_memory::none);
    f.memory.release(receive, 7);
    EXPECT_THAT(f.freed, ElementsAre(std::pair(cycle{7}, slot_side::receive)));
    f.memory.take(slot_side::receive, 8);
    f.memory.release(receive, 9);
    EXPECT_EQ(f.freed.size(), 1u);
}

TEST(packet_memory, a_slot_taken_again_holds_nothing_of_the_packet_before) {
    fixture f(few(1, 1));
    const std::uint32_t slot = f.memory.take(slot_side::send, 0);
    std::ranges::fill(f.memory.bytes(slot), std::uint8_t{0xaa});
    f.memory.release(slot, 1);
    EXPECT_EQ(f.memory.take(slot_side::receive, 2), slot);
    EXPECT_THAT(f.memory.bytes(slot), Each(0));
}

TEST(packet_memory, counts_peaks_and_residency_of_received_packets) {
    fixture f(few(4, 4));
    const std::uint32_t a = f.memory.take(slot_side::receive, 10);
    const std::uint32_t b = f.memory.take(slot_side::receive, 20);
    f.memory.arrived(a, 15);
    f.memory.arrived(b, 30);
    f.memory.release(a, 40);
    f.memory.release(b, 100);
    f.memory.release(f.memory.take(slot_side::send, 100), 500);
    ni_statistics counted;
    f.memory.count(counted);
    EXPECT_EQ(counted.receive_slots_peak, 2u);
    EXPECT_EQ(counted.send_slots_peak, 1u);
    EXPECT_EQ(counted.residency_cycles, 25u + 70u);
    EXPECT_EQ(counted.residency_count, 2u);
    EXPECT_EQ(counted.residency_max, 70u);
}

TEST(packet_memory, words_are_little_endian_at_any_width) {
    fixture f(few(2, 2));
    const std::uint32_t slot = f.memory.take(slot_side::send, 0);
    bool unused = true;
    EXPECT_TRUE(f.memory.store(0, slot * 96 + 8, 4, 0x04030201, unused));
    EXPECT_FALSE(unused);
    EXPECT_TRUE(f.memory.store(0, slot * 96 + 10, 1, 0x7f, unused));
    EXPECT_TRUE(f.memory.store(0, slot * 96 + 12, 2, 0xbeef, unused));
    std::uint32_t value = 0;
    EXPECT_TRUE(f.memory.load(0, slot * 96 + 8, 4, value));
    EXPECT_EQ(value, 0x047f0201u);
    EXPECT_EQ(f.memory.word(slot, slot_word::sequence), 0x047f0201u);
    EXPECT_TRUE(f.memory.load(0, slot * 96 + 12, 2, value));
    EXPECT_EQ(value, 0xbeefu);
    EXPECT_TRUE(f.memory.load(0, slot * 96 + 13, 1, value));
    EXPECT_EQ(value, 0xbeu);
}

TEST(packet_memory, slots_never_used_keep_nothing_and_there_is_an_end) {
    fixture f(few(2, 2));
    f.memory.take(slot_side::send, 0);
    bool unused = false;
    EXPECT_TRUE(f.memory.store(0, 96, 4, 0x1234, unused));
    EXPECT_TRUE(unused);
    std::uint32_t value = 1;
    EXPECT_TRUE(f.memory.load(0, 96, 4, value));
    EXPECT_EQ(value, 0u);
    EXPECT_TRUE(f.memory.load(0, 4 * 96 - 4, 4, value));
    EXPECT_FALSE(f.memory.load(0, 4 * 96, 4, value));
    EXPECT_FALSE(f.memory.store(0, 4 * 96, 4, 0, unused));
}

TEST(packet_memory, finds_the_slot_that_a_transfer_lies_in) {
    fixture f(few(2, 2));
    f.memory.take(slot_side::send, 0);
    const std::uint32_t second = f.memory.take(slot_side::send, 0);
    EXPECT_EQ(f.memory.slot_of(96, 96), second);
    EXPECT_EQ(f.memory.slot_of(97, 95), second);
    EXPECT_EQ(f.memory.slot_of(97, 96), packet_memory::none);
    EXPECT_EQ(f.memory.slot_of(95, 2), packet_memory::none);
    EXPECT_EQ(f.memory.slot_of(208, 1), packet_memory::none);
    EXPECT_EQ(f.memory.slot_of(0xffffffffu, 1), packet_memory::none);
    f.memory.release(second, 1);
    EXPECT_EQ(f.memory.slot_of(96, 1), packet_memory::none);
}

TEST(packet_memory, without_limits_each_side_has_half_of_16_mib) {
    ni_params params = few(0, 0);
    params.payload_bytes = 65532;
    fixture f(params);
    const unsigned all = packet_memory_bytes / slot_bytes(params);
    for (unsigned slot = 0; slot < all / 2; ++slot) ASSERT_NE(f.memory.take(slot_side::send, 0), packet_memory::none);
    EXPECT_EQ(f.memory.take(slot_side::send, 0), packet_memory::none);
    EXPECT_NE(f.memory.take(slot_side::receive, 0), packet_memory::none);
    params.receive_slots = 3;
    fixture g(params);
    for (unsigned slot = 0; slot < all - 3; ++slot) ASSERT_NE(g.memory.take(slot_side::send, 0), packet_memory::none);
    EXPECT_EQ(g.memory.take(slot_side::send, 0), packet_memory::none);
}

TEST(packet_memory, takes_no_memory_before_it_is_used) {
    EXPECT_EQ(packet_memory(ni_params{}, {}).memory_bytes(), 0u);
}

}  // namespace
}  // namespace polycast::hw::ni
