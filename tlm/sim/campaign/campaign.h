// SPDX-License-Identifier: Apache-2.0
/// \file The command `campaign`: many faults, each in a run of its own, in one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tlm/sim/networks/network_factory.h"

namespace polycast::tlm::sim {

struct campaign_options {
    std::string scenario;                ///< file
    std::vector<std::string> overrides;  ///< key.path=value
    std::string kind;                    ///< name of a fault_class
    std::uint64_t seed = 1;
    std::uint64_t first = 0;  ///< number of the first fault
    std::uint64_t count = 1;
    bool raw = false;           ///< draws from all cycles of the wires
    std::filesystem::path out;  ///< file; empty: standard output
};

/// Writes {"runs": [..], "class", "population", "why_none", "faults": [..]}; campaign.md describes it. The same for any
/// way of cutting a class into calls. \returns the exit status: 0, or 130 (interrupted; nothing is written)
/// \throws hw::input_error, too if a run fails without faults
int campaign(const campaign_options& options, const factory_maker& make_factory);

}  // namespace polycast::tlm::sim
