// SPDX-License-Identifier: Apache-2.0
/// \file Addresses of ni_processor in registers.rdl. A test compares them with the header generated from it.
#pragma once

#include <cstdint>

namespace polycast::hw::ni {

inline constexpr std::uint32_t packet_memory_base = 0x20000000u;
inline constexpr std::uint32_t command_memory_base = 0x30000000u;
inline constexpr std::uint32_t group_memory_base = 0x38000000u;
inline constexpr std::uint32_t register_base = 0x40000000u;

namespace reg {

enum address : std::uint32_t {
    host = 0x40000000,
    hosts = 0x40000004,
    payload = 0x40000008,
    slot_bytes = 0x4000000c,
    processes = 0x40000010,
    command_bytes = 0x40000014,
    command_entries = 0x40000018,
    group_entries = 0x4000001c,
    options = 0x40000020,
    event = 0x40000040,
    event_count = 0x40000044,
    interrupt_enable = 0x40000048,
    mark = 0x4000004c,
    slot_allocate = 0x40000060,
    slot_hold = 0x40000064,
    slot_release = 0x40000068,
    slots_used = 0x4000006c,
    link_destination = 0x40000080,
    link_hops = 0x40000084,
    link_push = 0x40000088,
    link_space = 0x4000008c,
    dma_window = 0x400000a0,
    dma_offset = 0x400000a4,
    dma_address = 0x400000a8,
    dma_length = 0x400000ac,
    dma_push = 0x400000b0,
    dma_space = 0x400000b4,
    dma_error = 0x400000b8,
    completion = 0x400000c0,  ///< the first of seven
    completion_push = 0x400000dc,
    command_done = 0x400000e0,
    group_root = 0x40000100,
    group_number = 0x40000104,
    group_entry = 0x40000108,
    group_allocate = 0x4000010c,
    group_free = 0x40000110,
    time_low = 0x40000120,
    time_high = 0x40000124,
    timer = 0x40000128,
    errors = 0x40000140,
    console = 0x40000144,
    panic = 0x40000148,
};

}  // namespace reg

}  // namespace polycast::hw::ni
