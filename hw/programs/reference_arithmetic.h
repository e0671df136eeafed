// SPDX-License-Identifier: Apache-2.0
/// \file The arithmetic of arithmetic.h again, in whole numbers, for who checks the hosts: it shares no code with what
/// it checks, and no float of the machine takes part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/programs/element.h"

namespace polycast::hw::programs {

/// destination = destination op source, as combine() of arithmetic.h.
void reference_combine(combination with, std::span<std::byte> destination, std::span<const std::byte> source);

/// An element as a number of 64 bits, zeros above its bits.
std::uint64_t load_element(element_type type, const std::byte* from);

/// A finite float is mantissa * 2^exponent.
struct float_parts {
    std::int64_t mantissa = 0;
    int exponent = 0;
    bool finite = true;
};

float_parts parts_of(element_type type, std::uint64_t bits);

}  // namespace polycast::hw::programs
