// SPDX-License-Identifier: Apache-2.0
/// \file results.json, tables and pictures of pipelined broadcasts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tlm/sim/results/results.h"

namespace polycast::tlm::sim {

/// What a workload asks for.
nlohmann::ordered_json broadcast_workload_json(const scenario::settings& s, const scenario::broadcast_workload& w);

/// Adds what only points with broadcasts have.
void add_broadcast(nlohmann::ordered_json& point, const scenario::loaded& scenario, const finished_run& finished);

/// tables/holders.csv: how many nodes hold how many packets, over time; empty without broadcasts.
std::string holders_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points);

/// broadcast/<network>-<workload>.json: who holds what over time, for the picture in the report.
nlohmann::ordered_json wave_json(const scenario::loaded& scenario, const finished_run& point);

}  // namespace polycast::tlm::sim
