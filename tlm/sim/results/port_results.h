// SPDX-License-Identifier: Apache-2.0
/// \file What results say of ports, by InfiniBand's names of their counters.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// A section for each port with a cable, in the order of the network.
nlohmann::ordered_json ports_json(const run_result& result);

}  // namespace polycast::tlm::sim
