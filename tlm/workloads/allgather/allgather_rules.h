// SPDX-License-Identifier: Apache-2.0
/// \file Rules of allgathers.
#pragma once

#include "tlm/scenario/kind_rules.h"

namespace polycast::tlm::scenario {

/// An allgather whose algorithm divides the nodes into groups.
bool has_groups(const workload_settings& w);

kind_rules allgather_rules();
std::vector<key> allgather_keys();

}  // namespace polycast::tlm::scenario
