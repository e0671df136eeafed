// SPDX-License-Identifier: Apache-2.0
// The generated register header, as C++ sees it together with the other headers that firmware shares with hosts.
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cstdint>

#include "hw/ni/abi/ni_firmware.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/ni/abi/ni_registers.h"

namespace {

struct range {
    std::uint64_t base;
    std::uint64_t size;
};

/// True when ranges in the order of their addresses neither overlap nor leave 32 bits.
template <std::size_t count>
constexpr bool apart(const std::array<range, count>& ranges) {
    std::uint64_t end = 0;
    for (const range& one : ranges) {
        if (one.base < end || one.size == 0) return false;
        end = one.base + one.size;
    }
    return end <= std::uint64_t{1} << 32;
}

TEST(ni_registers, memories_and_registers_do_not_overlap) {
    constexpr std::array<range, 7> ranges{{{NI_INSTRUCTION_MEMORY_BASE, NI_INSTRUCTION_MEMORY_SIZE},
                                           {NI_DATA_MEMORY_BASE, NI_DATA_MEMORY_SIZE},
                                           {NI_PACKET_MEMORY_BASE, NI_PACKET_MEMORY_SIZE},
                                           {NI_COMMAND_MEMORY_BASE, NI_COMMAND_MEMORY_SIZE},
                                           {NI_GROUP_MEMORY_BASE, NI_GROUP_MEMORY_SIZE},
                                           {NI_SLOT_JOBS_BASE, NI_SLOT_JOBS_SIZE},
                                           {NI_REGISTERS_BASE, NI_REGISTERS_SIZE}}};
    EXPECT_TRUE(apart(ranges));
}

TEST(ni_registers, slots_reach_the_end_of_packet_memory) {
    // The smallest slot is its header area; the all-ones number that means "none" must lie outside.
    constexpr std::uint64_t slots = NI_PACKET_MEMORY_SIZE / 0x40u;
    EXPECT_LE(slots, NI_LINK_PUSH_SLOT_MASK >> NI_LINK_PUSH_SLOT_SHIFT);
    EXPECT_EQ(NI_SLOT_HOLD_SLOT_MASK >> NI_SLOT_HOLD_SLOT_SHIFT, NI_LINK_PUSH_SLOT_MASK >> NI_LINK_PUSH_SLOT_SHIFT);
    EXPECT_EQ(NI_SLOT_RELEASE_SLOT_MASK >> NI_SLOT_RELEASE_SLOT_SHIFT,
              NI_LINK_PUSH_SLOT_MASK >> NI_LINK_PUSH_SLOT_SHIFT);
}

TEST(ni_registers, registers_are_words_inside_their_range) {
    for (const std::uint32_t address : {NI_HOST, NI_EVENT, NI_SLOT_ALLOCATE, NI_LINK_PUSH, NI_DMA_PUSH, NI_COMPLETION,
                                        NI_COMPLETION_PUSH, NI_COMMAND_DONE, NI_TIME_LOW, NI_ERRORS, NI_PANIC}) {
        EXPECT_EQ(address % 4, 0u) << std::hex << address;
        EXPECT_GE(address, NI_REGISTERS_BASE) << std::hex << address;
        EXPECT_LE(address + 4, NI_REGISTERS_BASE + NI_REGISTERS_SIZE) << std::hex << address;
    }
}

TEST(ni_registers, the_hardware_writes_the_last_word_of_a_completion) {
    EXPECT_EQ(NI_COMPLETION_ELEMENTS + 1, unsigned{NI_COMPLETION_WORDS});
    EXPECT_EQ(NI_COMPLETION + NI_COMPLETION_ELEMENTS * NI_COMPLETION_STRIDE, NI_COMPLETION_PUSH);
    EXPECT_EQ(NI_COMPLETION_ELEMENTS, unsigned{NI_COMPLETION_NUMBER});
}

TEST(ni_registers, an_event_is_one_word_of_two_fields) {
    EXPECT_EQ(NI_EVENT_KIND_MASK ^ NI_EVENT_ARGUMENT_MASK, 0xffffffffu);
    EXPECT_LE(unsigned{NI_EVENT_SLOT_READY}, NI_EVENT_KIND_MASK >> NI_EVENT_KIND_SHIFT);
    EXPECT_EQ(NI_DMA_PUSH_COOKIE_MASK, NI_EVENT_ARGUMENT_MASK) << "events give cookies back";
    EXPECT_EQ(NI_COMMAND_DONE_ENTRY_MASK, NI_EVENT_ARGUMENT_MASK) << "events tell numbers of entries";
}

TEST(ni_registers, fields_of_a_transfer_do_not_overlap) {
    const std::array fields{NI_DMA_PUSH_TO_HOST_MASK, NI_DMA_PUSH_NOTIFY_MASK, NI_DMA_PUSH_RELEASE_SLOT_MASK,
                            NI_DMA_PUSH_COOKIE_MASK};
    std::uint32_t together = 0;
    for (const std::uint32_t field : fields) {
        EXPECT_EQ(together & field, 0u);
        together |= field;
    }
}

TEST(ni_registers, processes_have_pages_of_their_own) {
    constexpr std::uint32_t page = 0x1000;
    EXPECT_EQ(NI_HOST_PROCESS_BASE, page) << "the device's own page comes first";
    EXPECT_EQ(NI_HOST_PROCESS_STRIDE, page);
    EXPECT_LT(NI_HOST_DEVICE_JOBS_REFUSED, NI_HOST_PROCESS_BASE);
    constexpr std::array<range, 2> parts{{{NI_HOST_PROCESS_DOORBELL, NI_HOST_PROCESS_ACTIVITY + 4},
                                          {NI_HOST_PROCESS_COMMAND_BUFFER_BASE, NI_HOST_PROCESS_COMMAND_BUFFER_SIZE}}};
    EXPECT_TRUE(apart(parts));
    EXPECT_LE(parts.back().base + parts.back().size, page);
}

TEST(ni_registers, grants_lie_in_pages_that_no_process_has) {
    constexpr std::uint32_t page = 0x1000;
    EXPECT_EQ(NI_HOST_GRANT_BASE, NI_HOST_PROCESS_BASE + NI_HOST_PROCESS_ELEMENTS * NI_HOST_PROCESS_STRIDE);
    EXPECT_EQ(NI_HOST_GRANT_BASE % page, 0u);
    EXPECT_EQ(NI_HOST_GRANT_ELEMENTS, NI_HOST_PROCESS_ELEMENTS);
    EXPECT_EQ(NI_HOST_SIZE, NI_HOST_GRANT_BASE + NI_HOST_GRANT_ELEMENTS * NI_HOST_GRANT_STRIDE);
    constexpr std::array<range, 2> parts{
        {{NI_HOST_GRANT_RIGHTS, NI_HOST_GRANT_QUEUE_ENTRIES + 4},
         {NI_HOST_GRANT_WINDOW_BASE, NI_HOST_GRANT_WINDOW_ELEMENTS * NI_HOST_GRANT_WINDOW_STRIDE}}};
    EXPECT_TRUE(apart(parts));
    EXPECT_LE(parts.back().base + parts.back().size, NI_HOST_GRANT_STRIDE);
    EXPECT_EQ(NI_HOST_GRANT_WINDOW_ALLOW + 4, NI_HOST_GRANT_WINDOW_STRIDE);
    EXPECT_EQ(NI_RIGHTS_ELEMENTS, NI_HOST_GRANT_ELEMENTS) << "firmware sees the same";
    EXPECT_EQ(NI_RIGHTS_ENABLE_MASK, NI_HOST_GRANT_RIGHTS_ENABLE_MASK);
    EXPECT_EQ(NI_RIGHTS_OBSERVE_MASK, NI_HOST_GRANT_RIGHTS_OBSERVE_MASK);
}

TEST(ni_registers, a_process_can_be_named_wherever_it_occurs) {
    EXPECT_LT(NI_HOST_PROCESS_ELEMENTS, 1u << std::popcount(NI_DMA_WINDOW_PROCESS_MASK));
    EXPECT_LT(NI_HOST_PROCESS_ELEMENTS, 1u << std::popcount(NI_COMPLETION_PUSH_PROCESS_MASK));
    EXPECT_LE(NI_HOST_GRANT_WINDOW_ELEMENTS, 1u << std::popcount(NI_DMA_WINDOW_WINDOW_MASK));
}

TEST(ni_registers, the_device_says_what_it_is) {
    EXPECT_EQ(NI_HOST_ID_RESET, std::uint32_t{'p'} << 24 | std::uint32_t{'o'} << 16 | std::uint32_t{'l'} << 8 | 'y');
}

}  // namespace
