// SPDX-License-Identifier: Apache-2.0
/// \file One comparison run of two switches: everything follows from the parameters of the chip, a seed and a number of
/// cycles, so a run is replayed from one line of text.
#pragma once

#include <cstdint>
#include <string>

#include "hw/chips/switch/switch_config.h"
#include "testbench/equivalence/link_stimulus.h"

namespace polycast::testbench::equivalence {

/// How traffic is made. Probabilities per packet, in 1/1000.
struct switch_traffic : link_traffic {
    unsigned stops = 300;      ///< packets that are SSR or path worms
    unsigned paths = 500;      ///< of those, path worms
    unsigned here = 500;       ///< of their stops, this switch
    unsigned reachable = 900;  ///< of the other stops, switches to which a port leads
    unsigned wild = 0;         ///< SSR and path worms with any bytes for a route
    unsigned trees = 500;      ///< of the other packets, tree worms
    unsigned may_go_up = 500;  ///< packets with the up bit set
    unsigned covered = 700;    ///< tree worms whose hosts are all below this switch
    unsigned density = 300;    ///< hosts that a tree worm goes to
};

struct switch_run {
    hw::chips::switch_params params;
    std::uint64_t seed = 0;
    std::uint64_t cycles = 0;
    hw::chips::switch_tables tables;
    switch_traffic traffic;
};

/// Draws tables and traffic. Same arguments, same result, on every platform.
switch_run draw_switch_run(const hw::chips::switch_params& params, std::uint64_t seed, std::uint64_t cycles);

/// Draws parameters of a switch that is quick to run; with few ports it is quick to build as well.
hw::chips::switch_params draw_switch_params(std::uint64_t seed, unsigned most_ports);

/// The line that replays a run: "ports=8 flit_bytes=1 ... seed=5 cycles=2000".
std::string to_line(const switch_run& run);

/// \throws hw::input_error for a line that to_line() did not write.
switch_run switch_run_from_line(const std::string& line);

}  // namespace polycast::testbench::equivalence
