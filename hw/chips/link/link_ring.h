// SPDX-License-Identifier: Apache-2.0
/// \file The flits of a link end that are not acknowledged, or not sent yet.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/link/link_symbol.h"

namespace polycast::hw::chips {

/// A FIFO in places that are counted from reset on: first() <= next() <= end(). A frame that is being repeated may be
/// read on after it was freed: it is read one flit a cycle from before the free, and written no faster from behind it.
class link_ring {
public:
    struct entry {
        link_symbol flit;
        bool begins_unit = false;
        bool begins_packet = false;
    };

    explicit link_ring(std::uint64_t flits) : slots_(flits) {}

    bool full() const { return end_ - first_ == slots_.size(); }
    bool empty() const { return first_ == end_; }
    std::uint64_t flits() const { return end_ - first_; }
    bool all_sent() const { return next_ == end_; }
    /// A flit was sent that is not acknowledged.
    bool outstanding() const { return first_ != next_; }
    std::uint64_t next() const { return next_; }

    void write(const link_symbol& flit, bool begins_unit, bool begins_packet) {
        entry& slot = slots_[end_++ % slots_.size()];
        slot.flit = flit;
        slot.begins_unit = begins_unit;
        slot.begins_packet = begins_packet;
    }
    /// The oldest unsent flit, which is sent by that.
    const entry& send() { return at(next_++); }
    const entry& at(std::uint64_t place) const { return slots_[place % slots_.size()]; }
    void free_to(std::uint64_t place) { first_ = place; }

    /// Flips a bit of a flit, counted from the oldest one, if there are so many. \param bit below ring_bits()
    void upset(const link_config& config, std::uint64_t index, unsigned bit) {
        if (index >= flits()) return;
        entry& hit = slots_[(first_ + index) % slots_.size()];
        const unsigned header = kind_wire(config);
        if (bit < header) return flip_wire(config, bit, hit.flit);
        bit -= header;
        if (bit == 8 * config.header_bytes) {
            hit.begins_unit = !hit.begins_unit;
            return;
        }
        hit.flit.header.resize(config.header_bytes);
        hit.flit.header[bit / 8] = static_cast<std::uint8_t>(hit.flit.header[bit / 8] ^ 1u << bit % 8);
    }

    /// \returns the packets of which no flit was sent
    std::uint64_t flush() {
        std::uint64_t packets = 0;
        for (; next_ != end_; ++next_) packets += at(next_).begins_packet ? 1 : 0;
        first_ = end_;
        return packets;
    }

private:
    std::vector<entry> slots_;
    std::uint64_t first_ = 0;
    std::uint64_t next_ = 0;  ///< unsent
    std::uint64_t end_ = 0;
};

}  // namespace polycast::hw::chips
