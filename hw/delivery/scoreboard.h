// SPDX-License-Identifier: Apache-2.0
/// \file Checks every packet and every message that arrives, independently of the hardware that delivered it.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>

#include "hw/delivery/check.h"
#include "hw/delivery/goal.h"
#include "hw/delivery/message.h"
#include "hw/ni/lid_paths.h"

namespace polycast::hw::traffic {

/// A packet or message to d hosts is d copies.
struct copy_counts {
    std::uint64_t expected = 0;      ///< asked for
    std::uint64_t delivered = 0;     ///< arrived once at a host that was to get it, intact
    std::uint64_t missing = 0;       ///< not arrived so far
    std::uint64_t duplicated = 0;    ///< arrived again
    std::uint64_t corrupted = 0;     ///< a byte is wrong, or some are missing or too many
    std::uint64_t misdelivered = 0;  ///< arrived at a host that was not to get it

    /// Everything has arrived, and nothing else except duplicates.
    bool all_there() const { return delivered == expected && missing + corrupted + misdelivered == 0; }
    bool exactly_once() const { return all_there() && duplicated == 0; }
    /// What is missing is not asked for any more.
    void forgo_missing() {
        expected -= missing;
        missing = 0;
    }
    bool operator==(const copy_counts&) const = default;
    copy_counts& operator+=(const copy_counts& more);
};

/// What became of reliable messages, and what it took. Packets are counted where they arrive, repairs where they are
/// sent.
struct reliable_counts {
    std::uint64_t acknowledged = 0;  ///< messages whose source was told that all have them
    std::uint64_t failed = 0;        ///< messages whose source was told that not all have them
    std::uint64_t broken = 0;        ///< receivers that lack a message of which the source was told that they have it
    std::uint64_t receipts = 0, probes = 0, declines = 0;  ///< control packets
    std::uint64_t repairs = 0;                             ///< packets sent again
    std::uint64_t repeated = 0;                            ///< packets that had arrived before

    bool operator==(const reliable_counts&) const = default;
    reliable_counts& operator+=(const reliable_counts& more);
};

/// Counts of packets at the network interfaces' inputs, and of messages in the hosts' memory.
struct delivery_counts : copy_counts {
    std::uint64_t misordered = 0;  ///< packets that overtook an earlier one of the same source, kind and destinations
    std::uint64_t overtaken = 0;   ///< packets that came behind a later one of their virtual channel, see kept_vcs
    std::uint64_t worms = 0;       ///< packets given to the network as worms that switches copy
    std::uint64_t worms_duplicated = 0;  ///< of these, with a host that got more than one copy
    copy_counts messages;
    std::uint64_t lost = 0;  ///< packets of network_facts::lost; no others count as expected
    std::uint64_t told = 0;  ///< messages that are missing, of which a host was told, see network_facts
    reliable_counts reliable;

    bool all_there() const { return copy_counts::all_there() && messages.all_there(); }
    bool exactly_once() const { return copy_counts::exactly_once() && messages.exactly_once() && reliable.broken == 0; }
    /// No program has got anything but what was sent to it, once; and a host was told of all that is missing.
    bool once_or_told() const {
        return messages.missing == told && reliable.broken == 0 &&
               messages.duplicated + messages.corrupted + messages.misdelivered == 0;
    }
    bool operator==(const delivery_counts&) const = default;
    delivery_counts& operator+=(const delivery_counts& more);
};

/// One unicast or one whole multicast.
struct transfer_record {
    std::uint64_t transfer = 0;
    std::uint32_t source = 0;
    std::uint32_t copies = 0;  ///< hosts that are to get it
    engine::cycle created = 0;
    engine::cycle completed = 0;  ///< when the last of them had it

    engine::cycle latency() const { return completed - created; }
    bool operator==(const transfer_record&) const = default;
};

/// Window of cycles in which throughput is measured.
struct measurement_window {
    engine::cycle from = 0;
    engine::cycle to = engine::never;

