// SPDX-License-Identifier: Apache-2.0
/// \file Rules of unicasts and multicasts, and those that other kinds share with them.
#pragma once

#include "tlm/scenario/kind_rules.h"

namespace polycast::tlm::scenario {

kind_rules messages_rules();
std::vector<key> messages_keys();

/// Checks what the traffic pattern of workload number `index` needs, as its row of the table says.
/// \throws hw::input_error at the key that is to blame
void check_pattern(loaded& result, std::size_t index);

/// Checks lengths of packets of ideal hosts. \throws hw::input_error likewise
void check_lengths(const loaded& result, std::size_t index);

/// What reliable messages need of a scenario. \throws hw::input_error
void check_reliable(const loaded& result, std::size_t index);

}  // namespace polycast::tlm::scenario
