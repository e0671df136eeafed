// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/packet_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace polycast::tlm::trace {
namespace {

namespace format = hw::format;

std::vector<std::uint8_t> header(format::packet_kind kind, std::vector<std::uint8_t> rest) {
    std::vector<std::uint8_t> bytes(format::common_header_bytes);
    format::write_common({kind, true, 3, 0x12345678, 128}, bytes.data());
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    return bytes;
}

std::span<const std::uint8_t> none() {
    return {};
}

TEST(packet_tracker, unicast_header_in_single_byte_flits) {
    packet_tracker tracker({.hosts = 32});
    const std::vector<std::uint8_t> bytes = header(format::packet_kind::unicast, {17, 1, 0});
    EXPECT_EQ(tracker.label(), "");
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        const bool changed = tracker.flit(index == 0, false, std::span(bytes).subspan(index, 1), none());
        EXPECT_TRUE(tracker.present());
        EXPECT_EQ(tracker.kind(), format::packet_kind::unicast);
        EXPECT_EQ(tracker.complete(), index == 12);
        EXPECT_EQ(changed, index == 0 || index == 12);
        EXPECT_EQ(tracker.label() == "...", index < 12);
        EXPECT_FALSE(tracker.pause());  // a gap inside a packet changes nothing
    }
    EXPECT_EQ(tracker.label(), "3>273 #305419896");
    EXPECT_EQ(tracker.common().length, 128);
    EXPECT_TRUE(tracker.common().up);
    EXPECT_EQ(tracker.destination(), 273u);
    EXPECT_THAT(tracker.destinations(), ::testing::IsEmpty());
    EXPECT_FALSE(tracker.flit(false, true, std::span(bytes).first(1), none()));
    EXPECT_TRUE(tracker.present());  // while the tail is there
    EXPECT_TRUE(tracker.pause());
    EXPECT_FALSE(tracker.present());
    EXPECT_EQ(tracker.label(), "");
    EXPECT_EQ(tracker.common().source, 0u);
}

TEST(packet_tracker, tree_worm_with_wide_flits) {
    packet_tracker tracker({.hosts = 20});
    std::vector<std::uint8_t> bytes =
        header(format::packet_kind::tree, {0x01, 0x80, 0x0f, 0xaa, 0xaa, 0xaa});  // the rest is payload
    EXPECT_TRUE(tracker.flit(true, false, std::span(bytes).first(8), none()));
    EXPECT_FALSE(tracker.complete());
    EXPECT_TRUE(tracker.flit(false, false, std::span(bytes).subspan(8, 8), none()));
    EXPECT_TRUE(tracker.complete());
    EXPECT_EQ(tracker.label(), "3>{6} #305419896");
    EXPECT_EQ(tracker.destination(), 0u);
    EXPECT_THAT(tracker.destinations(), ::testing::ElementsAre(0x01, 0x80, 0x0f));
}

TEST(packet_tracker, ssr_worm) {
    packet_tracker tracker({32, 12, 4});  // a string of two bytes
    const std::vector<std::uint8_t> bytes = header(format::packet_kind::ssr, {0x02, 0x01, 0x05, 0x08, 0xff});
    EXPECT_TRUE(tracker.flit(true, false, std::span(bytes).first(13), none()));
    EXPECT_FALSE(tracker.complete());
    EXPECT_EQ(tracker.stop(), std::nullopt);
    EXPECT_TRUE(tracker.flit(false, false, std::span(bytes).subspan(13), none()));
    EXPECT_EQ(tracker.label(), "3>s258{3} #305419896");
    EXPECT_EQ(tracker.stop(), (format::stop{258, 0x805}));
    EXPECT_EQ(tracker.stops(), 1u);
    EXPECT_EQ(tracker.next_stop(), 0u);
    EXPECT_EQ(tracker.destination(), 0u);
    EXPECT_THAT(tracker.destinations(), ::testing::IsEmpty());
}

TEST(packet_tracker, path_worm_on_its_way) {
    packet_tracker tracker({32, 8, 4});
    std::vector<std::uint8_t> bytes =
        header(format::packet_kind::path, {3, 1, 7, 0, 0x01, 9, 0, 0x03, 4, 0, 0x80, 0xff});
    for (std::size_t index = 0; index + 1 < bytes.size(); ++index) {
        tracker.flit(index == 0, false, std::span(bytes).subspan(index, 1), none());
        EXPECT_EQ(tracker.complete(), index + 2 == bytes.size()) << index;
        EXPECT_EQ(tracker.stops(), tracker.complete() ? 3u : 0u);
    }
    EXPECT_EQ(tracker.label(), "3>s9{2}+1 #305419896");
    EXPECT_EQ(tracker.next_stop(), 1u);
    EXPECT_EQ(tracker.stop(), (format::stop{9, 3}));
    bytes[11] = 2;
    EXPECT_TRUE(tracker.flit(true, false, bytes, none()));
    EXPECT_EQ(tracker.label(), "3>s4{1} #305419896");
    bytes[11] = 3;  // behind its list
    EXPECT_TRUE(tracker.flit(true, false, bytes, none()));
    EXPECT_EQ(tracker.label(), "3>? #305419896");
    bytes[10] = 5;  // longer than any list: switches read none of it
    bytes[11] = 0;
    EXPECT_TRUE(tracker.flit(true, false, std::span(bytes).first(12), none()));
    EXPECT_TRUE(tracker.complete());
    EXPECT_EQ(tracker.label(), "3>? #305419896");
    EXPECT_EQ(tracker.stop(), std::nullopt);
}

TEST(packet_tracker, free_header_is_complete_at_once) {
    packet_tracker tracker({.hosts = 32});
    std::vector<std::uint8_t> bytes = header(format::packet_kind::unicast, {9, 0, 0, 0, 1, 2, 3, 4});
    const std::vector<std::uint8_t> data{0xff};
    EXPECT_TRUE(tracker.flit(true, true, data, bytes));
    EXPECT_EQ(tracker.label(), "3>9 #305419896");
    bytes[11] = 1;
    EXPECT_TRUE(tracker.flit(true, true, data, bytes));  // the next packet follows at once
    EXPECT_EQ(tracker.label(), "3>265 #305419896");
}

TEST(packet_tracker, what_is_not_legal) {
    packet_tracker tracker({.hosts = 32});
    const std::vector<std::uint8_t> data{0x0f, 1, 0, 0};
    EXPECT_FALSE(tracker.flit(false, false, data, none()));  // outside a packet
    EXPECT_FALSE(tracker.present());
    EXPECT_TRUE(tracker.flit(true, false, data, none()));
    EXPECT_TRUE(tracker.flit(true, false, data, none()));  // a head inside a packet begins another
    EXPECT_FALSE(tracker.flit(false, false, data, none()));
    EXPECT_TRUE(tracker.flit(false, false, data, none()));
    EXPECT_EQ(tracker.label(), "1>? #271");  // a kind that does not exist: the common fields are all there is
    EXPECT_FALSE(tracker.flit(false, true, data, none()));
    EXPECT_TRUE(tracker.flit(false, false, data, none()));  // a body flit after the tail
    EXPECT_FALSE(tracker.present());
    EXPECT_TRUE(tracker.flit(true, true, data, none()));  // ends before its header does
    EXPECT_TRUE(tracker.pause());
}

}  // namespace
}  // namespace polycast::tlm::trace
