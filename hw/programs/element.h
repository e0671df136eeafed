// SPDX-License-Identifier: Apache-2.0
/// \file Elements of buffers, and how two of them become one.
#pragma once

#include <cstdint>

#include "hw/names.h"

namespace polycast::hw::programs {

/// All are little-endian in memory.
enum class element_type : std::uint8_t { u8, i32, i64, f32, bf16 };

inline constexpr named<element_type> element_types[] = {
    {element_type::u8, "u8", "whole numbers 0 to 255"},
    {element_type::i32, "i32", "whole numbers of 32 bits with a sign"},
    {element_type::i64, "i64", "whole numbers of 64 bits with a sign"},
    {element_type::f32, "f32", "IEEE-754 binary32"},
    {element_type::bf16, "bf16", "the upper half of an f32"}};

enum class reduction : std::uint8_t { sum, minimum, maximum, exclusive_or };

inline constexpr named<reduction> reductions[] = {{reduction::sum, "sum", "whole numbers wrap"},
                                                  {reduction::minimum, "min"},
                                                  {reduction::maximum, "max"},
                                                  {reduction::exclusive_or, "xor", "of whole numbers"}};

constexpr std::uint32_t bytes_of(element_type type) {
    switch (type) {
        case element_type::u8: return 1;
        case element_type::bf16: return 2;
        case element_type::i32:
        case element_type::f32: return 4;
        case element_type::i64: break;
    }
    return 8;
}

constexpr bool is_float(element_type type) {
    return type == element_type::f32 || type == element_type::bf16;
}

/// What a reduction does to elements: the tag of its operation.
struct combination {
    element_type type = element_type::f32;
    reduction how = reduction::sum;

    bool operator==(const combination&) const = default;

    constexpr bool possible() const { return how != reduction::exclusive_or || !is_float(type); }

    constexpr std::uint32_t tag() const {
        return static_cast<std::uint32_t>(type) << 8 | static_cast<std::uint32_t>(how);
    }
    static constexpr combination of_tag(std::uint32_t tag) {
        return {static_cast<element_type>(tag >> 8), static_cast<reduction>(tag & 0xff)};
    }
};

}  // namespace polycast::hw::programs
