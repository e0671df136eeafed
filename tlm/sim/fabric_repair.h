// SPDX-License-Identifier: Apache-2.0
/// \file `fabric repair`: other trees for groups, or more lanes, where packets can wait for each other in a circle.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace polycast::tlm::sim {

/// It must live while the command line is parsed and executed.
class fabric_repair_command {
public:
    explicit fabric_repair_command(CLI::App& fabric);
    fabric_repair_command(const fabric_repair_command&) = delete;
    fabric_repair_command& operator=(const fabric_repair_command&) = delete;

    bool chosen() const { return static_cast<bool>(*command_); }

    /// \returns the exit status: 0 repaired, 1 not \throws hw::input_error
    int run() const;

private:
    CLI::App* command_;
    std::vector<std::string> paths_;
    unsigned lmc_ = 0, vls_ = 0;
    CLI::Option* lmc_option_ = nullptr;
    CLI::Option* vls_option_ = nullptr;
    bool partial_ = false;
    std::string root_, out_;
};

}  // namespace polycast::tlm::sim
