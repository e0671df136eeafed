// SPDX-License-Identifier: Apache-2.0
/// \file A cable of two link ends between random chips, with random faults on its wires: core and golden model in
/// lockstep, and a scoreboard of packets and credits that neither can influence. All follows from a seed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hw/chips/link/link_config.h"

namespace polycast::testbench::equivalence {

/// Probabilities are in 1/1000 and cycle.
struct link_end_run {
    std::uint64_t seed = 0;
    std::uint64_t cycles = 0;  ///< with traffic and faults; it ends when all has come to rest
    hw::chips::link_config config;
    bool sleeps = false;   ///< the core is stepped only when it has to be
    unsigned load = 0;     ///< of each chip
    unsigned longest = 1;  ///< packet in flits
    unsigned pause = 0;    ///< a chip gives no credit in this cycle
    unsigned rogue = 0;    ///< flits and credits against the rules
    unsigned flips = 0;    ///< 1 to 3 wires of a direction
    unsigned losses = 0;   ///< a symbol
    unsigned deaths = 0;   ///< the direction is dead for a while, with `signal` or without
    unsigned longest_death = 1;
};

link_end_run draw_link_end_run(std::uint64_t seed, std::uint64_t cycles);

struct link_end_outcome {
    std::string failure;  ///< empty: none; else with the cycle
    std::map<std::string, std::uint64_t> seen;
};

link_end_outcome run(const link_end_run& what);

}  // namespace polycast::testbench::equivalence
