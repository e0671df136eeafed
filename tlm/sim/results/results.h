// SPDX-License-Identifier: Apache-2.0
/// \file What a run writes: results.json and tables. Simulation results only, so that equal runs give equal
/// files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tlm/scenario/load.h"
#include "tlm/scenario/text_sink.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

/// results.json; format 2. Times are in cycles, buffers in chunks. What grows with links and messages is in tables.
nlohmann::ordered_json results_json(const scenario::loaded& scenario, const std::vector<finished_run>& points);

/// tables/points.csv, tables/latencies.csv, tables/links.csv. Large tables are never in memory as a whole.
std::string points_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points);
void latencies_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points, const text_sink& put);
void links_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points, const text_sink& put);

/// Bars of the chart of activity over time; empty if nothing was recorded.
std::string activity_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points);
/// The same for firmware functions.
std::string functions_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points);

/// The summary for people: a line per workload.
std::string summary_text(const scenario::loaded& scenario, const std::vector<finished_run>& points);

}  // namespace polycast::tlm::sim
