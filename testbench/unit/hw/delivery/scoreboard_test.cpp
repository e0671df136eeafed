// SPDX-License-Identifier: Apache-2.0
// Every class of fault must be seen, and only faults.
#include "hw/delivery/scoreboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "hw/format/check_word.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {
namespace {

using format::packet_kind;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t seed = 7;
constexpr std::uint32_t hosts = 20;
constexpr std::uint32_t cut = 16;  ///< longest payload of a packet

message unicast(std::uint32_t destination, std::uint32_t bytes, std::uint64_t transfer, std::uint32_t number = 0,
                engine::cycle created = 10) {
    message made;
    made.created = created;
    made.transfer = transfer;
    made.destinations = {destination};
    made.bytes = bytes;
    made.number = number;
    return made;
}

message tree(std::vector<std::uint32_t> destinations, std::uint64_t transfer, std::uint32_t number = 0,
             engine::cycle created = 10) {
    message made = unicast(0, cut, transfer, number, created);
    made.kind = message_kind::worm;
    made.destinations = std::move(destinations);
    return made;
}

message group(std::vector<std::uint32_t> destinations, std::uint32_t bytes, std::uint64_t transfer) {
    message made = tree(std::move(destinations), transfer);
    made.kind = message_kind::group;
    made.worm = packet_kind::unicast;
    made.bytes = bytes;
    made.group = 3;
    made.hops = 2;
    return made;
}

/// A packet as an interface would take it off the link, open to damage.
struct packet {
    std::vector<std::uint8_t> header;
    format::transport_header transport;
    std::vector<std::uint8_t> payload;
    std::uint32_t check = 0;
    bool complete = true;

    packet(const message& sent, std::uint32_t source, std::uint32_t receiver, std::uint32_t offset = 0)
        : header(sent.kind == message_kind::worm ? format::tree_header_bytes(hosts) : format::unicast_header_bytes),
          payload(std::min(cut, sent.bytes - offset)) {
        const bool worm = sent.kind == message_kind::worm;
        format::write_common({worm ? packet_kind::tree : packet_kind::unicast, false, source, 0,
                              static_cast<std::uint16_t>(payload.size())},
                             header.data());
        if (worm) {
            header[format::common_header_bytes + receiver / 8] = static_cast<std::uint8_t>(1u << (receiver % 8));
        } else {
            format::write_field<format::destination_field>(header.data(), receiver);
        }
        transport.group = sent.group;
        transport.hops = sent.hops;
        transport.message = sent.number;
        transport.offset = offset;
        transport.total = sent.bytes;
        transport.tag = sent.tag;
        fill_payload(seed, sent.transfer, payload, offset);
        seal();
    }

    void seal() {
        std::vector<std::uint8_t> bytes(format::transport_bytes);
        format::write_transport(transport, bytes.data());
        check = format::check_word(header.data(), bytes.data(), payload);
    }

    ni::received_packet at(std::uint32_t host) const {
        return {host, header, transport, {}, payload, check, complete, 1};
    }
};

std::vector<std::uint8_t> content(const message& sent) {
    std::vector<std::uint8_t> bytes(sent.bytes);
    fill_payload(seed, sent.transfer, bytes);
    return bytes;
}

struct scoreboard_test : testing::Test {
    scoreboard board{seed, {}, cut};

    /// All packets of a message arrive at one host, and its program gets it.
    void deliver(const message& sent, std::uint32_t source, std::uint32_t host, engine::cycle when) {
        for (std::uint32_t offset = 0; offset < sent.bytes; offset += cut)
            board.arrived(when, packet(sent, source, host, offset).at(host));
        board.delivered(when, host, source, sent.number, content(sent));
    }

