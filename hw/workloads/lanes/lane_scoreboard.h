// SPDX-License-Identifier: Apache-2.0
/// \file Checks every byte of a broadcast at every node, and says when each has all of them: independent of everything
/// that carried them. It knows nodes, bytes and the seed.
#pragma once

#include "hw/delivery/check.h"
#include "hw/engine/chip.h"

namespace polycast::hw::lanes {

using engine::cycle;

/// The payload generator's number of a broadcast (hw/traffic/random.h).
inline constexpr std::uint64_t broadcast_transfer = 0;

class lane_scoreboard final : public delivery::check {
public:
    /// Node 0 has everything from the start.
    lane_scoreboard(std::uint64_t payload_seed, std::uint32_t nodes, std::uint64_t bytes);

    /// Bytes `first` and on are in the memory of `node`. `bytes` are valid during the call.
    void landed(cycle when, std::uint32_t node, std::uint64_t first, std::span<const std::uint8_t> bytes);

    bool complete() const { return missing_nodes_ == 0; }
    /// No byte was wrong, came twice or lay outside.
    bool good() const { return fault_count() == 0; }
    /// [node] cycle in which its last byte came; engine::never where some are missing. The root's is 0.
    const std::vector<cycle>& completed() const { return completed_; }
    /// Bytes that were compared, of all nodes.
    std::uint64_t checked() const { return checked_; }
    /// What is missing at the first node that lacks something, in words; empty if nothing is.
    std::string missing() const;

private:
    std::uint64_t bytes_;
    std::vector<std::map<std::uint64_t, std::uint64_t>> there_;  ///< [node] first byte and end of what has come
    std::vector<std::uint64_t> count_;                           ///< [node] bytes that have come
    std::vector<cycle> completed_;
    std::uint32_t missing_nodes_;
    std::uint64_t checked_ = 0;
};

}  // namespace polycast::hw::lanes
