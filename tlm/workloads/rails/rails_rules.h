// SPDX-License-Identifier: Apache-2.0
/// \file Rules of workloads on rails.
#pragma once

#include <cstdint>
#include <string_view>

#include "tlm/scenario/kind_rules.h"

namespace polycast::tlm::scenario {

/// Whether the scenario runs on rails. All of its workloads do then.
bool has_rails(const settings& s);

/// They check what is possible with rails, and what is possible only with rails, and fill in the mean length of
/// messages. The resolved scenario of other runs has no rails.
kind_rules rails_rules();
std::vector<key> rails_keys();
std::vector<key> rails_workload_keys();

/// Bytes of the longest message of a workload.
std::uint64_t longest_message(const workload_settings& workload);

/// "event" if packets are events, an approximation; else "core", because all other fidelities give the same results.
std::string_view how_of(const network_settings& network);

/// Waves require flits. \throws hw::input_error if packets are events and waves are requested
void check_event_traces(const loaded& result);

}  // namespace polycast::tlm::scenario
