// SPDX-License-Identifier: Apache-2.0
/// \file The paths of the packets of a multicast, and their lengths, by the tables of the switches.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/collectives/multicast_plan.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// [host of the transmission] switches on the path of its copy from `source`, in an empty network: a switch that may
/// choose takes the lowest port. The transmission must be legal.
std::vector<unsigned> switches_passed(const system_plan& plan, std::uint32_t source,
                                      const collectives::transmission& sent);

/// Directions of the cables between switches on the paths of the packet and its copies, each once: the switch and port
/// that they leave by, ascending.
std::vector<topology::link::end> links_taken(const system_plan& plan, std::uint32_t source,
                                             const collectives::transmission& sent);

/// Flits of the header of a packet in a transmission; 1 if headers are free.
unsigned header_flits_of(const system_plan& plan, const collectives::transmission& sent);

/// Flits of the whole packet with `payload` bytes.
unsigned flits_of(const system_plan& plan, const collectives::transmission& sent, unsigned payload);

}  // namespace polycast::hw::system
