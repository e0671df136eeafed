// SPDX-License-Identifier: Apache-2.0
/// \file What is known to go wrong with a program before it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

inline constexpr std::uint64_t default_eager = 16 * 1024;

struct check_options {
    std::uint64_t eager = default_eager;  ///< longest message, in bytes, that is sent without asking
    bool races = true;                    ///< of programs with buffers: whether races are problems
};

struct check_result {
    std::vector<std::string> problems;  ///< for people, each with its places; the first few of a kind
    std::uint64_t problems_found = 0;
    std::vector<operation_id> circle;  ///< the shortest circular wait; empty where there is none

    bool good() const { return problems_found == 0; }
};

/// Messages and receives that do not match, lengths that differ, and operations that wait for each other in a circle;
/// of programs with buffers places that are wrong, and races. A receive from any source or of any tag may take the
/// wrong message and still stop a run that is good here.
check_result check(const program& checked, const check_options& options = {});

}  // namespace polycast::hw::programs
