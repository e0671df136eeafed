// SPDX-License-Identifier: Apache-2.0
/// \file Whether every node of an allgather has got every datum, byte by byte. Knows nothing of how it got there: makes
/// all data itself, and compares what nodes say that they have.
#pragma once

#include "hw/delivery/check.h"

namespace polycast::hw::fabric {

class allgather_check : public delivery::check {
public:
    /// The datum of node s is what traffic::fill_payload() makes of transfer s. `sources`: nodes that have one.
    allgather_check(std::uint32_t nodes, std::size_t bytes, std::uint64_t seed,
                    const std::vector<std::uint32_t>& sources);

    /// Node `node` has these bytes as the datum of node `source`.
    void compare(std::uint32_t node, std::uint32_t source, std::span<const std::uint8_t> bytes);

    /// Data that need not come, and are a fault if they do: those that are false in `can`, [node * nodes + source].
    void leave_out(const std::vector<bool>& can);

    /// Data that some node should have got, and has not.
    std::uint64_t missing() const { return missing_; }
    /// The first `most` of what is missing, in words.
    std::vector<std::string> missing_data(std::size_t most) const;

    std::size_t memory_bytes() const { return wanted_.capacity() + sources_.capacity() * 4 + got_.capacity() / 8; }

private:
    std::uint32_t nodes_;
    std::size_t bytes_;
    std::vector<std::uint32_t> sources_;
    std::vector<std::uint8_t> wanted_;  ///< [node][byte]
    std::vector<bool> got_;             ///< [node][source], or left out
    std::uint64_t missing_;
};

}  // namespace polycast::hw::fabric
