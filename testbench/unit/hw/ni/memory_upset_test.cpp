// SPDX-License-Identifier: Apache-2.0
// Bits that flip in the memories of an interface, in the cycle in which they do.
#include "hw/ni/memory_upset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/ni/abi/ni_firmware.h"
#include "hw/ni/coded_words.h"
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

ni_params coded(format::protection how) {
    ni_params params = small_link();
    params.protect_packets = how;
    return params;
}

TEST(memory_upset, a_code_corrects_what_is_read_once) {
    single one(coded(format::protection::secded));
    // Data, and a check bit of the word behind.
    one.chip.interface.upset(
        {{interface_memory::packets, payload_word, 9, 40}, {interface_memory::packets, payload_word + 1, 35, 41}});
    std::vector<std::uint32_t> read;
    for (const cycle when : {45, 46}) one.chip.cpu->at(when, [&] { read.push_back(read_payload(*one.chip.cpu)); });
    one.send_in(packet_with(one.chip.interface.params(), 0x11));
    one.run(60);
    EXPECT_THAT(read, ElementsAre(0x11111111u, 0x11111111u));
    EXPECT_EQ(one.chip.interface.statistics().corrected, 1u) << "it is written back, and the other word is not read";
    EXPECT_EQ(one.chip.interface.statistics().panic, 0u);
}

TEST(memory_upset, what_a_code_cannot_correct_stops_the_interface) {
    for (const format::protection how : {format::protection::parity, format::protection::secded}) {
        single one(coded(how));
        one.chip.interface.upset(
            {{interface_memory::packets, payload_word, 9, 40}, {interface_memory::packets, payload_word, 10, 41}});
        std::uint32_t first = 0;
        one.chip.cpu->at(42, [&] { first = read_payload(*one.chip.cpu); });
        one.send_in(packet_with(one.chip.interface.params(), 0x11));
        one.run(60);
        EXPECT_EQ(first, 0x11111711u);
        // Two flips of a byte are even.
        const bool found = how == format::protection::secded;
        EXPECT_EQ(one.chip.interface.statistics().panic, found ? std::uint32_t{NI_PANIC_MEMORY} : 0u);
        EXPECT_EQ(one.chip.interface.statistics().errors, found ? NI_ERRORS_SOFT_ERROR_MASK : 0u);
        EXPECT_EQ(one.chip.interface.statistics().corrected, 0u);
    }
}

/// Slot 0 has a packet with two flips in one word.
std::vector<memory_upset> two_flips() {
    return {{interface_memory::packets, payload_word + 2, 9, 40},
            {interface_memory::packets, payload_word + 2, 10, 41}};
}

TEST(memory_upset, nothing_wrong_leaves_by_the_link) {
    for (const bool flipped : {false, true}) {
        single one(coded(format::protection::secded));
        if (flipped) one.chip.interface.upset(two_flips());
        one.chip.cpu->at(45, [&] {
            one.chip.cpu->store(NI_LINK_DESTINATION, 2);
            one.chip.cpu->store(NI_LINK_PUSH, 0 | NI_LINK_PUSH_SEAL_MASK);
        });
        one.send_in(packet_with(one.chip.interface.params(), 0x11));
        one.run(100);
        EXPECT_EQ(one.sent.size(), flipped ? 0u : 1u);
        EXPECT_EQ(one.chip.interface.statistics().errors, flipped ? NI_ERRORS_SOFT_ERROR_MASK : 0u);
    }
}

TEST(memory_upset, nothing_wrong_reaches_host_memory) {
    for (const bool flipped : {false, true}) {
        single one(coded(format::protection::secded));
        one.chip.open_window(0, 0, 0, 4096, 3);
        if (flipped) one.chip.interface.upset(two_flips());
        one.chip.cpu->at(45, [&] {
            one.chip.cpu->store(NI_DMA_WINDOW, 0);
            one.chip.cpu->store(NI_DMA_OFFSET, 0);
            one.chip.cpu->store(NI_DMA_ADDRESS, payload_address);
            one.chip.cpu->store(NI_DMA_LENGTH, 12);
            one.chip.cpu->store(NI_DMA_PUSH, NI_DMA_PUSH_TO_HOST_MASK);
        });
        one.send_in(packet_with(one.chip.interface.params(), 0x11));
        one.run(100);
        EXPECT_EQ(one.chip.host.transfers.size(), flipped ? 0u : 1u);
        EXPECT_EQ(one.chip.interface.statistics().errors, flipped ? NI_ERRORS_SOFT_ERROR_MASK : 0u);
    }
}

TEST(memory_upset, what_is_written_again_has_not_flipped) {
    single one(coded(format::protection::parity));
    one.chip.interface.upset(
        {{interface_memory::packets, payload_word, 9, 40}, {interface_memory::packets, payload_word + 1, 9, 41}});
    std::uint32_t first = 0;
    one.chip.cpu->at(44, [&] {
        EXPECT_TRUE(one.chip.cpu->bus().store(44, payload_address, 4, 0x22222222));
        first = read_payload(*one.chip.cpu);
        EXPECT_EQ(one.chip.interface.statistics().errors, 0u);
        // A part of a word: the rest is read for its code.
        EXPECT_TRUE(one.chip.cpu->bus().store(44, payload_address + 4, 1, 0x22));
    });
    one.send_in(packet_with(one.chip.interface.params(), 0x11));
    one.run(60);
    EXPECT_EQ(first, 0x22222222u);
    EXPECT_EQ(one.chip.interface.statistics().errors, NI_ERRORS_SOFT_ERROR_MASK);
}

TEST(coded_words, tell_what_readers_see) {
    coded_words none(format::protection::none), parity(format::protection::parity), secded(format::protection::secded);
    EXPECT_EQ(none.flip(3, 7), 0x80u);
    EXPECT_EQ(none.flip(3, 32), 0u);
    EXPECT_TRUE(none.clean());
    EXPECT_EQ(parity.flip(3, 7), 0x80u);
    EXPECT_TRUE(parity.read(2, 1));
    EXPECT_FALSE(parity.read(3, 1));
    EXPECT_FALSE(parity.read(0, 9)) << "reading cures nothing";
    EXPECT_EQ(parity.flip(3, 7), 0x80u);
    EXPECT_TRUE(parity.read(3, 1)) << "it has flipped back";
    EXPECT_EQ(secded.flip(5, 31), 0u) << "readers see no single flip";
    EXPECT_EQ(secded.flip(5, 30), 0xc0000000u) << "but two";
    EXPECT_FALSE(secded.read(4, 2));
    secded.written(5, 1);
    EXPECT_TRUE(secded.clean());
    EXPECT_EQ(secded.flip(6, 1), 0u);
    EXPECT_TRUE(secded.read(6, 1));
    EXPECT_EQ(secded.flip(6, 2), 0u) << "the first was written back";
    EXPECT_EQ(secded.corrected(), 1u);
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
