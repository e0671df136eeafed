// SPDX-License-Identifier: Apache-2.0
// Every class of fault must be seen, and only faults.
#include "hw/traffic/scoreboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/format/header.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {
namespace {

using format::packet_kind;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t seed = 7;
constexpr std::uint32_t hosts = 20;

/// A packet as a host would hand it over, open to damage.
struct packet {
    std::vector<std::uint8_t> header;
    std::vector<std::uint8_t> transport;
    std::vector<std::uint8_t> payload;
    std::uint32_t check = 0;
    bool complete = true;

    packet(packet_kind kind, std::uint32_t source, std::uint32_t sequence, std::uint16_t bytes, std::uint32_t receiver)
        : header(kind == packet_kind::tree ? format::tree_header_bytes(hosts) : format::unicast_header_bytes),
          transport(format::transport_bytes),
          payload(bytes) {
        format::write_common({kind, false, source, sequence, bytes}, header.data());
        if (kind == packet_kind::tree) {
            header[format::common_header_bytes + receiver / 8] = static_cast<std::uint8_t>(1u << (receiver % 8));
        } else {
            format::write_field<format::destination_field>(header.data(), receiver);
        }
        fill_payload(seed, source, sequence, payload);
        format::write_transport({.message = sequence, .total = bytes}, transport.data());
        check = check_word();
    }

    std::uint32_t check_word() const { return format::check_word(header.data(), transport.data(), payload); }

    received_packet at(std::uint32_t host) const { return {host, header, transport, payload, check, complete, 1}; }
};

message unicast(std::uint32_t destination, std::uint16_t bytes, std::uint64_t transfer, engine::cycle created = 10) {
    return {created, transfer, packet_kind::unicast, {destination}, bytes};
}

message tree(std::vector<std::uint32_t> destinations, std::uint64_t transfer, engine::cycle created = 10) {
    return {created, transfer, packet_kind::tree, std::move(destinations), 16};
}

struct scoreboard_test : testing::Test {
    scoreboard board{seed, {}};

    /// What a damaged packet adds to the counts of a board that expects packet 0 of host 1 to host 2.
    static delivery_counts counts_after(const std::function<void(packet&)>& damage, std::uint32_t receiver = 2) {
        scoreboard fresh{seed, {}};
        fresh.created(1, unicast(2, 16, 5));
        packet sent(packet_kind::unicast, 1, 0, 16, 2);
        damage(sent);
        fresh.arrived(100, sent.at(receiver));
        return fresh.counts();
    }
};

TEST_F(scoreboard_test, a_good_delivery) {
    board.created(1, unicast(2, 16, 5));
    EXPECT_EQ(board.counts().missing, 1u);
    EXPECT_FALSE(board.counts().exactly_once());
    EXPECT_FALSE(board.complete());
    const std::uint64_t ticket = board.arrived(100, packet(packet_kind::unicast, 1, 0, 16, 2).at(2));
    EXPECT_EQ(board.counts().delivered, 1u);
    EXPECT_FALSE(board.complete());
    board.delivered(180, ticket);
    EXPECT_TRUE(board.complete());
    EXPECT_TRUE(board.counts().exactly_once());
    ASSERT_EQ(board.transfers().size(), 1u);
    EXPECT_EQ(board.transfers()[0], (transfer_record{5, 1, 1, 10, 180}));
    EXPECT_EQ(board.transfers()[0].latency(), 170u);
    EXPECT_TRUE(board.faults().empty());
    EXPECT_EQ(board.oldest_missing(), "");
}

TEST_F(scoreboard_test, damage_is_corruption) {
    EXPECT_EQ(counts_after([](packet&) {}).corrupted, 0u);
    EXPECT_EQ(counts_after([](packet& p) { p.payload[0] ^= 1; }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.payload[15] ^= 0x80; }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.check ^= 1; }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.complete = false; }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.payload.pop_back(); }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.header[8] ^= 1; }).corrupted, 1u);   // length
    EXPECT_EQ(counts_after([](packet& p) { p.header[0] ^= 1; }).corrupted, 1u);   // kind
    EXPECT_EQ(counts_after([](packet& p) { p.header[10] ^= 1; }).corrupted, 1u);  // destination
    EXPECT_EQ(counts_after([](packet& p) { p.header[1] ^= 4; }).corrupted, 1u);   // a source that never sent
    EXPECT_EQ(counts_after([](packet& p) { p.header[4] ^= 1; }).corrupted, 1u);   // a sequence number that never was
    EXPECT_EQ(counts_after([](packet& p) { p.header.resize(5); }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.transport[0] ^= 1; }).corrupted, 1u);   // op
    EXPECT_EQ(counts_after([](packet& p) { p.transport[23] ^= 1; }).corrupted, 1u);  // tag
    EXPECT_EQ(counts_after([](packet& p) { p.payload[0] ^= 1; }).delivered, 0u);
    EXPECT_EQ(counts_after([](packet& p) { p.header[0] ^= 0x10; }).delivered, 1u);  // the up bit may be anything
}

TEST_F(scoreboard_test, a_good_check_word_over_wrong_bytes_does_not_help) {
    const delivery_counts counts = counts_after([](packet& p) {
        p.payload[3] ^= 1;
        p.check = p.check_word();
    });
    EXPECT_EQ(counts.corrupted, 1u);
    EXPECT_FALSE(counts.exactly_once());
}

