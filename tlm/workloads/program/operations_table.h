// SPDX-License-Identifier: Apache-2.0
/// \file When each operation of a program did what: tables/operations.csv, for charts and `why --operation`.
#pragma once

#include <span>
#include <string>

#include "hw/programs/loggops.h"
#include "hw/workloads/program/rank.h"

namespace polycast::tlm::sim {

/// The first line.
std::string operations_head();

/// A row for each operation, times in cycles from `start`; what an operation does not have is empty. \param id of the
/// run \param reports [rank] of a run that has ended
std::string rows_of(const hw::programs::program& of, std::span<const hw::programs::rank_report> reports,
                    hw::engine::cycle start, const std::string& id);

/// The same of the reference machine, which knows starts and ends alone. \param unit cycles of a unit of its times
std::string rows_of(const hw::programs::program& of, std::span<const hw::programs::loggops_span> spans,
                    const boost::rational<std::int64_t>& unit, const std::string& id);

}  // namespace polycast::tlm::sim
