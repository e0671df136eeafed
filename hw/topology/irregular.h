// SPDX-License-Identifier: Apache-2.0
/// \file Random irregular networks as in Sivaram et al., OSU-CISRC-10/98-TR41, section "simulation experiments".
#pragma once

#include <cstdint>
#include <random>

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

/// How hosts are spread over the switches.
enum class host_placement : std::uint8_t {
    random,  ///< on ports drawn uniformly from all ports (the paper)
    even,    ///< every switch gets hosts / switches of them (the first ones one more), on random ports: large networks,
             ///< where some switch would else nearly always be all hosts and cut off
};

struct irregular_params {
    unsigned switches = 8;      ///< 1..65536
    unsigned ports = 8;         ///< of every switch, 2..64
    unsigned hosts = 32;        ///< 2..65536
    double connectivity = 0.8;  ///< fraction of the ports without a host that is cabled to other switches, 0..1
    std::uint64_t seed = 0;
    host_placement placement = host_placement::random;
};

/// Unbiased draw from 0..bound-1, the same on every platform (std::uniform_int_distribution is not).
std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound);

inline constexpr unsigned irregular_attempts = 10000;

/// Hosts are on randomly chosen ports. The fraction c of the other sk - p ports, rounded down to an even number, is
/// paired at random between different switches; the rest stays open. Everything is redrawn until the network is
/// connected. Hosts are numbered by (switch, port), named "host0".., switches "switch0"... The same on every platform.
/// \throws input_error for impossible parameters, or when irregular_attempts draws were not connected
graph make_irregular(const irregular_params& params);

}  // namespace polycast::hw::topology
