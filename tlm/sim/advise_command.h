// SPDX-License-Identifier: Apache-2.0
/// \file `advise`: the algorithms of collectives on a network, by prediction (hw/collectives/advice.md).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace polycast::tlm::sim {

/// It must live while the command line is parsed and executed.
class advise_command {
public:
    explicit advise_command(CLI::App& app);
    advise_command(const advise_command&) = delete;
    advise_command& operator=(const advise_command&) = delete;

    /// Whether the command line asks for it.
    bool chosen() const { return static_cast<bool>(*command_); }

    /// \returns the exit status \throws hw::input_error
    int run() const;

private:
    CLI::App* command_;
    std::string file_, collectives_ = "all", sizes_ = "64 B..1 MiB";
    std::vector<std::string> overrides_, writer_;
};

}  // namespace polycast::tlm::sim
