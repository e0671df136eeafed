// SPDX-License-Identifier: Apache-2.0
/// \file What results say of ports, by InfiniBand's names of their counters.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tlm/scenario/text_sink.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

/// A section for each port with a cable, in the order of the network.
nlohmann::ordered_json ports_json(const run_result& result);

/// tables/ports.csv: a row for each port whose links are counted. What only VL switches count is empty at others.
void ports_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points, const text_sink& put);

}  // namespace polycast::tlm::sim
