// SPDX-License-Identifier: Apache-2.0
// Packets at VL switches: addresses by LID and service level, groups, and pairs that tables lose.
#include <gtest/gtest.h>

#include "hw/delivery/scoreboard.h"
#include "hw/format/check_word.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {
namespace {

using format::packet_kind;

constexpr std::uint64_t seed = 7;
constexpr std::uint32_t cut = 16;
constexpr unsigned mlid = 0xc003;

/// Hosts 0, 1, 2 have LIDs 4, 8..9 and 16; 1 and 2 receive a group.
network_facts facts(lost_pairs lost = {}) {
    ni::lid_paths paths;
    paths.base = {4, 8, 16};
    paths.lmc = {0, 1, 0};
    paths.groups = {{}, {mlid}, {mlid}};
    network_facts made;
    made.lids = std::make_shared<const ni::lid_paths>(paths);
    if (!lost.empty()) made.lost = std::make_shared<const lost_pairs>(std::move(lost));
    return made;
}

message addressed(std::vector<std::uint32_t> hosts, format::stop address) {
    message made;
    made.created = 10;
    made.transfer = 1;
    made.kind = message_kind::worm;
    made.worm = packet_kind::lid;
    made.destinations = std::move(hosts);
    made.stops = {address};
    made.bytes = 12;
    return made;
}

message unicast(std::uint32_t host) {
    message made = addressed({host}, {});
    made.kind = message_kind::unicast;
    made.worm = packet_kind::tree;
    made.stops.clear();
    return made;
}

struct packet {
    std::vector<std::uint8_t> header = std::vector<std::uint8_t>(format::lid_header_bytes);
    format::transport_header transport;
    std::vector<std::uint8_t> payload;

    packet(const message& sent, unsigned dlid, unsigned sl) : payload(sent.bytes) {
        format::write_common({packet_kind::lid, false, 0, 0, static_cast<std::uint16_t>(sent.bytes)}, header.data());
        format::write_field<format::dlid_field>(header.data(), dlid);
        header[format::sl_field.offset / 8] = static_cast<std::uint8_t>(sl);
        transport.group = sent.group;
        transport.total = sent.bytes;
        fill_payload(seed, sent.transfer, payload);
    }
    void arrive(scoreboard& at, std::uint32_t host) const {
        std::array<std::uint8_t, format::transport_bytes> bytes;
        format::write_transport(transport, bytes.data());
        const std::uint32_t check = format::check_word(header.data(), bytes.data(), payload);
        at.arrived(20, {host, header, transport, {}, payload, check, true, 1});
    }
};

delivery_counts counts_of(const message& sent, unsigned dlid, unsigned sl, std::uint32_t host,
                          const network_facts& known) {
    scoreboard board{seed, {}, cut, known};
    board.created(0, sent);
    packet(sent, dlid, sl).arrive(board, host);
    return board.counts();
}

TEST(scoreboard_lid, a_unicast_may_have_any_lid_of_its_host) {
    EXPECT_EQ(counts_of(unicast(1), 8, 2, 1, facts()).delivered, 1u);
    EXPECT_EQ(counts_of(unicast(1), 9, 0, 1, facts()).delivered, 1u);
    EXPECT_EQ(counts_of(unicast(1), 10, 0, 1, facts()).corrupted, 1u);
    EXPECT_EQ(counts_of(unicast(1), 8, 0, 2, facts()).misdelivered, 1u);
}

TEST(scoreboard_lid, an_address_of_its_own_is_kept) {
    const message sent = addressed({1}, {9, 3});
    EXPECT_EQ(counts_of(sent, 9, 3, 1, facts()).delivered, 1u);
    EXPECT_EQ(counts_of(sent, 9, 4, 1, facts()).corrupted, 1u) << "another service level";
    EXPECT_EQ(counts_of(sent, 8, 3, 1, facts()).corrupted, 1u) << "another LID";
    EXPECT_EQ(counts_of(sent, 9, 3, 1, facts()).worms, 0u);
}

TEST(scoreboard_lid, a_group_is_delivered_to_its_members) {
    const message sent = addressed({1, 2}, {mlid, 5});
    scoreboard board{seed, {}, cut, facts()};
    board.created(0, sent);
    packet(sent, mlid, 5).arrive(board, 2);
    EXPECT_EQ(board.counts().delivered, 1u);
    EXPECT_EQ(board.counts().missing, 1u);
    packet(sent, mlid, 5).arrive(board, 1);
    EXPECT_EQ(board.counts().missing, 0u);
    EXPECT_EQ(counts_of(sent, mlid, 4, 1, facts()).corrupted, 1u);
    EXPECT_EQ(counts_of(addressed({1}, {mlid, 5}), mlid, 5, 2, facts()).misdelivered, 1u);
}

TEST(scoreboard_lid, lost_pairs_are_not_waited_for_and_must_not_come) {
    const network_facts known = facts({{0, 8}});
    scoreboard board{seed, {}, cut, known};
    board.created(0, unicast(1));
    EXPECT_TRUE(board.complete());
    EXPECT_EQ(board.counts().lost, 1u);
    EXPECT_EQ(board.counts().expected, 0u);
    EXPECT_EQ(counts_of(unicast(1), 8, 0, 1, known).misdelivered, 1u) << "it came";
    const delivery_counts elsewhere = counts_of(unicast(1), 8, 0, 2, known);
    EXPECT_TRUE(elsewhere.exactly_once()) << "at another host, which refuses it";
    EXPECT_EQ(counts_of(unicast(2), 16, 0, 2, known).delivered, 1u) << "others are expected";
    EXPECT_EQ(counts_of(addressed({1}, {9, 0}), 9, 0, 1, known).delivered, 1u) << "another LID of the host";
    EXPECT_EQ(counts_of(addressed({1}, {8, 1}), 8, 1, 1, known).misdelivered, 1u) << "whatever the service level";
}

}  // namespace
}  // namespace polycast::hw::traffic
