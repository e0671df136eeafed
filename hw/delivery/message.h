// SPDX-License-Identifier: Apache-2.0
/// \file What a host is asked to send.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/collectives/multicast_plan.h"
#include "hw/collectives/receipts.h"
#include "hw/engine/chip.h"
#include "hw/format/header.h"
#include "hw/format/route.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/ni/observer.h"

namespace polycast::hw::traffic {

/// How a message travels.
enum class message_kind : std::uint8_t {
    unicast,  ///< to one host, in unicast packets
    worm,     ///< worms, one for each packet of the message, copied by the switches
    group,    ///< to a multicast group: unicast packets or worms, copied and forwarded by the network interfaces
};

/// Data sent from one host to one or more others, in as many packets as needed.
struct message {
    engine::cycle created = 0;  ///< when the host's program calls send; latency counts from here
    std::uint64_t transfer =
        0;  ///< messages with the same number are parts of one collective, and carry the same bytes
    message_kind kind = message_kind::unicast;
    std::vector<std::uint32_t> destinations;               ///< hosts that are to get it; exactly one for a unicast
    format::packet_kind worm = format::packet_kind::tree;  ///< of a worm; of a group: kind of the packets
    std::vector<format::stop> stops{};                     ///< of SSR (one) and path worms
    std::uint32_t bytes = 0;                               ///< length, 1 or more
    std::uint32_t copies = 0;  ///< hosts that all messages of the transfer reach together; 0: this one's destinations
    std::uint32_t number = 0;  ///< among all messages of its source, from 0; filled in by the program that sends it
    std::uint32_t tag = 0;
    std::uint16_t group = format::no_group;  ///< at its source, for message_kind::group and reliable worms
    std::uint16_t hops = 0;                  ///< interfaces that may forward it, for message_kind::group
    bool reliable = false;                   ///< sent when all receivers have acknowledged it; they know it by its tag

    /// Hosts that the whole transfer reaches.
    std::uint32_t all_copies() const { return copies != 0 ? copies : static_cast<std::uint32_t>(destinations.size()); }
};

template <typename archive>
void serialize(archive& all, message& m) {
    all(m.created, m.transfer, m.kind, m.destinations, m.worm, m.stops, m.bytes, m.copies, m.number, m.tag, m.group,
        m.hops, m.reliable);
}

/// The message with the form that a transmission gives it.
message sent_as(message base, const collectives::transmission& form);

/// What forwards a multicast, and in which order.
enum class forwarding : std::uint8_t {
    nobody,    ///< the source sends everything; its group, if there is one, acknowledges
    programs,  ///< the host's program, once it has the whole message: conventional interfaces
    fpfs,      ///< the interface, first packet first served: each packet in every transmission
    fcfs,      ///< the interface, first child first served: the whole message in one transmission, then in the next
};

constexpr bool by_interfaces(forwarding how) {
    return how == forwarding::fpfs || how == forwarding::fcfs;
}

/// Interfaces that may forward the packets of a plan, one after the other: their `hops`. A header has room for every
/// plan.
std::uint16_t hops_of(const collectives::multicast_plan& plan);

/// One host's part of a multicast from `root`, for one message.
struct group_setup {
    engine::cycle when = 0;  ///< its host is told in this cycle
    std::uint32_t root = 0;
    std::uint16_t group = 0;  ///< at the root, where interfaces forward
    bool member = false;      ///< the message is delivered to this host
    forwarding how = forwarding::fpfs;
    std::uint64_t transfer = 0;                    ///< of the message
    std::uint32_t tag = 0;                         ///< of the message, where programs forward
    std::vector<collectives::transmission> sends;  ///< in this order
    std::vector<std::uint16_t> groups{};           ///< [send] that acknowledges it, of reliable worms of programs
    collectives::receipt_place receipts{};         ///< of a group for reliable messages; else it has no members
};

/// A receiver that has not acknowledged a reliable message, and why (hw/ni/abi/ni_host.h).
struct lacking_receiver {
    std::uint32_t host = 0;
    ni_status why = NI_STATUS_UNREACHABLE;

    bool operator==(const lacking_receiver&) const = default;
};

/// How a reliable message of `source` has ended there: acknowledged by all, or not.
struct send_end {
    engine::cycle when = 0;
    std::uint32_t source = 0;
    std::uint32_t number = 0;
    ni_status status = NI_STATUS_OK;
    std::vector<lacking_receiver> lacking{};

    bool operator==(const send_end&) const = default;
};

template <typename archive>
void serialize(archive& all, lacking_receiver& r) {
    all(r.host, r.why);
}

template <typename archive>
void serialize(archive& all, send_end& end) {
    all(end.when, end.source, end.number, end.status, end.lacking);
}

/// Gives a host its messages, in order of creation. It is asked again only after the last message was taken up.
class message_source {
public:
    virtual ~message_source() = default;

    /// The next message of `host`, never created earlier than the one before; nothing when there will be no more.
    virtual std::optional<message> next(std::uint32_t host) = 0;

    /// All its messages are reliable.
    virtual bool reliable() const { return false; }

    /// The next group that `host` takes part in, in order of time, never later than the first message to it; nothing
    /// when there will be no more. Members know of a group in the cycle in which its first message is created: its
    /// distribution costs no time, as in the papers.
    virtual std::optional<group_setup> next_group(std::uint32_t host) {
        static_cast<void>(host);
        return std::nullopt;
    }
};

/// A passive observer outside the hardware, which is told what is sent and what arrives.
class message_sink {
public:
    virtual ~message_sink() = default;

    /// `source` is about to send `message`.
    virtual void created(std::uint32_t source, const message& message) = 0;

    /// The head of a unicast packet is on the output pins of a host's network interface in cycle `now`.
    virtual void departed(engine::cycle now, const ni::departed_packet& packet) {
        static_cast<void>(now);
        static_cast<void>(packet);
    }

    /// The tail of a packet is on the input pins of a host's network interface in cycle `now`.
    virtual void arrived(engine::cycle now, const ni::received_packet& packet) = 0;

    /// The program of `host` has message `number` of `source`, all overheads paid, at `when`: `data` is what lies in
    /// its memory. The view lives for the call only. Reliable messages have their tag instead of the number.
    virtual void delivered(engine::cycle when, std::uint32_t host, std::uint32_t source, std::uint32_t number,
                           std::span<const std::uint8_t> data) = 0;

    /// The interface of `host` has told its program that it dropped something of message `number` of `source`, or that
    /// the rest did not come; at the source itself, that it did not send it. Other hosts know a reliable message by its
    /// tag.
    virtual void lost(std::uint32_t host, std::uint32_t source, std::uint32_t number) {
        static_cast<void>(host);
        static_cast<void>(source);
        static_cast<void>(number);
    }

    /// The interface has told the source what became of a reliable message.
    virtual void ended(const send_end& end) { static_cast<void>(end); }
};

}  // namespace polycast::hw::traffic
