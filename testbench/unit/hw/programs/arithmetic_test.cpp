// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/arithmetic.h"

#include <gmock/gmock.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "hw/programs/inputs.h"
#include "hw/programs/reference_arithmetic.h"

namespace polycast::hw::programs {
namespace {

std::uint64_t combined(combination with, std::uint64_t a, std::uint64_t b, bool reference) {
    const std::size_t bytes = bytes_of(with.type);
    std::byte left[8], right[8];
    std::memcpy(left, &a, 8);
    std::memcpy(right, &b, 8);
    (reference ? reference_combine : combine)(with, std::span(left, bytes), std::span<const std::byte>(right, bytes));
    return load_element(with.type, left);
}

/// Both arithmetics, which have to agree.
std::uint64_t result(element_type type, reduction how, std::uint64_t a, std::uint64_t b) {
    const std::uint64_t made = combined({type, how}, a, b, false);
    EXPECT_EQ(combined({type, how}, a, b, true), made)
        << name_in(element_types, type) << ' ' << name_in(reductions, how) << std::hex << ' ' << a << ' ' << b;
    return made;
}

TEST(arithmetic, whole_numbers_wrap) {
    EXPECT_EQ(result(element_type::u8, reduction::sum, 200, 100), 44u);
    EXPECT_EQ(result(element_type::i32, reduction::sum, 0x7fffffff, 1), 0x80000000u);
    EXPECT_EQ(result(element_type::i64, reduction::sum, 0xffffffffffffffff, 2), 1u);
    EXPECT_EQ(result(element_type::u8, reduction::minimum, 200, 100), 100u);
    EXPECT_EQ(result(element_type::i32, reduction::minimum, 0xffffffff, 1), 0xffffffffu);
    EXPECT_EQ(result(element_type::i32, reduction::maximum, 0xffffffff, 1), 1u);
    EXPECT_EQ(result(element_type::i64, reduction::maximum, 0x8000000000000000, 5), 5u);
    EXPECT_EQ(result(element_type::i64, reduction::exclusive_or, 0xf0f0, 0xff00), 0x0ff0u);
}

TEST(arithmetic, floats_are_rounded_to_nearest_even) {
    const auto sum = [](std::uint64_t a, std::uint64_t b) { return result(element_type::f32, reduction::sum, a, b); };
    EXPECT_EQ(sum(0x3f800000, 0x33800000), 0x3f800000u);  // 1 + 2^-24: halfway, to even
    EXPECT_EQ(sum(0x3f800001, 0x33800000), 0x3f800002u);
    EXPECT_EQ(sum(0x3f800000, 0x33800001), 0x3f800001u);
    EXPECT_EQ(sum(0x7f7fffff, 0x7f7fffff), 0x7f800000u);
    EXPECT_EQ(sum(0x00000001, 0x00000001), 0x00000002u);  // no flush to zero
    EXPECT_EQ(sum(0x00800000, 0x80000001), 0x007fffffu);
    EXPECT_EQ(sum(0x3f800000, 0xbf800000), 0x00000000u);
    EXPECT_EQ(sum(0x80000000, 0x80000000), 0x80000000u);
    EXPECT_EQ(sum(0x80000000, 0x00000000), 0x00000000u);
    EXPECT_EQ(sum(0x7f800000, 0xff800000), 0x7fc00000u);
    EXPECT_EQ(sum(0xffc12345, 0x3f800000), 0x7fc00000u);
    EXPECT_EQ(sum(0xff800000, 0x3f800000), 0xff800000u);
}

TEST(arithmetic, bf16_is_added_in_f32_and_rounded) {
    const auto sum = [](std::uint64_t a, std::uint64_t b) { return result(element_type::bf16, reduction::sum, a, b); };
    EXPECT_EQ(sum(0x3f80, 0x3b80), 0x3f80u);  // 1 + 2^-8: halfway, to even
    EXPECT_EQ(sum(0x3f81, 0x3b80), 0x3f82u);
    EXPECT_EQ(sum(0x7f7f, 0x7f7f), 0x7f80u);
    EXPECT_EQ(sum(0x0001, 0x0001), 0x0002u);
    EXPECT_EQ(sum(0x7f80, 0xff80), 0x7fc0u);
}

TEST(arithmetic, of_zeros_the_negative_one_is_the_lesser) {
    for (const element_type type : {element_type::f32, element_type::bf16}) {
        const unsigned shift = type == element_type::f32 ? 0 : 16;
        const std::uint64_t negative = 0x80000000u >> shift, nan = 0x7fc00000u >> shift, one = 0x3f800000u >> shift;
        for (const reduction how : {reduction::minimum, reduction::maximum}) {
            const std::uint64_t wanted = how == reduction::minimum ? negative : 0;
            EXPECT_EQ(result(type, how, negative, 0), wanted);
            EXPECT_EQ(result(type, how, 0, negative), wanted);
            EXPECT_EQ(result(type, how, nan | 1, one), nan);
            EXPECT_EQ(result(type, how, one, nan), nan);
            EXPECT_EQ(result(type, how, one, one | negative), how == reduction::minimum ? one | negative : one);
        }
    }
}

TEST(arithmetic, both_agree_on_random_bits) {
    std::mt19937_64 draw(5);
    const auto bits = [&](element_type type) {
        std::uint64_t made = draw();
        // Exponents near each other, and near both ends.
        if (is_float(type) && draw() % 4 != 0) made = (made & ~0x78000000ull) | (draw() % 2 != 0 ? 0x40000000 : 0);
        return type == element_type::bf16 ? made >> 16 & 0xffff : made;
    };
    for (int i = 0; i < 300'000 && !testing::Test::HasFailure(); ++i)
        for (const auto& type : element_types)
            for (const auto& how : reductions)
                if (combination{type.value, how.value}.possible())
                    result(type.value, how.value, bits(type.value), bits(type.value));
}

TEST(arithmetic, tags_name_combinations) {
    for (const auto& type : element_types)
        for (const auto& how : reductions) {
            const combination made{type.value, how.value};
            EXPECT_EQ(combination::of_tag(made.tag()), made);
        }
    EXPECT_FALSE((combination{element_type::bf16, reduction::exclusive_or}.possible()));
}

TEST(inputs, floats_are_normal_and_of_both_signs) {
    std::vector<std::byte> bytes(4 * 10'000);
    make_inputs(element_type::f32, 7, 3, 0, bytes);
    float least = std::numeric_limits<float>::max(), most = 0;
    int negative = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
        float value = 0;
        std::memcpy(&value, bytes.data() + i, 4);
        least = std::min(least, std::abs(value));
        most = std::max(most, std::abs(value));
        negative += value < 0;
    }
    EXPECT_GE(least, 1.f / 256);
    EXPECT_LT(least, 1.f / 200);
    EXPECT_LT(most, 256);
    EXPECT_GT(most, 200);
    EXPECT_NEAR(negative, 5000, 200);
}

TEST(inputs, an_element_depends_on_its_number_not_on_how_it_is_asked_for) {
    for (const auto& type : element_types) {
        const std::size_t bytes = bytes_of(type.value);
        std::vector<std::byte> all(10 * bytes), part(4 * bytes), other(10 * bytes);
        make_inputs(type.value, 7, 3, 0, all);
        make_inputs(type.value, 7, 3, 5, part);
        EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(5 * bytes)));
        make_inputs(type.value, 7, 4, 0, other);
        EXPECT_NE(all, other);
        make_inputs(type.value, 8, 3, 0, other);
        EXPECT_NE(all, other);
    }
}

}  // namespace
}  // namespace polycast::hw::programs
