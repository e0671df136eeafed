// SPDX-License-Identifier: Apache-2.0
#include "hw/format/packet_part.h"

#include <gtest/gtest.h>

namespace polycast::hw::format {
namespace {

constexpr header_shape shape{.hosts = 16, .ports = 8, .stops = 4};

TEST(packet_part, fields_on_the_pins_of_a_free_header) {
    const unsigned pin_bytes = free_header_bytes(shape);
    const packet_layout layout{shape, 4, pin_bytes};
    std::vector<std::uint8_t> header(pin_bytes);
    write_common({packet_kind::tree, true, 3, 5, 64}, header.data());
    header[common_header_bytes] = 0x24;
    header[common_header_bytes + 1] = 0x80;
    transport_header transport;
    transport.message = 7;
    write_transport(transport, &header[free_transport_offset(pin_bytes)]);
    const auto at = [&](unsigned bit) { return part_of_pins(layout, header, bit); };
    EXPECT_EQ(at(4).name, "header field up");
    EXPECT_EQ(at(4).value(header), "1");
    EXPECT_EQ(at(91).name, "header field destinations");
    EXPECT_EQ(at(91).value(header), std::to_string(0x8024));
    EXPECT_EQ(at(96).name, "padding of the header");
    const unsigned message = free_transport_offset(pin_bytes) * 8 + transport_message_field.offset;
    EXPECT_EQ(at(message + 9).name, "transport header field message");
    EXPECT_EQ(at(message + 9).value(header), "7");
    EXPECT_EQ(at(free_check_offset(pin_bytes) * 8).name, "check word");
    EXPECT_EQ(part_of_flits(layout, {}, 17).name, "byte 2 of the payload") << "flits hold nothing else";
    EXPECT_EQ(packet_name(layout, header), "tree packet 5 of host 3");
}

TEST(packet_part, headers_in_flits_are_padded) {
    const packet_layout layout{shape, 4, 0};
    std::vector<std::uint8_t> bytes(begin_bytes(layout));
    write_common({packet_kind::path, true, 3, 5, 64}, bytes.data());
    bytes[path_stops_field.offset / 8] = 2;
    const unsigned header = path_header_bytes(shape, 2);
    ASSERT_EQ(header, 18u);
    const auto name_at = [&](unsigned byte) { return part_of_flits(layout, bytes, byte * 8).name; };
    EXPECT_EQ(name_at(11), "header field path_next");
    EXPECT_EQ(name_at(17), "header field path_list");
    EXPECT_EQ(name_at(18), "padding of the header");
    EXPECT_EQ(name_at(20), "transport header field op");
    EXPECT_EQ(name_at(20 + transport_bytes), "byte 0 of the payload");
    EXPECT_EQ(name_at(20 + transport_bytes + 64), "check word");
    EXPECT_EQ(name_at(20 + transport_bytes + 64 + check_bytes), "padding");
    const std::string list = part_of_flits(layout, bytes, 12 * 8).value(bytes);
    EXPECT_EQ(list, "0x000000000000") << "48 bits";
}

TEST(packet_part, a_job_word_is_in_front_of_the_payload) {
    packet_layout layout{shape, 4, 0, true};
    std::vector<std::uint8_t> bytes(begin_bytes(layout));
    write_common({packet_kind::unicast, true, 3, 5, 64}, bytes.data());
    const auto name_at = [&](unsigned byte) { return part_of_flits(layout, bytes, byte * 8).name; };
    EXPECT_EQ(name_at(16 + transport_bytes), "job word");
    EXPECT_EQ(name_at(16 + transport_bytes + 3), "job word");
    EXPECT_EQ(name_at(16 + transport_bytes + 4), "byte 0 of the payload");
    EXPECT_EQ(name_at(16 + transport_bytes + 4 + 64), "check word");
    EXPECT_EQ(part_of_flits(layout, bytes, (16 + transport_bytes) * 8 + 9).first, (16 + transport_bytes) * 8u);
    layout.pin_bytes = free_header_bytes(shape);
    EXPECT_EQ(part_of_flits(layout, {}, 31).name, "job word");
    EXPECT_EQ(part_of_flits(layout, {}, 32).name, "byte 0 of the payload");
}

TEST(packet_part, of_a_header_that_has_not_passed_only_what_is_known_is_told) {
    const packet_layout layout{shape, 1, 0};
    std::vector<std::uint8_t> bytes(unicast_header_bytes);
    write_common({packet_kind::unicast, true, 3, 5, 64}, bytes.data());
    bytes[0] |= 0xf;
    EXPECT_EQ(part_of_flits(layout, std::span(bytes).first(1), 1).name, "header field kind") << "no kind of that code";
    bytes[0] = 0;
    write_field<destination_field>(bytes.data(), 9);
    EXPECT_EQ(packet_name(layout, std::span(bytes).first(7)), "");
    EXPECT_EQ(packet_name(layout, std::span(bytes).first(8)), "packet 5 of host 3");
    EXPECT_EQ(packet_name(layout, bytes), "packet 5 of host 3 to host 9");
    EXPECT_EQ(part_of_flits(layout, std::span(bytes).first(2), 9).value(std::span(bytes).first(2)), "");
}

}  // namespace
}  // namespace polycast::hw::format
