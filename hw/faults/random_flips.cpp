// SPDX-License-Identifier: Apache-2.0
#include "hw/faults/random_flips.h"

#include <algorithm>

namespace polycast::hw::faults {

using engine::cycle;

random_flips::random_flips(const random_flip_rule& rule, unsigned wires, std::uint64_t key)
    : rule_(rule), wires_(wires), key_(key), gap_(rule.rate), start_{rule.from, 0} {
    draw();
    // The first gap counts from the bit before the first.
    start_ = start_.wire != 0 ? place{start_.when, start_.wire - 1} : place{start_.when - 1, wires_ - 1};
}

void random_flips::draw() {
    traffic::random_stream words(key_, index_);
    advance(start_, gap_(words()));
}

void random_flips::advance(place& from, std::uint64_t bits) const {
    from.when += bits / wires_;
    from.wire += bits % wires_;
    if (from.wire < wires_) return;
    from.wire -= wires_;
    ++from.when;
}

cycle random_flips::next() const {
    cycle next = start_.when < rule_.to ? start_.when : engine::never;
    for (const burst& each : bursts_) next = std::min(next, each.at.when);
    return next;
}

void random_flips::take(cycle now, std::vector<unsigned>& wires) {
    while (start_.when <= now && start_.when < rule_.to) {
        burst begun{start_, 0, 0, traffic::random_stream(key_, index_)};
        begun.words.skip(1);
        bursts_.push_back(begun);
        ++index_;
        draw();
    }
    for (burst& each : bursts_) {
        for (; each.offset < rule_.burst && each.at.when <= now; ++each.offset) {
            if (each.offset % 64 == 0) each.word = each.words();
            const bool outer = each.offset == 0 || each.offset + 1 == rule_.burst;
            if (outer || (each.word >> each.offset % 64 & 1) != 0) wires.push_back(static_cast<unsigned>(each.at.wire));
            advance(each.at, 1);
        }
    }
    std::erase_if(bursts_, [this](const burst& each) { return each.offset == rule_.burst; });
}

}  // namespace polycast::hw::faults
