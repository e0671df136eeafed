// SPDX-License-Identifier: Apache-2.0
/// \file Small draws for configurations and traffic of comparisons.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "hw/traffic/random.h"

namespace polycast::testbench::equivalence {

/// Small draws from a random_stream.
class dice {
public:
    dice(std::uint64_t seed, std::uint64_t index) : stream_(seed, index) {}

    std::uint64_t word() { return stream_(); }
    /// 0..bound-1; the bias of the modulus does not matter here.
    unsigned below(std::uint64_t bound) { return static_cast<unsigned>(stream_() % bound); }
    unsigned between(unsigned least, unsigned most) { return least + below(std::uint64_t{most} - least + 1); }
    bool chance(unsigned per_mille) { return below(1000) < per_mille; }
    /// One of the arguments.
    unsigned pick(std::initializer_list<unsigned> values) { return values.begin()[below(values.size())]; }

private:
    hw::traffic::random_stream stream_;
};

}  // namespace polycast::testbench::equivalence
