// SPDX-License-Identifier: Apache-2.0
#include "hw/format/header.h"

#include <gtest/gtest.h>

#include <vector>

namespace polycast::hw::format {
namespace {

using byte_list = std::vector<std::uint8_t>;

TEST(check_word, is_little_endian_in_a_packet) {
    byte_list bytes(6, 0xee);
    write_check(&bytes[1], 0x12345678);
    EXPECT_EQ(bytes, (byte_list{0xee, 0x78, 0x56, 0x34, 0x12, 0xee}));
    EXPECT_EQ(read_check(&bytes[1]), 0x12345678u);
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

TEST(transport_header, fields_lie_where_the_format_says) {
    const transport_header header{.op = transport_op::control,
                                  .reliable = true,
                                  .process = 0x12,
                                  .source_process = 0x34,
                                  .lane = 0x56,
                                  .group = 0x789a,
                                  .hops = 0xbcde,
                                  .message = 0x01020304,
                                  .offset = 0x11121314,
                                  .total = 0x21222324,
                                  .tag = 0x31323334};
    byte_list bytes(transport_bytes, 0xee);
    write_transport(header, bytes.data());
    EXPECT_EQ(bytes, (byte_list{0x21, 0x12, 0x34, 0x56, 0x9a, 0x78, 0xde, 0xbc, 0x04, 0x03, 0x02, 0x01,
                                0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31}));
    EXPECT_EQ(read_transport(bytes.data()), header);
    bytes[0] = 0x10;
    EXPECT_TRUE(read_transport(bytes.data()).acknowledge);
    EXPECT_FALSE(read_transport(bytes.data()).reliable);
    bytes[0] = 0xf0;  // the reserved bits belong to no field
    EXPECT_EQ(read_transport(bytes.data()).op, transport_op::data);
    EXPECT_EQ(transport_header{}.group, no_group);
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
    EXPECT_EQ(transport_bytes, 24u);
    EXPECT_EQ(stop_bytes({.ports = 8}), 3u);
    EXPECT_EQ(stop_bytes({.ports = 12}), 4u);
    EXPECT_EQ(stop_bytes({.ports = 64}), 10u);
    EXPECT_EQ(ssr_header_bytes({.ports = 8}), 13u);
    EXPECT_EQ(path_header_bytes({.ports = 8}, 4), 24u);
    EXPECT_EQ(switch_header_bytes({.hosts = 8, .ports = 8, .stops = 1}), 15u);
    EXPECT_EQ(switch_header_bytes({.hosts = 32, .ports = 8, .stops = 8}), 36u);
    EXPECT_EQ(switch_header_bytes({.hosts = 1024, .ports = 8, .stops = 8}), 138u);
    EXPECT_EQ(free_header_bytes({.hosts = 8, .ports = 8, .stops = 1}), 15u + 24u + 4u);
    EXPECT_EQ(free_header_bytes({.hosts = 32, .ports = 8, .stops = 8}), 36u + 24u + 4u);
    EXPECT_EQ(free_transport_offset(42), 14u);
    EXPECT_EQ(free_check_offset(42), 38u);
}

}  // namespace
}  // namespace polycast::hw::format
