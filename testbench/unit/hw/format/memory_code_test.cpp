// SPDX-License-Identifier: Apache-2.0
#include "hw/format/memory_code.h"

#include <gtest/gtest.h>

#include <set>

namespace polycast::hw::format {
namespace {

constexpr std::array<std::uint32_t, 5> words = {0, 0xffffffff, 0x12345678, 0x80000001, 0xdeadbeef};

std::uint32_t mask_of(unsigned width) {
    return width == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << width) - 1;
}

/// `bit` of a code word of `width` data bits.
void flip(unsigned width, unsigned bit, std::uint32_t& data, std::uint8_t& code) {
    if (bit < width)
        data ^= std::uint32_t{1} << bit;
    else
        code = static_cast<std::uint8_t>(code ^ 1u << (bit - width));
}

TEST(memory_code, columns_are_different_and_have_three_ones) {
    std::set<unsigned> columns;
    for (unsigned bit = 0; bit < 32; ++bit) {
        const unsigned column = code_of(protection::secded, std::uint32_t{1} << bit);
        EXPECT_EQ(std::popcount(column), 3) << bit;
        columns.insert(column);
    }
    EXPECT_EQ(columns.size(), 32u);
    for (const std::uint32_t row : secded_rows) {
        EXPECT_GE(std::popcount(row), 13);
        EXPECT_LE(std::popcount(row), 14);
    }
    // By hand: bits 0, 2 and 31 have the columns 0001011, 0001110 and 1110000.
    EXPECT_EQ(code_of(protection::secded, 0x80000005), 0x0b ^ 0x0e ^ 0x70);
}

TEST(memory_code, secded_corrects_each_flip_and_finds_every_two) {
    for (unsigned width = 1; width <= 32; ++width) {
        const unsigned all = width + code_bits(protection::secded, width);
        ASSERT_EQ(all, width + 7);
        for (const std::uint32_t any : words) {
            const std::uint32_t word = any & mask_of(width);
            const std::uint8_t good = code_of(protection::secded, word);
            ASSERT_EQ(decode(protection::secded, word, good, width), (decoded{word, reading::good}));
            for (unsigned first = 0; first < all; ++first) {
                std::uint32_t data = word;
                std::uint8_t code = good;
                flip(width, first, data, code);
                ASSERT_EQ(decode(protection::secded, data, code, width), (decoded{word, reading::corrected}))
                    << width << " " << first;
                for (unsigned second = first + 1; second < all; ++second) {
                    std::uint32_t twice = data;
                    std::uint8_t code_twice = code;
                    flip(width, second, twice, code_twice);
                    ASSERT_EQ(decode(protection::secded, twice, code_twice, width), (decoded{twice, reading::failed}))
                        << width << " " << first << " " << second;
                }
            }
        }
    }
}

TEST(memory_code, parity_finds_each_flip_and_two_in_different_bytes) {
    EXPECT_EQ(code_of(protection::parity, 0x01030007), 0b1001);
    for (unsigned width = 1; width <= 32; ++width) {
        const unsigned all = width + code_bits(protection::parity, width);
        ASSERT_EQ(all, width + (width + 7) / 8);
        const auto byte_of = [&](unsigned bit) { return bit < width ? bit / 8 : bit - width; };
        for (const std::uint32_t any : words) {
            const std::uint32_t word = any & mask_of(width);
            for (unsigned first = 0; first < all; ++first) {
                std::uint32_t data = word;
                std::uint8_t code = code_of(protection::parity, word);
                ASSERT_EQ(decode(protection::parity, data, code, width).found, reading::good);
                flip(width, first, data, code);
                ASSERT_EQ(decode(protection::parity, data, code, width), (decoded{data, reading::failed}));
                for (unsigned second = first + 1; second < all; ++second) {
                    std::uint32_t twice = data;
                    std::uint8_t code_twice = code;
                    flip(width, second, twice, code_twice);
                    const reading found = byte_of(first) == byte_of(second) ? reading::good : reading::failed;
                    ASSERT_EQ(decode(protection::parity, twice, code_twice, width), (decoded{twice, found}));
                }
            }
        }
    }
}

TEST(memory_code, bits_that_flip_in_a_word_of_several_codes) {
    EXPECT_EQ(code_bits(protection::none, 512), 0u);
    EXPECT_EQ(code_bits(protection::parity, 41), 6u);
    EXPECT_EQ(code_bits(protection::secded, 32), 7u);
    EXPECT_EQ(code_bits(protection::secded, 33), 14u);
    flipped_bits corrects(protection::secded, 41);
    EXPECT_EQ(corrects.found(), reading::good);
    corrects.flip(3);
    corrects.flip(40);
    EXPECT_EQ(corrects.found(), reading::corrected) << "one in each of its codes";
    EXPECT_EQ(corrects.wrong_word(), 0u);
    corrects.flip(41 + 7);  // the first check bit of the second code
    EXPECT_EQ(corrects.found(), reading::failed);
    EXPECT_EQ(corrects.wrong_word(), std::uint64_t{1} << 40) << "the other is corrected";
    EXPECT_EQ(corrects.wrong(5), 1);
    EXPECT_EQ(corrects.wrong(0), 0);
    corrects.flip(40);
    corrects.flip(3);
    EXPECT_EQ(corrects.found(), reading::corrected);
    corrects.flip(41 + 7);
    EXPECT_EQ(corrects.found(), reading::good) << "all have flipped back";

    flipped_bits finds(protection::parity, 41);
    finds.flip(41 + 5);
    EXPECT_EQ(finds.found(), reading::failed);
    EXPECT_EQ(finds.wrong_word(), 0u);
    finds.flip(40);
    EXPECT_EQ(finds.found(), reading::good);
    EXPECT_EQ(finds.wrong_word(), std::uint64_t{1} << 40);

    flipped_bits sees_nothing(protection::none, 8);
    sees_nothing.flip(7);
    EXPECT_EQ(sees_nothing.found(), reading::good);
    EXPECT_EQ(sees_nothing.wrong(0), 0x80);
}

}  // namespace
}  // namespace polycast::hw::format
