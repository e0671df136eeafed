// SPDX-License-Identifier: Apache-2.0
/// \file The flits of a link end that are not acknowledged, or not sent yet.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/link/flit_store.h"
#include "hw/chips/link/link_upset.h"

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

    explicit link_ring(const link_config& config) : config_(config), store_(config), most_(config.ring_flits()) {}

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

    /// A bit of a flit flips, counted from the oldest one, if there are so many. \param bit below ring_bits()
    void upset(std::uint64_t index, unsigned bit);
    /// What the code of a flit says that is read. at() has its bits as they are read: corrected, where that can be.
    format::reading read(std::uint64_t place) const { return hits_.empty() ? format::reading::good : found_at(place); }

    /// \returns the packets of which no flit was sent
    std::uint64_t flush() {
        std::uint64_t packets = 0;
        for (; next_ != end_; ++next_) packets += store_.mark(next_).begins_packet ? 1 : 0;
        first_ = end_;
        hits_.clear();
        return packets;
    }

private:
    /// A flit that has a code and bits that have flipped.
    struct hit_flit {
        std::uint64_t place;
        format::flipped_bits bits;
    };
    void flip(std::uint64_t place, unsigned bit);
    void flip_wrong(const hit_flit& hit);
    format::reading found_at(std::uint64_t place) const;

    const link_config& config_;
    flit_store<mark> store_;
    std::uint64_t most_;
    std::uint64_t first_ = 0;
    std::uint64_t next_ = 0;  ///< unsent
    std::uint64_t end_ = 0;
    std::vector<hit_flit> hits_;
};

}  // namespace polycast::hw::chips
