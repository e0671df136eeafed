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

/// Index in regions `vl_chunks` and `vl_credits`.
constexpr std::uint32_t vl_index(std::uint32_t vl_index_zero, std::uint32_t port, std::uint32_t vl) {
    return vl_index_zero << 16 | port << 8 | vl;
}

/// Index in region `sl2vl`.
constexpr std::uint32_t sl2vl_index(std::uint32_t sl2vl_zero, std::uint32_t in, std::uint32_t port, std::uint32_t half) {
    return sl2vl_zero << 17 | in << 9 | port << 1 | half;
}

/// Index in region `vl_arbitration`.
constexpr std::uint32_t vl_entry_index(std::uint32_t vl_entry_zero, std::uint32_t port, std::uint32_t low, std::uint32_t entry) {
    return vl_entry_zero << 15 | port << 7 | low << 6 | entry;
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