    /// What a damaged packet adds to the counts of a board that expects message 0 of host 1 to host 2.
    static delivery_counts counts_after(const std::function<void(packet&)>& damage, std::uint32_t receiver = 2) {
        scoreboard fresh{seed, {}, cut};
        const message sent = unicast(2, 40, 5);
        fresh.created(1, sent);
        packet arriving(sent, 1, 2, 16);
        damage(arriving);
        fresh.arrived(100, arriving.at(receiver));
        return fresh.counts();
    }
};

TEST_F(scoreboard_test, a_good_delivery) {
    const message sent = unicast(2, 16, 5);
    board.created(1, sent);
    EXPECT_EQ(board.counts().missing, 1u);
    EXPECT_EQ(board.counts().messages.missing, 1u);
    EXPECT_FALSE(board.counts().exactly_once());
    EXPECT_FALSE(board.complete());
    board.arrived(100, packet(sent, 1, 2).at(2));
    EXPECT_EQ(board.counts().delivered, 1u);
    EXPECT_FALSE(board.counts().exactly_once());  // it has not reached the program
    EXPECT_FALSE(board.complete());
    EXPECT_EQ(board.oldest_missing(),
              "unicast message 0 of host 1 to host 2, created in cycle 10, whose packets are all there");
    board.delivered(180, 2, 1, 0, content(sent));
    EXPECT_TRUE(board.complete());
    EXPECT_TRUE(board.counts().exactly_once());
    ASSERT_EQ(board.transfers().size(), 1u);
    EXPECT_EQ(board.transfers()[0], (transfer_record{5, 1, 1, 10, 180}));
    EXPECT_EQ(board.transfers()[0].latency(), 170u);
    EXPECT_TRUE(board.faults().empty());
    EXPECT_EQ(board.oldest_missing(), "");
}

TEST_F(scoreboard_test, nobody_waits_for_what_a_host_was_told_of) {
    network_facts facts;
    facts.waits_for_lost = false;
    scoreboard told{seed, {}, cut, facts};
    for (scoreboard* each : {&board, &told}) {
        each->created(1, tree({2, 3, 4}, 5));
        each->created(2, unicast(3, 16, 6));
        each->lost(3, 1, 0);
        each->lost(3, 1, 0);
        each->lost(5, 1, 0);  // it was not for this host
        each->lost(3, 1, 9);  // it was never sent
        each->delivered(90, 2, 1, 0, content(tree({2, 3, 4}, 5)));
        each->delivered(91, 4, 1, 0, content(tree({2, 3, 4}, 5)));
        EXPECT_FALSE(each->complete());
        each->lost(2, 2, 0);  // the sender itself
    }
    EXPECT_FALSE(board.complete());
    EXPECT_EQ(board.counts().told, 0u);
    EXPECT_TRUE(told.complete());
    EXPECT_EQ(told.counts().told, 2u);
    EXPECT_EQ(told.counts().messages.missing, 2u);
    EXPECT_TRUE(told.counts().once_or_told());
    EXPECT_EQ(told.unfinished().size(), 2u);
    // One comes all the same.
    told.delivered(99, 3, 2, 0, content(unicast(3, 16, 6)));
    EXPECT_TRUE(told.complete());
    EXPECT_EQ(told.counts().told, 1u);
    EXPECT_TRUE(told.counts().once_or_told());
    EXPECT_EQ(told.transfers().size(), 1u);
    told.created(1, unicast(6, 16, 7, 1));
    EXPECT_FALSE(told.complete());
    EXPECT_FALSE(told.counts().once_or_told());
}

TEST_F(scoreboard_test, long_messages_are_cut) {
    const message sent = unicast(2, 40, 5);  // 16, 16, 8
    board.created(1, sent);
    EXPECT_EQ(board.counts().expected, 3u);
    EXPECT_EQ(board.counts().messages.expected, 1u);
    board.arrived(20, packet(sent, 1, 2, 0).at(2));
    board.arrived(21, packet(sent, 1, 2, 32).at(2));
    EXPECT_EQ(board.oldest_missing(), "unicast packet 1 of message 0 of host 1 to host 2, created in cycle 10");
    board.arrived(22, packet(sent, 1, 2, 32).at(2));
    EXPECT_EQ(board.counts().duplicated, 1u);
    board.arrived(23, packet(sent, 1, 2, 16).at(2));
    EXPECT_EQ(board.counts().misordered, 1u);
    EXPECT_EQ(board.counts().delivered, 3u);
    EXPECT_EQ(board.counts().missing, 0u);
    EXPECT_THAT(board.oldest_missing(), HasSubstr("whose packets are all there"));
    board.delivered(30, 2, 1, 0, content(sent));
    EXPECT_TRUE(board.complete());
    EXPECT_EQ(board.volume().accepted, 40u);
}

// Neither time nor memory may depend on more than the packets that arrive.
TEST_F(scoreboard_test, a_message_of_128_mib) {
    const message sent = unicast(2, 128u << 20, 5);
    board.created(1, sent);
    EXPECT_EQ(board.counts().expected, 8u << 20);
    const std::uint32_t last = sent.bytes - cut;
    board.arrived(20, packet(sent, 1, 2, last).at(2));
    board.arrived(21, packet(sent, 1, 2, last).at(2));
    EXPECT_EQ(board.counts().delivered, 1u);
    EXPECT_EQ(board.counts().duplicated, 1u);
}

TEST_F(scoreboard_test, damage_is_corruption) {
    EXPECT_EQ(counts_after([](packet&) {}).corrupted, 0u);
    EXPECT_EQ(counts_after([](packet& p) { p.payload[0] ^= 1; }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.payload[15] ^= 0x80; }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.check ^= 1; }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.complete = false; }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.payload.pop_back(); }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.header[8] ^= 1; }).corrupted, 1u);          // length
    EXPECT_EQ(counts_after([](packet& p) { p.header[0] ^= 1; }).corrupted, 1u);          // kind
    EXPECT_EQ(counts_after([](packet& p) { p.header[10] ^= 1; }).corrupted, 1u);         // destination
    EXPECT_EQ(counts_after([](packet& p) { p.header[1] ^= 4; }).corrupted, 1u);          // a source that never sent
    EXPECT_EQ(counts_after([](packet& p) { p.transport.message ^= 1; }).corrupted, 1u);  // a message that never was
    EXPECT_EQ(counts_after([](packet& p) { p.header.resize(5); }).corrupted, 1u);
    EXPECT_EQ(counts_after([](packet& p) { p.payload[0] ^= 1; }).delivered, 0u);
    EXPECT_EQ(counts_after([](packet& p) { p.header[0] ^= 0x10; }).delivered, 1u);  // the up bit may be anything
}

