// SPDX-License-Identifier: Apache-2.0
// SSR and path worms at the scoreboard, and duplicates that are counted instead of refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "hw/delivery/scoreboard.h"
#include "hw/format/check_word.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {
namespace {

using format::packet_kind;
using testing::IsEmpty;

constexpr std::uint64_t seed = 7;
constexpr std::uint32_t bytes = 40;
constexpr std::uint32_t cut = 16;

/// Host h is on port h % 4 of switch h / 4.
network_facts facts() {
    network_facts known;
    known.shape = {12, 8, 3};
    for (std::uint32_t host = 0; host < 12; ++host) known.places.push_back({host / 4, std::uint64_t{1} << host % 4});
    return known;
}

message worm(packet_kind kind, std::vector<std::uint32_t> destinations, std::vector<format::stop> stops = {}) {
    message made;
    made.created = 10;
    made.transfer = 5;
    made.kind = message_kind::worm;
    made.worm = kind;
    made.destinations = std::move(destinations);
    made.stops = std::move(stops);
    made.bytes = bytes;
    return made;
}

/// To host 1 on switch 0, hosts 5 and 7 on switch 1, host 8 on switch 2.
message path() {
    return worm(packet_kind::path, {1, 5, 7, 8}, {{0, 2}, {1, 10}, {2, 1}});
}

/// A packet as an interface would take it off the link, open to damage.
struct packet {
    std::vector<std::uint8_t> header;
    format::transport_header transport;
    std::vector<std::uint8_t> payload;

    packet(const message& sent, const format::route& route, std::uint32_t offset)
        : header(format::common_header_bytes), payload(std::min(cut, bytes - offset)) {
        format::write_common({route.kind, false, 3, 0, static_cast<std::uint16_t>(payload.size())}, header.data());
        header.insert(header.end(), route.field.begin(), route.field.end());
        transport.message = sent.number;
        transport.group = sent.group;
        transport.hops = sent.hops;
        transport.offset = offset;
        transport.total = bytes;
        fill_payload(seed, sent.transfer, payload, offset);
    }

