// SPDX-License-Identifier: Apache-2.0
/// \file `campaign` on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "tlm/sim/campaign/campaign.h"

namespace polycast::tlm::sim {

/// It must live while the command line is parsed and executed.
class campaign_command {
public:
    /// `make_factory` outlives it.
    campaign_command(CLI::App& app, const factory_maker& make_factory);
    campaign_command(const campaign_command&) = delete;
    campaign_command& operator=(const campaign_command&) = delete;

    /// Whether the command line asks for it.
    bool chosen() const { return static_cast<bool>(*command_); }

    /// \returns the exit status \throws hw::input_error
    int run() const { return campaign(options_, make_factory_); }

private:
    const factory_maker& make_factory_;
    campaign_options options_;
    CLI::App* command_;
};

}  // namespace polycast::tlm::sim
