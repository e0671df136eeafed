// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/inputs.h"

namespace polycast::hw::programs {
namespace {

/// The output function of SplitMix64 (Steele, Lea and Flood, 2014): every bit depends on every bit.
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

/// Sign, one of 16 exponents, mantissa.
std::uint32_t f32_of(std::uint64_t random) {
    const auto sign = static_cast<std::uint32_t>(random >> 63) << 31;
    const auto exponent = static_cast<std::uint32_t>(127 - 8 + (random >> 40 & 15)) << 23;
    return sign | exponent | static_cast<std::uint32_t>(random & ((1u << 23) - 1));
}

}  // namespace

void make_inputs(element_type type, std::uint64_t seed, std::uint32_t rank, std::uint64_t first,
                 std::span<std::byte> to) {
    const unsigned bytes = bytes_of(type);
    const std::uint64_t stream = mixed(mixed(seed) ^ rank);
    for (std::size_t at = 0; at + bytes <= to.size(); at += bytes) {
        std::uint64_t made = mixed(stream ^ (first + at / bytes));
        if (type == element_type::f32) made = f32_of(made);
        if (type == element_type::bf16) made = f32_of(made) >> 16;
        for (unsigned i = 0; i < bytes; ++i) to[at + i] = static_cast<std::byte>(made >> (8 * i) & 0xff);
    }
}

}  // namespace polycast::hw::programs