    void arrive(scoreboard& board, std::uint32_t host) const {
        std::vector<std::uint8_t> words(format::transport_bytes);
        format::write_transport(transport, words.data());
        board.arrived(
            20,
            {host, header, transport, {}, payload, format::check_word(header.data(), words.data(), payload), true, 1});
    }
};

packet path_packet(const message& sent, unsigned next, std::uint32_t offset = 0) {
    packet made(sent, format::path_route(facts().shape, sent.stops), offset);
    format::write_field<format::path_next_field>(made.header.data(), next);
    return made;
}

/// Whether a packet of `sent` at a host is what it should be.
bool good(const message& sent, const packet& arriving, std::uint32_t host) {
    scoreboard board{seed, {}, cut, facts()};
    board.created(3, sent);
    arriving.arrive(board, host);
    const delivery_counts counts = board.counts();
    EXPECT_EQ(counts.delivered + counts.corrupted + counts.misdelivered, 1u);
    EXPECT_EQ(board.faults().empty(), counts.delivered == 1);
    return counts.delivered == 1;
}

TEST(scoreboard_worm, a_path_worm_reaches_a_host_from_the_stop_that_names_it) {
    const message sent = path();
    EXPECT_TRUE(good(sent, path_packet(sent, 0), 1));
    EXPECT_TRUE(good(sent, path_packet(sent, 1), 5));
    EXPECT_TRUE(good(sent, path_packet(sent, 1), 7));
    EXPECT_TRUE(good(sent, path_packet(sent, 2), 8));
    EXPECT_FALSE(good(sent, path_packet(sent, 0), 5));  // another switch's copy
    EXPECT_FALSE(good(sent, path_packet(sent, 2), 5));
    EXPECT_FALSE(good(sent, path_packet(sent, 3), 8));  // past the end
    EXPECT_FALSE(good(sent, path_packet(sent, 1), 6));  // on a switch of the list, but not named
}

TEST(scoreboard_worm, a_path_worm_keeps_its_stops) {
    const message sent = path();
    message other = sent;
    other.stops[2].ports = 4;
    EXPECT_FALSE(good(sent, path_packet(other, 1), 5));
    other = sent;
    other.stops.pop_back();
    EXPECT_FALSE(good(sent, path_packet(other, 1), 5));
    message tree = worm(packet_kind::tree, sent.destinations);
    EXPECT_FALSE(good(sent, packet(tree, format::tree_route(facts().shape, std::vector<std::uint32_t>{5}), 0), 5));
    EXPECT_FALSE(good(tree, path_packet(sent, 1), 5));
}

TEST(scoreboard_worm, an_ssr_worm_names_the_switch_and_port_of_its_host) {
    const message sent = worm(packet_kind::ssr, {5, 7}, {{1, 10}});
    const auto ssr = [&](format::stop where) { return packet(sent, format::ssr_route(facts().shape, where), 0); };
    EXPECT_TRUE(good(sent, ssr({1, 10}), 5));
    EXPECT_TRUE(good(sent, ssr({1, 10}), 7));
    EXPECT_FALSE(good(sent, ssr({1, 2}), 5));  // not the one that was sent
    EXPECT_FALSE(good(sent, ssr({2, 10}), 5));
    const message wrong = worm(packet_kind::ssr, {5, 6}, {{1, 10}});  // a plan that says port 3 for host 6
    EXPECT_FALSE(good(wrong, packet(wrong, format::ssr_route(facts().shape, {1, 10}), 0), 6));
}

// Interfaces forward on several worms; each has to name the host that it comes to.
TEST(scoreboard_worm, packets_of_a_group_come_on_any_of_its_worms) {
    message sent = path();
    sent.kind = message_kind::group;
    sent.stops.clear();
    sent.group = 0;
    sent.hops = 3;
    message one = sent;
    one.stops = {{1, 2}, {2, 1}};
    EXPECT_TRUE(good(sent, path_packet(one, 0), 5));
    EXPECT_TRUE(good(sent, path_packet(one, 1), 8));
    EXPECT_FALSE(good(sent, path_packet(one, 0), 7));
}

TEST(scoreboard_worm, a_worm_is_complete_when_all_its_hosts_have_it) {
    const message sent = path();
    scoreboard board{seed, {}, cut, facts()};
    board.created(3, sent);
    std::vector<std::uint8_t> content(bytes);
    fill_payload(seed, sent.transfer, content);
    for (const auto& [host, stop] : {std::pair{1u, 0u}, {5u, 1u}, {7u, 1u}, {8u, 2u}}) {
        EXPECT_FALSE(board.complete());
        for (std::uint32_t offset = 0; offset < bytes; offset += cut)
            path_packet(sent, stop, offset).arrive(board, host);
        board.delivered(30, host, 3, 0, content);
    }
    EXPECT_TRUE(board.complete());
    EXPECT_TRUE(board.counts().exactly_once());
    EXPECT_EQ(board.counts().worms, 3u);
    EXPECT_EQ(board.counts().worms_duplicated, 0u);
}

TEST(scoreboard_worm, duplicates_can_be_counted) {
    for (const bool counted : {false, true}) {
        network_facts known = facts();
        known.rewritten = false;
        known.count_duplicates = counted;
        scoreboard board{seed, {}, cut, known};
        const message sent = worm(packet_kind::tree, {1, 5});
        board.created(3, sent);
        const auto arrive = [&](std::uint32_t offset, std::uint32_t host) {
            packet(sent, format::tree_route(known.shape, sent.destinations), offset).arrive(board, host);
        };
        std::vector<std::uint8_t> content(bytes);
        fill_payload(seed, sent.transfer, content);
        for (const std::uint32_t host : {1u, 5u}) {
            for (const std::uint32_t offset : {0u, 16u, 32u}) arrive(offset, host);
            arrive(16, host);  // at host 5 after all is complete
        }
        for (const std::uint32_t host : {1u, 5u}) board.delivered(30, host, 3, 0, content);
        arrive(0, 5);
        board.delivered(40, 5, 3, 0, content);
        EXPECT_EQ(board.counts().delivered, 6u);
        EXPECT_EQ(board.counts().duplicated, 3u);
        EXPECT_EQ(board.counts().messages.duplicated, 1u);
        EXPECT_EQ(board.counts().worms, 3u);
        EXPECT_EQ(board.counts().worms_duplicated, 2u);
        EXPECT_TRUE(board.counts().all_there());
        EXPECT_FALSE(board.counts().exactly_once());
        EXPECT_EQ(board.faults().empty(), counted);
        EXPECT_TRUE(board.complete());
    }
}

TEST(scoreboard_worm, a_copy_without_rewriting_names_all_destinations) {
    network_facts known = facts();
    known.rewritten = false;
    scoreboard board{seed, {}, cut, known};
    const message sent = worm(packet_kind::tree, {1, 5});
    board.created(3, sent);
    packet(sent, format::tree_route(known.shape, std::vector<std::uint32_t>{1}), 0).arrive(board, 1);
    EXPECT_EQ(board.counts().corrupted, 1u);
    packet(sent, format::tree_route(known.shape, std::vector<std::uint32_t>{1, 5, 6}), 0).arrive(board, 1);
    EXPECT_EQ(board.counts().corrupted, 2u);
    packet(sent, format::tree_route(known.shape, sent.destinations), 0).arrive(board, 1);
    EXPECT_EQ(board.counts().delivered, 1u);
}

}  // namespace
}  // namespace polycast::hw::traffic
