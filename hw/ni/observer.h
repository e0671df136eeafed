// SPDX-License-Identifier: Apache-2.0
/// \file Observers of a network interface and its host: scoreboards, charts, waves. All are passive.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hw/engine/chip.h"
#include "hw/format/header.h"

namespace polycast::hw::ni {

using engine::cycle;

/// Bytes of a packet as a host's NI received them from the link. The views are valid only during the call.
struct received_packet {
    std::uint32_t host = 0;                 ///< that received it
    std::span<const std::uint8_t> header;   ///< as it arrived: common header, then what its kind has
    format::transport_header transport;     ///< as it arrived; zero where it did not
    std::span<const std::uint8_t> job;      ///< job word, directly in front of the payload; empty: it carries none
    std::span<const std::uint8_t> payload;  ///< as many bytes as arrived, padding of the last flit cut off
    std::uint32_t check = 0;                ///< check word as it arrived
    bool complete = false;                  ///< header, payload and check word were there as the length field says
    std::size_t flits = 0;                  ///< flits that arrived

    /// What the check word covers behind the transport header.
    std::span<const std::uint8_t> body() const {
        return job.empty() ? payload : std::span(job.data(), job.size() + payload.size());
    }
};

/// A unicast packet, or any of a reliable message, that an interface puts on the link, its host's own or one that it
/// forwards.
struct departed_packet {
    std::uint32_t host = 0;  ///< that sends it
    unsigned vc = 0;         ///< virtual channel
    std::uint8_t vc_class = 0;
    std::uint32_t destination = 0;
    std::uint32_t source = 0;   ///< in its header
    std::uint32_t message = 0;  ///< of its source
    std::uint32_t offset = 0;   ///< in its message
    std::uint32_t tag = 0;
    format::packet_kind kind = format::packet_kind::unicast;
    bool reliable = false;
    std::uint16_t group = format::no_group;
    std::uint16_t hops = 0;  ///< that it still may take
    std::uint8_t source_process = 0;
    std::uint32_t job = 0;    ///< JobID, where packets carry one
    std::uint32_t route = 0;  ///< CRC of the route of a worm: a message may go out on several
};

/// A resource of a host, for charts.
enum class resource : std::uint8_t { host_processor, bus, ni_processor, link_out, link_in };

/// One use of a resource. What `what` and `detail` mean depends on the resource:
/// host_processor: 0 send overhead, 1 receive overhead; bus: 0 from host, 1 to host, 2 completion, 3 count;
/// ni_processor: ni_operation of hw/ni/abi/ni_firmware.h; link_out, link_in: packet kind. `source` and `message`
/// name the message it was for; source is ~0 if there is none.
struct span_record {
    std::uint32_t host = 0;
    resource where = resource::host_processor;
    std::uint8_t what = 0;
    cycle begin = 0;
    cycle end = 0;  ///< first cycle after it
    std::uint32_t source = ~0u;
    std::uint32_t message = 0;
    std::uint32_t offset = 0;  ///< of the packet in its message
};

class observer {
public:
    virtual ~observer() = default;
    /// The tail of a packet is on the input pins in cycle `now`.
    virtual void arrived(cycle now, const received_packet& packet) = 0;
    /// The head of such a packet is on the output pins in cycle `now`.
    virtual void departed(cycle now, const departed_packet& packet) {
        static_cast<void>(now);
        static_cast<void>(packet);
    }
    virtual void used(const span_record& span) { static_cast<void>(span); }
    /// Firmware of `host` has written a line to its console.
    virtual void console(cycle now, std::uint32_t host, std::string_view line) {
        static_cast<void>(now);
        static_cast<void>(host);
        static_cast<void>(line);
    }
    /// \returns true if used() is to be called; spans have a small cost.
    virtual bool wants_spans() const { return false; }
};

}  // namespace polycast::hw::ni
