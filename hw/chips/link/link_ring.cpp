// SPDX-License-Identifier: Apache-2.0
// Stored bits of a ring that flip, and the codes that find them.
#include "hw/chips/link/link_ring.h"

#include <algorithm>

namespace polycast::hw::chips {

using format::protection;
using format::reading;

namespace {

/// Marks and virtual channel.
constexpr unsigned marks_bits = 6;

}  // namespace

/// \param bit as link_upset numbers them, none of a code
void link_ring::flip(std::uint64_t place, unsigned bit) {
    mark& hit = store_.mark(place);
    if (bit < 8 * config_.flit_bytes) return store_.flip_data(place, bit);
    bit -= 8 * config_.flit_bytes;
    if (bit == 0) hit.head = !hit.head;
    if (bit == 1) hit.tail = !hit.tail;
    if (bit >= 2 && bit < marks_bits) hit.vc = static_cast<std::uint8_t>(hit.vc ^ 1u << (bit - 2));
    if (bit < marks_bits) return;
    bit -= marks_bits;
    if (bit < 8 * config_.header_bytes) return store_.flip_header(place, bit);
    hit.begins_unit = !hit.begins_unit;
}

/// In the word that a code is made of, marks and virtual channel come first and data behind them.
void link_ring::flip_wrong(const hit_flit& hit) {
    const unsigned data = 8 * config_.flit_bytes;
    for (unsigned at = 0; at < ring_word_bits(config_); ++at) {
        if ((hit.bits.wrong(at / 8) >> at % 8 & 1) == 0) continue;
        flip(hit.place, at < marks_bits ? at + data : at < data + marks_bits ? at - marks_bits : at);
    }
}

void link_ring::upset(std::uint64_t index, unsigned bit) {
    if (index >= flits()) return;
    const std::uint64_t place = first_ + index;
    if (config_.protect_rings == protection::none) return flip(place, bit);
    // A place that others have been written behind, as many as there is room for, is not read any more.
    std::erase_if(hits_, [this](const hit_flit& old) { return end_ - old.place > most_; });
    auto hit = std::ranges::find(hits_, place, &hit_flit::place);
    if (hit == hits_.end()) {
        hit = hits_.insert(hit, {place, format::flipped_bits(config_.protect_rings, ring_word_bits(config_))});
    } else {
        flip_wrong(*hit);
    }
    const unsigned data = 8 * config_.flit_bytes;
    hit->bits.flip(bit < data ? bit + marks_bits : bit < data + marks_bits ? bit - data : bit);
    flip_wrong(*hit);
}

reading link_ring::found_at(std::uint64_t place) const {
    const auto hit = std::ranges::find(hits_, place, &hit_flit::place);
    return hit == hits_.end() ? reading::good : hit->bits.found();
}

}  // namespace polycast::hw::chips
