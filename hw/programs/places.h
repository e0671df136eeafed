// SPDX-License-Identifier: Apache-2.0
/// \file Whether the operations of a program with buffers may touch what they touch.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hw/programs/pairing.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// Bytes of a buffer that an operation reads or writes.
struct access {
    std::uint32_t buffer = 0;
    std::uint64_t begin = 0, end = 0;
    bool writes = false;
};

/// What an operation touches: of copy and reduce the source first. Nothing of no bytes.
std::vector<access> accesses(const program& of, operation_id id);

/// Bytes beyond a buffer, reductions of parts of elements or of what has no sum, sources that overlap their
/// destination, and receives from anybody, whose bytes nobody can foretell. \returns sentences for people, the first
/// max_problems
std::vector<std::string> problems_of_places(const program& of);

/// Two operations of a rank that touch the same bytes, one of them writing, without a path of dependencies and messages
/// between them.
struct race {
    operation_id first, second;
    access where;  ///< what the second touches of what both touch
};

/// By vector clocks over threads, which are operations of a rank that wait for each other; a buffer remembers who wrote
/// its bytes last and who has read them since, as FastTrack does (Flanagan and Freund, 2009). Where there is a race, at
/// least one is found. \param pairs of a program whose every receive has its send
std::vector<race> find_races(const program& of, const pairing& pairs);

std::string race_text(const program& of, const race& found);

}  // namespace polycast::hw::programs