// What a forwarding interface could write into a packet by mistake, with a check word that fits.
TEST_F(scoreboard_test, a_good_check_word_over_wrong_bytes_does_not_help) {
    const auto corrupted = [](auto change) {
        return counts_after([&](packet& p) {
                   change(p);
                   p.seal();
               }).corrupted == 1;
    };
    EXPECT_FALSE(corrupted([](packet&) {}));
    EXPECT_TRUE(corrupted([](packet& p) { p.payload[3] ^= 1; }));
    EXPECT_TRUE(corrupted([](packet& p) { p.transport.offset = 0; }));  // the bytes of another part
    EXPECT_TRUE(corrupted([](packet& p) {                               // the right bytes, cut elsewhere
        p.transport.offset = 17;
        fill_payload(seed, 5, p.payload, 17);
    }));
    EXPECT_TRUE(corrupted([](packet& p) { p.transport.offset = 48; }));
    EXPECT_TRUE(corrupted([](packet& p) { p.transport.total = 41; }));
    EXPECT_TRUE(corrupted([](packet& p) { p.transport.tag = 1; }));
    EXPECT_TRUE(corrupted([](packet& p) { p.transport.group = 0; }));
    EXPECT_TRUE(corrupted([](packet& p) { p.transport.hops = 1; }));
    EXPECT_TRUE(corrupted([](packet& p) { p.transport.process = 1; }));
    EXPECT_TRUE(corrupted([](packet& p) { p.transport.source_process = 1; }));
    EXPECT_TRUE(corrupted([](packet& p) { p.transport.op = format::transport_op::control; }));
}

