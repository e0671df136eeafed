// SPDX-License-Identifier: Apache-2.0
/// \file A plan of a broadcast over two lanes (hw/collectives/lane_trees.h) as messages between interfaces: which bytes
/// go where on which lane, and which message brings them to the sender.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/collectives/lane_trees.h"

namespace polycast::hw::lanes {

/// Longest broadcast: a region of host memory (hw/host/process.h).
inline constexpr std::uint64_t most_bytes = 0xfffffc00;

/// One message on one lane. Its number is its place in lane_messages().
struct lane_message {
    static constexpr std::uint32_t none = ~0u;

    std::uint32_t parent = 0;
    std::uint32_t child = 0;
    unsigned lane = 0;              ///< of both
    collectives::byte_range range;  ///< of the broadcast
    /// The message that it follows: it brings these bytes to the parent, or the last of them. none: that is the root.
    std::uint32_t supplier = none;
    /// All messages that bring some of these bytes, each once. The parent's earlier sends on this lane followed the
    /// others, so those bytes have arrived.
    std::vector<std::uint32_t> sources{};
    bool pipelined = true;   ///< each piece is sent when the parent has it, else nothing before the whole supplier
    bool wide = false;       ///< between two sites
    std::uint32_t step = 1;  ///< bytes of a piece, where this message is followed piece by piece
    bool followed = false;   ///< the child forwards some of it

    bool operator==(const lane_message&) const = default;
};

/// All messages of a broadcast of `bytes` bytes, those of a node and lane in the order in which it sends them.
///
/// If the plan has edges of both lanes, the broadcast is cut into two halves, each of which goes through the whole plan
/// on its lane; their pieces are half as long, so that both lanes together carry `piece` bytes in the time of one
/// piece. An edge is a message for each part and half. One that is not pipelined joins its parts as far as it has to
/// wait for one message only; where it has to for several, it goes in as many, the youngest first, so that it waits
/// until everything is there.
///
/// If all edges are pipelined, each of these messages is sent as up to `segments` segments of whole pieces, one after
/// the other, so that the memory of one can be freed before the next arrives.
/// \throws input_error for no bytes, more than most_bytes, a piece of no bytes, or no segment
std::vector<lane_message> lane_messages(const collectives::lane_plan& plan, std::uint64_t bytes, std::uint64_t piece,
                                        std::uint32_t segments = 1);

}  // namespace polycast::hw::lanes
