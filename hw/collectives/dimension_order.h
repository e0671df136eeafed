// SPDX-License-Identifier: Apache-2.0
/// \file The order of participants on regular networks along which k-binomial trees are built. McKinley, Xu, Esfahanian
/// and Ni, "Unicast-based multicast communication in wormhole-routed networks", IEEE TPDS 5(12), 1994.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace polycast::hw::collectives {

/// Participants of a mesh as a chain: the source, then those behind it in dimension order (by the first coordinate,
/// among equal ones by the second, and so on), then those before it. Where routers correct the first coordinate first,
/// then the second, no two transmissions of one step of a k-binomial tree on this chain share a channel: they lie in
/// parts of the chain that do not overlap, and at most one of them goes backwards, round the end of the order, past
/// both ends of all others.
///
/// \param coordinates [participant] its place, as many numbers for each; participants may share a place
/// \param source index of the source among them
/// \returns indices of participants, the source first; those of one place in their own order
std::vector<std::uint32_t> dimension_order(std::span<const std::vector<std::uint32_t>> coordinates,
                                           std::uint32_t source);

}  // namespace polycast::hw::collectives