    bool contains(engine::cycle when) const { return when >= from && when < to; }
};

/// Payload bytes in the measurement window, for throughput.
struct traffic_volume {
    std::uint64_t generated = 0;  ///< by hosts, a multicast counted once, however it travels
    std::uint64_t wanted = 0;     ///< the same, times the number of destinations
    std::uint64_t accepted = 0;   ///< delivered packets, by arrival of the tail
};

/// Source and LID of unicasts that forwarding tables lead nowhere, or to another host.
using lost_pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

/// What a scoreboard knows of the network.
struct network_facts {
    format::header_shape shape;
    std::vector<format::stop> places;  ///< [host] its switch, and the bit of its port; empty: SSR and path headers are
                                       ///< not compared with them
    format::check_cover check = format::check_cover::payload;  ///< what the check words of all packets cover
    bool rewritten = true;                                     ///< copies of tree worms name the own host only
    bool count_duplicates = false;                             ///< duplicates are counted and are no fault
    bool waits_for_lost = true;  ///< messages of which a host was told that they are lost may still come; else
                                 ///< nobody waits for them
    unsigned process = 0;        ///< of every host, that all messages come from and go to
    bool reliable = false;       ///< all messages are: packets may come again, by other ways, and out of order
    std::shared_ptr<const lost_pairs> lost = {};     ///< nobody waits for messages of these, and none may come; or null
    std::shared_ptr<const ni::lid_paths> lids = {};  ///< at VL switches; else null
    bool kept_vcs = false;  ///< unicasts of one class that go from one host to another, entering the network
                            ///< on the same virtual channel, stay in order
};

/// Knows from the workload alone what must arrive, makes all bytes again and compares twice: each packet at the input
/// of the interface (headers, check word, its part of the message), and each message in host memory when the program
/// has it. Messages are cut at multiples of `payload_bytes`.
class scoreboard final : public message_sink, public goal, public delivery::check {
public:
    /// `payload_bytes`: longest payload of a packet.
    scoreboard(std::uint64_t payload_seed, measurement_window window, std::uint32_t payload_bytes,
               network_facts facts = {})
        : check(payload_seed), window_(window), payload_bytes_(payload_bytes), facts_(std::move(facts)) {}

    void created(std::uint32_t source, const message& message) override;
    void departed(engine::cycle now, const ni::departed_packet& packet) override;
    void arrived(engine::cycle now, const ni::received_packet& packet) override;
    void delivered(engine::cycle when, std::uint32_t host, std::uint32_t source, std::uint32_t number,
                   std::span<const std::uint8_t> data) override;
    void lost(std::uint32_t host, std::uint32_t source, std::uint32_t number) override;
    void ended(const send_end& end) override;

    /// Reliable messages that failed, the first 20 in order of time.
    const std::vector<send_end>& failed_sends() const { return failed_sends_; }
    /// At the end of a run: a source was told that all have a message, and a receiver lacks it; the first 20.
    std::vector<std::string> broken_promises() const;

