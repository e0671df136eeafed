// SPDX-License-Identifier: Apache-2.0
/// \file What runs on rails add to results.json and the tables.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tlm/sim/results/results.h"

namespace polycast::tlm::sim {

/// Of a workload, without name, kind, pattern, length and rate.
nlohmann::ordered_json rails_workload_json(const scenario::workload_settings& workload);

/// Adds `fidelity` and `rails` to a point.
void add_rails(nlohmann::ordered_json& point, const scenario::loaded& scenario, const finished_run& finished);

/// Bandwidths and latencies of points that differ in their rate only; an array.
nlohmann::ordered_json rails_curves_json(const scenario::loaded& scenario, const std::vector<finished_run>& points);

/// A line's end for people: what the network accepts of what it is offered.
std::string rails_summary(const rails_result& result);

/// tables/rails.csv: a row per point; empty without rails.
std::string rails_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points);

/// For run.json: what points cost; an object by point, empty without rails.
nlohmann::ordered_json rails_costs_json(const scenario::loaded& scenario, const std::vector<finished_run>& points);

}  // namespace polycast::tlm::sim
