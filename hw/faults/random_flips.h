// SPDX-License-Identifier: Apache-2.0
/// \file Wires that flip at random, at places that do not depend on what is on them.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/faults/fault_plan.h"
#include "hw/faults/geometric_gap.h"
#include "hw/traffic/random.h"

namespace polycast::hw::faults {

/// Gaps between faults are geometric over the bits of all cycles, first by cycle, then by wire. Fault i takes the words
/// of stream i of the family `key`: the first is its gap, the others say which inner bits of a burst flip.
class random_flips {
public:
    random_flips(const random_flip_rule& rule, unsigned wires, std::uint64_t key);

    /// The first cycle that take() has to be called in; never: none.
    engine::cycle next() const;
    /// Appends the wires that flip in cycle `now`, which is next() or earlier.
    void take(engine::cycle now, std::vector<unsigned>& wires);

private:
    struct place {
        engine::cycle when;
        std::uint64_t wire;
    };
    struct burst {
        place at;  ///< of bit `offset`
        unsigned offset;
        std::uint64_t word;  ///< the inner bits, from a multiple of 64 on
        traffic::random_stream words;
    };

    void draw();
    void advance(place& from, std::uint64_t bits) const;

    random_flip_rule rule_;
    std::uint64_t wires_;
    std::uint64_t key_;
    geometric_gap gap_;
    std::uint64_t index_ = 0;
    place start_;  ///< of fault `index_`
    std::vector<burst> bursts_;
};

}  // namespace polycast::hw::faults
