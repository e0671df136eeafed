// SPDX-License-Identifier: Apache-2.0
/// \file What a host is asked to send.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::traffic {

/// One packet's worth of data on its way from one host to one or more others.
struct message {
    engine::cycle created = 0;  ///< when the host's program calls send; latency counts from here
    std::uint64_t transfer =
        0;  ///< messages with the same number are parts of one collective (separate unicasts of a multicast)
    format::packet_kind kind = format::packet_kind::unicast;
    std::vector<std::uint32_t> destinations;  ///< hosts; exactly one for a unicast
    std::uint16_t bytes = 0;                  ///< payload, 1..65535
};

/// Gives a host its messages. Asked again only after the last one was taken up, in order of creation.
class message_source {
public:
    virtual ~message_source() = default;

    /// The next message of `host`, never created earlier than the one before; nothing when there will be no more.
    virtual std::optional<message> next(std::uint32_t host) = 0;
};

/// Bytes of a packet as a host's NI has taken them off the link. The views live for the call only.
struct received_packet {
    std::uint32_t host = 0;                   ///< that received it
    std::span<const std::uint8_t> header;     ///< as it arrived: common header, then destination or bit string
    std::span<const std::uint8_t> transport;  ///< transport header, as many bytes as arrived
    std::span<const std::uint8_t> payload;    ///< as many bytes as arrived, padding of the last flit cut off
    std::uint32_t check = 0;                  ///< check word as it arrived
    bool complete = false;                    ///< headers, payload and check word were there as the length field says
    std::size_t flits = 0;                    ///< flits that arrived
};

/// Is told what arrives; a passive observer outside the hardware.
class message_sink {
public:
    virtual ~message_sink() = default;

    /// `source` is about to send `message`; its packets are numbered in the order of these calls, from 0.
    virtual void created(std::uint32_t source, const message& message) = 0;

    /// The tail of a packet is on the host's input pins in cycle `now`. \returns a ticket for delivered().
    virtual std::uint64_t arrived(engine::cycle now, const received_packet& packet) = 0;

    /// The host's program has the packet's data: all overheads are paid at `when`.
    virtual void delivered(engine::cycle when, std::uint64_t ticket) = 0;
};

}  // namespace polycast::hw::traffic
