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

template <std::size_t kind>
void store_algorithm(settings& s, const value& given) {
    s.workloads.back().program.algorithms[kind] = given.text;
}

/// By which algorithms collectives of a trace are made; what is not given is not in resolved scenarios.
std::vector<key> algorithm_keys() {
    static constexpr std::string_view paths[] = {
        "workload[].algorithms.broadcast", "workload[].algorithms.reduce",         "workload[].algorithms.allreduce",
        "workload[].algorithms.allgather", "workload[].algorithms.reduce_scatter", "workload[].algorithms.all_to_all",
        "workload[].algorithms.scatter",   "workload[].algorithms.gather",         "workload[].algorithms.barrier"};
    static_assert(std::size(paths) == std::size(programs::collective_kinds));
    std::vector<key> made{{.path = "workload[].algorithms",
                           .optional = true,
                           .only = {{"kind", {"program"}}},
                           .doc =
                               "Of which algorithms of hw/collectives/library.md the collectives of a Chakra trace are "
                               "made: `{allreduce: doubling, default: auto}`."}};
    const auto add = [&]<std::size_t... kinds>(std::index_sequence<kinds...>) {
        (made.push_back({.path = paths[kinds],
                         .type = v::text,
                         .fallback = "auto",
                         .optional = true,
                         .doc = "An algorithm of this collective; `auto`: the one that is predicted to be the fastest.",
                         .store = store_algorithm<kinds>}),
         ...);
    };
    add(std::make_index_sequence<std::size(paths)>{});
    made.push_back(
        {.path = "workload[].algorithms.default",
         .type = v::text,
         .fallback = "auto",
         .optional = true,
         .doc = "Of those that are not named here: the algorithm of that name where they have one, or `auto`.",
         .store = into_workload<of_workload, &P::default_algorithm>});
    return made;
}

/// What Chakra traces leave open; what is not given is not in resolved scenarios.
std::vector<key> chakra_keys() {
    const std::vector<condition> program{{"kind", {"program"}}};
    return {
        {.path = "workload[].ranks",
         .type = v::number,
         .fallback = "auto",
         .optional = true,
         .least = "1",
         .most = "65536",
         .words = {"auto"},
         .only = program,
         .doc = "Ranks that execute a Chakra trace of one file; `auto`: the trace has a file for each.",
         .store = into_workload<of_workload, &P::ranks>},
        {.path = "workload[].groups",
         .type = v::text,
         .optional = true,
         .file = true,
         .only = program,
         .doc = "JSON file of the groups that collectives of a Chakra trace name, `{\"0\": [0, 1, 2]}`; left out: the "
                "trace "
                "lists them.",
         .store = into_workload<of_workload, &P::groups>},
        {.path = "workload[].streams",
         .type = v::choice,
         .fallback = "serial",
         .optional = true,
         .choices = choices_of(programs::stream_orders),
         .only = program,
         .doc = "What of a Chakra trace keeps order beside dependencies and groups.",
         .store = into_workload_named<programs::stream_orders, of_workload, &P::streams>},
        {.path = "workload[].repair",
         .type = v::choice,
         .fallback = "refuse",
         .optional = true,
         .choices = choices_of(programs::trace_repairs),
         .only = program,
         .doc = "What becomes of a Chakra trace whose dependencies cannot be met.",
         .store = into_workload_named<programs::trace_repairs, of_workload, &P::repair>},
        {.path = "workload[].compute",
         .type = v::choice,
         .fallback = "trace",
         .optional = true,
         .choices = choices_of(programs::compute_times),
         .only = program,
         .doc = "How long compute nodes of a Chakra trace take.",
         .store = into_workload_named<programs::compute_times, of_workload, &P::compute>},
        {.path = "workload[].peak",
         .type = v::number,
         .optional = true,
         .least = "1",
         .most = "100000000000000000",
         .only = program,
         .doc = "Operations per second of compute nodes, by `compute: roofline`.",
         .store = into_workload<of_workload, &P::peak>},
        {.path = "workload[].memory",
         .type = v::number,
         .optional = true,
         .unit = d::line_rate,
         .least = "1",
         .most = "100000000000000000",
         .only = program,
         .doc = "How fast the memory of Chakra traces is: for loads and stores, and by `compute: roofline`.",
         .store = into_workload<of_workload, &P::memory>},
    };
}

