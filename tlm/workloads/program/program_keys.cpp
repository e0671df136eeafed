// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/key_tables.h"
#include "tlm/workloads/program/program_rules.h"

namespace polycast::tlm::scenario {

namespace {

namespace programs = hw::programs;
using v = value_type;
using d = dimension;
using P = program_workload;
constexpr auto of_workload = &workload_settings::program;

void store_credits(settings& s, const value& given) {
    P& own = s.workloads.back().program;
    own.credit_rule = !given.word            ? programs::credit_rule::fixed
                      : given.text == "none" ? programs::credit_rule::none
                                             : programs::credit_rule::automatic;
    if (!given.word) assign(own.credits, given);
}

}  // namespace

std::vector<key> program_keys() {
    const std::vector<condition> program{{"kind", {"program"}}, with_interfaces};
    return {
        {.path = "workload[].path",
         .type = v::text,
         .required = true,
         .only = program,
         .doc = "The program's file, relative to the scenario, or on the command line to the current folder.",
         .store = into_workload<of_workload, &P::path>},
        {.path = "workload[].format",
         .type = v::choice,
         .fallback = "auto",
         .choices = choices_of(programs::program_formats, {{"auto", "as its content says"}}),
         .only = program,
         .doc = "What the file is.",
         .store =
             [](settings& s, const value& given) {
                 s.workloads.back().program.format =
                     given.choice == 0 ? std::nullopt
                                       : std::optional(programs::program_formats[given.choice - 1].value);
             }},
        {.path = "workload[].nics",
         .type = v::choice,
         .fallback = "unsaid",
         .choices = choices_of(programs::nic_meanings, {{"unsaid", "files with NICs above 0 are refused"}}),
         .only = program,
         .doc = "What numbers of NICs in GOAL mean, which files do not tell.",
         .store =
             [](settings& s, const value& given) {
                 s.workloads.back().program.nics =
                     given.choice == 0 ? std::nullopt : std::optional(programs::nic_meanings[given.choice - 1].value);
             }},
        {.path = "workload[].placement",
         .type = v::text,
         .fallback = "linear",
         .only = program,
         .doc =
             "Where ranks are: `linear`, rank 0 at the first host and so on; `random`, by the seed; or a file with a "
             "host's name or number in a line for each rank.",
         .store = into_workload<of_workload, &P::placement>},
        {.path = "workload[].eager",
         .type = v::number,
         .fallback = "16 KiB",
         .unit = d::bytes,
         .least = "0",
         .most = "1000000000",
         .only = program,
         .doc = "Longest message that is sent without asking; longer ones wait for their receive (rendezvous).",
         .store = into_workload<of_workload, &P::eager>},
        {.path = "workload[].queues",
         .type = v::number,
         .fallback = "auto",
         .least = "1",
         .most = "64",
         .words = {"auto"},
         .only = program,
         .doc =
             "Processes of a rank at its interface, between which messages go by their channel; `auto`: one for each "
             "channel, at most 16.",
         .store = into_workload<of_workload, &P::queues>},
        {.path = "workload[].credits",
         .type = v::number,
         .fallback = "auto",
         .least = "1",
         .most = "2048",
         .words = {"auto", "none"},
         .only = program,
         .doc =
             "Messages from one rank to another that have not been received yet; `auto`: where a rank could get more "
             "messages than it has receive buffers, as many as these hold; `none`: no limit.",
         .store = store_credits},
        {.path = "workload[].unit",
         .type = v::number,
         .fallback = "1 ns",
         .unit = d::cycles,
         .whole = false,
         .least = "1/1000000000",
         .most = "1000000000",
         .only = program,
         .doc = "Time that a 1 in `calc` stands for.",
         .store = into_workload<of_workload, &P::unit>},
        {.path = "workload[].copy",
         .type = v::number,
         .fallback = "free",
         .unit = d::bandwidth,
         .whole = false,
         .least = "1/1000000000",
         .most = "1000000000",
         .words = {"free"},
         .only = program,
         .doc = "Bytes per cycle that a processor copies; `free`: it takes no time.",
         .store = into_workload<of_workload, &P::copy>},
        {.path = "workload[].reduce",
         .type = v::number,
         .fallback = "free",
         .unit = d::bandwidth,
         .whole = false,
         .least = "1/1000000000",
         .most = "1000000000",
         .words = {"free"},
         .only = program,
         .doc = "Bytes per cycle that a processor reduces; `free`: it takes no time.",
         .store = into_workload<of_workload, &P::reduce>},
    };
}

}  // namespace polycast::tlm::scenario
