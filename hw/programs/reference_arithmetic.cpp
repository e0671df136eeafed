// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/reference_arithmetic.h"

#include <algorithm>
#include <bit>

namespace polycast::hw::programs {
namespace {

constexpr std::uint32_t infinity = 0x7f800000, not_a_number = 0x7fc00000, sign_bit = 0x80000000;
constexpr int least_exponent = -149;  ///< of the last bit of the smallest f32

bool is_nan(std::uint32_t bits) {
    return (bits & ~sign_bit) > infinity;
}

/// magnitude * 2^exponent as an f32 with so many bits of mantissa, rounded to nearest even.
std::uint32_t rounded(bool negative, std::uint64_t magnitude, int exponent, int precision) {
    const std::uint32_t sign = negative ? sign_bit : 0;
    if (magnitude == 0) return sign;
    const int top = exponent + static_cast<int>(std::bit_width(magnitude)) - 1;  // exponent of the first bit
    // Numbers below 2^-126 have fewer bits: their last one stands where that of 2^-126 does.
    const int last = std::max(top, -126) - (precision - 1);
    const int drop = last - exponent;
    std::uint64_t kept = magnitude;
    if (drop > 0) {
        kept = drop > 63 ? 0 : magnitude >> drop;
        const std::uint64_t half = drop > 64 ? 0 : std::uint64_t{1} << (drop - 1);
        const std::uint64_t rest = drop > 63 ? magnitude : magnitude & ((std::uint64_t{1} << drop) - 1);
        if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    }
    int unit = std::max(exponent, last);  // of kept
    if (kept == 0) return sign;
    // Now exact: shift it to where an f32 has its bits.
    const int first = unit + static_cast<int>(std::bit_width(kept)) - 1;
    if (first > 127) return sign | infinity;
    const int field = std::max(first, -126) - 23;
    for (; unit > field; --unit) kept <<= 1;
    for (; unit < field; ++unit) kept >>= 1;  // a carry has made one bit more
    const auto mantissa = static_cast<std::uint32_t>(kept);
    if (mantissa < 1u << 23) return sign | mantissa;
    return sign | static_cast<std::uint32_t>(field + 23 + 127) << 23 | (mantissa & ((1u << 23) - 1));
}

std::uint32_t sum_of_f32(std::uint32_t a, std::uint32_t b) {
    if (is_nan(a) || is_nan(b)) return not_a_number;
    const bool a_infinite = (a & ~sign_bit) == infinity, b_infinite = (b & ~sign_bit) == infinity;
    if (a_infinite || b_infinite) {
        if (a_infinite && b_infinite && a != b) return not_a_number;
        return a_infinite ? a : b;
    }
    float_parts large = parts_of(element_type::f32, a), small = parts_of(element_type::f32, b);
    if (large.mantissa == 0 && small.mantissa == 0) return a & b;  // -0 only of two
    if (large.exponent < small.exponent) std::swap(large, small);
    // 38 more bits hold every difference that counts; what lies below only says that there is something.
    constexpr int room = 38;
    const int distance = large.exponent - small.exponent, shift = std::min(distance, room), below = distance - shift;
    std::int64_t other = small.mantissa;
    if (below > 0) {
        const auto magnitude = static_cast<std::uint64_t>(other < 0 ? -other : other);
        const std::uint64_t kept = below > 63 ? 0 : magnitude >> below;
        const bool lost = below > 63 ? magnitude != 0 : (kept << below) != magnitude;
        const auto marked = static_cast<std::int64_t>(kept | (lost ? 1 : 0));
        other = other < 0 ? -marked : marked;
    }
    const std::int64_t sum = large.mantissa * (std::int64_t{1} << shift) + other;
    return rounded(sum < 0, static_cast<std::uint64_t>(sum < 0 ? -sum : sum), large.exponent - shift, 24);
}

/// The order of f32, -0 before 0, as that of whole numbers.
std::uint32_t order_of(std::uint32_t bits) {
    return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}

std::uint32_t combined_f32(reduction how, std::uint32_t a, std::uint32_t b) {
    if (how == reduction::sum) return sum_of_f32(a, b);
    if (is_nan(a) || is_nan(b)) return not_a_number;
    const bool a_first = order_of(a) < order_of(b);
    return a_first == (how == reduction::minimum) ? a : b;
}

std::uint32_t to_bf16(std::uint32_t bits) {
    if (is_nan(bits)) return not_a_number >> 16;
    if ((bits & ~sign_bit) == infinity) return bits >> 16;
    const float_parts exact = parts_of(element_type::f32, bits);
    const bool negative = (bits & sign_bit) != 0;
    return rounded(negative, static_cast<std::uint64_t>(negative ? -exact.mantissa : exact.mantissa), exact.exponent,
                   8) >>
           16;
}

/// Whole numbers of so many bytes, byte by byte.
std::uint64_t combined_whole(reduction how, unsigned bytes, bool with_sign, std::uint64_t a, std::uint64_t b) {
    if (how == reduction::sum) {
        std::uint64_t made = 0;
        unsigned carry = 0;
        for (unsigned i = 0; i < bytes; ++i) {
            carry += static_cast<unsigned>(a >> (8 * i) & 0xff) + static_cast<unsigned>(b >> (8 * i) & 0xff);
            made |= std::uint64_t{carry & 0xff} << (8 * i);
            carry >>= 8;
        }
        return made;
    }
    if (how == reduction::exclusive_or) return (a | b) & ~(a & b);
    const std::uint64_t top = with_sign ? std::uint64_t{1} << (8 * bytes - 1) : 0;
    const bool a_first = (a ^ top) < (b ^ top);
    return a_first == (how == reduction::minimum) ? a : b;
}

std::uint64_t combined(combination with, std::uint64_t a, std::uint64_t b) {
    const auto left = static_cast<std::uint32_t>(a), right = static_cast<std::uint32_t>(b);
    switch (with.type) {
        case element_type::f32: return combined_f32(with.how, left, right);
        case element_type::bf16: return to_bf16(combined_f32(with.how, left << 16, right << 16));
        default: return combined_whole(with.how, bytes_of(with.type), with.type != element_type::u8, a, b);
    }
}

}  // namespace

std::uint64_t load_element(element_type type, const std::byte* from) {
    std::uint64_t made = 0;
    for (unsigned i = 0; i < bytes_of(type); ++i) made |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
    return made;
}

float_parts parts_of(element_type type, std::uint64_t bits) {
    if (type == element_type::bf16) bits <<= 16;
    const auto field = static_cast<int>(bits >> 23 & 0xff);
    auto mantissa = static_cast<std::int64_t>(bits & ((1u << 23) - 1));
    if (field != 0) mantissa |= std::int64_t{1} << 23;
    if ((bits & sign_bit) != 0) mantissa = -mantissa;
    return {mantissa, least_exponent + std::max(field, 1) - 1, field != 0xff};
}

void reference_combine(combination with, std::span<std::byte> destination, std::span<const std::byte> source) {
    const unsigned bytes = bytes_of(with.type);
    for (std::size_t at = 0; at + bytes <= destination.size(); at += bytes) {
        const std::uint64_t made = combined(with, load_element(with.type, destination.data() + at),
                                            load_element(with.type, source.data() + at));
        for (unsigned i = 0; i < bytes; ++i) destination[at + i] = static_cast<std::byte>(made >> (8 * i) & 0xff);
    }
}

}  // namespace polycast::hw::programs
