// SPDX-License-Identifier: Apache-2.0
// Reliable messages: packets come again and by other ways, messages do not; and what a source is told has to be true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/delivery/scoreboard.h"
#include "hw/format/check_word.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {
namespace {

using format::packet_kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t seed = 7;
constexpr std::uint32_t cut = 16, hosts = 20, flow_number = 1000;

network_facts facts(bool waits = false) {
    network_facts made;
    made.reliable = true;
    made.waits_for_lost = waits;
    return made;
}

/// Message 4 of host 1, with tag 9, to hosts 2 and 3 by a worm: two packets.
struct reliable_scoreboard : testing::Test {
    reliable_scoreboard() {
        sent.transfer = 5;
        sent.kind = message_kind::worm;
        sent.destinations = {2, 3};
        sent.bytes = cut + 4;
        sent.number = 4;
        sent.tag = 9;
        sent.group = 6;
        sent.reliable = true;
        board.created(1, sent);
    }

    void arrive(std::uint32_t host, std::uint32_t offset, bool repair = false, std::uint8_t flip = 0) {
        std::vector<std::uint8_t> payload(std::min(cut, sent.bytes - offset));
        fill_payload(seed, sent.transfer, payload, offset);
        payload[0] ^= flip;
        std::vector<std::uint8_t> header(repair ? format::unicast_header_bytes : format::tree_header_bytes(hosts));
        format::write_common({repair ? packet_kind::unicast : packet_kind::tree, false, 1, 0,
                              static_cast<std::uint16_t>(payload.size())},
                             header.data());
        if (repair)
            format::write_field<format::destination_field>(header.data(), host);
        else
            header[format::common_header_bytes + host / 8] = static_cast<std::uint8_t>(1u << (host % 8));
        format::transport_header transport;
        transport.reliable = true;
        transport.group = sent.group;
        transport.message = flow_number;
        transport.offset = offset;
        transport.total = sent.bytes;
        transport.tag = sent.tag;
        take(host, header, transport, payload);
    }
    void control(std::uint32_t host, std::uint8_t word) {
        std::vector<std::uint8_t> header(format::unicast_header_bytes);
        format::write_common({packet_kind::unicast, false, 1, 0, 1}, header.data());
        format::write_field<format::destination_field>(header.data(), host);
        format::transport_header transport;
        transport.op = format::transport_op::control;
        transport.group = word;
        take(host, header, transport, {0});
    }
    void take(std::uint32_t host, const std::vector<std::uint8_t>& header, const format::transport_header& transport,
              const std::vector<std::uint8_t>& payload) {
        std::vector<std::uint8_t> bytes(format::transport_bytes);
        format::write_transport(transport, bytes.data());
        board.arrived(
            20,
            {host, header, transport, {}, payload, format::check_word(header.data(), bytes.data(), payload), true, 1});
    }
    void deliver(std::uint32_t host) {
        std::vector<std::uint8_t> bytes(sent.bytes);
        fill_payload(seed, sent.transfer, bytes);
        board.delivered(30, host, 1, sent.tag, bytes);
    }
    void depart(std::uint32_t to, std::uint32_t offset, packet_kind kind, std::uint32_t route = 0) {
        board.departed(15, {.host = 1,
                            .destination = to,
                            .source = 1,
                            .message = flow_number,
                            .offset = offset,
                            .tag = sent.tag,
                            .kind = kind,
                            .reliable = true,
                            .group = sent.group,
                            .route = route});
    }
    void end(ni_status status, std::vector<lacking_receiver> lacking = {}) {
        board.ended({40, 1, sent.number, status, std::move(lacking)});
    }

