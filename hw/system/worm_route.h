// SPDX-License-Identifier: Apache-2.0
/// \file Which way the packets of a multicast go, and how far, by the tables of the switches.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/collectives/multicast_plan.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// [host of the transmission] switches that its copy goes through on the way from `source`, in an empty network: where
/// a switch may choose it takes the lowest port. The transmission must be legal.
std::vector<unsigned> switches_passed(const system_plan& plan, std::uint32_t source,
                                      const collectives::transmission& sent);

/// Directions of the cables between switches that the packet and its copies take on the same way, each once: the switch
/// and port that they leave by, ascending.
std::vector<topology::link::end> links_taken(const system_plan& plan, std::uint32_t source,
                                             const collectives::transmission& sent);

/// Flits of the header of a packet in a transmission; 1 where headers are free.
unsigned header_flits_of(const system_plan& plan, const collectives::transmission& sent);

/// Flits of the whole packet with `payload` bytes.
unsigned flits_of(const system_plan& plan, const collectives::transmission& sent, unsigned payload);

}  // namespace polycast::hw::system
