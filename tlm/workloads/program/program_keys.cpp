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
    const std::vector<condition> collective{{"kind", {"collective"}}, with_interfaces};
    const std::vector<condition> both{{"kind", {"program", "collective"}}, with_interfaces};
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
         .only = both,
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
         .only = both,
         .doc = "Longest message that is sent without asking; longer ones wait for their receive (rendezvous).",
         .store = into_workload<of_workload, &P::eager>},
        {.path = "workload[].queues",
         .type = v::number,
         .fallback = "auto",
         .least = "1",
         .most = "64",
         .words = {"auto"},
         .only = both,
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
         .only = both,
         .doc =
             "Messages from one rank to another that have not been received yet; `auto`: where a rank could get more "
             "messages than it has receive buffers, as many as these hold; `none`: no limit.",
         .store = store_credits},
        {.path = "workload[].unit",
         .type = v::number,
         .fallback = "auto",
         .unit = d::cycles,
         .whole = false,
         .least = "1/1000000000",
         .most = "1000000000",
         .words = {"auto"},
         .only = program,
         .doc = "Time that a 1 stands for; `auto`: 1 ns in GOAL, 1 ps in matrices.",
         .store = into_workload<of_workload, &P::unit>},
        {.path = "workload[].races",
         .type = v::choice,
         .fallback = "refuse",
         .choices = {{"refuse", "they are problems"}, {"allow", "what comes of them depends on the run"}},
         .only = program,
         .doc = "Whether operations may touch the same bytes of a buffer, one of them writing, in no order.",
         .store = [](settings& s, const value& given) { s.workloads.back().program.races = given.choice == 1; }},
        {.path = "workload[].piece",
         .type = v::number,
         .fallback = "0 B",
         .unit = d::bytes,
         .least = "0",
         .most = "1000000000",
         .only = program,
         .doc = "Longest message into which a connection of a matrix is cut; 0: it is sent whole.",
         .store = into_workload<of_workload, &P::piece>},
        {.path = "workload[].slice",
         .type = v::number,
         .fallback = "0 B",
         .unit = d::bytes,
         .least = "0",
         .most = "1000000000",
         .only = program,
         .doc = "Bytes of a chunk that a pass of all steps of an MSCCL algorithm takes; 0: all.",
         .store = into_workload<of_workload, &P::slice>},
        {.path = "workload[].ignore_range",
         .type = v::boolean,
         .fallback = "false",
         .only = program,
         .doc = "Whether an MSCCL algorithm runs on sizes that its file is not for.",
         .store = into_workload<of_workload, &P::ignore_range>},
        {.path = "workload[].collective",
         .type = v::choice,
         .fallback = "allreduce",
         .choices = choices_of(programs::collective_kinds),
         .only = collective,
         .doc = "Which collective.",
         .store = into_workload_named<programs::collective_kinds, of_workload, &P::collective>},
        {.path = "workload[].algorithm",
         .type = v::text,
         .required = true,
         .many = true,
         .only = collective,
         .doc = "By which algorithm; hw/collectives/library.md lists them.",
         .store = into_workload<of_workload, &P::algorithm>},
        {.path = "workload[].size",
         .type = v::number,
         .fallback = "1 KiB",
         .unit = d::bytes,
         .least = "1",
         .most = "4294967295",
         .many = true,
         .only = collective,
         .doc = "Of the larger buffer of a rank; of scatter and gather the root's.",
         .store = into_workload<of_workload, &P::size>},
        {.path = "workload[].size",
         .type = v::number,
         .fallback = "auto",
         .unit = d::bytes,
         .least = "1",
         .most = "4294967295",
         .words = {"auto"},
         .only = program,
         .doc = "Of the larger buffer of a rank of an MSCCL algorithm; `auto`: the least that fits.",
         .store = into_workload<of_workload, &P::size>},
        {.path = "workload[].type",
         .type = v::choice,
         .fallback = "f32",
         .choices = choices_of(programs::element_types),
         .only = both,
         .doc = "Elements of buffers.",
         .store = into_workload_named<programs::element_types, of_workload, &P::type>},
        {.path = "workload[].reduction",
         .type = v::choice,
         .fallback = "auto",
         .choices = choices_of(programs::reductions, {{"auto", "as the file says, else the sum"}}),
         .only = both,
         .doc = "How two elements become one.",
         .store =
             [](settings& s, const value& given) {
                 s.workloads.back().program.reduction =
                     given.choice == 0 ? std::nullopt : std::optional(programs::reductions[given.choice - 1].value);
             }},
        {.path = "workload[].ranks",
         .type = v::number,
         .fallback = "all",
         .least = "1",
         .most = "65536",
         .words = {"all"},
         .many = true,
         .only = collective,
         .doc = "Ranks that take part; `all`: one on every host.",
         .store = into_workload<of_workload, &P::ranks>},
        {.path = "workload[].root",
         .type = v::number,
         .fallback = "0",
         .least = "0",
         .most = "65535",
         .only = collective,
         .doc = "Rank that broadcasts or scatters, or that all is reduced or gathered to.",
         .store = into_workload<of_workload, &P::root>},
        {.path = "workload[].pieces",
         .type = v::number,
         .fallback = "4",
         .least = "1",
         .most = "65536",
         .only = collective,
         .doc = "Parts into which algorithms of chains cut the vector.",
         .store = into_workload<of_workload, &P::pieces>},
        {.path = "workload[].inplace",
         .type = v::boolean,
         .fallback = "false",
         .only = collective,
         .doc = "Whether input and output lie in one buffer.",
         .store = into_workload<of_workload, &P::in_place>},
        {.path = "workload[].copy",
         .type = v::number,
         .fallback = "free",
         .unit = d::bandwidth,
         .whole = false,
         .least = "1/1000000000",
         .most = "1000000000",
         .words = {"free"},
         .only = both,
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
         .only = both,
         .doc = "Bytes per cycle that a processor reduces; `free`: it takes no time.",
         .store = into_workload<of_workload, &P::reduce>},
    };
}

}  // namespace polycast::tlm::scenario
