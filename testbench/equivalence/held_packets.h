// SPDX-License-Identifier: Apache-2.0
/// \file Follows on the pins of a chip which packets its inputs hold.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "hw/engine/chip.h"

namespace polycast::testbench::equivalence {

/// Believes the chip's errors: what becomes of a flit shows in them.
class held_packets {
public:
    struct packet {
        std::vector<std::uint8_t> header;  ///< free, or what has come so far, not much more than the longest
        unsigned stored = 0;               ///< flits
        bool closed = false;               ///< its stored tail has come
        bool bad = false;                  ///< its header is short
        bool decided = false;              ///< for whoever reads along
        unsigned gone = 0;                 ///< likewise
    };

    /// `longest_header`: bytes of one in the flits.
    held_packets(const hw::engine::pin_shape& shape, unsigned longest_header);

    /// The chip is reset.
    void reset();

    /// What is on the input pins of `port`, and the output pins of the next cycle. \returns the packet whose header
    /// turned out to be short, if one did
    const packet* arrive(unsigned port, const hw::engine::pins& in, const hw::engine::pins& out);

    /// The packets of an input's virtual channel, front first.
    std::deque<packet>& waiting(unsigned port, unsigned vc = 0) { return packets_[port * shape_.vcs + vc]; }

private:
    hw::engine::pin_shape shape_;
    unsigned longest_header_;
    std::vector<std::deque<packet>> packets_;  ///< [port][vc]
    std::vector<bool> dead_;                   ///< [port][vc]
};

}  // namespace polycast::testbench::equivalence
