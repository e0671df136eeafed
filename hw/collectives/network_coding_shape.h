// SPDX-License-Identifier: Apache-2.0
/// \file Places in boxes and the order of base algorithms, shared by the parts of network_coding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/collectives/network_coding.h"

namespace polycast::hw::collectives {

/// Most dimensions; 2^20 nodes have no more.
inline constexpr unsigned most_coding_dimensions = 20;

using box_place = std::array<std::uint32_t, most_coding_dimensions>;

/// The coordinates of a number, row by row: dimension 0 varies first.
inline box_place place_in(const std::vector<std::uint32_t>& sides, std::uint32_t number) {
    box_place place{};
    for (std::size_t d = 0; d < sides.size(); ++d) {
        place[d] = number % sides[d];
        number /= sides[d];
    }
    return place;
}

inline std::uint32_t number_in(const std::vector<std::uint32_t>& sides, const box_place& place) {
    std::uint32_t number = 0;
    for (std::size_t d = sides.size(); d-- > 0;) number = number * sides[d] + place[d];
    return number;
}

/// Hops along one dimension.
inline std::uint32_t hops_between(const coding_options& options, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t straight = a < b ? b - a : a - b;
    return options.torus && straight > options.radix - straight ? options.radix - straight : straight;
}

/// Coordinate, in its box, of the intermediate nodes of the groups at place `group` along a dimension.
std::uint32_t intermediate_coordinate(const coding_level& level, node_placement placement, std::size_t dimension,
                                      std::uint32_t group);

/// Data or packets that group with `sources` sources sends out by its intermediate node.
inline std::uint64_t parcels_sent(coding_method method, std::uint64_t sources) {
    if (sources == 0 || method == coding_method::uncoded) return sources;
    return method == coding_method::combining ? 1 : sources - 1;
}

/// Rounds in which one of `count` places reaches the others.
inline unsigned rounds_of(coding_base base, std::uint32_t count) {
    if (count <= 1) return 0;
    unsigned rounds = 0;
    for (std::uint32_t reached = 1; reached < count; reached *= 2) ++rounds;
    return base == coding_base::tree ? rounds : 1;
}

/// Calls `visit(from, to)` for each transfer of a round in which `root` reaches all `count` places.
template <typename visitor>
void spread(coding_base base, std::uint32_t count, std::uint32_t root, unsigned round, visitor visit) {
    if (base == coding_base::all_at_once) {
        for (std::uint32_t ahead = 1; ahead < count; ++ahead) visit(root, (root + ahead) % count);
        return;
    }
    const std::uint32_t apart = count >> round;  // senders differ in the bits that were halved before
    for (std::uint32_t sender = 0; sender < std::uint32_t{1} << round; ++sender) {
        const std::uint32_t from = root ^ (sender * apart);
        visit(from, from ^ (apart / 2));
    }
}

}  // namespace polycast::hw::collectives
