// SPDX-License-Identifier: Apache-2.0
#include "hw/format/check_word.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "hw/format/crc32c.h"
#include "hw/format/route.h"

namespace polycast::hw::format {
namespace {

using byte_list = std::vector<std::uint8_t>;

/// CRC-32C bit by bit, the slow way, as the oracle.
std::uint32_t crc_of(const byte_list& bytes) {
    std::uint32_t crc = 0xffffffffu;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
    }
    return ~crc;
}

/// The check word over `bytes`: common header, transport header, payload without a gap.
std::uint32_t check_of(const byte_list& bytes) {
    return check_word(bytes.data(), bytes.data() + common_header_bytes,
                      std::span(bytes).subspan(common_header_bytes + transport_bytes));
}

TEST(check_word, oracle_has_the_vectors_of_rfc_3720) {
    EXPECT_EQ(crc_of(byte_list(32, 0x00)), 0x8a9136aau);
    EXPECT_EQ(crc_of(byte_list(32, 0xff)), 0x62a8ab43u);
    byte_list rising(32);
    std::iota(rising.begin(), rising.end(), std::uint8_t{0});
    EXPECT_EQ(crc_of(rising), 0x46dd794eu);
}

TEST(crc32c, is_the_same_with_and_without_the_instruction) {
    byte_list bytes;
    for (unsigned i = 0; i < 300; ++i) bytes.push_back(static_cast<std::uint8_t>(i * i + 7 * i));
    // Words, what is left of them, and where they begin.
    for (std::size_t size = 0; size < 40; ++size) {
        for (std::size_t cut = 0; cut <= size; ++cut) {
            const byte_span all = byte_span(bytes).subspan(cut, size);
            const std::uint32_t wanted = crc_of({all.begin(), all.end()});
            EXPECT_EQ(crc32c(all.first(cut), all.subspan(cut)), wanted) << size << " " << cut;
            EXPECT_EQ(crc32c_portable(all.first(cut), all.subspan(cut)), wanted) << size << " " << cut;
            for (const bool portable : {false, true}) {
                crc32c_sum sum(portable);
                sum.add(all.first(cut));
                sum.add(all.subspan(cut));
                EXPECT_EQ(sum.value(), wanted) << size << " " << cut;
            }
        }
    }
    EXPECT_EQ(crc32c({}, bytes), crc_of(bytes));
}

TEST(check_word, is_crc_32c) {
    byte_list packet(100);
    std::iota(packet.begin(), packet.end(), std::uint8_t{0xa0});
    set_up(packet.data(), false);
    write_field<transport_hops_field>(&packet[common_header_bytes], 0);
    for (std::size_t size = common_header_bytes + transport_bytes; size <= packet.size(); size += 11) {
        const byte_list part(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_EQ(check_of(part), crc_of(part)) << size;
    }
}

TEST(check_word, covers_everything_but_the_up_bit_and_hops) {
    byte_list packet(60);
    std::iota(packet.begin(), packet.end(), std::uint8_t{100});
    const std::uint32_t good = check_of(packet);
    constexpr std::size_t hops = common_header_bits + transport_hops_field.offset;
    for (std::size_t bit = 0; bit < packet.size() * 8; ++bit) {
        packet[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
        const bool rewritten = bit == up_field.offset || (bit >= hops && bit < hops + transport_hops_field.bits);
        EXPECT_EQ(check_of(packet) == good, rewritten) << "bit " << bit;
        packet[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    }
}

constexpr header_shape shape{.hosts = 21, .ports = 8, .stops = 4};

/// A header of a kind, every byte different, and the places of its bits that nobody covers.
struct sample {
    byte_list header;
    std::vector<std::size_t> open;
};

std::vector<sample> samples() {
    const auto made = [](packet_kind kind, std::size_t bytes) {
        sample one{byte_list(bytes), {up_field.offset}};
        std::iota(one.header.begin(), one.header.end(), std::uint8_t{60});
        one.header[0] = static_cast<std::uint8_t>(0xa0u | static_cast<unsigned>(kind));
        return one;
    };
    std::vector<sample> all{made(packet_kind::unicast, unicast_header_bytes),
                            made(packet_kind::broadcast, broadcast_header_bytes),
                            made(packet_kind::ssr, ssr_header_bytes(shape))};
    all.push_back(made(packet_kind::tree, tree_header_bytes(shape.hosts)));
    for (std::size_t bit = common_header_bits; bit < all.back().header.size() * 8; ++bit)
        all.back().open.push_back(bit);
    all.push_back(made(packet_kind::path, path_header_bytes(shape, 3)));
    all.back().header[path_stops_field.offset / 8] = 3;
    for (std::size_t bit = 0; bit < path_next_field.bits; ++bit)
        all.back().open.push_back(path_next_field.offset + bit);
    return all;
}

byte_list transport_with(std::uint16_t hops) {
    byte_list transport(transport_bytes);
    write_transport({.process = 3, .group = 0x1234, .hops = hops, .message = 77, .offset = 640, .total = 1000},
                    transport.data());
    return transport;
}

TEST(check_word, over_the_route_covers_what_no_switch_rewrites) {
    const byte_list transport = transport_with(5);
    const byte_list payload{1, 2, 3, 4, 5};
    for (const auto& [header, open] : samples()) {
        byte_list all;
        for (std::size_t byte = 0; byte < header.size(); ++byte) all.push_back(header[byte]);
        for (const std::size_t bit : open) all[bit / 8] &= static_cast<std::uint8_t>(~(1u << bit % 8));
        if ((header[0] & 0xf) == static_cast<unsigned>(packet_kind::tree)) all.resize(common_header_bytes);
        all.insert(all.end(), transport.begin(), transport.end());
        all.insert(all.end(), payload.begin(), payload.end());
        const std::uint32_t good = check_word(check_cover::route, header, transport.data(), payload);
        EXPECT_EQ(good, crc_of(all)) << "kind " << (header[0] & 0xf);
        byte_list flipped = header;
        // Not the kind, which says how the route is read, nor the length of a list.
        for (std::size_t bit = kind_field.bits; bit < header.size() * 8; ++bit) {
            if (bit / 8 == path_stops_field.offset / 8) continue;
            flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
            EXPECT_EQ(check_word(check_cover::route, flipped, transport.data(), payload) == good,
                      std::ranges::count(open, bit) != 0)
                << "kind " << (header[0] & 0xf) << " bit " << bit;
            flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
        }
        for (std::size_t bit = 0; bit < transport.size() * 8; ++bit) {
            byte_list other = transport;
            other[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
            EXPECT_NE(check_word(check_cover::route, header, other.data(), payload), good) << bit;
        }
    }
}

/// From one cover to the other, and from one route to another, without the payload.
TEST(check_word, changes_with_route_and_hops) {
    const byte_list transport = transport_with(0xabcd);
    for (const std::size_t bytes : {0, 1, 3, 128, 65535}) {
        byte_list payload(bytes);
        std::iota(payload.begin(), payload.end(), std::uint8_t{9});
        for (const auto& [header, open] : samples()) {
            const std::uint32_t plain = check_word(header.data(), transport.data(), payload);
            EXPECT_EQ(check_word(check_cover::payload, header, transport.data(), payload), plain);
            EXPECT_EQ(route_share(check_cover::payload, header, 0xabcd, bytes), 0u);
            EXPECT_EQ(plain ^ route_share(check_cover::route, header, 0xabcd, bytes),
                      check_word(check_cover::route, header, transport.data(), payload))
                << "kind " << (header[0] & 0xf) << ", " << bytes << " bytes";
            byte_list other = header;
            write_common({.source = 99, .sequence = 3, .length = 7, .vc_class = 5}, other.data());
            EXPECT_EQ(plain ^ common_change(header.data(), other.data(), bytes),
                      check_word(other.data(), transport.data(), payload));
        }
    }
}

TEST(crc32c, differences_go_through_what_follows) {
    for (const std::size_t bytes : {0, 1, 2, 7, 100, 4096}) {
        byte_list first{0x12, 0x34, 0x56}, second{0x9a};
        const std::uint32_t difference = crc_of(first) ^ crc_of(second);
        for (std::size_t i = 0; i < bytes; ++i) {
            first.push_back(static_cast<std::uint8_t>(i * 3));
            second.push_back(static_cast<std::uint8_t>(i * 3));
        }
        EXPECT_EQ(crc32c_behind(difference, bytes), crc_of(first) ^ crc_of(second)) << bytes;
    }
}

}  // namespace
}  // namespace polycast::hw::format
