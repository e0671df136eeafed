// SPDX-License-Identifier: Apache-2.0
/// \file The part of a header that says where a packet goes; it follows the common header.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/format/header.h"

namespace polycast::hw::format {

/// A place where an SSR or path worm is copied: hosts' ports of one switch.
struct stop {
    std::uint32_t chip = 0;   ///< switch
    std::uint64_t ports = 0;  ///< bit p: a copy leaves by port p

    bool operator==(const stop&) const = default;

    template <typename archive>
    void serialize(archive& all) {
        all(chip, ports);
    }
};

/// Kind of a packet and the bytes of its header behind the common part.
struct route {
    packet_kind kind = packet_kind::unicast;
    std::vector<std::uint8_t> field;

    bool operator==(const route&) const = default;
};

/// Unicast to one host.
route unicast_route(std::uint32_t host);

/// Tree worm to several. \throws std::invalid_argument if there is none, or one that does not exist
route tree_route(const header_shape& shape, std::span<const std::uint32_t> hosts);

/// SSR worm to hosts of one switch. \throws std::invalid_argument on what the header cannot encode: no port, a port or
/// a switch beyond its fields
route ssr_route(const header_shape& shape, const stop& where);

/// Path worm along `stops`, in order. \throws std::invalid_argument as above, and on too few or too many stops
route path_route(const header_shape& shape, std::span<const stop> stops);

/// Stops of an SSR or path worm's header (all of it, from the common part); empty for other kinds.
std::vector<stop> stops_of(const header_shape& shape, std::span<const std::uint8_t> header);

}  // namespace polycast::hw::format
