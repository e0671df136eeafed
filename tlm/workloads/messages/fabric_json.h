// SPDX-License-Identifier: Apache-2.0
/// \file results.json of runs with ideal hosts, and of allgathers.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tlm/sim/results/results.h"

namespace polycast::tlm::sim {

/// Adds what only such points have.
void add_fabric(nlohmann::ordered_json& point, const fabric_result& fabric);
/// Adds what an allgather took, with ideal hosts or interfaces.
void add_allgather(nlohmann::ordered_json& point, const allgather_result& allgather);

/// What names of a list of rates have in common: "uniform" of "uniform-0.1" and "uniform-0.15".
std::string common_name(const std::string& a, const std::string& b);

/// Points of one curve.
using point_group = std::vector<const finished_run*>;

/// The points that are `wanted`, those that are `alike` together, all in their order.
std::vector<point_group> groups_of(const std::vector<finished_run>& points,
                                   const std::function<bool(const run_result&)>& wanted,
                                   const std::function<bool(const finished_run&, const finished_run&)>& alike);

/// Points that differ in their rate only, as curves of latency against load. A point is saturated where the network did
/// not keep up, or the mean latency is more than saturated_times that of packets alone in the network.
inline constexpr double saturated_times = 3;
nlohmann::ordered_json curves_json(const scenario::loaded& scenario, const std::vector<finished_run>& points);

}  // namespace polycast::tlm::sim
