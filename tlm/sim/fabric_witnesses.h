// SPDX-License-Identifier: Apache-2.0
/// \file `fabric witnesses`: packets that close the cycles of channels of a fabric.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace polycast::tlm::sim {

/// It must live while the command line is parsed and executed.
class fabric_witnesses_command {
public:
    explicit fabric_witnesses_command(CLI::App& fabric);
    fabric_witnesses_command(const fabric_witnesses_command&) = delete;
    fabric_witnesses_command& operator=(const fabric_witnesses_command&) = delete;

    bool chosen() const { return static_cast<bool>(*command_); }

    /// \returns the exit status: 0 no cycle, 1 cycles \throws hw::input_error
    int run() const;

private:
    CLI::App* command_;
    std::vector<std::string> paths_;
    unsigned lmc_ = 0, vls_ = 0;
    CLI::Option* lmc_option_ = nullptr;
    CLI::Option* vls_option_ = nullptr;
    bool partial_ = false;
    std::string json_;
};

}  // namespace polycast::tlm::sim