TEST_F(scoreboard_test, a_wrong_host_is_a_misdelivery) {
    const delivery_counts counts = counts_after([](packet&) {}, 3);
    EXPECT_EQ(counts.misdelivered, 1u);
    EXPECT_EQ(counts.missing, 1u);
    EXPECT_FALSE(counts.exactly_once());
}

TEST_F(scoreboard_test, duplicates) {
    board.created(1, unicast(2, 16, 5));
    board.created(1, tree({3, 4}, 6));
    const packet single(packet_kind::unicast, 1, 0, 16, 2);
    board.delivered(20, board.arrived(11, single.at(2)));
    board.arrived(12, single.at(2));  // known to be complete
    EXPECT_EQ(board.counts().duplicated, 1u);
    const packet copy(packet_kind::tree, 1, 1, 16, 3);
    board.delivered(20, board.arrived(13, copy.at(3)));
    board.arrived(14, copy.at(3));  // the other destination is still open
    EXPECT_EQ(board.counts().duplicated, 2u);
    EXPECT_EQ(board.counts().delivered, 2u);
    EXPECT_EQ(board.counts().missing, 1u);
    EXPECT_THAT(board.faults(), ElementsAre(HasSubstr("packet 0 of host 1 at host 2"),
                                            HasSubstr("cycle 14: packet 1 of host 1 at host 3")));
}

TEST_F(scoreboard_test, a_copy_of_a_worm_names_its_host_and_no_other) {
    board.created(1, tree({3, 4, 17}, 6));
    packet copy(packet_kind::tree, 1, 0, 16, 3);
    copy.header[format::common_header_bytes] |= 1 << 4;  // another destination's bit was not masked
    board.arrived(11, copy.at(3));
    EXPECT_EQ(board.counts().corrupted, 1u);
    packet nobody(packet_kind::tree, 1, 0, 16, 3);
    nobody.header[format::common_header_bytes] = 0;
    board.arrived(12, nobody.at(3));
    EXPECT_EQ(board.counts().corrupted, 2u);
    for (const std::uint32_t host : {3u, 4u, 17u})
        board.delivered(50 + host, board.arrived(13, packet(packet_kind::tree, 1, 0, 16, host).at(host)));
    EXPECT_EQ(board.counts().delivered, 3u);
    EXPECT_TRUE(board.complete());
    EXPECT_EQ(board.transfers()[0].completed, 67u);
    EXPECT_EQ(board.transfers()[0].copies, 3u);
}

TEST_F(scoreboard_test, overtaking_is_counted_per_flow) {
    board.created(1, unicast(2, 16, 5));
    board.created(1, unicast(2, 16, 6));
    board.created(1, unicast(3, 16, 7));
    board.created(4, unicast(2, 16, 8));
    board.arrived(11, packet(packet_kind::unicast, 4, 0, 16, 2).at(2));
    board.arrived(12, packet(packet_kind::unicast, 1, 2, 16, 3).at(3));  // another receiver: no matter
    EXPECT_EQ(board.counts().misordered, 0u);
    board.arrived(13, packet(packet_kind::unicast, 1, 1, 16, 2).at(2));
    board.arrived(14, packet(packet_kind::unicast, 1, 0, 16, 2).at(2));
    EXPECT_EQ(board.counts().misordered, 1u);
    EXPECT_TRUE(board.counts().exactly_once());  // delivered all the same
}

TEST_F(scoreboard_test, parts_of_a_collective_make_one_transfer) {
    board.created(1, unicast(2, 16, 5));
    board.created(1, unicast(3, 16, 5));
    board.delivered(40, board.arrived(20, packet(packet_kind::unicast, 1, 1, 16, 3).at(3)));
    EXPECT_TRUE(board.transfers().empty());
    board.delivered(30, board.arrived(21, packet(packet_kind::unicast, 1, 0, 16, 2).at(2)));
    EXPECT_EQ(board.transfers(), (std::vector<transfer_record>{{5, 1, 2, 10, 40}}));
}

TEST_F(scoreboard_test, the_oldest_missing_packet_is_named) {
    board.created(1, unicast(2, 16, 5, 70));
    board.created(3, tree({4, 9, 17}, 6, 30));
    board.arrived(40, packet(packet_kind::tree, 3, 0, 16, 9).at(9));
    EXPECT_EQ(board.oldest_missing(), "tree packet 0 of host 3 to hosts 4, 17, created in cycle 30");
}

TEST_F(scoreboard_test, volume_counts_the_window_only) {
    scoreboard windowed{seed, {100, 200}};
    windowed.created(1, unicast(2, 16, 5, 99));
    windowed.created(1, unicast(2, 16, 6, 100));
    windowed.created(1, tree({3, 4}, 7, 199));
    windowed.created(1, unicast(2, 16, 8, 200));
    windowed.arrived(199, packet(packet_kind::unicast, 1, 0, 16, 2).at(2));
    windowed.arrived(200, packet(packet_kind::unicast, 1, 1, 16, 2).at(2));
    EXPECT_EQ(windowed.volume().generated, 32u);
    EXPECT_EQ(windowed.volume().wanted, 48u);
    EXPECT_EQ(windowed.volume().accepted, 16u);
}

TEST_F(scoreboard_test, the_list_of_faults_ends) {
    for (unsigned count = 0; count < 50; ++count)
        board.arrived(count, packet(packet_kind::unicast, 1, count, 16, 2).at(2));
    EXPECT_EQ(board.counts().corrupted, 50u);
    EXPECT_EQ(board.faults().size(), 20u);
    EXPECT_THAT(board.faults()[0], HasSubstr("was never sent"));
}

}  // namespace
}  // namespace polycast::hw::traffic
