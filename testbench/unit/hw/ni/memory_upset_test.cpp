// SPDX-License-Identifier: Apache-2.0
// Bits that flip in the memories of an interface, in the cycle in which they do.
#include "hw/ni/memory_upset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t payload_word = slot_header_bytes / 4;
constexpr std::uint32_t payload_address = NI_PACKET_MEMORY_BASE + slot_header_bytes;

std::uint32_t read_payload(scripted_processor& cpu) {
    std::uint32_t value = 0;
    EXPECT_TRUE(cpu.bus().load(cpu.now, payload_address, 4, value));
    return value;
}

TEST(memory_upset, a_bit_of_a_packet_flips_between_two_cycles) {
    const ni_params params = small_link();
    single one(params);
    one.chip.interface.upset({{interface_memory::packets, payload_word, 9, 40}});
    std::vector<std::uint32_t> read;
    for (const cycle when : {39, 40, 41, 42})
        one.chip.cpu->at(when, [&] { read.push_back(read_payload(*one.chip.cpu)); });
    one.send_in(packet_with(params, 0x11));
    one.run(50);
    EXPECT_THAT(read, ElementsAre(0x11111111u, 0x11111111u, 0x11111311u, 0x11111311u));
    EXPECT_THAT(one.chip.cpu->holds, ElementsAre(40u, engine::never));
}

TEST(memory_upset, a_slot_is_cleared_before_it_is_used) {
    const ni_params params = small_link();
    single one(params);
    // Before there is a slot, and while there is one that nobody uses.
    one.chip.interface.upset(
        {{interface_memory::packets, payload_word, 0, 2}, {interface_memory::packets, payload_word + 7, 1, 60}});
    std::uint32_t first = 0, second = 0;
    one.send_in(packet_with(params, 0x11));
    one.chip.cpu->at(40, [&] {
        first = read_payload(*one.chip.cpu);
        one.chip.cpu->store(NI_SLOT_RELEASE, 0);
    });
    one.run(70);
    one.send_in(packet_with(params, 0x22));
    one.chip.cpu->at(100, [&] { EXPECT_TRUE(one.chip.cpu->bus().load(100, payload_address + 28, 4, second)); });
    one.run(110);
    EXPECT_EQ(first, 0x11111111u);
    EXPECT_EQ(second, 0u);
}

TEST(memory_upset, the_processor_gets_those_of_its_own_memory) {
    single one(small_link());
    one.chip.interface.upset({{interface_memory::firmware, 100, 3, 10},
                              {interface_memory::firmware, 101, 4, 10},
                              {interface_memory::firmware, 102, 5, 20},
                              {interface_memory::firmware, 103, 6, 40}});
    one.run(15);
    using flip = scripted_processor::flip;
    EXPECT_THAT(one.chip.cpu->flips, ElementsAre(flip{11, 100, 3}, flip{11, 101, 4}));
    EXPECT_THAT(one.chip.cpu->holds, ElementsAre(10u, 10u, 20u));
    // What is over does not come again; what is to come does, once.
    one.chip.reset();
    one.run(30);
    EXPECT_THAT(one.chip.cpu->flips, ElementsAre(flip{11, 100, 3}, flip{11, 101, 4}, flip{21, 102, 5}));
}

TEST(memory_upset, words_are_those_of_slots) {
    ni_params params = small_link();
    EXPECT_EQ(slot_bytes(params), 96u);
    EXPECT_EQ(packet_words(params), NI_PACKET_MEMORY_SIZE / 96 * 24);
    params.send_slots = 2;
    params.receive_slots = 3;
    EXPECT_EQ(packet_words(params), 5u * 24);
    for (std::uint32_t word = 0; word < 24; ++word) {
        EXPECT_EQ(is_own_word(params, word), word >= 12 && word < 16) << word;
        EXPECT_EQ(is_own_word(params, 48 + word), is_own_word(params, word)) << word;
    }
}

}  // namespace
}  // namespace polycast::hw::ni
