// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/chip_params.h"
#include "tlm/scenario/key_tables.h"
#include "tlm/workloads/broadcast/broadcast_rules.h"

namespace polycast::tlm::scenario {

namespace {

namespace broadcast_ranges = hw::chips::broadcast_ranges;
using v = value_type;
using d = dimension;
using U = broadcast_settings;
using B = broadcast_workload;
constexpr auto of_workload = &workload_settings::broadcast;

}  // namespace

std::vector<key> broadcast_keys() {
    constexpr auto unit = &settings::broadcast;
    const condition with_cycles{"router.broadcast.timing", {"cycle"}};
    const std::vector<condition> broadcasts{{"kind", {"broadcast"}}};
    const std::vector<condition> cycles{{"timing", {"cycle"}}};
    const std::vector<condition> coloured{{"algorithm", {"colours"}}};
    return {
        {.path = "router.broadcast", .doc = "The broadcast unit of every router, for `kind: broadcast`."},
        {.path = "router.broadcast.timing",
         .type = v::choice,
         .fallback = "cycle",
         .choices = {{"cycle", "routers with broadcast units, cycle by cycle"},
                     {"step",
                      "the paper's synchronous steps, without routers: a packet per link and step; for up to "
                      "16,777,216 nodes"}},
         .doc = "What a broadcast runs on. Steps are exact, and a model of their own: results say which it was.",
         .source = pipelined,
         .store = into<unit, &U::timing>},
        {.path = "router.broadcast.neighbours",
         .type = v::choice,
         .fallback = "maps",
         .choices = {{"maps", "neighbours show which packets they have, a link delay late"},
                     {"none", "they do not: duplicates are sent, dropped and counted"},
                     {"ideal",
                      "a sender knows at once, at no cost, as in the paper: always so with `timing: step`, "
                      "never with `cycle`"}},
         .doc = "What a unit knows of its neighbours' packets.",
         .source = pipelined,
         .store = into<unit, &U::neighbours>},
        {.path = "router.broadcast.slots",
         .type = v::number,
         .fallback = "32",
         .least = broadcast_ranges::slots.least_text,
         .most = broadcast_ranges::slots.most_text,
         .only = cycles,
         .doc = "Packets that a unit holds: the longest message.",
         .source = pipelined,
         .store = into<unit, &U::slots>},
        {.path = "router.broadcast.slot_flits",
         .type = v::number,
         .fallback = "auto",
         .unit = d::flits,
         .least = broadcast_ranges::slot_flits.least_text,
         .most = broadcast_ranges::slot_flits.most_text,
         .words = {"auto"},
         .only = cycles,
         .doc = "Size of a slot, header included; `auto`: the longest packet of the workloads.",
         .store = into<unit, &U::slot_flits>},
        {.path = "router.broadcast.inject",
         .type = v::number,
         .fallback = "8 flit",
         .unit = d::flits,
         .least = broadcast_ranges::inject_flits.least_text,
         .most = broadcast_ranges::inject_flits.most_text,
         .only = cycles,
         .doc = "Size of the buffer behind the host's port.",
         .store = into<unit, &U::inject_flits>},
        {.path = "workload[].broadcast",
         .only = broadcasts,
         .doc = "A pipelined broadcast. Several sources or rounds: one after the other in the same network."},
        {.path = "workload[].broadcast.sources",
         .type = v::names,
         .fallback = "[0]",
         .doc = "Nodes that broadcast, in this order: numbers (the sum of coordinate i x radix^i), or coordinates such "
                "as \"1,0\".",
         .source = pipelined,
         .store = into_workload<of_workload, &B::sources>},
        {.path = "workload[].broadcast.rounds",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "10000",
         .doc = "How often each source broadcasts.",
         .store = into_workload<of_workload, &B::rounds>},
        {.path = "workload[].broadcast.packets",
         .type = v::number,
         .fallback = "32",
         .least = "1",
         .most = "64",
         .doc = "Packets of the message (k).",
         .source = pipelined,
         .store = into_workload<of_workload, &B::packets>},
        {.path = "workload[].broadcast.bytes",
         .type = v::number,
         .fallback = "8 B",
         .unit = d::bytes,
         .least = "1",
         .most = "4096",
         .doc = "Payload of a packet.",
         .store = into_workload<of_workload, &B::bytes>},
        {.path = "workload[].broadcast.dimensions",
         .type = v::numbers,
         .fallback = "all",
         .words = {"all"},
         .doc = "Dimensions that it goes along, from 0: one is a line through the source, two are a plane; nodes that "
                "differ from the source in another one take no part.",
         .source = pipelined,
         .store = into_workload<of_workload, &B::dimensions>},
        {.path = "workload[].broadcast.algorithm",
         .type = v::choice,
         .fallback = "colours",
         .choices = {{"colours", "one for each dimension: the paper's line, rectangular and global broadcast"},
                     {"trees", "the link-disjoint spanning trees of a torus, two for each dimension"}},
         .doc = "Along what packets go.",
         .source = pipelined,
         .store = into_workload<of_workload, &B::algorithm>},
        {.path = "workload[].broadcast.patterns",
         .type = v::numbers,
         .fallback = "[1]",
         .only = coloured,
         .doc = "Order in which the source sends, 0..15, one for all colours or one for each: bit 3 links up, 2 "
                "bypasses up, 1 bypasses down, 0 links down; 1: last packet first.",
         .source = pipelined,
         .store = into_workload<of_workload, &B::patterns>},
        {.path = "workload[].broadcast.split",
         .type = v::numbers,
         .fallback = "equal",
         .words = {"equal"},
         .doc = "Packets of each colour or tree, such as [12, 20]; `equal`: nearly.",
         .source = pipelined,
         .store = into_workload<of_workload, &B::split>},
        {.path = "workload[].broadcast.unicasts",
         .type = v::number,
         .fallback = "0",
         .unit = d::load,
         .whole = false,
         .least = "0",
         .most = "1",
         .only = {with_cycles},
         .doc = "Unicasts to random nodes that every host sends meanwhile, through the virtual channels of the router.",
         .store = into_workload<of_workload, &B::unicasts>},
        {.path = "workload[].broadcast.unicast_flits",
         .type = v::number,
         .fallback = "4",
         .least = "1",
         .most = "64",
         .only = {with_cycles},
         .doc = "Flits of such a unicast.",
         .store = into_workload<of_workload, &B::unicast_flits>},
    };
}

}  // namespace polycast::tlm::scenario
