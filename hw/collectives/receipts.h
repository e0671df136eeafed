// SPDX-License-Identifier: Apache-2.0
/// \file Trees along which the receivers of a reliable multicast acknowledge it, up to its source.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/collectives/multicast_plan.h"

namespace polycast::hw::collectives {

/// A host's place in such a tree.
struct receipt_place {
    static constexpr std::uint32_t none = 0xffffff;

    std::uint32_t host = 0;
    std::uint32_t parent = none;  ///< none: the source
    std::vector<std::uint32_t> below;
    std::uint32_t members = 0;  ///< of the whole tree, without the source

    bool operator==(const receipt_place&) const = default;
};

/// Children of a host where the tree of the data does not fit.
inline constexpr unsigned receipt_fanout = 4;

/// The complete tree over the members in the order given, with receipt_fanout children for each host. The source first.
std::vector<receipt_place> receipts_in_turn(std::uint32_t source, std::span<const std::uint32_t> members);

/// Of a plan whose interfaces forward: the tree of its unicasts if no host has more than `most` children, else
/// receipts_in_turn() over its hosts in order. [participant]
std::vector<receipt_place> receipts_of(const multicast_plan& plan, std::size_t most);

}  // namespace polycast::hw::collectives
