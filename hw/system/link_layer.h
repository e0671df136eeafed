// SPDX-License-Identifier: Apache-2.0
/// \file Cables with a link layer in the plan of a network, and what their ends say after a run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/chips/link/cable.h"
#include "hw/engine/network.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// Leaves the last unit of every buffer to a poison tail: all senders of the plan get one credit less. Once, before
/// other plans are made of it. \throws input_error for buffers of one unit
void reserve_places(system_plan& plan);

/// The same plan where nothing goes wrong: no faults of wires, no processor that stands still.
system_plan without_faults(system_plan plan);

/// Parameters and registers of end 0, which is at `cable.a`. `cable` has a layer.
chips::link_config config_of(const system_plan& plan, const planned_cable& cable);

/// Makes a cable of the configuration of its end 0.
using cable_maker = std::function<std::unique_ptr<chips::wired_cable>(const chips::link_config& config)>;

/// The cable that is chip `id`, with the faults of its wires. \param make its core, if empty
std::unique_ptr<engine::chip> make_cable(const system_plan& plan, engine::chip_id id, const cable_maker& make = {});

/// Most cycles in which a cable may wait for a timer while nothing else happens.
engine::cycle longest_silence(const system_plan& plan);

/// A cable is not up, or is repeating what was lost: the network is not stuck. One that waits for a register write does
/// not recover by itself.
bool recovers(const system_plan& plan, const engine::chip_network& network);

/// Something has spoilt the wires of a cable without a link layer.
bool plain_cable_was_hit(const system_plan& plan, const engine::chip_network& network);

/// Links that are down, or were and have lost what was on them, and why, in words; the first `most`.
std::vector<std::string> lost_links(const system_plan& plan, const engine::chip_network& network, std::size_t most);

/// Of the cable that is chip `id`, counted up to now().
chips::cable_report report_of(const engine::chip_network& network, engine::chip_id id);

}  // namespace polycast::hw::system
