// SPDX-License-Identifier: Apache-2.0
/// \file results.json and tables of broadcasts over lanes and streams between sites.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tlm/sim/results/results.h"

namespace polycast::tlm::sim {

/// What a workload asks for.
nlohmann::ordered_json lanes_workload_json(const scenario::workload_settings& w);

/// Adds what only points over lanes have.
void add_lanes(nlohmann::ordered_json& point, const scenario::loaded& scenario, const finished_run& finished);

/// tables/lanes.csv: when each node of each broadcast had everything; empty without broadcasts.
std::string lanes_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points);

/// Of run.json, by point: processor time, bytes delivered, and the one for a gigabyte of the other.
nlohmann::ordered_json lanes_costs_json(const scenario::loaded& scenario, const std::vector<finished_run>& points);

}  // namespace polycast::tlm::sim
