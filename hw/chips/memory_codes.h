// SPDX-License-Identifier: Apache-2.0
/// \file Which code a memory of a switch or router has: its parameters `protect_...` (hw/format/memory_code.md).
#pragma once

#include <cstdint>

#include "hw/format/memory_code.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

/// Bits of a counter of credits, without its code.
inline constexpr unsigned counter_bits = 16;

/// Strings of reachability have the code of routes.
constexpr format::protection code_of(const auto& params, format::upset_memory memory) {
    using format::upset_memory;
    switch (memory) {
        case upset_memory::buffer: return format::protection{static_cast<std::uint8_t>(params.protect_buffers)};
        case upset_memory::routes:
        case upset_memory::reach: return format::protection{static_cast<std::uint8_t>(params.protect_routes)};
        case upset_memory::credits: return format::protection{static_cast<std::uint8_t>(params.protect_credits)};
    }
    return format::protection::none;
}

}  // namespace polycast::hw::chips
