// SPDX-License-Identifier: Apache-2.0
/// \file The options of `analyse`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/sim/analyse/analyse.h"

namespace polycast::tlm::sim {

/// -s, for a scenario.
void add_overrides(CLI::App& command, std::vector<std::string>& overrides);

/// A file, -s and -n.
void add_network(CLI::App& command, network_choice& where);

/// "a,b": a and b; nothing for empty ones.
std::vector<std::string> names_in(const std::string& list);

/// `analyse` with all its computations. It must live while the command line is parsed and executed.
class analyse_command {
public:
    explicit analyse_command(CLI::App& app);
    analyse_command(const analyse_command&) = delete;
    analyse_command& operator=(const analyse_command&) = delete;

    /// Whether the command line asks for it.
    bool chosen() const { return static_cast<bool>(*command_); }

    /// \returns the exit status \throws hw::input_error
    int run() const;

private:
    CLI::App* command_;
    plan_options plan_;
    k_binomial_options k_binomial_;
    network_coding_options network_coding_;
    ibt_options ibt_;
    rails_options rails_;
    multilane_options multilane_;
    std::vector<std::pair<const CLI::App*, std::function<int()>>> actions_;
};

}  // namespace polycast::tlm::sim
