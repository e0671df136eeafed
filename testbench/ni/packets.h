// SPDX-License-Identifier: Apache-2.0
/// \file Packets as they are on a link, built and taken apart by the format alone, not by the interface's own code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/format/header.h"
#include "hw/ni/parameters.h"

namespace polycast::testbench::ni {

/// Data of all flits, and the header pins where the header is free.
struct link_packet {
    std::vector<std::uint8_t> header;
    std::vector<std::uint8_t> flits;

    bool operator==(const link_packet&) const = default;
};

/// What a packet says. Lies are allowed.
struct packet_fields {
    std::uint8_t kind = 0;  ///< 4 bits
    std::uint32_t source = 0;
    std::uint32_t sequence = 0;
    std::uint32_t destination = 0;    ///< where there is no route
    std::vector<std::uint8_t> route;  ///< of a worm: what follows the common header
    hw::format::transport_header transport;
    std::uint32_t job = 0;  ///< where packets carry one
    std::vector<std::uint8_t> payload;
    std::optional<std::uint16_t> length;  ///< if it is not the payload's
    std::uint32_t check_error = 0;        ///< bits of the check word that are wrong

    bool operator==(const packet_fields&) const = default;
};

/// Where a packet goes first: host of a unicast, switch of an SSR worm or of a path worm's first stop, 0 for others.
std::uint32_t target_of(const packet_fields& fields);

link_packet build_packet(const hw::ni::ni_params& params, const packet_fields& fields);

/// The fields of a well-formed packet; none if it is not one. `check_error` is zero where the check word is right.
std::optional<packet_fields> read_packet(const hw::ni::ni_params& params, const link_packet& packet);

/// One line for messages.
std::string describe(const hw::ni::ni_params& params, const link_packet& packet);

}  // namespace polycast::testbench::ni
