// SPDX-License-Identifier: Apache-2.0
// Generated from hw/format/packet.yaml by `scripts/polycast generate`; do not edit.
#pragma once

#include <cstdint>

namespace polycast::hw::format {

/// Address on the configuration bus.
constexpr std::uint32_t config_address(std::uint32_t region, std::uint32_t index) {
    return region << 24 | index;
}

/// Index in region `reach_port`.
constexpr std::uint32_t reach_index(std::uint32_t port, std::uint32_t word) {
    return port << 16 | word;
}

/// Index in region `context` of a coding unit.
constexpr std::uint32_t context_index(std::uint32_t number, std::uint32_t which) {
    return number << 4 | which;
}

/// Data in region `neighbour`.
constexpr std::uint32_t neighbour(std::uint32_t dimension, std::uint32_t coordinate) {
    return dimension << 16 | coordinate;
}

}  // namespace polycast::hw::format
