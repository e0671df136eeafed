// SPDX-License-Identifier: Apache-2.0
/// \file From a packet slot to bytes on the link and back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/ni/observer.h"
#include "hw/ni/packet_memory.h"
#include "hw/ni/parameters.h"

namespace polycast::hw::ni {

/// Bits of the slot word `status`.
enum class packet_status : std::uint32_t {
    incomplete = 1u << 0,
    bad_check = 1u << 1,
    cut = 1u << 2,
    unknown_kind = 1u << 3,  ///< or a path worm's list of an invalid length
    not_mine = 1u << 4,      ///< unknown for SSR and path worms
};

/// What LINK_PUSH says about a packet.
struct push_request {
    std::uint32_t slot = 0;
    std::uint32_t destination = 0;  ///< of a unicast
    std::uint16_t hops = 0;
    bool seal = false;
    format::packet_kind kind = format::packet_kind::unicast;  ///< of the slot, at the push
    std::vector<std::uint8_t> route{};                        ///< what follows the common header of a worm
    std::uint32_t job = 0;                                    ///< that the packet carries, where packets carry one
};

using link_packet = engine::packet_bytes;

/// Bytes of the route of a worm whose first byte is `first`; 0 for a unicast, for a kind that does not exist (in
/// networks of routers all others), and for a path worm whose list has an invalid length.
std::size_t route_bytes(const ni_params& params, format::packet_kind kind, std::uint8_t first);

/// True if the packet in the slot can be sent: its kind is the request's, length 1..payload_bytes; destination in the
/// network, or a route of the kind's length; a tree worm has a receiver.
bool sendable(const ni_params& params, std::span<const std::uint8_t> slot, const push_request& request);

/// Builds the packet. Only if sendable().
void build_packet(const ni_params& params, std::span<const std::uint8_t> slot, const push_request& request,
                  link_packet& packet);

/// A packet as received from the link.
struct arrival {
    link_packet packet;
    std::shared_ptr<const link_packet> whole;  ///< instead of `packet` if it arrived as one event
    std::size_t flits = 0;                     ///< that arrived; more than in `packet` if it was cut
    bool headless = false;                     ///< began with a body flit
    bool lost = false;                         ///< flits were dropped for lack of room
    bool ended = false;                        ///< the tail has arrived
    cycle began = 0;                           ///< cycle of its first flit
    std::uint32_t chunks = 0;                  ///< full ones whose credit has not been returned

    const link_packet& bytes() const { return whole ? *whole : packet; }
};

/// Most bytes of flits that a packet whose payload fits a slot can have.
std::size_t longest_packet(const ni_params& params);

/// Reads a packet; the views of `packet` are into `from`. \returns its packet_status bits.
std::uint32_t parse_packet(const ni_params& params, const arrival& from, received_packet& packet);

/// Fills a zeroed slot, see the slot layout in ni.md.
void fill_slot(const ni_params& params, const received_packet& packet, std::uint32_t status,
               std::span<std::uint8_t> slot);

}  // namespace polycast::hw::ni
