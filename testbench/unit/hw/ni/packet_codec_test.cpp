// SPDX-License-Identifier: Apache-2.0
// From slot to link and back, for every width, and what becomes of packets that lie.
#include "hw/ni/packet_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "hw/format/check_word.h"
#include "hw/format/route.h"

namespace polycast::hw::ni {
namespace {

using format::packet_kind;
using testing::Each;

using byte_list = std::vector<std::uint8_t>;

struct shape {
    unsigned flit_bytes;
    bool free;
    format::check_cover check = format::check_cover::payload;
    bool jobs = false;
};

ni_params params_of(const shape& given, std::uint32_t host = 9, std::uint32_t hosts = 13) {
    ni_params params;
    params.host = host;
    params.hosts = hosts;
    params.flit_bytes = given.flit_bytes;
    params.header_bytes = given.free ? format::free_header_bytes({.hosts = hosts}) : 0;
    params.check = given.check;
    params.jobs = given.jobs;
    params.payload_bytes = 50;
    return params;
}

void put(byte_list& slot, slot_word which, std::uint32_t value) {
    put_bytes(&slot[static_cast<std::size_t>(which)], 4, value);
}
std::uint32_t word(const byte_list& slot, slot_word which) {
    return get_bytes(&slot[static_cast<std::size_t>(which)], 4);
}

/// A slot with a packet of `length` bytes from host 4, every field different.
byte_list slot_with(const ni_params& params, packet_kind kind, std::uint16_t length) {
    byte_list slot(slot_bytes(params));
    put(slot, slot_word::kind, static_cast<std::uint32_t>(kind) | std::uint32_t{length} << 16);
    put(slot, slot_word::source, 4);
    put(slot, slot_word::sequence, 0x01020304);
    put(slot, slot_word::processes, 0x77665501);
    put(slot, slot_word::group, 0x4321);
    put(slot, slot_word::message, 0x11111111);
    put(slot, slot_word::offset, 0x22222222);
    put(slot, slot_word::total, 0x33333333);
    put(slot, slot_word::tag, 0x44444444);
    std::iota(slot.begin() + 64, slot.begin() + 64 + length, std::uint8_t{200});
    return slot;
}

/// A push of it, to this host whatever the kind: a tree worm to hosts 0, 2 and 9, an SSR worm, a path of two stops.
push_request push_of(const ni_params& params, packet_kind kind, bool seal = true) {
    push_request request{.destination = 9, .hops = 0x0807, .seal = seal, .kind = kind};
    request.job = 0xa5b6c7d8;
    const std::vector<format::stop> stops{{3, 0x01}, {0x1234, 0x82}};
    if (kind == packet_kind::tree) request.route = {0x05, 0x02};
    if (kind == packet_kind::ssr) request.route = format::ssr_route(params.header_shape(), {7, 0x21}).field;
    if (kind == packet_kind::path) request.route = format::path_route(params.header_shape(), stops).field;
    return request;
}

constexpr std::array kinds{packet_kind::unicast, packet_kind::tree, packet_kind::ssr, packet_kind::path};

arrival arrived(const ni_params& params, const link_packet& packet) {
    arrival from;
    from.packet = packet;
    from.flits = packet.flits.size() / params.flit_bytes;
    from.ended = true;
    return from;
}

constexpr std::uint32_t bit(packet_status status) {
    return static_cast<std::uint32_t>(status);
}

class packet_codec : public testing::TestWithParam<shape> {};

TEST_P(packet_codec, every_field_and_byte_arrives) {
    const ni_params params = params_of(GetParam());
    for (const packet_kind kind : kinds) {
        for (std::uint16_t length = 1; length <= 50; ++length) {
            const byte_list slot = slot_with(params, kind, length);
            const push_request request = push_of(params, kind);
            ASSERT_TRUE(sendable(params, slot, request));
            link_packet packet;
            build_packet(params, slot, request, packet);
            ASSERT_EQ(packet.flits.size() % params.flit_bytes, 0u);
            EXPECT_LE(packet.flits.size(), longest_packet(params));
            const arrival from = arrived(params, packet);
            received_packet seen;
            const std::uint32_t status = parse_packet(params, from, seen);
            EXPECT_EQ(status, 0u);
            EXPECT_TRUE(seen.complete);
            EXPECT_EQ(seen.payload.size(), length);
            ASSERT_EQ(seen.job.size(), params.jobs ? 4u : 0u);
            if (params.jobs) {
                EXPECT_EQ(get_bytes(seen.job.data(), 4), 0xa5b6c7d8u);
            }
            if (kind != packet_kind::unicast) {
                EXPECT_TRUE(std::ranges::equal(seen.header.subspan(format::common_header_bytes), request.route));
            }
            byte_list copy(slot_bytes(params));
            fill_slot(params, seen, status, copy);
            EXPECT_EQ(word(copy, slot_word::group), 0x08074321u);
            EXPECT_EQ(word(copy, slot_word::destination), kind == packet_kind::unicast ? 9u : 0u);
            EXPECT_EQ(
                word(copy, slot_word::check),
                seen.check ^ format::route_share(params.check, seen.header, request.hops, length + seen.job.size()));
            EXPECT_EQ(word(copy, slot_word::status), from.flits << 16);
            // Everything else is as it was.
            for (const slot_word ours : {slot_word::group, slot_word::destination, slot_word::check, slot_word::status})
                put(copy, ours, word(slot, ours));
            EXPECT_EQ(copy, slot) << length;
        }
    }
}

TEST_P(packet_codec, has_the_length_in_flits_that_the_format_says) {
    const ni_params params = params_of(GetParam());
    const auto flits = [&](std::size_t bytes) { return (bytes + params.flit_bytes - 1) / params.flit_bytes; };
    const std::size_t body = GetParam().jobs ? 4 + 37 : 37;
    link_packet packet;
    build_packet(params, slot_with(params, packet_kind::unicast, 37), {.destination = 9}, packet);
    EXPECT_EQ(packet.flits.size() / params.flit_bytes,
              GetParam().free ? flits(body) : flits(13) + flits(24 + body + 4));
    // Bit string of 13 hosts; a stop of 2 + 1 bytes; 2 bytes and two stops.
    const std::array headers{13u, 10u + 2, 10u + 3, 10u + 2 + 2 * 3};
    for (std::size_t which = 0; which < kinds.size(); ++which) {
        build_packet(params, slot_with(params, kinds[which], 37), push_of(params, kinds[which]), packet);
        EXPECT_EQ(packet.flits.size() / params.flit_bytes,
                  GetParam().free ? flits(body) : flits(headers[which]) + flits(24 + body + 4));
    }
}

TEST_P(packet_codec, a_forwarded_packet_keeps_its_check_word_and_is_still_right) {
    const ni_params params = params_of(GetParam());
    link_packet packet;
    build_packet(params, slot_with(params, packet_kind::unicast, 20), {.destination = 9, .hops = 5, .seal = true},
                 packet);
    received_packet seen;
    const arrival first = arrived(params, packet);
    byte_list slot(slot_bytes(params));
    fill_slot(params, seen, parse_packet(params, first, seen), slot);
    fill_slot(params, seen, 0, slot);
    link_packet onward;
    build_packet(params, slot, {.destination = 3, .hops = 4, .seal = false}, onward);
    ni_params third = params;
    third.host = 3;
    const arrival second = arrived(third, onward);
    EXPECT_EQ(parse_packet(third, second, seen), 0u);
    EXPECT_EQ(seen.transport.hops, 4);
    put(slot, slot_word::check, word(slot, slot_word::check) ^ 1);
    build_packet(params, slot, {.destination = 3, .seal = false}, onward);
    const arrival broken = arrived(third, onward);
    EXPECT_EQ(parse_packet(third, broken, seen), bit(packet_status::bad_check));
}

/// A worm that an interface forwards as a worm of its own kind, with another route.
TEST_P(packet_codec, a_forwarded_worm_is_still_right) {
    const ni_params params = params_of(GetParam());
    for (const packet_kind kind : kinds) {
        link_packet packet;
        build_packet(params, slot_with(params, kind, 33), push_of(params, kind), packet);
        const arrival first = arrived(params, packet);
        received_packet seen;
        byte_list slot(slot_bytes(params));
        const std::uint32_t status = parse_packet(params, first, seen);
        fill_slot(params, seen, status, slot);
        push_request onward = push_of(params, kind, false);
        onward.hops = 3;
        if (kind == packet_kind::tree) onward.route = {0x00, 0x12};
        if (kind == packet_kind::ssr) onward.route = format::ssr_route(params.header_shape(), {8, 0x02}).field;
        if (kind == packet_kind::path)
            onward.route = format::path_route(params.header_shape(), std::vector<format::stop>{{9, 0x40}}).field;
        build_packet(params, slot, onward, packet);
        EXPECT_EQ(parse_packet(params, arrived(params, packet), seen), 0u) << static_cast<unsigned>(kind);
        EXPECT_EQ(seen.transport.hops, 3);
    }
}

/// What flips in an interface's memory is found by the next one.
TEST_P(packet_codec, any_bit_that_flips_in_a_slot_is_noticed_where_it_goes) {
    const ni_params params = params_of(GetParam());
    link_packet packet;
    build_packet(params, slot_with(params, packet_kind::unicast, 20), push_of(params, packet_kind::unicast), packet);
    received_packet seen;
    byte_list slot(slot_bytes(params));
    const arrival first = arrived(params, packet);
    const std::uint32_t status = parse_packet(params, first, seen);
    fill_slot(params, seen, status, slot);
    const auto place = [](slot_word which, unsigned behind) { return static_cast<std::size_t>(which) * 8 + behind; };
    for (std::size_t flip = 0; flip < (slot_header_bytes + 20) * 8; ++flip) {
        // Nothing of these leaves: four bits behind the kind, the top of the source, destination, bits behind the op,
        // hops, status, words of firmware. Kind and length say how to read the packet.
        if (flip < place(slot_word::kind, 5) ||
            (flip >= place(slot_word::kind, 8) && flip < place(slot_word::source, 0)))
            continue;
        if (flip >= place(slot_word::source, 24) && flip < place(slot_word::sequence, 0)) continue;
        if (flip >= place(slot_word::destination, 0) && flip < place(slot_word::processes, 0)) continue;
        if (flip >= place(slot_word::processes, 5) && flip < place(slot_word::processes, 8)) continue;
        if (flip >= place(slot_word::group, 16) && flip < place(slot_word::message, 0)) continue;
        if (flip >= place(slot_word::status, 0) && flip < slot_header_bytes * 8) continue;
        byte_list flipped = slot;
        flipped[flip / 8] ^= static_cast<std::uint8_t>(1u << flip % 8);
        build_packet(params, flipped, {.destination = 9, .hops = 4}, packet);
        EXPECT_EQ(parse_packet(params, arrived(params, packet), seen), bit(packet_status::bad_check)) << flip;
    }
}

TEST_P(packet_codec, a_flipped_bit_of_the_route_is_noticed_where_check_words_cover_it) {
    const ni_params params = params_of(GetParam());
    const bool covered = params.check == format::check_cover::route;
    link_packet packet;
    received_packet seen;
    for (const packet_kind kind : {packet_kind::unicast, packet_kind::ssr, packet_kind::path}) {
        build_packet(params, slot_with(params, kind, 20), push_of(params, kind), packet);
        const arrival good = arrived(params, packet);
        ASSERT_EQ(parse_packet(params, good, seen), 0u);
        const std::size_t bytes = seen.header.size();
        for (std::size_t flip = format::common_header_bits; flip < bytes * 8; ++flip) {
            if (kind == packet_kind::path && flip < format::path_list_field.offset) continue;  // its length, and next
            arrival bad = good;
            std::vector<std::uint8_t>& first = GetParam().free ? bad.packet.header : bad.packet.flits;
            first[flip / 8] ^= static_cast<std::uint8_t>(1u << flip % 8);
            const std::uint32_t status = parse_packet(params, bad, seen);
            EXPECT_EQ((status & bit(packet_status::bad_check)) != 0, covered)
                << static_cast<unsigned>(kind) << " " << flip;
        }
    }
}

/// Each interface on the way draws a path of its own, in a class of virtual channels of its own.
TEST_P(packet_codec, a_packet_forwarded_on_another_path_is_still_right) {
    ni_params params = params_of(GetParam(), 0, 12);
    params.header_stops = 0;
    params.paths = {.group_hosts = 3, .groups = 4, .seed = 5};
    std::array<unsigned, 2> kept{};
    for (std::uint32_t sequence = 0; sequence < 50; ++sequence) {
        byte_list slot = slot_with(params, packet_kind::unicast, 20);
        put(slot, slot_word::sequence, sequence);
        link_packet packet;
        const auto hop = [&](std::uint32_t from, std::uint32_t to, bool seal) {
            ni_params here = params, there = params;
            here.host = from;
            there.host = to;
            build_packet(here, slot, {.destination = to, .hops = 2, .seal = seal}, packet);
            std::vector<std::uint8_t>& first = GetParam().free ? packet.header : packet.flits;
            const std::uint32_t address = format::destination_of(first.data());
            EXPECT_EQ(params.paths.host_of(address), to);
            format::write_field<format::destination_field>(first.data(), to);  // as link-in does
            received_packet seen;
            const arrival in = arrived(there, packet);
            EXPECT_EQ(parse_packet(there, in, seen), 0u) << sequence;
            std::ranges::fill(slot, std::uint8_t{0});
            fill_slot(there, seen, 0, slot);
            return format::read_common(first.data()).vc_class;
        };
        const unsigned first = hop(0, 4, true);
        ++kept[first == hop(4, 7, false)];
    }
    EXPECT_GT(kept[0], 0u);
    EXPECT_GT(kept[1], 0u);
}

TEST_P(packet_codec, any_flipped_payload_bit_is_noticed) {
    const ni_params params = params_of(GetParam());
    link_packet packet;
    build_packet(params, slot_with(params, packet_kind::unicast, 20), {.destination = 9, .seal = true}, packet);
    received_packet seen;
    const arrival good = arrived(params, packet);
    parse_packet(params, good, seen);
    const auto at = static_cast<std::size_t>(seen.payload.data() - good.packet.flits.data());
    for (std::size_t which = 0; which < 20 * 8; ++which) {
        arrival bad = good;
        bad.packet.flits[at + which / 8] ^= static_cast<std::uint8_t>(1u << which % 8);
        EXPECT_EQ(parse_packet(params, bad, seen), bit(packet_status::bad_check)) << which;
    }
}

TEST_P(packet_codec, a_flipped_bit_of_the_job_is_noticed_also_where_it_goes_on) {
    const ni_params params = params_of(GetParam());
    if (!params.jobs) return;
    link_packet packet;
    build_packet(params, slot_with(params, packet_kind::unicast, 20), push_of(params, packet_kind::unicast), packet);
    received_packet seen;
    const arrival good = arrived(params, packet);
    byte_list slot(slot_bytes(params));
    fill_slot(params, seen, parse_packet(params, good, seen), slot);
    const auto at = static_cast<std::size_t>(seen.job.data() - good.packet.flits.data());
    fill_slot(params, seen, 0, slot);
    for (unsigned which = 0; which < 32; ++which) {
        arrival bad = good;
        bad.packet.flits[at + which / 8] ^= static_cast<std::uint8_t>(1u << which % 8);
        EXPECT_EQ(parse_packet(params, bad, seen), bit(packet_status::bad_check)) << which;
        push_request onward = push_of(params, packet_kind::unicast, false);
        build_packet(params, slot, onward, packet);
        EXPECT_EQ(parse_packet(params, arrived(params, packet), seen), 0u);
        onward.job ^= 1u << which;
        build_packet(params, slot, onward, packet);
        EXPECT_EQ(parse_packet(params, arrived(params, packet), seen), bit(packet_status::bad_check)) << which;
    }
}

TEST_P(packet_codec, every_cut_is_noticed) {
    const ni_params params = params_of(GetParam());
    for (const packet_kind kind : kinds) {
        link_packet packet;
        build_packet(params, slot_with(params, kind, 41), push_of(params, kind), packet);
        for (std::size_t bytes = 0; bytes < packet.flits.size(); bytes += params.flit_bytes) {
            link_packet shorter = packet;
            shorter.flits.resize(bytes);
            received_packet seen;
            const arrival from = arrived(params, shorter);
            const std::uint32_t status = parse_packet(params, from, seen);
            EXPECT_TRUE(status & bit(packet_status::incomplete)) << bytes;
            EXPECT_FALSE(seen.complete);
            byte_list slot(slot_bytes(params));
            fill_slot(params, seen, status, slot);
            EXPECT_EQ(word(slot, slot_word::check), 0u);
        }
    }
}

TEST_P(packet_codec, no_length_field_gets_a_byte_out_of_its_slot) {
    const ni_params params = params_of(GetParam());
    for (const packet_kind kind : {kinds[0], kinds[1], kinds[2], kinds[3], static_cast<packet_kind>(7)}) {
        link_packet packet;
        const packet_kind built = kind <= packet_kind::path ? kind : packet_kind::unicast;
        build_packet(params, slot_with(params, built, 50), push_of(params, built), packet);
        std::vector<std::uint8_t>& first = GetParam().free ? packet.header : packet.flits;
        for (const unsigned length : {0u, 1u, 49u, 51u, 54u, 55u, 100u, 65535u}) {
            for (const std::size_t extra : {0u, 1u, 7u, 1000u}) {
                format::write_common({kind, true, 4, 1, static_cast<std::uint16_t>(length)}, first.data());
                link_packet lying = packet;
                lying.flits.resize(std::min(packet.flits.size() + extra * params.flit_bytes, longest_packet(params)),
                                   0xee);
                arrival from = arrived(params, lying);
                from.flits = packet.flits.size() / params.flit_bytes + extra;
                received_packet seen;
                const std::uint32_t status = parse_packet(params, from, seen);
                EXPECT_NE(status, 0u);
                byte_list guarded(slot_bytes(params) + 64, 0xcd);
                fill_slot(params, seen, status, std::span(guarded).first(slot_bytes(params)));
                EXPECT_THAT(std::span(guarded).last(64), Each(0xcd));
            }
        }
    }
}

TEST_P(packet_codec, tells_unknown_kinds_other_hosts_and_missing_heads_apart) {
    const ni_params params = params_of(GetParam());
    link_packet packet;
    received_packet seen;
    build_packet(params, slot_with(params, packet_kind::unicast, 20), {.destination = 8, .seal = true}, packet);
    EXPECT_EQ(parse_packet(params, arrived(params, packet), seen), bit(packet_status::not_mine));
    build_packet(params, slot_with(params, packet_kind::tree, 20), push_of(params, packet_kind::tree), packet);
    ni_params other = params;
    other.host = 1;
    EXPECT_EQ(parse_packet(other, arrived(other, packet), seen), bit(packet_status::not_mine));
    build_packet(params, slot_with(params, packet_kind::unicast, 20), {.destination = 9, .seal = true}, packet);
    std::vector<std::uint8_t>& first = GetParam().free ? packet.header : packet.flits;
    first[0] = static_cast<std::uint8_t>((first[0] & 0xf0) | 0xe);
    EXPECT_EQ(parse_packet(params, arrived(params, packet), seen) & ~bit(packet_status::bad_check),
              bit(packet_status::unknown_kind));
    for (const unsigned stops : {0u, 9u, 255u}) {
        build_packet(params, slot_with(params, packet_kind::path, 20), push_of(params, packet_kind::path), packet);
        first[format::path_stops_field.offset / 8] = static_cast<std::uint8_t>(stops);
        EXPECT_TRUE(parse_packet(params, arrived(params, packet), seen) & bit(packet_status::unknown_kind)) << stops;
    }
    arrival headless = arrived(params, packet);
    headless.headless = true;
    EXPECT_EQ(parse_packet(params, headless, seen), bit(packet_status::incomplete));
    EXPECT_TRUE(seen.header.empty());
    byte_list slot(slot_bytes(params));
    fill_slot(params, seen, bit(packet_status::incomplete), slot);
    EXPECT_EQ(word(slot, slot_word::kind), 0u);
}

TEST_P(packet_codec, only_what_a_switch_can_route_is_sendable) {
    const ni_params params = params_of(GetParam());
    byte_list slot = slot_with(params, packet_kind::unicast, 50);
    EXPECT_TRUE(sendable(params, slot, {.destination = 12}));
    EXPECT_FALSE(sendable(params, slot, {.destination = 13}));
    for (const auto& [length, right] :
         std::vector<std::pair<std::uint32_t, bool>>{{0, false}, {1, true}, {50, true}, {51, false}, {65535, false}}) {
        put(slot, slot_word::kind, length << 16);
        EXPECT_EQ(sendable(params, slot, {.destination = 1}), right) << length;
    }
    for (std::uint32_t kind = 1; kind < 16; ++kind) {
        put(slot, slot_word::kind, 20u << 16 | kind);
        EXPECT_FALSE(sendable(params, slot, {.destination = 1})) << "another kind at the push";
        const push_request request{.destination = 1, .kind = static_cast<packet_kind>(kind)};
        EXPECT_FALSE(sendable(params, slot, request)) << "no route, kind " << kind;
    }
    // Routes of a wrong length.
    for (const packet_kind kind : {packet_kind::tree, packet_kind::ssr, packet_kind::path}) {
        slot = slot_with(params, kind, 50);
        push_request request = push_of(params, kind);
        EXPECT_TRUE(sendable(params, slot, request));
        request.route.push_back(0);
        EXPECT_FALSE(sendable(params, slot, request));
        request.route.resize(request.route.size() - 2);
        EXPECT_FALSE(sendable(params, slot, request));
    }
    push_request path = push_of(params, packet_kind::path);
    for (const unsigned stops : {0u, 9u, 255u}) {
        path.route[0] = static_cast<std::uint8_t>(stops);
        path.route.resize(2 + 3 * stops);
        EXPECT_FALSE(sendable(params, slot, path)) << stops;
        EXPECT_EQ(route_bytes(params, packet_kind::path, static_cast<std::uint8_t>(stops)), 0u);
    }
    EXPECT_EQ(route_bytes(params, packet_kind::path, 8), 2u + 8 * 3);
}

TEST_P(packet_codec, only_bits_of_hosts_go_out) {
    const ni_params params = params_of(GetParam());
    const byte_list slot = slot_with(params, packet_kind::tree, 50);
    push_request tree{.kind = packet_kind::tree, .route = {0x00, 0x10}};
    EXPECT_TRUE(sendable(params, slot, tree));
    tree.route = {0x00, 0xe0};
    EXPECT_FALSE(sendable(params, slot, tree)) << "bits of no host";
    link_packet packet;
    tree.route = {0x00, 0xf0};
    build_packet(params, slot, tree, packet);
    EXPECT_EQ((GetParam().free ? packet.header : packet.flits)[11], 0x10);
}

constexpr format::check_cover route = format::check_cover::route;

INSTANTIATE_TEST_SUITE_P(widths, packet_codec,
                         testing::Values(shape{1, false}, shape{2, false}, shape{3, false}, shape{8, false},
                                         shape{64, false}, shape{1, true}, shape{4, true}, shape{64, true},
                                         shape{1, false, route}, shape{13, false, route}, shape{4, true, route},
                                         shape{64, true, route}, shape{1, false, route, true},
                                         shape{8, false, {}, true}, shape{1, true, {}, true}, shape{64, true, {}, true},
                                         shape{4, true, route, true}));

}  // namespace
}  // namespace polycast::hw::ni