TEST_F(scoreboard_test, a_wrong_host_is_a_misdelivery) {
    const delivery_counts counts = counts_after([](packet&) {}, 3);
    EXPECT_EQ(counts.misdelivered, 1u);
    EXPECT_EQ(counts.missing, 3u);
    EXPECT_FALSE(counts.exactly_once());
}

TEST_F(scoreboard_test, duplicates) {
    const message single = unicast(2, 16, 5);
    const message worm = tree({3, 4}, 6, 1);
    board.created(1, single);
    board.created(1, worm);
    deliver(single, 1, 2, 11);
    board.arrived(12, packet(single, 1, 2).at(2));  // known to be complete
    EXPECT_EQ(board.counts().duplicated, 1u);
    deliver(worm, 1, 3, 13);
    board.arrived(14, packet(worm, 1, 3).at(3));  // the other destination is still open
    EXPECT_EQ(board.counts().duplicated, 2u);
    EXPECT_EQ(board.counts().delivered, 2u);
    EXPECT_EQ(board.counts().missing, 1u);
    EXPECT_THAT(board.faults(), ElementsAre(HasSubstr("packet 0 of message 0 of host 1 at host 2"),
                                            HasSubstr("cycle 14: packet 0 of message 1 of host 1 at host 3")));
}

// What a program finds in its memory is judged on its own: the packets may all have been well.
TEST_F(scoreboard_test, messages_in_memory_are_checked) {
    const message sent = tree({3, 4}, 6);
    board.created(1, sent);
    for (const std::uint32_t host : {3u, 4u}) board.arrived(11, packet(sent, 1, host).at(host));
    std::vector<std::uint8_t> wrong = content(sent);
    wrong[15] ^= 1;
    board.delivered(20, 3, 1, 0, wrong);
    EXPECT_EQ(board.counts().messages.corrupted, 1u);
    wrong.pop_back();
    wrong.back() = content(sent)[14];
    board.delivered(21, 3, 1, 0, wrong);  // a prefix
    EXPECT_EQ(board.counts().messages.corrupted, 2u);
    board.delivered(22, 5, 1, 0, content(sent));
    EXPECT_EQ(board.counts().messages.misdelivered, 1u);
    board.delivered(23, 3, 1, 7, content(sent));  // never sent
    EXPECT_EQ(board.counts().messages.corrupted, 3u);
    EXPECT_EQ(board.counts().messages.delivered, 0u);
    board.delivered(24, 3, 1, 0, content(sent));
    board.delivered(25, 3, 1, 0, content(sent));
    EXPECT_EQ(board.counts().messages.duplicated, 1u);
    EXPECT_EQ(board.counts().messages.missing, 1u);
    EXPECT_FALSE(board.complete());
    board.delivered(26, 4, 1, 0, content(sent));
    EXPECT_TRUE(board.complete());
    board.delivered(27, 4, 1, 0, content(sent));
    EXPECT_EQ(board.counts().messages.duplicated, 2u);
    EXPECT_FALSE(board.counts().exactly_once());
    EXPECT_EQ(board.faults().size(), 6u);
    EXPECT_EQ(board.faults()[0], "cycle 20: message 0 of host 1 at host 3 is not what was sent");
}

TEST_F(scoreboard_test, a_copy_of_a_worm_names_its_host_and_no_other) {
    const message sent = tree({3, 4, 17}, 6);
    board.created(1, sent);
    packet copy(sent, 1, 3);
    copy.header[format::common_header_bytes] |= 1 << 4;  // another destination's bit was not masked
    board.arrived(11, copy.at(3));
    EXPECT_EQ(board.counts().corrupted, 1u);
    packet nobody(sent, 1, 3);
    nobody.header[format::common_header_bytes] = 0;
    board.arrived(12, nobody.at(3));
    EXPECT_EQ(board.counts().corrupted, 2u);
    for (const std::uint32_t host : {3u, 4u, 17u}) deliver(sent, 1, host, 50 + host);
    EXPECT_EQ(board.counts().delivered, 3u);
    EXPECT_TRUE(board.complete());
    EXPECT_EQ(board.transfers()[0].completed, 67u);
    EXPECT_EQ(board.transfers()[0].copies, 3u);
}

