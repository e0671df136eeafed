// SPDX-License-Identifier: Apache-2.0
#include "hw/format/header.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace polycast::hw::format {
namespace {

using byte_list = std::vector<std::uint8_t>;

/// The check word over `bytes` as a whole: its first ten stand for the common header.
std::uint32_t check_of(const byte_list& bytes) {
    return check_word(bytes.data(), std::span(bytes).subspan(common_header_bytes));
}

// RFC 3720, appendix B.4, where the first byte has no up bit.
TEST(check_word, vectors_of_rfc_3720) {
    EXPECT_EQ(check_of(byte_list(32, 0x00)), 0x8a9136aau);
    byte_list rising(32);
    std::iota(rising.begin(), rising.end(), std::uint8_t{0});
    EXPECT_EQ(check_of(rising), 0x46dd794eu);
    const byte_list read_command = {0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                                    0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
                                    0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18, 0x28, 0x00, 0x00, 0x00,
                                    0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    EXPECT_EQ(check_of(read_command), 0xd9963a56u);
}

TEST(check_word, does_not_cover_the_up_bit_but_everything_else) {
    byte_list packet(30);
    std::iota(packet.begin(), packet.end(), std::uint8_t{100});
    const std::uint32_t good = check_of(packet);
    for (std::size_t bit = 0; bit < packet.size() * 8; ++bit) {
        packet[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
        EXPECT_EQ(check_of(packet) == good, bit == up_field.offset) << "bit " << bit;
        packet[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    }
}

TEST(header, common_fields_lie_where_the_format_says) {
    byte_list bytes(common_header_bytes, 0xee);
    write_common({packet_kind::tree, true, 0x123456, 0x89abcdef, 0x4321}, bytes.data());
    EXPECT_EQ(bytes, (byte_list{0x11, 0x56, 0x34, 0x12, 0xef, 0xcd, 0xab, 0x89, 0x21, 0x43}));
    set_up(bytes.data(), false);
    EXPECT_EQ(bytes[0], 0x01);
    const common_header read = read_common(bytes.data());
    EXPECT_EQ(read.kind, packet_kind::tree);
    EXPECT_FALSE(read.up);
    EXPECT_EQ(read.source, 0x123456u);
    EXPECT_EQ(read.sequence, 0x89abcdefu);
    EXPECT_EQ(read.length, 0x4321);
    EXPECT_EQ(common_header_bits, 80u);
}

TEST(header, destination_follows) {
    byte_list bytes(unicast_header_bytes);
    write_field<destination_field>(bytes.data(), 0xabcdef);
    EXPECT_EQ(bytes, (byte_list{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xef, 0xcd, 0xab}));
    EXPECT_EQ(destination_of(bytes.data()), 0xabcdefu);
}

TEST(header, sizes) {
    EXPECT_EQ(unicast_header_bytes, 13u);
    EXPECT_EQ(tree_header_bytes(1), 11u);
    EXPECT_EQ(tree_header_bytes(8), 11u);
    EXPECT_EQ(tree_header_bytes(9), 12u);
    EXPECT_EQ(tree_header_bytes(32), 14u);
    EXPECT_EQ(header_flits(13, 1), 13u);
    EXPECT_EQ(header_flits(13, 8), 2u);
    EXPECT_EQ(header_flits(16, 8), 2u);
    EXPECT_EQ(header_flits(13, 64), 1u);
    EXPECT_EQ(check_bytes, 4u);
}

}  // namespace
}  // namespace polycast::hw::format
