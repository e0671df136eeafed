// SPDX-License-Identifier: Apache-2.0
/// \file Packets that can close a cycle of channels: for each edge of it the ways and floods that have both channels in
/// a row, and one source for each edge. See subnet.md, Deadlock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/subnet/check.h"

namespace polycast::hw::subnet {

/// A packet that goes over a channel of a cycle and then over the next one.
struct witness {
    std::uint32_t source = 0;             ///< host
    unsigned dlid = 0;                    ///< LID, or MLID of a group that the source is a member of
    std::optional<std::uint32_t> target;  ///< host that owns the LID; none of a group
    std::uint8_t sl = 0;
    unsigned front = 0;  ///< channels between switches that it takes before its first one of the cycle
    unsigned along = 0;  ///< channels of the cycle in a row, the two included

    bool operator==(const witness&) const = default;
};

/// Witnesses of the edge from a channel of the cycle to the next, the best of each source.
struct edge_witnesses {
    std::uint64_t count = 0;        ///< of all
    std::vector<witness> nearest;   ///< by fewest channels in front, most of the cycle, source's GUID, LID
    std::vector<witness> farthest;  ///< by most channels of the cycle, then likewise
};

/// LIDs that sources send to: all, the base LID of the destination, or base + (source + destination) mod 2^LMC.
enum class sent_lids : std::uint8_t { all, base, spread };

/// Witnesses of each edge (cycle[i], cycle[i + 1]). No channel that a witness takes before cycle[i] is in the cycle; of
/// a flood, no channel of the cycle is nearer to the source. Lost packets count as far as they go.
std::vector<edge_witnesses> find_witnesses(const fabric& of, std::span<const channel> cycle,
                                           const check_options& options, sent_lids lids);

/// A witness for each edge.
struct chosen_witnesses {
    std::vector<witness> of;   ///< [edge]
    std::vector<bool> shared;  ///< [edge] the source has another edge, too, as there are too few sources
    unsigned front = 0;        ///< of all together

    /// Each edge has a source of its own.
    bool complete() const;
};

/// Sources of all edges are different where that is possible, and the total front is the least of such choices; of
/// equal ones that with the least sum of places in `nearest` is taken.
chosen_witnesses choose_nearest(std::span<const edge_witnesses> edges);

/// Likewise with the most channels of the cycle in total, by places in `farthest`.
chosen_witnesses choose_farthest(std::span<const edge_witnesses> edges);

/// Channels between switches on the way of a witness; of a flood all, nearest first.
std::vector<channel> channels_of(const fabric& of, const witness& one, const check_options& options);

}  // namespace polycast::hw::subnet
