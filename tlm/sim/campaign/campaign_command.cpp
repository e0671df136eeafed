// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/campaign/campaign_command.h"

#include <fmt/format.h>

#include "tlm/sim/analyse/analyse_command_line.h"
#include "tlm/sim/campaign/fault_class.h"

namespace polycast::tlm::sim {

campaign_command::campaign_command(CLI::App& app, const factory_maker& make_factory) : make_factory_(make_factory) {
    std::string classes;
    for (const fault_class_name& each : fault_classes) classes += fmt::format("\n  {:<14} {}", each.name, each.doc);
    command_ = app.add_subcommand(
        "campaign",
        "Run a scenario again and again, each time with one fault of a class, and print as JSON what came of each; "
        "`scripts/polycast campaign` runs whole campaigns. Classes:" +
            classes);
    command_->add_option("scenario", options_.scenario, "Scenario file (YAML)")->required();
    add_overrides(*command_, options_.overrides);
    command_->add_option("--class", options_.kind, "Class of faults")->required()->type_name("CLASS");
    command_->add_option("--seed", options_.seed, "Seed of the faults")->type_name("NUMBER");
    command_->add_option("--first", options_.first, "Number of the first fault")->type_name("NUMBER");
    command_->add_option("--count", options_.count, "Faults")->check(CLI::Range(0u, 1000000000u))->type_name("NUMBER");
    command_->add_flag("--raw", options_.raw, "Draw flips from all cycles, not only those with a symbol");
    command_->add_option("-o,--out", options_.out, "File for the result; default: standard output")->type_name("FILE");
}

}  // namespace polycast::tlm::sim
