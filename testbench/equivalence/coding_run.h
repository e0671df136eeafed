// SPDX-License-Identifier: Apache-2.0
/// \file One comparison run of two XOR coding units: everything follows from the parameters of the chip, a seed and a
/// number of cycles.
#pragma once

#include <cstdint>
#include <string>

#include "hw/chips/coding/coding_config.h"
#include "testbench/equivalence/link_stimulus.h"

namespace polycast::testbench::equivalence {

/// How operands are made. Probabilities per packet or operand, in 1/1000.
struct coding_traffic : link_traffic {
    unsigned open = 1;     ///< most contexts whose operands are being sent
    unsigned rest = 0;     ///< most cycles from the last operand of a round to the first of the next
    unsigned lost = 0;     ///< operands that are left out
    unsigned again = 0;    ///< operands that are sent once more
    unsigned unequal = 0;  ///< operands of another length than their round's
    unsigned faults = 0;   ///< packets that are no good operand
};

struct coding_run {
    hw::chips::coding_params params;
    std::uint64_t seed = 0;
    std::uint64_t cycles = 0;
    hw::chips::coding_registers registers;
    coding_traffic traffic;
};

/// Draws registers and traffic. Same arguments, same result, on every platform. The group of each context has its
/// number in the bits of coding_group_mask.
coding_run draw_coding_run(const hw::chips::coding_params& params, std::uint64_t seed, std::uint64_t cycles);
inline constexpr unsigned coding_group_mask = 0x3ff;

/// Draws parameters of a unit that is quick to run. \param large now and then as many contexts, slots, indices or
/// destinations as there can be, whose RTL would take long to build
hw::chips::coding_params draw_coding_params(std::uint64_t seed, bool large);

/// What lines of coding units begin with.
inline constexpr const char* coding_line = "coding ";

/// The line that replays a run: "coding vcs=4 ... seed=5 cycles=2000".
std::string to_line(const coding_run& run);

/// \throws hw::input_error for a line that to_line() did not write.
coding_run coding_run_from_line(const std::string& line);

}  // namespace polycast::testbench::equivalence
