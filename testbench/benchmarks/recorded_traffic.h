// SPDX-License-Identifier: Apache-2.0
/// \file The same recorded pin stimulus for every fidelity of a switch, so that a benchmark times the chip and not its
/// senders.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/switch/switch_config.h"
#include "hw/engine/chip.h"

namespace polycast::testbench {

/// Tables of a lone switch whose port p leads down to host p.
hw::chips::switch_tables star_tables(const hw::chips::switch_params& params);

struct recording_params {
    hw::chips::switch_params chip;
    double load = 1.0;              ///< flits per port and cycle that senders offer, 0..1
    double multicast_fraction = 0;  ///< of packets that are tree worms to `branches` ports
    unsigned branches = 4;
    unsigned payload = 128;  ///< bytes
    std::uint64_t seed = 1;
};

/// Input pins of `cycles` cycles of legal traffic: senders keep to credits, receivers return them at once.
struct recorded_traffic {
    std::vector<hw::engine::pins> cycles;
    std::uint64_t flits_out = 0;  ///< that the core sent in these cycles
};

recorded_traffic record_traffic(const recording_params& params, unsigned cycles);

}  // namespace polycast::testbench
