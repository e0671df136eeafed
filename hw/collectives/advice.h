// SPDX-License-Identifier: Apache-2.0
/// \file Which algorithm: all that can do a collective, on the reference machine with tables of a network.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "hw/collectives/library.h"
#include "hw/programs/loggops.h"

namespace polycast::hw::collectives {

struct prediction {
    const algorithm* by = nullptr;
    std::uint64_t cycles = 0;  ///< from the start to the end of the last rank
};

/// Of every algorithm that can do it, the fastest first; equals in the order of the library. Nothing where none can.
/// \param carries whether the network can carry out multicasts by a scheme (scheme.h); empty: by none
std::vector<prediction> predict(const collective& made, const programs::loggops_tables& machine,
                                const std::function<bool(std::string_view scheme)>& carries = {});

/// From so many elements on another algorithm is predicted to be the fastest.
struct crossover {
    std::uint64_t elements = 0;
    const algorithm* before = nullptr;
    const algorithm* after = nullptr;
};

/// Between the first and the last of `elements`, which rise, each bisected to 10 %; what changes and changes back
/// between two neighbours is not seen. \param winner by elements
std::vector<crossover> crossovers(const std::vector<std::uint64_t>& elements,
                                  const std::function<const algorithm*(std::uint64_t)>& winner);

}  // namespace polycast::hw::collectives
