// SPDX-License-Identifier: Apache-2.0
/// \file One comparison run of two VL switches: everything follows from the parameters of the chip, a seed and a number
/// of cycles.
#pragma once

#include <cstdint>
#include <string>

#include "hw/chips/vl_switch/vl_switch_config.h"
#include "testbench/equivalence/link_stimulus.h"

namespace polycast::testbench::equivalence {

/// How traffic is made. Probabilities per packet, in 1/1000.
struct vl_switch_traffic : link_traffic {
    unsigned multicasts = 300;  ///< packets to a group
    unsigned strangers = 20;    ///< packets to any LID, or group, whatsoever
    unsigned targets = 0;       ///< so many LIDs only; 0: all
    unsigned levels = 16;       ///< service levels in use
};

struct vl_switch_run {
    hw::chips::vl_switch_params params;
    std::uint64_t seed = 0;
    std::uint64_t cycles = 0;
    hw::chips::vl_switch_tables tables;
    vl_switch_traffic traffic;
};

/// Draws tables and traffic. Same arguments, same result, on every platform.
vl_switch_run draw_vl_switch_run(const hw::chips::vl_switch_params& params, std::uint64_t seed, std::uint64_t cycles);

/// Draws parameters of a switch that is quick to run; with few ports it is quick to build as well.
hw::chips::vl_switch_params draw_vl_switch_params(std::uint64_t seed, unsigned most_ports);

/// What lines of VL switches begin with.
inline constexpr const char* vl_switch_line = "vl_switch ";

/// The line that replays a run: "vl_switch ports=5 vls=4 ... seed=5 cycles=2000".
std::string to_line(const vl_switch_run& run);

/// \throws hw::input_error for a line that to_line() did not write.
vl_switch_run vl_switch_run_from_line(const std::string& line);

}  // namespace polycast::testbench::equivalence
