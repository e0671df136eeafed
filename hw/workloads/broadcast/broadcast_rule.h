// SPDX-License-Identifier: Apache-2.0
/// \file Where a node passes on the packets of a pipelined broadcast, as functions of what a router can keep in a small
/// table. Zhang and Deng, "Design and Analysis of Pipelined Broadcast Algorithms for the All-Port Interlaced Bypass
/// Torus Networks", IEEE TPDS, 2012.
///
/// A broadcast uses some dimensions of the network, numbered here 0 to d - 1: one for a line, two for a plane, or all.
/// The rules depend only on the set of dimensions in which a node differs from the source, bit j for dimension j.
#pragma once

#include <vector>

namespace polycast::hw::broadcast {

/// The largest r such that a node differs in dimension (first + r) mod d. \param differing not empty
constexpr unsigned last_difference(unsigned dimensions, unsigned differing, unsigned first) {
    unsigned last = 0;
    for (unsigned r = 0; r < dimensions; ++r)
        if ((differing >> (first + r) % dimensions & 1) != 0) last = r;
    return last;
}

/// Colours, one for each dimension: does a node send a packet of this colour over a link of this dimension?
/// \param differing     of the sender; empty at the source
/// \param meets_source  the node at the other end has the source's coordinate in this dimension
constexpr bool sends_colour(unsigned dimensions, unsigned differing, unsigned colour, unsigned dimension,
                            bool meets_source) {
    if (differing == 0) return dimension == colour;
    if ((differing >> colour & 1) == 0) return false;
    // On along the arrival dimension, and off in all later ones.
    if ((dimension + dimensions - colour) % dimensions >= last_difference(dimensions, differing, colour)) return true;
    // To the source's hyperplane, which the colour does not enter otherwise.
    return dimension == colour && meets_source;
}

/// A direction of the links of a torus.
struct direction {
    unsigned dimension;
    bool up;

    bool operator==(const direction&) const = default;
};

/// The 2d link-disjoint spanning trees of a torus; 2i grows up from the source in dimension i first, 2i + 1 down. On
/// which link does a node get the packets of a tree?
/// \param differing of the receiver; not empty
constexpr direction tree_arrival(unsigned dimensions, unsigned differing, unsigned tree) {
    const unsigned first = tree / 2;
    const bool up = tree % 2 == 0;
    if ((differing >> first & 1) == 0) return {first, !up};
    return {(first + last_difference(dimensions, differing, first)) % dimensions, up};
}

/// Packet-sending pattern of the source on its links of a dimension, 0 to 15: bit 3 up, bit 2 bypass up, bit 1 bypass
/// down, bit 0 down; 1: it sends the last packet first.
constexpr bool sends_in_reverse(unsigned pattern, bool bypass, bool up) {
    return (pattern >> (up ? (bypass ? 2u : 3u) : (bypass ? 1u : 0u)) & 1) != 0;
}

/// Patterns that differ: reversing all links only renumbers the packets, so that of bit 3 is 0.
inline constexpr unsigned pattern_count = 8;

/// Packets of each of `parts` colours or trees, the first ones with one more.
inline std::vector<unsigned> equal_split(unsigned packets, unsigned parts) {
    std::vector<unsigned> split(parts, packets / parts);
    for (unsigned part = 0; part < packets % parts; ++part) ++split[part];
    return split;
}

}  // namespace polycast::hw::broadcast
