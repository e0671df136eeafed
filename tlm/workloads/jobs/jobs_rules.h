// SPDX-License-Identifier: Apache-2.0
/// \file Rules of workloads of several jobs at once.
#pragma once

#include <cstddef>
#include <functional>

#include "tlm/scenario/kind_rules.h"

namespace polycast::tlm::scenario {

kind_rules jobs_rules();
std::vector<key> jobs_keys();

/// The scenario as if the workload of one job were its only one: what is there for workloads serves jobs, too.
/// \param job in the order of workload_settings::jobs
loaded of_job(const loaded& all, std::size_t workload, std::size_t job);

/// Does `what` with of_job(); errors then name the keys of the job. \throws hw::input_error
void as_of_job(const loaded& all, std::size_t workload, std::size_t job, const std::function<void(loaded& one)>& what);

}  // namespace polycast::tlm::scenario