    /// Counts so far; what has not arrived is missing.
    delivery_counts counts() const;
    const traffic_volume& volume() const { return volume_; }
    /// True when all that was created has been delivered to the hosts' programs, or is not waited for.
    bool complete() const override { return waiting_ == 0; }
    engine::cycle delivered_until() const override;
    /// All finished transfers, by number.
    std::vector<transfer_record> transfers() const;
    /// Transfers that some host has not received yet, by number; their `completed` has no meaning.
    std::vector<transfer_record> unfinished() const;
    /// What has been missing longest, in words ("unicast packet 2 of message 17 of host 3 to hosts 4, 9, created in
    /// cycle 120"); empty if nothing is missing.
    std::string oldest_missing() const override;

private:
    /// One receiver of a message.
    struct receiver {
        std::uint32_t host = 0;
        std::uint32_t next = 0;  ///< first packet that has not arrived
        bool delivered = false;  ///< the message, to the program
        bool lost = false;       ///< a host was told so
        std::uint32_t sent = 0;  ///< reliable: first packet that its source has not sent to it
    };
    struct sent_worm {
        std::uint32_t route = 0;  ///< CRC
        std::uint32_t next = 0;   ///< first packet that was not sent
    };
    struct expected_message {
        std::uint64_t transfer = 0;
        engine::cycle created = 0;
        message_kind kind = message_kind::unicast;
        format::packet_kind packets = format::packet_kind::unicast;
        std::vector<format::stop> stops;
        std::uint16_t group = format::no_group;
        std::uint16_t hops = 0;
        bool reliable = false;
        bool acknowledged = false;    ///< its source was told so
        std::vector<sent_worm> sent;  ///< reliable, on each of its worms
        std::uint32_t bytes = 0;
        std::uint32_t tag = 0;
        std::uint64_t flow = 0;                                   ///< hash of source, kind and destinations
        std::vector<receiver> receivers;                          ///< by host
        std::set<std::pair<std::uint32_t, std::uint32_t>> early;  ///< host and packet: arrived, but not those before
        std::size_t open = 0;                                     ///< messages and packets that are missing
    };
    struct open_transfer {
        transfer_record record;
        std::uint32_t undelivered = 0;
        std::uint32_t lost = 0;   ///< of these
        std::uint32_t asked = 0;  ///< copies whose sender has begun; the others wait for a host that sends on
        bool waits = false;       ///< for something that is not lost
    };
    using expected_messages = delivery::expected_items<std::uint32_t, expected_message>;
    using message_id = expected_messages::id;  ///< source, number
    /// Identifies a copy of a packet: source, message, offset, destination.
    using copy_id = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    /// How a copy entered the network.
    struct entrance {
        std::uint64_t flow = 0;    ///< hash of sending host, destination, class and virtual channel
        std::uint64_t number = 0;  ///< among all that entered
    };

    std::uint32_t packets_of(std::uint32_t bytes) const { return (bytes - 1) / payload_bytes_ + 1; }
    bool is_lost(std::uint32_t source, const message& message) const;
    bool wants(const expected_message& expected, std::uint32_t host) const;
    bool names_host(const expected_message& expected, const ni::received_packet& packet) const;
    void duplicate(engine::cycle now, const ni::received_packet& packet, const char* what);
    bool intact(const expected_message& expected, const ni::received_packet& packet) const;
    void check_entrance(engine::cycle now, const ni::received_packet& packet, const message_id& id);
    void close(const message_id& id, expected_message& expected);
    void settle(open_transfer& transfer);
    std::uint64_t never_sent() const;
    static std::uint32_t& sent_on(expected_message& message, std::uint32_t route);
    std::uint32_t number_of(std::uint32_t source, std::uint32_t tag, std::uint32_t host) const;
    void control(const ni::received_packet& packet);
    void lose(const expected_message& expected, receiver& to);
    void fault(engine::cycle now, const std::string& what);
    void packet_fault(engine::cycle now, const ni::received_packet& packet, const std::string& what);

    measurement_window window_;
    std::uint32_t payload_bytes_;
    network_facts facts_;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> duplicated_worms_;  ///< source, message, packet
    expected_messages expected_;                                                          ///< not all has arrived
    std::unordered_map<std::uint64_t, open_transfer> open_transfers_;
    std::size_t waiting_ = 0;  ///< of these, that have something undelivered which is not lost
    std::unordered_map<std::uint64_t, std::uint64_t> last_of_flow_;  ///< per flow and receiver: message and packet
    std::map<copy_id, entrance> entered_;                            ///< unicasts on their way, for kept_vcs
    std::unordered_map<std::uint64_t, std::uint64_t> last_entered_;  ///< per flow: number of the last that arrived
    std::uint64_t entrances_ = 0;
    std::vector<transfer_record> finished_;
    std::map<message_id, std::vector<std::uint32_t>> lost_;    ///< receivers of messages that tables lose
    std::map<message_id, std::vector<std::uint32_t>> tagged_;  ///< numbers of reliable messages by source and tag
    std::vector<send_end> failed_sends_;
    delivery_counts counts_;
    traffic_volume volume_;
};

}  // namespace polycast::hw::traffic
