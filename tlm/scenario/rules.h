// SPDX-License-Identifier: Apache-2.0
/// \file What keys say together, each of which is good by itself.
#pragma once

#include "tlm/scenario/load.h"

namespace polycast::tlm::scenario {

/// Also fills in what follows from other keys. \throws hw::input_error at the key that is to blame
void check_together(loaded& result);

/// Jobs of hosts; fills in JobIDs. \throws hw::input_error
void check_jobs(loaded& result);

/// Where there can be link ends, and faults of wires. \throws hw::input_error
void check_links(const loaded& result);

/// Whether a switch or router is to be of RTL of the user's own.
bool wants_own(const network_settings& network);

}  // namespace polycast::tlm::scenario
