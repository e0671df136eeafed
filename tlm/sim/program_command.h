// SPDX-License-Identifier: Apache-2.0
/// \file `program`: the communication of an application, described, checked, converted, and run on the reference
/// machine (hw/programs/programs.md).
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "hw/programs/loggops.h"
#include "hw/programs/program.h"
#include "hw/programs/read_options.h"
#include "tlm/sim/fit_command.h"

namespace polycast::tlm::sim {

/// `program` with its parts. It must live while the command line is parsed and executed.
class program_command {
public:
    explicit program_command(CLI::App& app);
    program_command(const program_command&) = delete;
    program_command& operator=(const program_command&) = delete;

    /// Whether the command line asks for it.
    bool chosen() const { return static_cast<bool>(*command_); }

    /// \returns the exit status: 0 good, 1 problems, stuck, or wrong results \throws hw::input_error
    int run() const;

private:
    CLI::App* add(const char* name, const char* about);
    void add_fit();

    hw::programs::program read() const;
    hw::programs::chakra_options chakra() const;
    hw::programs::program expanded() const;
    bool races_are_problems() const;
    int show() const;
    int check() const;
    int convert() const;
    int execute() const;

    CLI::App* command_;
    CLI::App* show_ = nullptr;
    CLI::App* check_ = nullptr;
    CLI::App* convert_ = nullptr;
    CLI::App* fit_ = nullptr;
    fit_options fit_with_;
    std::string file_, format_ = "auto", nics_, to_, to_unit_, target_, loggops_, json_;
    std::string ranks_, groups_, streams_, repair_, compute_, peak_, memory_, algorithms_;
    std::string eager_, races_, unit_, piece_, size_, type_, reduction_, slice_;
    bool ignore_range_ = false;
};

}  // namespace polycast::tlm::sim
