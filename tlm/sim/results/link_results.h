// SPDX-License-Identifier: Apache-2.0
/// \file What results say of link ends and of faults.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tlm/sim/results/results.h"
#include "tlm/sim/results/results_folder.h"

namespace polycast::tlm::sim {

/// Whether some cable of the run has link ends.
bool has_link_layer(const run_result& result);

/// All link ends of a run together, and those that are not up.
nlohmann::ordered_json link_layer_json(const run_result& result);
/// Whether faults can have hit something in the run.
bool has_faults(const scenario::loaded& scenario, const run_result& result);
/// How many faults there were, by kind, and the first ones.
nlohmann::ordered_json injected_json(const run_result& result);

/// Both tables, of runs that have a link layer.
void write_link_results(const results_folder& folder, const scenario::loaded& scenario,
                        const std::vector<finished_run>& points);
/// tables/link_layer.csv: a row for each link end.
void link_layer_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points, const text_sink& put);
/// tables/faults.csv: a row for each fault, of every cable and switch the first 2,000 of a run.
void faults_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points, const text_sink& put);

}  // namespace polycast::tlm::sim
