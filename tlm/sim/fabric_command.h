// SPDX-License-Identifier: Apache-2.0
/// \file `fabric`: forwarding tables of an InfiniBand fabric, checked, repaired, made, and driven into deadlock
/// (hw/subnet/subnet.md).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tlm/sim/fabric_repair.h"
#include "tlm/sim/fabric_tables.h"
#include "tlm/sim/fabric_witnesses.h"

namespace polycast::tlm::sim {

/// `fabric` with its parts. It must live while the command line is parsed and executed.
class fabric_command {
public:
    explicit fabric_command(CLI::App& app);
    fabric_command(const fabric_command&) = delete;
    fabric_command& operator=(const fabric_command&) = delete;

    /// Whether the command line asks for it.
    bool chosen() const { return static_cast<bool>(*command_); }

    /// \returns the exit status: 0 good, 1 problems \throws hw::input_error
    int run() const;

private:
    int check() const;

    CLI::App* command_;
    fabric_repair_command repair_;
    fabric_tables_command tables_;
    fabric_witnesses_command witnesses_;
    std::vector<std::string> paths_;
    unsigned lmc_ = 0, vls_ = 0;
    CLI::Option* lmc_option_ = nullptr;
    CLI::Option* vls_option_ = nullptr;
    bool all_ = false, partial_ = false;
    std::string json_, network_;
};

}  // namespace polycast::tlm::sim