// Forwarded packets say who sent the message, not who forwarded it, and have lost hops.
TEST_F(scoreboard_test, packets_of_a_group) {
    const message sent = group({3, 4}, 20, 6);
    board.created(1, sent);
    packet forwarded(sent, 1, 3);
    forwarded.transport.hops = 1;
    board.arrived(11, forwarded.at(3));
    EXPECT_EQ(board.counts().delivered, 1u);
    packet grown(sent, 1, 4);
    grown.transport.hops = 3;
    grown.seal();
    board.arrived(12, grown.at(4));
    packet other(sent, 1, 4);
    other.transport.group = 4;
    other.seal();
    board.arrived(13, other.at(4));
    EXPECT_EQ(board.counts().corrupted, 2u);
}

TEST_F(scoreboard_test, overtaking_is_counted_per_flow) {
    const message first = unicast(2, 16, 5, 0);
    const message second = unicast(2, 16, 6, 1);
    const message third = unicast(3, 16, 7, 2);
    const message other = unicast(2, 16, 8, 0);
    for (const message& sent : {first, second, third}) board.created(1, sent);
    board.created(4, other);
    board.arrived(11, packet(other, 4, 2).at(2));
    board.arrived(12, packet(third, 1, 3).at(3));  // another receiver: no matter
    EXPECT_EQ(board.counts().misordered, 0u);
    board.arrived(13, packet(second, 1, 2).at(2));
    board.arrived(14, packet(first, 1, 2).at(2));
    EXPECT_EQ(board.counts().misordered, 1u);
    EXPECT_TRUE(copy_counts(board.counts()).exactly_once());  // delivered all the same
}

TEST_F(scoreboard_test, parts_of_a_collective_make_one_transfer) {
    message first = unicast(2, 16, 5, 0);
    message second = unicast(3, 16, 5, 1);
    first.copies = second.copies = 2;
    board.created(1, first);
    board.created(1, second);
    EXPECT_EQ(board.counts().messages.expected, 2u);
    EXPECT_EQ(board.volume().generated, 16u);
    EXPECT_EQ(board.volume().wanted, 32u);
    deliver(second, 1, 3, 40);
    EXPECT_TRUE(board.transfers().empty());
    deliver(first, 1, 2, 30);
    EXPECT_EQ(board.transfers(), (std::vector<transfer_record>{{5, 1, 2, 10, 40}}));
}

// A program that forwards sends a message of its own; the transfer is not over between the two.
TEST_F(scoreboard_test, a_transfer_waits_for_messages_that_are_not_yet_sent) {
    message first = unicast(2, 16, 5, 0);
    first.copies = 2;
    board.created(1, first);
    EXPECT_EQ(board.counts().missing, 2u);
    deliver(first, 1, 2, 30);
    EXPECT_FALSE(board.complete());
    EXPECT_EQ(board.counts().missing, 1u);
    message second = unicast(3, 16, 5, 0, 30);
    second.copies = 2;
    board.created(2, second);
    EXPECT_EQ(board.counts().expected, 2u);
    deliver(second, 2, 3, 60);
    EXPECT_TRUE(board.complete());
    EXPECT_EQ(board.transfers(), (std::vector<transfer_record>{{5, 1, 2, 10, 60}}));
}

TEST_F(scoreboard_test, the_oldest_missing_packet_is_named) {
    board.created(1, unicast(2, 16, 5, 0, 70));
    const message worm = tree({4, 9, 17}, 6, 0, 30);
    board.created(3, worm);
    board.arrived(40, packet(worm, 3, 9).at(9));
    EXPECT_EQ(board.oldest_missing(), "tree packet 0 of message 0 of host 3 to hosts 4, 17, created in cycle 30");
}