    message sent;
    scoreboard board{seed, {}, cut, facts()};
};

TEST_F(reliable_scoreboard, packets_may_come_again_and_as_unicasts) {
    arrive(2, 0);
    arrive(2, 0);
    arrive(2, cut);
    arrive(3, cut, true);
    arrive(3, 0, true);
    deliver(2);
    deliver(3);
    arrive(3, 0, true);
    end(NI_STATUS_OK);
    const delivery_counts counts = board.counts();
    EXPECT_TRUE(counts.exactly_once());
    EXPECT_EQ(counts.reliable.repeated, 2u);
    EXPECT_EQ(counts.misordered, 0u);
    EXPECT_EQ(counts.reliable.acknowledged, 1u);
    EXPECT_THAT(board.faults(), IsEmpty());
    EXPECT_TRUE(board.complete());
}

TEST_F(reliable_scoreboard, a_message_that_comes_twice_is_a_fault) {
    for (const std::uint32_t host : {2u, 3u}) {
        arrive(host, 0);
        arrive(host, cut);
        deliver(host);
    }
    deliver(3);
    EXPECT_EQ(board.counts().messages.duplicated, 1u);
    EXPECT_FALSE(board.counts().once_or_told());
    EXPECT_THAT(board.faults(), ElementsAre(HasSubstr("was complete before")));
}

TEST_F(reliable_scoreboard, damaged_repairs_are_damaged) {
    arrive(2, 0, true, 1);
    EXPECT_EQ(board.counts().corrupted, 1u);
}

TEST_F(reliable_scoreboard, done_without_a_receiver_is_a_broken_promise) {
    arrive(2, 0);
    arrive(2, cut);
    deliver(2);
    end(NI_STATUS_OK);
    EXPECT_EQ(board.counts().reliable.broken, 1u);
    EXPECT_FALSE(board.counts().once_or_told());
    EXPECT_THAT(board.broken_promises(), ElementsAre(HasSubstr("told DONE and a receiver lacks it, host 3")));
    board.lost(3, 1, sent.tag);  // its own interface has told it, the source believes otherwise
    EXPECT_EQ(board.counts().told, 1u);
    EXPECT_FALSE(board.counts().once_or_told());
    deliver(3);
    EXPECT_THAT(board.broken_promises(), IsEmpty());
    EXPECT_TRUE(board.counts().once_or_told());
}

TEST_F(reliable_scoreboard, a_source_that_is_told_gives_up_all_that_lack_it) {
    arrive(2, 0);
    arrive(2, cut);
    deliver(2);
    EXPECT_FALSE(board.complete());
    board.lost(1, 1, sent.number);
    end(NI_STATUS_UNREACHABLE, {{3, NI_STATUS_UNREACHABLE}});
    EXPECT_TRUE(board.complete());
    const delivery_counts counts = board.counts();
    EXPECT_EQ(counts.told, 1u);
    EXPECT_TRUE(counts.once_or_told());
    EXPECT_EQ(counts.reliable.failed, 1u);
    ASSERT_EQ(board.failed_sends().size(), 1u);
    EXPECT_THAT(board.failed_sends()[0].lacking, ElementsAre(lacking_receiver{3, NI_STATUS_UNREACHABLE}));
}

TEST_F(reliable_scoreboard, repairs_and_words_between_interfaces_are_counted) {
    depart(0, 0, packet_kind::tree);
    depart(0, cut, packet_kind::tree);
    depart(0, 0, packet_kind::tree, 7);  // to others of its receivers
    EXPECT_EQ(board.counts().reliable.repairs, 0u);
    depart(0, 0, packet_kind::tree);       // the worm again
    depart(3, cut, packet_kind::unicast);  // to one of them
    EXPECT_EQ(board.counts().reliable.repairs, 2u);
    for (const std::uint8_t word : std::vector<std::uint8_t>{32, 33, 33, 34, 34, 34, 16}) control(3, word);
    const reliable_counts counts = board.counts().reliable;
    EXPECT_EQ(counts.receipts, 1u);
    EXPECT_EQ(counts.probes, 2u);
    EXPECT_EQ(counts.declines, 3u);
    EXPECT_EQ(board.fault_count(), 0u);
}

/// A transfer of three copies, of which one host sends on to two; it never gets the message.
TEST(reliable_transfers, what_is_never_sent_on_is_told_with_the_host_that_lacks_it) {
    scoreboard board{seed, {}, cut, facts()};
    message first;
    first.transfer = 5;
    first.destinations = {2};
    first.bytes = 10;
    first.copies = 3;
    first.tag = 1;
    first.reliable = true;
    board.created(1, first);
    EXPECT_FALSE(board.complete());
    board.lost(1, 1, 0);
    EXPECT_TRUE(board.complete());
    EXPECT_EQ(board.counts().messages.missing, 3u);
    EXPECT_EQ(board.counts().told, 3u);
    EXPECT_TRUE(board.counts().once_or_told());
    std::vector<std::uint8_t> bytes(10);
    fill_payload(seed, 5, bytes);
    board.delivered(50, 2, 1, 1, bytes);  // late, after all: now it sends on
    EXPECT_FALSE(board.complete());
    EXPECT_EQ(board.counts().told, 0u);
}

}  // namespace
}  // namespace polycast::hw::traffic
