// SPDX-License-Identifier: Apache-2.0
/// \file The flits of a link end that are not acknowledged, or not sent yet.
#pragma once

#include <cstdint>

#include "hw/chips/link/flit_store.h"

namespace polycast::hw::chips {

/// A FIFO in places that are counted from reset on: first() <= next() <= end(). A frame that is being repeated may be
/// read on after it was freed: it is read one flit a cycle from before the free, and written no faster from behind it.
/// Its memory grows with what is in it.
class link_ring {
public:
    struct mark {
        bool head = false;
        bool tail = false;
        std::uint8_t vc = 0;
        bool begins_unit = false;
        bool begins_packet = false;
    };

    explicit link_ring(const link_config& config) : store_(config), most_(config.ring_flits()) {}

    bool full() const { return end_ - first_ == most_; }
    bool empty() const { return first_ == end_; }
    std::uint64_t flits() const { return end_ - first_; }
    bool all_sent() const { return next_ == end_; }
    /// A flit was sent that is not acknowledged.
    bool outstanding() const { return first_ != next_; }
    std::uint64_t next() const { return next_; }

    void write(const engine::flit& flit, bool begins_unit, bool begins_packet) {
        if (flits() == store_.capacity()) store_.grow(end_);
        store_.write(end_++, {flit.head, flit.tail, flit.vc, begins_unit, begins_packet}, &flit);
    }
    /// The oldest unsent flit, which is sent by that.
    const mark& send() { return store_.mark(next_++); }
    engine::flit at(std::uint64_t place) const { return store_.at(place); }
    void free_to(std::uint64_t place) { first_ = place; }

    /// Flips a bit of a flit, counted from the oldest one, if there are so many. \param bit below ring_bits()
    void upset(const link_config& config, std::uint64_t index, unsigned bit) {
        if (index >= flits()) return;
        const std::uint64_t place = first_ + index;
        mark& hit = store_.mark(place);
        if (bit < 8 * config.flit_bytes) return store_.flip_data(place, bit);
        bit -= 8 * config.flit_bytes;
        if (bit == 0) hit.head = !hit.head;
        if (bit == 1) hit.tail = !hit.tail;
        if (bit >= 2 && bit < 6) hit.vc = static_cast<std::uint8_t>(hit.vc ^ 1u << (bit - 2));
        if (bit < 6) return;
        bit -= 6;
        if (bit < 8 * config.header_bytes) return store_.flip_header(place, bit);
        hit.begins_unit = !hit.begins_unit;
    }

    /// \returns the packets of which no flit was sent
    std::uint64_t flush() {
        std::uint64_t packets = 0;
        for (; next_ != end_; ++next_) packets += store_.mark(next_).begins_packet ? 1 : 0;
        first_ = end_;
        return packets;
    }

private:
    flit_store<mark> store_;
    std::uint64_t most_;
    std::uint64_t first_ = 0;
    std::uint64_t next_ = 0;  ///< unsent
    std::uint64_t end_ = 0;
};

}  // namespace polycast::hw::chips
