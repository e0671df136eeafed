// SPDX-License-Identifier: Apache-2.0
/// \file The packet that is on a port now, read from the flits that pass.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/format/header.h"
#include "hw/format/packet_format.h"
#include "hw/format/route.h"

namespace polycast::tlm::trace {

/// Reads the headers of the packets that pass one port in one direction (hw/format/packet.yaml). It looks at the wire,
/// not into the chip: a head flit begins a packet even inside another, flits outside a packet belong to none.
class packet_tracker {
public:
    explicit packet_tracker(const hw::format::header_shape& shape) : shape_(shape) {}

    /// A flit in this cycle. `header` is the header beside a head flit, empty if the header is in the flits.
    /// \returns true when one of the answers below has changed.
    bool flit(bool head, bool tail, std::span<const std::uint8_t> data, std::span<const std::uint8_t> header);

    /// No flit in this cycle. \returns true when one of the answers below has changed.
    bool pause();

    bool present() const { return present_; }  ///< a packet is here: its head has passed, its tail has not, or does now
    bool complete() const { return complete_; }  ///< and its header has passed
    bool ended() const { return ended_; }        ///< the flit of this cycle is its tail

    /// Kind of the packet, known from its first flit; may be one that does not exist.
    hw::format::packet_kind kind() const {
        return static_cast<hw::format::packet_kind>(bytes_.empty() ? 0 : bytes_[0] & 0xfu);
    }

    /// The fields of every header; all zero until it is complete.
    hw::format::common_header common() const;

    /// Destination of a unicast packet; 0 until the header is complete, and for other kinds.
    std::uint32_t destination() const;

    /// Destinations of a tree worm, bit h for host h, in bytes; empty until the header is complete, and for other
    /// kinds.
    std::span<const std::uint8_t> destinations() const;

    /// Length of a path worm's list, 1 for an SSR worm; 0 until the header is complete, and for other kinds.
    unsigned stops() const;

    /// The stop, from 0, that a path worm travels to; 0 until the header is complete, and for other kinds.
    unsigned next_stop() const;

    /// Switch and ports of that stop, or of an SSR worm's only one; nothing until the header is complete, for other
    /// kinds, and for a list that has no such stop.
    std::optional<hw::format::stop> stop() const;

    /// "3>17 #5": source, destination, sequence. "3>{8} #5": tree worm to eight hosts. "3>s6{2} #5": to two ports of
    /// switch 6. "3>s6{2}+4 #5": and then to four more stops. "..." until the header is complete.
    std::string label() const;

private:
    std::size_t needed() const;
    void clear();

    hw::format::header_shape shape_;
    bool present_ = false;
    bool complete_ = false;
    bool ended_ = false;
    std::vector<std::uint8_t> bytes_;  ///< of the header, as far as they have passed
};

}  // namespace polycast::tlm::trace
