// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/inputs.h"

#include <algorithm>

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

void fill_buffer(const program& of, element_type type, std::uint64_t seed, std::uint32_t rank, std::uint32_t buffer,
                 std::span<std::byte> to) {
    constexpr std::byte unwritten{0x5a};
    std::ranges::fill(to, unwritten);
    if (const std::optional<collective>& what = of.computes()) {
        const region own = what->input(rank);
        if (own.at.buffer == buffer)
            make_inputs(what->combined.type, seed, rank, 0, to.subspan(own.at.offset, own.bytes));
        return;
    }
    // In place the input lies in the output.
    const auto input =
        static_cast<std::uint32_t>(of.buffers(rank)[0] != 0 ? collective_buffer::input : collective_buffer::output);
    if (buffer == input) make_inputs(type, seed, rank, 0, to);
}

}  // namespace polycast::hw::programs
