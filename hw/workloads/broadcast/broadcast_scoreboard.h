// SPDX-License-Identifier: Apache-2.0
/// \file Checks a broadcast: every node has every byte of the message, and was sent every packet exactly once.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/delivery/check.h"

namespace polycast::hw::broadcast {

/// A broadcast that did not deliver; what() names nodes and packets.
class delivery_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Makes the message again from the seed (packet p is traffic::fill_payload() of transfer p), keeps its own account of
/// receipts, and reads the nodes' memories without being able to change them.
class broadcast_scoreboard final : public delivery::check {
public:
    /// \param source    a node that is sent nothing
    /// \param packets   of the message, each of `bytes`
    broadcast_scoreboard(std::uint32_t nodes, std::uint32_t source, unsigned packets, unsigned bytes,
                         std::uint64_t seed);

    /// A node is sent a packet. May be called by several threads, for different nodes.
    void received(std::uint32_t node, unsigned packet) {
        std::uint32_t& word = receipts_[std::size_t{node} * words_ + packet / 32];
        const std::uint32_t bit = std::uint32_t{1} << packet % 32;
        if ((word & bit) != 0) received_again(node, packet);
        word |= bit;
    }

    /// \param memories [(node * packets + packet) * bytes]
    /// Once, at the end. \throws delivery_error that tells the number of faults and the first ones by node
    void compare(std::span<const std::uint8_t> memories);

    std::size_t memory_bytes() const;

private:
    void received_again(std::uint32_t node, unsigned packet);

    std::uint32_t nodes_, source_;
    unsigned packets_, bytes_, words_;
    std::vector<std::uint8_t> message_;
    std::vector<std::uint32_t> receipts_;  ///< [node * words + packet / 32]
    std::mutex mutex_;
    std::vector<std::pair<std::uint32_t, unsigned>> again_;  ///< node and packet
};

}  // namespace polycast::hw::broadcast
