// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/topologies/kind.h"

namespace polycast::tlm::scenario {

namespace {

void into_kind(settings& s, const value& v) {
    s.network.topology.kind = topologies::all()[v.choice];
}

/// The function that stores a key, to see whether two keys are one; null: it is no plain function.
auto stores(const key& k) {
    using function = void (*)(settings&, const value&);
    const function* const plain = k.store.target<function>();
    return plain == nullptr ? nullptr : *plain;
}

/// What kinds of topology have, each key with the kinds that it belongs to. Kinds may have different keys of one name.
void add_topology_keys(std::vector<key>& rows) {
    const std::size_t first = rows.size();
    for (const topologies::kind* one : topologies::all()) {
        for (key& row : one->keys()) {
            const auto shared =
                std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                             [&](const key& k) { return k.path == row.path && stores(k) == stores(row); });
            if (shared != rows.end()) {
                shared->only.front().values.push_back(one->is().name);
                continue;
            }
            row.only = {{"kind", {one->is().name}}};
            rows.push_back(row);
        }
    }
}

using v = value_type;
using d = dimension;
using N = network_settings;
constexpr auto net = &settings::network;

}  // namespace

std::vector<key> network_keys() {
    const std::vector<choice> fidelities{{"core", "the cycle-exact C++ core"},
                                         {"tlm", "SystemC modules, one per chip"},
                                         {"rtl", "the SystemVerilog, built by Verilator"},
                                         {"own", "likewise, with files of `network.own_rtl` in place of ours"}};
    std::vector<choice> all_fidelities = fidelities;
    all_fidelities.push_back(
        {"event",
         "packets as timed events, an approximation that results name; for kinds `rails`, `lanes` and `streams`"});
    std::vector<choice> kinds;
    for (const topologies::kind* one : topologies::all()) kinds.push_back({one->is().name, one->is().doc});
    std::vector<key> rows{
        {.path = "name",
         .type = v::name,
         .fallback = "scenario",
         .doc = "Name of the scenario, in results and reports.",
         .store = into<&settings::name>},
        {.path = "seed",
         .type = v::number,
         .fallback = "1",
         .least = "0",
         .doc = "Seed of sources, destinations and message times; topologies have their own.",
         .store = into<&settings::seed>},
        {.path = "sweep",
         .type = v::sweep,
         .doc = "Keys that differ from run to run, such as `seed: 1..10`, `workload.tree.degree: [3, 7]`: one run for "
                "each combination of values. A range is `FIRST..LAST UNIT step STEP`; unit and step may be left out. "
                "Paths with commas between go together, with a list for each run: `\"seed, packet.payload\": [[1, 64 "
                "B], [2, 128 B]]`. On the command line: `-s seed=1..10`."},
        {.path = "network", .doc = "Switches or routers, cables and routing."},
        {.path = "network.topology", .doc = "How switches or routers and hosts are cabled."},
        {.path = "network.topology.kind",
         .type = v::choice,
         .fallback = "irregular",
         .choices = kinds,
         .doc = "Where the network comes from.",
         .source = tr41,
         .store = into_kind}};
    add_topology_keys(rows);
    const std::vector<key> others{
        {.path = "network.fidelity",
         .type = v::choice,
         .fallback = "core",
         .choices = all_fidelities,
         .doc = "Model of every switch or router; results are the same for each but `event`.",
         .store = into<net, &N::all>},
        {.path = "network.chips",
         .type = v::choice_map,
         .fallback = "{}",
         .choices = fidelities,
         .doc =
             "Switches or routers, by name, whose fidelity differs; on rails `rail0.router3`, of lanes `lane0`. With "
             "`network.link.layer` cables, too, by their lower end: `switch1:3`.",
         .store = into<net, &N::chips>},
        {.path = "network.own_rtl",
         .type = v::text,
         .fallback = "none",
         .words = {"none"},
         .file = true,
         .doc = "Folder with SystemVerilog of your own, for the fidelity `own`: files named as ours (rtl/common, "
                "rtl/switch, rtl/router, rtl/link) take their place, others are added. Relative to the scenario, or on "
                "the "
                "command line to the current folder. See rtl/own.md.",
         .store = into<net, &N::own_rtl>},
        {.path = "network.compare",
         .type = v::boolean,
         .fallback = "true",
         .doc = "Whether switches, routers or cables of the fidelity `own` are compared with the core, which gets the "
                "same "
                "inputs, in every cycle. The first difference ends the run.",
         .store = into<net, &N::compare>},
        {.path = "network.rtl_assertions",
         .type = v::boolean,
         .fallback = "true",
         .doc = "Whether switches and routers of the fidelities `rtl` and `own` check the assertions in their "
                "SystemVerilog; a failed one ends the run. Without them runs are faster; results are the same.",
         .store = into<net, &N::rtl_assertions>},
        {.path = "network.threads",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "64",
         .words = {"auto"},
         .doc =
             "Threads that step one network, a part of it each; results are the same for any number. `auto`: as many "
             "as the machine has cores for each run. Where less time is lost, one thread does everything. Modules of "
             "SystemC take the first thread, as do all ideal hosts.",
         .store = into<net, &N::threads>},
        {.path = "network.partition",
         .type = v::text,
         .fallback = "none",
         .words = {"none"},
         .file = true,
         .doc = "File that says which thread steps which chip: lines of a name and a number from 0 on; "
                "hosts that share an object follow the first of them. Relative to the "
                "scenario, or on the command line to the current folder. Without it METIS decides, and decides anew "
                "where some threads have too much to do.",
         .store = into<net, &N::partition>},
        {.path = "network.routing", .only = {with_switches}, .doc = "How packets find their way."},
        {.path = "network.routing.root",
         .type = v::names,
         .fallback = "lowest",
         .words = {"lowest", "best"},
         .one = true,
         .only = {{"kind", {"updown"}}},
         .doc =
             "Root of the spanning tree: `lowest` (lowest id), `best` (smallest mean path length), or a switch by its "
             "name, its id in the topology file, its GUID (`0x1f`) or its number. Of several, levels count from the "
             "nearest; each must have all hosts below it.",
         .source = tr41,
         .store =
             [](settings& s, const value& given) {
                 s.network.best_root = given.word && given.text == "best";
                 s.network.roots = given.names;
             }},
        {.path = "network.routing.selection",
         .type = v::choice,
         .fallback = "least_loaded",
         .choices = {{"least_loaded", "not held before held, then most credits"},
                     {"round_robin", "in turn"},
                     {"deterministic", "the lowest port: packets of a pair stay in order"}},
         .only = {{"kind", {"updown"}}},
         .doc =
             "Which of several minimal output ports a packet takes; tree worms on their way up: `switch.up_selection`.",
         .source = tr41,
         .store = into<net, &N::selection>},
        {.path = "network.routing.tie",
         .type = v::choice,
         .fallback = "id",
         .choices = {{"id", "lower number"}, {"guid", "lower node GUID, as InfiniBand's OpenSM"}},
         .only = {{"kind", {"updown"}}},
         .doc = "Which of two switches on the same level is the upper one.",
         .source = tr41,
         .store = into<net, &N::tie>},
        {.path = "network.worms",
         .type = v::choice,
         .fallback = "updown",
         .choices = {{"updown", "any up link, then all down links"},
                     {"spanning_tree", "links of the breadth-first tree only"}},
         .only = {with_switches, with_updown},
         .doc = "Links that tree worms go along; other packets use all.",
         .source = tr41,
         .store = into<net, &N::worms>},
    };
    rows.insert(rows.end(), others.begin(), others.end());
    const std::vector<key> links = link_keys();
    rows.insert(std::ranges::find(rows, "network.routing", &key::path), links.begin(), links.end());
    const std::vector<key> tables = table_keys();
    rows.insert(std::ranges::find(rows, "network.routing.root", &key::path), tables.begin(), tables.end());
    return rows;
}

}  // namespace polycast::tlm::scenario
