// SPDX-License-Identifier: Apache-2.0
// What runs a program, how often, and what is kept of it.
#include "tlm/scenario/key_tables.h"
#include "tlm/workloads/program/program_rules.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using d = dimension;
using P = program_workload;
using G = hw::programs::loggops_parameters;
constexpr auto of_workload = &workload_settings::program;

key parameter(std::string_view path, std::string_view fallback, std::string_view doc,
              std::function<void(settings&, const value&)> store) {
    return {.path = path,
            .type = v::number,
            .fallback = fallback,
            .least = "0",
            .most = "268435456",
            .doc = doc,
            .store = std::move(store)};
}

}  // namespace

std::vector<key> machine_keys() {
    const std::vector<condition> both{{"kind", {"program", "collective"}}};
    const std::vector<condition> collective{{"kind", {"collective"}}};
    const std::vector<condition> on_model{{"kind", {"program", "collective"}}, {"machine", {"model"}}, with_interfaces};
    const std::vector<condition> on_loggops{{"kind", {"program", "collective"}}, {"machine", {"loggops"}}};
    key o_receive =
        parameter("workload[].loggops.o_receive", "o", "Processor's time for a message received; `o`: as o.",
                  into_workload<of_workload, &P::loggops_o_receive>);
    o_receive.words = {"o"};
    key longest = parameter("workload[].loggops.S", "65535", "Longest message that is sent without asking.",
                            into_workload<of_workload, &P::loggops, &G::S>);
    longest.unit = d::bytes;
    longest.most = "4294967295";
    return {
        {.path = "workload[].machine",
         .type = v::choice,
         .fallback = "model",
         .choices = {{"model", "hosts, interfaces and chips"},
                     {"loggops", "the reference machine, the LogGOPS model, without chips"}},
         .only = both,
         .doc = "What runs the program.",
         .store = into_workload<of_workload, &P::machine>},
        {.path = "workload[].loggops",
         .only = on_loggops,
         .doc = "Parameters of the reference machine; times in the program's unit (`unit`; of collectives 1 ns)."},
        parameter("workload[].loggops.L", "2500", "Latency of the network.",
                  into_workload<of_workload, &P::loggops, &G::L>),
        parameter("workload[].loggops.o", "1500", "Processor's time for a message sent.",
                  into_workload<of_workload, &P::loggops, &G::o>),
        o_receive,
        parameter("workload[].loggops.g", "1000", "Least time between messages at an interface.",
                  into_workload<of_workload, &P::loggops, &G::g>),
        parameter("workload[].loggops.G", "6", "Interface's time for each byte after the first.",
                  into_workload<of_workload, &P::loggops, &G::G>),
        parameter("workload[].loggops.O", "0", "Processor's time for each byte after the first.",
                  into_workload<of_workload, &P::loggops, &G::O>),
        longest,
        {.path = "workload[].repeat",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "10000",
         .only = collective,
         .doc = "How often the collective is done and counted, one after the other, with a barrier between.",
         .store = into_workload<of_workload, &P::repeat>},
        {.path = "workload[].warmup",
         .type = v::number,
         .fallback = "0",
         .least = "0",
         .most = "10000",
         .only = collective,
         .doc = "How often it is done before these, without being counted.",
         .store = into_workload<of_workload, &P::warmup>},
        {.path = "workload[].critical_path",
         .type = v::choice,
         .fallback = "operations",
         .choices = {{"operations", "what operations waited for; all that networks do is one"},
                     {"network", "and buses, interfaces and links; costs as much as a packet log"}},
         .only = on_model,
         .doc = "How finely the critical path is told.",
         .store = [](settings& s,
                     const value& given) { s.workloads.back().program.path_in_network = given.choice == 1; }},
        {.path = "workload[].timeline",
         .type = v::choice,
         .fallback = "auto",
         .choices = {{"auto", "of programs of at most 32,768 operations"}, {"all", "of any"}, {"none", "never"}},
         .only = both,
         .doc = "Whether tables/operations.csv gets the times of all operations, for charts and `why --operation`.",
         .store = into_workload<of_workload, &P::timeline>},
    };
}

}  // namespace polycast::tlm::scenario
