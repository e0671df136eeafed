// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/key_tables.h"
#include "tlm/workloads/rails/rails_rules.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using d = dimension;
using R = rails_settings;
using W = rails_workload;
constexpr auto of_workload = &workload_settings::rails;

}  // namespace

std::vector<key> rails_keys() {
    constexpr auto rails = &settings::rails;
    return {
        {.path = "rails",
         .only = {with_interfaces, with_rail_networks},
         .doc =
             "Several networks alike, as `network` says, with an interface of every host at each; for `kind: rails`."},
        {.path = "rails.count",
         .type = v::number,
         .fallback = "7",
         .least = "1",
         .most = "64",
         .doc = "Number of networks, and of interfaces of a host, each of which has an I/O bus of its own.",
         .source = multirail,
         .store = into<rails, &R::count>},
        {.path = "rails.matrix",
         .type = v::text,
         .fallback = "2",
         .file = true,
         .no_files = {"1", "2"},
         .doc = "On which rails a host transmits under static allocation, where it receives on the others: `1` or `2`, "
                "the paper's algorithms, or a file with a line of 0 and 1 for each rail, a digit for each host; "
                "relative to the scenario, or on the command line to the current folder.",
         .source = multirail,
         .store = into<rails, &R::matrix>},
        {.path = "rails.retry",
         .type = v::number,
         .fallback = "1000 cycle",
         .unit = d::cycles,
         .least = "2",
         .most = "1000000000",
         .doc = "Dynamic allocation: mean time until a message that no rail would take is tried again.",
         .store = into<rails, &R::retry>},
        {.path = "rails.patience",
         .type = v::number,
         .fallback = "2000",
         .least = "1",
         .most = "1000000000",
         .doc = "Dynamic allocation: refusals after which a message is urgent, and interfaces keep themselves for it.",
         .store = into<rails, &R::patience>},
        {.path = "rails.least_stripe",
         .type = v::number,
         .fallback = "1 KiB",
         .unit = d::bytes,
         .least = "1",
         .most = "1000000000",
         .doc = "Striping: no part of a message is shorter, unless the message is.",
         .store = into<rails, &R::least_stripe>},
    };
}

std::vector<key> rails_workload_keys() {
    const std::vector<condition> rails{{"kind", {"rails"}}};
    const std::vector<condition> drawn{{"kind", {"rails"}}, {"lengths", {"exponential"}}};
    return {
        {.path = "workload[].policy",
         .type = v::choice,
         .fallback = "basic",
         .choices = {{"static", "one on which the matrix has the sender transmit and the receiver receive, in turn"},
                     {"basic", "one after the other, busy or not"},
                     {"local_dynamic", "one whose own interface is idle, else the one with the fewest bytes to send"},
                     {"dynamic", "one whose interfaces at both ends are idle: firmware reserves them"}},
         .only = rails,
         .doc = "Which rail a message takes.",
         .source = multirail,
         .store = into_workload<of_workload, &W::policy>},
        {.path = "workload[].striping",
         .type = v::boolean,
         .fallback = "false",
         .only = rails,
         .doc = "Whether a message is cut over all rails that its policy allows, instead of taking one of them.",
         .source = multirail,
         .store = into_workload<of_workload, &W::striping>},
        {.path = "workload[].lengths",
         .type = v::choice,
         .fallback = "exponential",
         .choices = {{"exponential", "drawn, `message` on average"}, {"fixed", "all `message`"}},
         .only = rails,
         .doc = "How long messages are.",
         .source = multirail,
         .store = into_workload<of_workload, &W::lengths>},
        {.path = "workload[].longest",
         .type = v::number,
         .fallback = "auto",
         .unit = d::bytes,
         .least = "1",
         .most = "1000000000",
         .words = {"auto"},
         .only = drawn,
         .doc = "Length that longer messages are cut to; `auto`: eight times the mean, which one in 3,000 exceeds.",
         .store = into_workload<of_workload, &W::longest>},
    };
}

}  // namespace polycast::tlm::scenario
