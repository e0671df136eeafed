// SPDX-License-Identifier: Apache-2.0
/// \file `topology`: a network described, drawn, or generated as a file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tlm/sim/analyse/analyse.h"

namespace polycast::tlm::sim {

/// It must live while the command line is parsed and executed.
class topology_command {
public:
    explicit topology_command(CLI::App& app);
    topology_command(const topology_command&) = delete;
    topology_command& operator=(const topology_command&) = delete;

    /// \returns the exit status \throws hw::input_error
    int run() const;

private:
    chosen_network network() const;

    network_choice where_;
    bool json_ = false, dot_ = false;
    std::string generate_, save_;
    unsigned ports_ = 36, levels_ = 2;
};

}  // namespace polycast::tlm::sim
