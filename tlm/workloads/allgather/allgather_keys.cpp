// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "hw/chips/chip_params.h"
#include "tlm/scenario/key_tables.h"
#include "tlm/workloads/allgather/allgather_rules.h"

namespace polycast::tlm::scenario {

namespace {

namespace coding_ranges = hw::chips::coding_ranges;
using v = value_type;
using d = dimension;
using W = workload_settings;

/// What is no number becomes 0, which no group can be.
void store_inner_groups(settings& s, const value& given) {
    std::vector<unsigned>& groups = s.workloads.back().inner_groups;
    groups.clear();
    for (const std::string& text : given.names) {
        unsigned size = 0;
        const char* const end = text.data() + text.size();
        if (std::from_chars(text.data(), end, size).ptr != end) size = 0;
        groups.push_back(size);
    }
}

}  // namespace

std::vector<key> allgather_keys() {
    const std::vector<condition> allgather{{"kind", {"allgather"}}};
    const std::vector<condition> grouped{{"kind", {"allgather"}},
                                         {"algorithm", {"coded", "every_node", "combining", "uncoded"}}};
    const std::vector<condition> coded{{"kind", {"allgather"}}, {"algorithm", {"coded", "every_node"}}};
    std::vector<condition> by_units = coded;
    by_units.push_back({"coding", {"unit"}});
    std::vector<condition> by_hosts = coded;
    by_hosts.push_back({"coding", {"host"}});
    const std::vector<condition> stepped{{"kind", {"allgather"}},
                                         {"algorithm", {"tree", "coded", "every_node", "combining", "uncoded"}}};
    return {
        {.path = "workload[].flits",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "65535",
         .only = {with_ideal_hosts},
         .doc = "Flits of a packet; ideal hosts send packets, not messages.",
         .source = coding,
         .store = into_workload<&W::flits>},
        {.path = "workload[].most_flits",
         .type = v::number,
         .fallback = "same",
         .least = "1",
         .most = "65535",
         .words = {"same"},
         .only = {with_ideal_hosts, {"kind", {"unicast"}}},
         .doc = "Flits of the longest packet: lengths are drawn from `flits` to this; `same`: all have `flits`.",
         .store = into_workload<&W::most_flits>},
        {.path = "workload[].algorithm",
         .type = v::choice,
         .fallback = "coded",
         .choices = {{"all_at_once", "every node sends its datum to every other"},
                     {"tree", "binomial trees of unicasts"},
                     {"coded", "hierarchical network coding: intermediate nodes send XORs of their group's data"},
                     {"every_node", "the same, but every node codes, and there is no step E"},
                     {"combining", "intermediate nodes exchange one message with all data of their group"},
                     {"uncoded", "the hierarchy of `coded` with plain data"},
                     {"replication", "routers copy each datum along a tree"}},
         .only = allgather,
         .doc = "How an allgather is done; `replication` and the accounting `as_published` are of ideal hosts.",
         .source = coding,
         .store = into_workload<&W::algorithm>},
        {.path = "workload[].base",
         .type = v::choice,
         .fallback = "tree",
         .choices = choices_of(hw::collectives::coding_bases),
         .only = grouped,
         .doc = "How a step of a hierarchy sends to several nodes.",
         .source = coding,
         .store = into_workload_named<hw::collectives::coding_bases, &W::base>},
        {.path = "workload[].group",
         .type = v::number,
         .fallback = "best",
         .least = "1",
         .most = "65536",
         .words = {"best"},
         .only = allgather,
         .doc = "Nodes of a group; `best`: the size with the fewest hops. Algorithms without groups only deal "
                "`sources` over "
                "them.",
         .source = coding,
         .store = into_workload<&W::group>},
        {.path = "workload[].inner_groups",
         .type = v::names,
         .fallback = "[]",
         .only = coded,
         .doc = "Nodes of a group within a group, and so on: network coding inside of groups, too.",
         .source = coding,
         .store = store_inner_groups},
        {.path = "workload[].placement",
         .type = v::choice,
         .fallback = "inner",
         .choices = choices_of(hw::collectives::node_placements),
         .only = grouped,
         .doc = "Which node of a group is its intermediate node.",
         .source = coding,
         .store = into_workload_named<hw::collectives::node_placements, &W::placement>},
        {.path = "workload[].sources",
         .type = v::number,
         .fallback = "all",
         .least = "1",
         .most = "65536",
         .words = {"all"},
         .only = allgather,
         .doc = "Nodes that have a datum, dealt round-robin over the groups: those of the workload, or where it has "
                "none those "
                "of the first workload that has; `all`.",
         .source = coding,
         .store = into_workload<&W::sources>},
        {.path = "workload[].coding",
         .type = v::choice,
         .fallback = "unit",
         .choices = choices_of(hw::collectives::allgather_coders),
         .only = coded,
         .doc = "Who computes XORs.",
         .source = coding,
         .store = into_workload_named<hw::collectives::allgather_coders, &W::coding>},
        {.path = "workload[].xor_latency",
         .type = v::number,
         .fallback = "1 cycle",
         .unit = d::cycles,
         .least = coding_ranges::max_latency.least_text,
         .most = coding_ranges::max_latency.most_text,
         .only = by_units,
         .doc = "Time of an XOR in the coding unit.",
         .source = coding,
         .store = into_workload<&W::xor_latency>},
        {.path = "workload[].coding_overhead",
         .type = v::number,
         .fallback = "125 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = "1000000",
         .only = by_hosts,
         .doc = "Time in which software makes a coded packet; the default is 125 ns where `host.cycle` is 1 ns.",
         .source = coding,
         .store = into_workload<&W::coding_overhead>},
        {.path = "workload[].operands",
         .type = v::number,
         .fallback = "auto",
         .unit = d::flits,
         .least = "1",
         .most = "262144",
         .words = {"auto"},
         .only = by_units,
         .doc = "Size of the operand store of each coding unit, at most 4,096 packets; `auto`: all data of a group, "
                "always with interfaces.",
         .store = into_workload<&W::operand_flits>},
        {.path = "workload[].mode",
         .type = v::choice,
         .fallback = "steps",
         .choices = choices_of(hw::collectives::allgather_paces),
         .only = stepped,
         .doc = "What separates the steps; with interfaces always `free`.",
         .source = coding,
         .store = into_workload_named<hw::collectives::allgather_paces, &W::mode>},
        {.path = "workload[].accounting",
         .type = v::choice,
         .fallback = "delivered",
         .choices = choices_of(hw::collectives::accountings),
         .only = coded,
         .doc = "Which packets are sent.",
         .source = coding,
         .store = into_workload_named<hw::collectives::accountings, &W::accounting>},
    };
}

}  // namespace polycast::tlm::scenario
