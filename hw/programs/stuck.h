// SPDX-License-Identifier: Apache-2.0
/// \file What a run says when nothing can move any more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/programs/circular_wait.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// Lines for people: the circular wait if there is one, the oldest operation that waits of each rank with what it waits
/// for, and the messages that nobody has taken; the first few of each. \param eager longest message, in bytes, that is
/// sent without asking
std::vector<std::string> describe_stuck(const program& run, const run_state& state, std::uint64_t eager);

}  // namespace polycast::hw::programs