std::vector<key> general_keys() {
    const std::vector<condition> program{{"kind", {"program"}}};
    const std::vector<condition> collective{{"kind", {"collective"}}};
    const std::vector<condition> both{{"kind", {"program", "collective"}}};
    const std::vector<condition> on_model{{"kind", {"program", "collective"}}, {"machine", {"model"}}, with_interfaces};
    return {
        {.path = "workload[].path",
         .type = v::text,
         .required = true,
         .file = true,
         .only = program,
         .doc =
             "The program's file, relative to the scenario, or on the command line to the current folder; or P for a "
             "Chakra trace with a file for each rank: P.0.et, P.1.et, ..",
         .store = into_workload<of_workload, &P::path>},
        {.path = "workload[].format",
         .type = v::choice,
         .fallback = "auto",
         .choices = choices_of(programs::program_formats, {{"auto", "as its content says"}}),
         .only = program,
         .doc = "What the file is.",
         .store = into_workload_optional<programs::program_formats, of_workload, &P::format>},
        {.path = "workload[].nics",
         .type = v::choice,
         .fallback = "unsaid",
         .choices = choices_of(programs::nic_meanings, {{"unsaid", "files with NICs above 0 are refused"}}),
         .only = program,
         .doc = "What numbers of NICs in GOAL mean, which files do not tell.",
         .store = into_workload_optional<programs::nic_meanings, of_workload, &P::nics>},
        {.path = "workload[].placement",
         .type = v::text,
         .fallback = "linear",
         .file = true,
         .no_files = {"linear", "random"},
         .only = on_model,
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
         .only = on_model,
         .doc = "Longest message that is sent without asking; longer ones wait for their receive (rendezvous).",
         .store = into_workload<of_workload, &P::eager>},
        {.path = "workload[].queues",
         .type = v::number,
         .fallback = "auto",
         .least = "1",
         .most = "64",
         .words = {"auto"},
         .only = on_model,
         .doc =
             "Processes of a rank at its interface, between which messages go by their channel; `auto`: one for each "
             "channel, at most 16, with `reliable` one.",
         .store = into_workload<of_workload, &P::queues>},
        {.path = "workload[].credits",
         .type = v::number,
         .fallback = "auto",
         .least = "1",
         .most = "2048",
         .words = {"auto", "none"},
         .only = on_model,
         .doc =
             "Messages from one rank to another that have not been received yet; `auto`: where a rank could get more "
             "messages than it has receive buffers, as many as these hold; `none`: no limit.",
         .store = store_credits},
        {.path = "workload[].start",
         .type = v::number,
         .fallback = "auto",
         .optional = true,
         .unit = d::cycles,
         .least = "1",
         .most = "1000000000000",
         .words = {"auto"},
         .only = on_model,
         .doc = "First cycle in which operations may begin, from which the times of results count; `auto`: when "
                "firmware is ready.",
         .store = into_workload<of_workload, &P::start>},
        {.path = "workload[].unit",
         .type = v::number,
         .fallback = "auto",
         .unit = d::cycles,
         .whole = false,
         .least = "1/1000000000",
         .most = "1000000000",
         .words = {"auto"},
         .only = program,
         .doc = "Time that a 1 stands for; `auto`: 1 ns in GOAL and Chakra traces, 1 ps in matrices.",
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
        {.path = "workload[].wire",
         .type = v::choice,
         .fallback = "ignore",
         .optional = true,
         .choices = {{"ignore", "messages carry their bytes and nothing else"},
                     {"flags", "those of LL and LL128 carry flags: 4 bytes for each 4, and 8 for each 120"}},
         .only = {{"kind", {"program"}}, {"machine", {"model"}}, with_interfaces},
         .doc = "Whether messages of an MSCCL algorithm have the flags of its protocol.",
         .store = [](settings& s, const value& given) { s.workloads.back().program.flags = given.choice == 1; }},
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
         .doc = "By which algorithm; hw/collectives/library.md lists them. `auto`: by a table of `advise`, or else the "
                "one that is predicted to be the fastest.",
         .store = into_workload<of_workload, &P::algorithm>},
        {.path = "workload[].table",
         .type = v::text,
         .fallback = "none",
         .words = {"none"},
         .file = true,
         .only = collective,
         .doc = "What `advise -o` has written, for `algorithm: auto`; `none`: a prediction is made.",
         .store =
             [](settings& s, const value& given) {
                 if (!given.word) s.workloads.back().program.table = given.text;
             }},
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
         .store = into_workload_optional<programs::reductions, of_workload, &P::reduction>},
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
         .only = on_model,
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
         .only = on_model,
         .doc = "Bytes per cycle that a processor reduces; `free`: it takes no time.",
         .store = into_workload<of_workload, &P::reduce>},
    };
}

}  // namespace

std::vector<key> program_keys() {
    std::vector<key> made = general_keys();
    for (const std::vector<key>& more : {chakra_keys(), algorithm_keys()})
        made.insert(made.end(), more.begin(), more.end());
    return made;
}

}  // namespace polycast::tlm::scenario