TEST_F(scoreboard_test, volume_counts_the_window_only) {
    scoreboard windowed{seed, {100, 200}, cut};
    const message first = unicast(2, 16, 5, 0, 99);
    const message second = unicast(2, 16, 6, 1, 100);
    windowed.created(1, first);
    windowed.created(1, second);
    windowed.created(1, tree({3, 4}, 7, 2, 199));
    windowed.created(1, unicast(2, 16, 8, 3, 200));
    windowed.arrived(199, packet(first, 1, 2).at(2));
    windowed.arrived(200, packet(second, 1, 2).at(2));
    EXPECT_EQ(windowed.volume().generated, 32u);
    EXPECT_EQ(windowed.volume().wanted, 48u);
    EXPECT_EQ(windowed.volume().accepted, 16u);
}

// What enters the network on one virtual channel stays in order there where routers keep channels; on different ones
// it may overtake.
TEST_F(scoreboard_test, overtaking_within_a_kept_virtual_channel_is_a_fault) {
    for (const bool kept : {true, false}) {
        network_facts facts;
        facts.kept_vcs = kept;
        scoreboard routers(seed, {}, cut, facts);
        const std::vector<message> sent{unicast(2, 16, 5, 0), unicast(2, 16, 6, 1), unicast(2, 16, 7, 2)};
        for (const message& each : sent) {
            routers.created(1, each);
            routers.departed(
                11,
                {.host = 1, .vc = each.number == 1 ? 3u : 0u, .destination = 2, .source = 1, .message = each.number});
        }
        routers.arrived(20, packet(sent[1], 1, 2).at(2));
        EXPECT_EQ(routers.counts().overtaken, 0u) << "the first is on another virtual channel";
        routers.arrived(21, packet(sent[2], 1, 2).at(2));
        routers.arrived(22, packet(sent[0], 1, 2).at(2));
        EXPECT_EQ(routers.counts().misordered, 1u);
        EXPECT_EQ(routers.counts().overtaken, kept ? 1u : 0u);
        EXPECT_EQ(routers.faults().size(), kept ? 1u : 0u);
    }
}

TEST_F(scoreboard_test, neighbours_within_a_kept_virtual_channel_may_not_change_places) {
    network_facts facts;
    facts.kept_vcs = true;
    scoreboard routers(seed, {}, cut, facts);
    const std::vector<message> sent{unicast(2, 16, 5, 0), unicast(2, 16, 6, 1)};
    for (const message& each : sent) {
        routers.created(1, each);
        routers.departed(11, {.host = 1, .destination = 2, .source = 1, .message = each.number});
    }
    routers.arrived(20, packet(sent[1], 1, 2).at(2));
    routers.arrived(21, packet(sent[0], 1, 2).at(2));
    EXPECT_EQ(routers.counts().overtaken, 1u);
}

TEST_F(scoreboard_test, the_list_of_faults_ends) {
    for (unsigned count = 0; count < 50; ++count) board.arrived(count, packet(unicast(2, 16, 5), 1, 2).at(2));
    EXPECT_EQ(board.counts().corrupted, 50u);
    EXPECT_EQ(board.faults().size(), 20u);
    EXPECT_THAT(board.faults()[0], HasSubstr("was never sent"));
}

TEST(delivery_counts, add_up) {
    delivery_counts sum;
    delivery_counts one;
    one.expected = 1;
    one.delivered = 2;
    one.missing = 3;
    one.duplicated = 4;
    one.corrupted = 5;
    one.misdelivered = 6;
    one.misordered = 7;
    one.overtaken = 2;
    one.messages = one;
    sum += one;
    EXPECT_EQ(sum, one);
    sum += one;
    EXPECT_EQ(sum.misordered, 14u);
    EXPECT_EQ(sum.overtaken, 4u);
    EXPECT_EQ(sum.messages.misdelivered, 12u);
    EXPECT_FALSE(copy_counts(sum) == copy_counts(one));
}

}  // namespace
}  // namespace polycast::hw::traffic
