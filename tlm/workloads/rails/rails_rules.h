// SPDX-License-Identifier: Apache-2.0
/// \file What rails can do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tlm/scenario/load.h"

namespace polycast::tlm::scenario {

/// Whether the scenario runs on rails. All of its workloads do then.
bool has_rails(const settings& s);

/// Checks what goes with rails, and what goes with nothing else; fills in the mean length of messages. The resolved
/// scenario of other runs has no rails. \throws hw::input_error at the key that is to blame
void check_rails(loaded& result);

/// Bytes of the longest message of a workload.
std::uint64_t longest_message(const workload_settings& workload);

/// "event" where packets are events, an approximation; "core", with the results of which all others agree.
std::string_view how_of(const network_settings& network);

/// Waves want flits. \throws hw::input_error where packets are events and somebody wants some
void check_event_traces(const loaded& result);

}  // namespace polycast::tlm::scenario
