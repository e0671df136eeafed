// SPDX-License-Identifier: Apache-2.0
/// \file One comparison run of two broadcast routers: everything follows from the parameters of the chip, a seed and a
/// number of cycles.
#pragma once

#include <cstdint>
#include <string>

#include "hw/chips/broadcast/broadcast_config.h"
#include "testbench/equivalence/router_run.h"

namespace polycast::testbench::equivalence {

/// What neighbours and host of a unit do. Probabilities per cycle or packet, in 1/1000.
struct broadcast_traffic {
    router_traffic router;      ///< of the packets that are not the unit's; resets of all
    unsigned start = 300;       ///< a neighbour that may send begins a packet
    unsigned pause = 0;         ///< a sender skips a cycle inside a packet
    unsigned again = 100;       ///< packets that the unit has already
    unsigned own = 300;         ///< broadcasts of which this node is the source
    unsigned learn = 100;       ///< a neighbour gets a packet from somebody else
    unsigned host_delay = 0;    ///< most cycles until the host gives a credit back
    unsigned stall = 0;         ///< the host stops for up to 100 cycles
    unsigned most_packets = 4;  ///< of a message
    unsigned illegal = 0;       ///< packets (and idle cycles) with something wrong
};

struct broadcast_run {
    hw::chips::broadcast_params params;
    std::uint64_t seed = 0;
    std::uint64_t cycles = 0;
    hw::chips::broadcast_registers registers;
    broadcast_traffic traffic;
};

/// Draws registers and traffic. Same arguments, same result, on every platform.
broadcast_run draw_broadcast_run(const hw::chips::broadcast_params& params, std::uint64_t seed, std::uint64_t cycles);

/// Draws parameters of a broadcast router that is quick to run.
hw::chips::broadcast_params draw_broadcast_params(std::uint64_t seed, unsigned most_ports);

/// What lines of broadcast routers begin with.
inline constexpr const char* broadcast_line = "broadcast ";

/// The line that replays a run: "broadcast ports=5 vcs=2 ... seed=5 cycles=2000".
std::string to_line(const broadcast_run& run);

/// \throws hw::input_error for a line that to_line() did not write.
broadcast_run broadcast_run_from_line(const std::string& line);

}  // namespace polycast::testbench::equivalence
