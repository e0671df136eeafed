// SPDX-License-Identifier: Apache-2.0
/// \file Which runs are the points of one curve.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

/// What names of a list of rates have in common: "uniform" of "uniform-0.1" and "uniform-0.15".
std::string common_name(const std::string& a, const std::string& b);

/// Runs of one curve.
using point_group = std::vector<const finished_run*>;

/// The runs that are `wanted`, those that are `alike` together, all in their order.
std::vector<point_group> groups_of(const std::vector<finished_run>& points,
                                   const std::function<bool(const run_result&)>& wanted,
                                   const std::function<bool(const finished_run&, const finished_run&)>& alike);

}  // namespace polycast::tlm::sim
