// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/arithmetic.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace polycast::hw::programs {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are little-endian in memory");

/// A bf16, held as the f32 that it stands for.
struct brain {
    std::uint16_t bits;
};

float canonical(float value) {
    return std::isnan(value) ? std::bit_cast<float>(0x7fc00000u) : value;
}

float widened(brain value) {
    return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

/// To nearest even; the float's upper half is the bf16 below.
brain narrowed(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(canonical(value));
    if (std::isnan(value)) return {0x7fc0};
    return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

float smaller(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return canonical(std::nanf(""));
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}

float larger(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return canonical(std::nanf(""));
    if (a == b) return std::signbit(a) ? b : a;
    return a < b ? b : a;
}

struct add {
    template <typename type>
    type operator()(type a, type b) const {
        if constexpr (std::is_same_v<type, brain>)
            return narrowed(widened(a) + widened(b));
        else if constexpr (std::is_same_v<type, float>)
            return canonical(a + b);
        else
            return static_cast<type>(static_cast<std::make_unsigned_t<type>>(a) +
                                     static_cast<std::make_unsigned_t<type>>(b));
    }
};

struct least {
    template <typename type>
    type operator()(type a, type b) const {
        if constexpr (std::is_same_v<type, brain>)
            return narrowed(smaller(widened(a), widened(b)));
        else if constexpr (std::is_same_v<type, float>)
            return smaller(a, b);
        else
            return a < b ? a : b;
    }
};

struct greatest {
    template <typename type>
    type operator()(type a, type b) const {
        if constexpr (std::is_same_v<type, brain>)
            return narrowed(larger(widened(a), widened(b)));
        else if constexpr (std::is_same_v<type, float>)
            return larger(a, b);
        else
            return a < b ? b : a;
    }
};

struct differing {
    template <typename type>
    type operator()(type a, type b) const {
        if constexpr (std::is_integral_v<type>)
            return static_cast<type>(a ^ b);
        else
            return a;
    }
};

template <typename type, typename function>
void each(std::span<std::byte> destination, std::span<const std::byte> source, const function& act) {
    for (std::size_t at = 0; at + sizeof(type) <= destination.size(); at += sizeof(type)) {
        type a, b;
        std::memcpy(&a, destination.data() + at, sizeof(type));
        std::memcpy(&b, source.data() + at, sizeof(type));
        a = act(a, b);
        std::memcpy(destination.data() + at, &a, sizeof(type));
    }
}

template <typename function>
void by_type(element_type type, std::span<std::byte> destination, std::span<const std::byte> source,
             const function& act) {
    switch (type) {
        case element_type::u8: return each<std::uint8_t>(destination, source, act);
        case element_type::i32: return each<std::int32_t>(destination, source, act);
        case element_type::i64: return each<std::int64_t>(destination, source, act);
        case element_type::f32: return each<float>(destination, source, act);
        case element_type::bf16: return each<brain>(destination, source, act);
    }
}

}  // namespace

void combine(combination with, std::span<std::byte> destination, std::span<const std::byte> source) {
    switch (with.how) {
        case reduction::sum: return by_type(with.type, destination, source, add{});
        case reduction::minimum: return by_type(with.type, destination, source, least{});
        case reduction::maximum: return by_type(with.type, destination, source, greatest{});
        case reduction::exclusive_or: return by_type(with.type, destination, source, differing{});
    }
}

}  // namespace polycast::hw::programs
