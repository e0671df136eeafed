// SPDX-License-Identifier: Apache-2.0
/// \file What a scenario sweeps over, as written: keys with lists of values.
#pragma once

#include <string>
#include <vector>

#include "tlm/scenario/document.h"
#include "tlm/scenario/keys.h"

namespace polycast::tlm::scenario {

/// Keys that change together: a point holds a value for each of them.
struct axis {
    std::vector<std::string> paths;  ///< as written
    std::vector<std::vector<node>> points;
    std::string origin;
    hw::text_position at;
};

/// Most points of an axis, and most runs of a sweep.
inline constexpr std::size_t most_runs = 100000;

/// Most keys that a sweep changes; each is compared with all others.
inline constexpr std::size_t most_swept_keys = 256;

/// The key that a path of the tree leads to; nullptr where there is none.
const key* key_at(const node& root, const std::string& path);

/// Takes `sweep` out of the tree and writes the overrides into it, but for those that sweep: a list for a key that
/// takes one value, a list of lists for one that takes a list, a range for a number. An override of a key that the file
/// sweeps takes the place of its sweep. First axes of the file, then of the command line, each in the order written.
/// \throws hw::input_error
std::vector<axis> take_axes(node& root, const std::vector<std::string>& overrides);

}  // namespace polycast::tlm::scenario
