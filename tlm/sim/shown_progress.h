// SPDX-License-Identifier: Apache-2.0
/// \file What a run tells of its progress is shown.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "tlm/sim/progress.h"
#include "tlm/workloads/instrumentation.h"

namespace polycast::tlm::sim {

/// `instruments` of run number `run`, which tell `shown`; that outlives them.
inline instrumentation shown_by(progress& shown, std::size_t run, instrumentation instruments) {
    instruments.progress = [&shown, run](double share) { shown.partly(run, share); };
    instruments.doing = [&shown, run](const std::string& words) { shown.doing(run, words); };
    return instruments;
}

}  // namespace polycast::tlm::sim
