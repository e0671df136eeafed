// SPDX-License-Identifier: Apache-2.0
/// \file Paths that an interface chooses: where hosts stand in equal groups, and routers have a table entry for each
/// path to a host, a packet for another group goes by way of a third group, drawn for each packet. Valiant, "A scheme
/// for fast parallel communication", SIAM J. Computing 11(2), 1982.
#pragma once

#include <cstdint>

#include "hw/traffic/random.h"

namespace polycast::hw::ni {

/// The address of path k to a host is host + k x hosts; it leads by way of the group k behind the host's, modulo the
/// groups, and path 0 at once.
struct detour {
    std::uint32_t group_hosts = 0;  ///< 0: no detours
    std::uint32_t groups = 0;
    std::uint64_t seed = 0;

    constexpr bool operator==(const detour&) const = default;

    std::uint32_t hosts() const { return groups * group_hosts; }

    /// Paths to each host.
    std::uint32_t paths() const { return group_hosts == 0 ? 1 : groups; }

    /// The host that an address leads to.
    std::uint32_t host_of(std::uint32_t address) const { return group_hosts == 0 ? address : address % hosts(); }

    /// Class of virtual channels of its packets, in place of that of the message: 1 where the third group lies behind
    /// the last one, by their numbers. Two orders of the groups, one for each class, keep the ways free of circles.
    unsigned class_of(std::uint32_t address) const {
        return address / hosts() + address % hosts() / group_hosts < groups ? address >= hosts() : 0;
    }

    /// An address of the host for packet `sequence` of `source`: never by way of the group of either.
    std::uint32_t address(std::uint32_t host, std::uint32_t source, std::uint32_t sequence) const {
        if (group_hosts == 0) return host;
        const std::uint32_t first = source / group_hosts, last = host / group_hosts;
        if (first == last || groups < 3) return host;
        const std::uint32_t own = (first + groups - last) % groups;
        using traffic::random_stream;
        const std::uint64_t number =
            random_stream(random_stream::mix(seed ^ std::uint64_t{source} << 24 ^ host), sequence)();
        const auto drawn = static_cast<std::uint32_t>(1 + number % (groups - 2));
        return host + (drawn < own ? drawn : drawn + 1) * hosts();
    }
};

}  // namespace polycast::hw::ni
