// SPDX-License-Identifier: Apache-2.0
/// \file `fabric tables`: LIDs and forwarding tables for a network of switches, in OpenSM's forms.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tlm/sim/analyse/analyse.h"

namespace polycast::tlm::sim {

/// It must live while the command line is parsed and executed.
class fabric_tables_command {
public:
    explicit fabric_tables_command(CLI::App& fabric);
    fabric_tables_command(const fabric_tables_command&) = delete;
    fabric_tables_command& operator=(const fabric_tables_command&) = delete;

    bool chosen() const { return static_cast<bool>(*command_); }

    /// \returns the exit status \throws hw::input_error
    int run() const;

private:
    CLI::App* command_;
    network_choice where_;
    std::string engine_ = "updn";
    unsigned lmc_ = 0;
    std::vector<std::string> roots_;
    std::string out_;
};

}  // namespace polycast::tlm::sim
