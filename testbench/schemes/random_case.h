// SPDX-License-Identifier: Apache-2.0
/// \file A random network with random parameters and a random multicast workload, by a seed and a number.
#pragma once

#include <cstdint>
#include <string>

#include "hw/system/schemes.h"

namespace polycast::testbench {

struct random_case {
    hw::topology::graph network;
    hw::system::system_params params;
    hw::traffic::workload_params work;
    hw::system::multicast_choice choice;
    std::string text;  ///< in words

    /// By which schemes packets go up at most once is watched on the pins: only where headers are free.
    bool watched() const { return params.header_free; }
};

/// Case `number` of `seed`, done by `how`. Network, sources, destinations and everything but what belongs to the scheme
/// are the same for every scheme.
random_case make_case(std::uint64_t seed, std::uint64_t number, hw::collectives::scheme how);

}  // namespace polycast::testbench
