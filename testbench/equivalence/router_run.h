// SPDX-License-Identifier: Apache-2.0
/// \file One comparison run of two routers: everything follows from the parameters of the chip, a seed and a number of
/// cycles.
#pragma once

#include <cstdint>
#include <string>

#include "hw/chips/router/router_config.h"
#include "testbench/equivalence/link_stimulus.h"

namespace polycast::testbench::equivalence {

/// How traffic is made. Probabilities per packet, in 1/1000.
struct router_traffic : link_traffic {
    unsigned broadcasts = 300;  ///< packets that are broadcasts
    unsigned on_tree = 800;     ///< of those, with a source from which they may come in there
    unsigned second = 100;      ///< unicasts to a node's other host ports
    unsigned local = 200;       ///< unicasts to this node
    unsigned targets = 0;       ///< so many destinations only; 0: all
    unsigned classes = 8;       ///< of VCs, so many in use
};

struct router_run {
    hw::chips::router_params params;
    std::uint64_t seed = 0;
    std::uint64_t cycles = 0;
    hw::chips::router_tables tables;
    router_traffic traffic;
};

/// Draws tables and traffic. Same arguments, same result, on every platform.
router_run draw_router_run(const hw::chips::router_params& params, std::uint64_t seed, std::uint64_t cycles);

/// Draws parameters of a router that is quick to run; with few ports it is quick to build as well.
hw::chips::router_params draw_router_params(std::uint64_t seed, unsigned most_ports);

/// What lines of routers begin with.
inline constexpr const char* router_line = "router ";

/// The line that replays a run: "router ports=5 vcs=4 ... seed=5 cycles=2000".
std::string to_line(const router_run& run);

/// \throws hw::input_error for a line that to_line() did not write.
router_run router_run_from_line(const std::string& line);

}  // namespace polycast::testbench::equivalence
