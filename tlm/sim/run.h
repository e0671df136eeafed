// SPDX-License-Identifier: Apache-2.0
/// \file The command `run`: every workload on every network, on all cores, into a results folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tlm/sim/networks/network_factory.h"
#include "tlm/sim/progress.h"
#include "tlm/workloads/instrumentation.h"

namespace polycast::tlm::sim {

struct run_options {
    std::string scenario;                ///< file
    std::vector<std::string> writer;     ///< words of the command that has written it; none: the user has
    std::vector<std::string> overrides;  ///< key.path=value
    std::filesystem::path out;           ///< empty: results/<name of the scenario>
    unsigned jobs = 0;                   ///< runs at once; 0: one per core
    progress_format progress = progress_format::text;
    std::vector<tool_request> tools;   ///< for firmware, on the first network; files relative to the results folder
    std::vector<std::string> command;  ///< as typed, for run.json
};

/// Words as a user types them.
std::string words_text(const std::vector<std::string>& words);

/// \returns the exit status: 0, 1 (a delivery check failed; results are written), 130 (interrupted; nothing is written)
/// \throws hw::input_error
int run(const run_options& options, const factory_maker& make_factory);

}  // namespace polycast::tlm::sim
