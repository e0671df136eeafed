// SPDX-License-Identifier: Apache-2.0
/// \file Operations that wait for each other in a circle, over ranks. Waits are those of dependencies, of receives for
/// their sends and, where messages are longer than `eager` (rendezvous), of sends for the start of their receives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/programs/pairing.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// What has happened in a run that stopped.
struct run_state {
    std::vector<bool> started, ended;  ///< [number]
    std::vector<bool> matched;         ///< [number] of messages at both ends
};

/// The shortest circle: each operation waits for the next, and the last for the first. Empty where there is none.
/// Before a run (no state) receives without a partner count as served; in a run they wait for ever, in no circle. In
/// circles of very many operations the search ends early, with one that may not be the shortest.
std::vector<operation_id> find_circular_wait(const program& of, const pairing& pairs, std::uint64_t eager,
                                             const run_state* state = nullptr);

/// "rank 0 line 4 'r: recv 8b from 1' waits for rank 1 line 9 's: send 8b to 0' waits for ...", back to the first.
std::string circle_text(const program& of, const std::vector<operation_id>& circle);

}  // namespace polycast::hw::programs
