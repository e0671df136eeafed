// SPDX-License-Identifier: Apache-2.0
#include "hw/format/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace polycast::hw::format {
namespace {

using byte_list = std::vector<std::uint8_t>;
using testing::HasSubstr;
using testing::IsEmpty;

/// A whole header: 10 common bytes of the route's kind, then its field.
byte_list header_of(const route& made, bool up = true) {
    byte_list header(common_header_bytes);
    write_common({made.kind, up, 1, 2, 3}, header.data());
    header.insert(header.end(), made.field.begin(), made.field.end());
    return header;
}

/// The words of the std::invalid_argument that `make` ends with.
template <typename maker>
std::string refusal(const maker& make) {
    try {
        static_cast<void>(make());
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

TEST(route, unicast) {
    EXPECT_EQ(unicast_route(0x123456), (route{packet_kind::unicast, {0x56, 0x34, 0x12}}));
    EXPECT_EQ(destination_of(header_of(unicast_route(0xffffff)).data()), 0xffffffu);
    EXPECT_EQ(header_of(unicast_route(1)).size(), unicast_header_bytes);
}

TEST(route, tree) {
    const header_shape shape{.hosts = 20};
    EXPECT_EQ(tree_route(shape, std::vector<std::uint32_t>{0, 7, 8, 19}),
              (route{packet_kind::tree, {0x81, 0x01, 0x08}}));
    // Order and repetition say nothing.
    EXPECT_EQ(tree_route(shape, std::vector<std::uint32_t>{9, 2, 9}),
              tree_route(shape, std::vector<std::uint32_t>{2, 9}));
    EXPECT_EQ(header_of(tree_route(shape, std::vector<std::uint32_t>{1})).size(), tree_header_bytes(20));
    EXPECT_THAT(refusal([&] { return tree_route(shape, {}); }), HasSubstr("no destination"));
    EXPECT_THAT(refusal([&] { return tree_route(shape, std::vector<std::uint32_t>{3, 20}); }), HasSubstr("host 20"));
}

TEST(route, ssr) {
    const header_shape shape{.ports = 8};
    EXPECT_EQ(ssr_route(shape, {0x1234, 0x81}), (route{packet_kind::ssr, {0x34, 0x12, 0x81}}));
    // 12 ports need two bytes, 64 eight, lowest port first.
    EXPECT_EQ(ssr_route({.ports = 12}, {5, 0x801}).field, (byte_list{5, 0, 0x01, 0x08}));
    EXPECT_EQ(ssr_route({.ports = 64}, {0xffff, 0x8000000000000002}).field,
              (byte_list{0xff, 0xff, 2, 0, 0, 0, 0, 0, 0, 0x80}));
    for (const unsigned ports : {8u, 12u, 16u, 64u}) {
        const header_shape wide{.ports = ports};
        EXPECT_EQ(header_of(ssr_route(wide, {1, 1})).size(), ssr_header_bytes(wide));
    }
}

TEST(route, path) {
    const header_shape shape{.ports = 8, .stops = 3};
    EXPECT_EQ(path_route(shape, std::vector<stop>{{7, 0x03}, {0x102, 0x80}}),
              (route{packet_kind::path, {2, 0, 7, 0, 0x03, 0x02, 0x01, 0x80}}));
    for (unsigned count = 1; count <= 3; ++count) {
        const byte_list header = header_of(path_route(shape, std::vector<stop>(count, stop{1, 1})));
        EXPECT_EQ(header.size(), path_header_bytes(shape, count));
        EXPECT_EQ(path_stops_of(header.data()), count);
        EXPECT_EQ(path_next_of(header.data()), 0u);
    }
    EXPECT_EQ(path_route({.stops = 255}, std::vector<stop>(255, stop{1, 1})).field[0], 255);
}

TEST(route, what_headers_cannot_say) {
    const header_shape shape{.ports = 8, .stops = 2};
    for (const bool path : {false, true}) {
        const auto to = [&](const header_shape& in, const stop& where) {
            return refusal([&] {
                return path ? path_route(in, std::vector<stop>{{1, 1}, where}) : ssr_route(in, where);
            });
        };
        EXPECT_THAT(to(shape, {0x10000, 1}), HasSubstr("switch 65536"));
        EXPECT_EQ(to(shape, {0xffff, 1}), "accepted");
        EXPECT_THAT(to(shape, {1, 0}), HasSubstr("without ports"));
        EXPECT_THAT(to(shape, {1, 0x101}), HasSubstr("a port that no switch has"));
        EXPECT_EQ(to(shape, {1, 0xff}), "accepted");
        EXPECT_EQ(to({.ports = 9, .stops = 2}, {1, 0x100}), "accepted");
        EXPECT_THAT(to({.ports = 56, .stops = 2}, {1, std::uint64_t{1} << 56}), HasSubstr("a port that no switch has"));
        EXPECT_EQ(to({.ports = 64, .stops = 2}, {1, ~std::uint64_t{0}}), "accepted");
    }
    EXPECT_THAT(refusal([&] { return path_route(shape, {}); }), HasSubstr("no stop"));
    EXPECT_THAT(refusal([&] {
                    return path_route(shape, std::vector<stop>(3, stop{1, 1}));
                }),
                HasSubstr("3 stops, headers hold 2"));
}

TEST(route, stops_come_back) {
    for (const unsigned ports : {8u, 16u, 24u, 64u}) {
        const header_shape shape{.hosts = 9, .ports = ports, .stops = 5};
        const std::uint64_t top = std::uint64_t{1} << (ports - 1);
        const std::vector<stop> stops{{1, 1}, {0xffff, top}, {0, top | 1}, {1, 2}, {300, 0x10}};
        for (std::size_t count = 1; count <= stops.size(); ++count) {
            const std::vector<stop> some(stops.begin(), stops.begin() + static_cast<std::ptrdiff_t>(count));
            for (const bool up : {false, true}) {
                EXPECT_EQ(stops_of(shape, header_of(path_route(shape, some), up)), some);
                EXPECT_EQ(stops_of(shape, header_of(ssr_route(shape, some.back()), up)), std::vector{some.back()});
            }
        }
        // Behind a header that is longer than the route, as on the pins of free headers.
        byte_list longer = header_of(ssr_route(shape, stops[1]));
        longer.resize(100, 0xee);
        EXPECT_EQ(stops_of(shape, longer), std::vector{stops[1]});
    }
}

TEST(route, stops_of_headers_without) {
    const header_shape shape;
    EXPECT_THAT(stops_of(shape, header_of(unicast_route(3))), IsEmpty());
    EXPECT_THAT(stops_of(shape, header_of(tree_route(shape, std::vector<std::uint32_t>{3}))), IsEmpty());
    byte_list unknown = header_of(ssr_route(shape, {1, 1}));
    unknown[0] = 0x1f;
    EXPECT_THAT(stops_of(shape, unknown), IsEmpty());
    EXPECT_THAT(stops_of(shape, {}), IsEmpty());
}

TEST(route, stops_of_headers_cut_short) {
    const header_shape shape{.ports = 8};
    const byte_list single = header_of(ssr_route(shape, {1, 1}));
    const std::vector<stop> stops{{1, 1}, {2, 2}, {3, 4}};
    const byte_list list = header_of(path_route(shape, stops));
    for (std::size_t size = 0; size < single.size(); ++size)
        EXPECT_THAT(stops_of(shape, std::span(single).first(size)), IsEmpty()) << size;
    for (std::size_t size = 0; size <= list.size(); ++size) {
        const std::size_t whole = size < 12 ? 0 : (size - 12) / 3;
        EXPECT_EQ(stops_of(shape, std::span(list).first(size)),
                  std::vector<stop>(stops.begin(), stops.begin() + static_cast<std::ptrdiff_t>(whole)))
            << size;
    }
}

TEST(route, length_of_a_header_is_known_from_its_beginning) {
    const header_shape shape{.hosts = 70, .ports = 16, .stops = 4};
    EXPECT_EQ(header_bytes_of(shape, header_of(unicast_route(1)).data()), 13u);
    EXPECT_EQ(header_bytes_of(shape, header_of(tree_route(shape, std::vector<std::uint32_t>{1})).data()), 19u);
    EXPECT_EQ(header_bytes_of(shape, header_of(ssr_route(shape, {1, 1})).data()), 14u);
    byte_list list = header_of(path_route(shape, std::vector<stop>{{1, 1}, {2, 1}}));
    EXPECT_EQ(header_bytes_of(shape, list.data()), 20u);
    list[10] = 4;
    EXPECT_EQ(header_bytes_of(shape, list.data()), 28u);
    for (const unsigned none : {0u, 5u, 255u}) {
        list[10] = static_cast<std::uint8_t>(none);
        EXPECT_EQ(header_bytes_of(shape, list.data()), 12u) << none;
    }
    list[0] = 0x14;
    EXPECT_EQ(header_bytes_of(shape, list.data()), 11u);  // a broadcast
    list[0] = 0x1f;
    EXPECT_EQ(header_bytes_of(shape, list.data()), 1u);
    EXPECT_EQ(longest_header_bytes(packet_kind::unicast, shape), 13u);
    EXPECT_EQ(longest_header_bytes(packet_kind::tree, shape), 19u);
    EXPECT_EQ(longest_header_bytes(packet_kind::ssr, shape), 14u);
    EXPECT_EQ(longest_header_bytes(packet_kind::path, shape), 28u);
    EXPECT_EQ(switch_header_bytes({.hosts = 300, .ports = 8, .stops = 1}), 48u);
}

}  // namespace
}  // namespace polycast::hw::format
