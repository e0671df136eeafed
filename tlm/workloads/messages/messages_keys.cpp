// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "tlm/scenario/key_tables.h"
#include "tlm/workloads/messages/messages_rules.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using d = dimension;
using W = workload_settings;
using E = expectation_settings;
using hw::collectives::multicast_choice;
using hw::collectives::scheme_kind;
using hw::collectives::scheme_options;
using hw::collectives::schemes_that;
using hw::format::packet_kind;
using hw::traffic::pattern_kind;

constexpr hw::named<packet_kind> worms[] = {{packet_kind::path, "path", "along chains of switches"},
                                            {packet_kind::ssr, "ssr", "to one switch each"}};
constexpr hw::named<bool> forwarding_orders[] = {
    {false, "fpfs", "first packet first served: each packet to every child"},
    {true, "fcfs", "first child first served: the whole message to one child, then to the next"}};

void store_fanout(settings& s, const value& given) {
    using fanout = multicast_choice::fanout_choice;
    multicast_choice& how = s.workloads.back().multicast;
    how.fanout = !given.word ? fanout::given : given.text == "timing" ? fanout::timing : fanout::best;
    if (!given.word) assign(how.scheme.fanout, given);
}

void store_scheme(settings& s, const value& given) {
    const auto schemes = hw::collectives::schemes();
    s.workloads.back().multicast.scheme.how =
        given.choice < schemes.size() ? schemes[given.choice] : hw::collectives::group_scheme();
}

std::vector<choice> scheme_choices() {
    std::vector<choice> choices;
    for (const hw::collectives::scheme each : hw::collectives::schemes()) choices.push_back({each->name, each->doc});
    choices.push_back({hw::collectives::group_scheme()->name, hw::collectives::group_scheme()->doc});
    return choices;
}

condition schemes_with(bool (*fit)(const scheme_kind& one)) {
    return {"scheme", schemes_that(fit)};
}

std::vector<key> multicast_keys() {
    const condition multicasts{"kind", {"multicast"}};
    const std::vector<condition> multicast{multicasts};
    const std::vector<condition> trees{multicasts, schemes_with([](const scheme_kind& k) { return k.has_tree(); })};
    const std::vector<condition> smart{
        multicasts, schemes_with([](const scheme_kind& k) { return k.by == scheme_kind::forwarders::interfaces; })};
    const std::vector<condition> phased{multicasts, schemes_with([](const scheme_kind& k) { return k.phases; })};
    const std::vector<condition> chosen{multicasts,
                                        schemes_with([](const scheme_kind& k) { return k.chooses_packets; })};
    const std::vector<condition> with_sets{multicasts, schemes_with([](const scheme_kind&) { return true; })};
    const std::vector<condition> groups{multicasts, {"scheme", {hw::collectives::group_scheme()->name}}};
    constexpr auto how = &W::multicast;
    constexpr auto scheme = &multicast_choice::scheme;
    return {
        {.path = "workload[].scheme",
         .type = v::choice,
         .fallback = hw::collectives::schemes().front()->name,
         .choices = scheme_choices(),
         .only = multicast,
         .doc = "How a multicast is done.",
         .source = tr41,
         .store = store_scheme},
        {.path = "workload[].group",
         .type = v::text,
         .required = true,
         .only = groups,
         .doc = "MLID of the group, such as 0xC001: its members send, each to all others.",
         .store = into_workload<&W::mlid>},
        {.path = "workload[].phases",
         .type = v::choice,
         .fallback = "less_greedy",
         .choices = choices_of(hw::collectives::phasings),
         .only = phased,
         .doc = "Who sends the worms of a phase.",
         .source = tr41,
         .store = into_workload_named<hw::collectives::phasings, how, scheme, &scheme_options::phases>},
        {.path = "workload[].worms",
         .type = v::choice,
         .fallback = "path",
         .choices = choices_of(worms),
         .only = chosen,
         .doc = "Worms that smart interfaces forward.",
         .store = into_workload_named<worms, how, scheme, &scheme_options::worms>},
        {.path = "workload[].fanout",
         .type = v::number,
         .fallback = "best",
         .least = "1",
         .most = "16383",
         .words = {"best", "timing"},
         .only = trees,
         .doc = "k of the k-binomial tree, the most children of a node; `best`: the one with the fewest steps, and for "
                "`software` ceil(log2 n), a binomial tree; `timing`: the one with the lowest predicted latency.",
         .source = tr41,
         .store = store_fanout},
        {.path = "workload[].forwarding",
         .type = v::choice,
         .fallback = "fpfs",
         .choices = choices_of(forwarding_orders),
         .only = smart,
         .doc = "Order in which an interface forwards a message of several packets.",
         .source = tr41,
         .store = into_workload_named<forwarding_orders, how, &multicast_choice::fcfs>},
        {.path = "workload[].order",
         .type = v::choice,
         .fallback = "chains",
         .choices = choices_of(hw::collectives::chain_orders),
         .only = trees,
         .doc = "Order of the destinations, behind the source, along which the tree is built.",
         .source = tr41,
         .store = into_workload_named<hw::collectives::chain_orders, how, scheme, &scheme_options::order>},
        {.path = "workload[].degree",
         .type = v::number,
         .fallback = "15",
         .least = "1",
         .most = "16383",
         .only = with_sets,
         .doc = "Number of destinations of a random multicast; with given destinations it is their number and may be "
                "left out.",
         .source = tr41,
         .store = into_workload<&W::degree>},
        {.path = "workload[].destinations",
         .type = v::names,
         .fallback = "random",
         .words = {"random"},
         .only = with_sets,
         .doc =
             "Hosts, by name or number; `random`: a new draw for every message, the same in workloads of equal degree.",
         .source = tr41,
         .store = into_workload<&W::destinations>},
        {.path = "workload[].source",
         .type = v::text,
         .fallback = "random",
         .words = {"random"},
         .only = multicast,
         .doc = "Sending host of single messages, by name or number; `random`: a new draw for every message.",
         .source = tr41,
         .store = into_workload<&W::source>},
    };
}

/// The keys of traffic patterns, out of the patterns' own table.
class pattern_rows {
public:
    pattern_rows() {
        std::vector<choice> choices;
        for (const pattern_kind* each : hw::traffic::pattern_kinds()) choices.push_back({each->name, each->doc});
        keys.push_back({.path = "workload[].pattern",
                        .type = value_type::choice,
                        .fallback = choices.front().name,
                        .choices = choices,
                        .only = {with_patterns},
                        .doc = "Who sends to whom, and when; on rails every process to processes of other hosts.",
                        .store = [](settings& s, const value& given) {
                            s.workloads.back().pattern.name = hw::traffic::pattern_kinds()[given.choice]->name;
                        }});
        for (const pattern_kind* each : hw::traffic::pattern_kinds())
            if (each->hosts || !each->keys.empty()) add(*each);
    }

    std::vector<key> keys;

private:
    void add(const pattern_kind& pattern) {
        const std::string& section = paths_.emplace_back("workload[]." + std::string(pattern.name));
        keys.push_back(
            {.path = section, .only = {with_patterns, {"pattern", {pattern.name}}}, .doc = pattern.keys_doc});
        if (pattern.hosts)
            keys.push_back({.path = paths_.emplace_back(section + ".hosts"),
                            .type = value_type::names,
                            .required = true,
                            .doc = "Hosts, by name or number.",
                            .store = into_workload<&workload_settings::pattern_hosts>});
        for (const hw::traffic::pattern_key& each : pattern.keys)
            keys.push_back({.path = paths_.emplace_back(section + "." + std::string(each.name)),
                            .type = value_type::number,
                            .fallback = each.fallback,
                            .unit = each.fraction ? dimension::fraction : dimension::none,
                            .whole = false,
                            .least = each.least,
                            .most = each.most,
                            .doc = each.doc,
                            .store = [name = std::string(each.name)](settings& s, const value& given) {
                                assign(s.workloads.back().pattern.numbers[name], given);
                            }});
    }

    const condition with_patterns{"kind", {"unicast", "rails"}};
    std::deque<std::string> paths_;
};

template <auto member>
void into_listed(settings& s, const value& given) {
    assign(s.workloads.back().list.back().*member, given);
}

std::vector<key> list_keys() {
    using L = listed_message;
    return {
        {.path = "workload[].list",
         .type = v::sections,
         .required = true,
         .only = {{"kind", {"list"}}, with_interfaces},
         .doc = "The messages.",
         .store = [](settings& s, const value&) { s.workloads.back().list.emplace_back(); }},
        {.path = "workload[].list[].at",
         .type = v::number,
         .required = true,
         .unit = d::cycles,
         .least = "1",
         .most = "1000000000000",
         .doc = "Cycle in which the program of its source sends the message; a host that is busy sends it later.",
         .store = into_listed<&L::at>},
        {.path = "workload[].list[].source",
         .type = v::text,
         .required = true,
         .doc = "Host that sends it, by name or number.",
         .store = into_listed<&L::source>},
        {.path = "workload[].list[].destination",
         .type = v::text,
         .optional = true,
         .doc = "Host that gets it, likewise.",
         .store = into_listed<&L::destination>},
        {.path = "workload[].list[].group",
         .type = v::text,
         .optional = true,
         .only = {with_tables},
         .doc = "In place of a destination: MLID of a group, whose other members get it.",
         .store = into_listed<&L::group>},
        {.path = "workload[].list[].bytes",
         .type = v::number,
         .optional = true,
         .unit = d::bytes,
         .least = "1",
         .most = "1000000000",
         .doc = "Its length; without, `message`.",
         .store = into_listed<&L::bytes>},
        {.path = "workload[].list[].sl",
         .type = v::number,
         .optional = true,
         .least = "0",
         .most = "15",
         .only = {with_tables},
         .doc = "Service level in place of that of the path.",
         .store = into_listed<&L::sl>},
    };
}

std::vector<std::string_view> patterns_with_rates() {
    std::vector<std::string_view> names;
    for (const pattern_kind* each : hw::traffic::pattern_kinds())
        if (each->rate != pattern_kind::load::none) names.push_back(each->name);
    return names;
}

std::vector<key> message_keys() {
    const std::vector<condition> not_all{{"kind", {"unicast", "multicast", "rails"}},
                                         {"pattern", patterns_with_rates()}};
    return {
        {.path = "workload[].message",
         .type = v::number,
         .fallback = "128 B",
         .unit = d::bytes,
         .least = "1",
         .most = "1000000000",
         .many = true,
         .only = {{"kind", {"unicast", "multicast", "list", "allgather", "broadcast", "rails", "lanes", "streams"}},
                  with_interfaces},
         .doc = "Length of a message, in a list of those that say none; on rails the mean one, 32 KiB by default.",
         .source = tr41,
         .store = into_workload<&W::message_bytes>},
        {.path = "workload[].rate",
         .type = v::number,
         .fallback = "single",
         .unit = d::load,
         .whole = false,
         .least = "1/1000000000",
         .most = "1",
         .words = {"single"},
         .many = true,
         .only = not_all,
         .doc = "Message flits that every host generates per cycle, at random times; `single`: no load. A multicast "
                "then has an empty network for itself; with unicasts every host sends its messages at once. On rails "
                "payload flits of all processes for each rail.",
         .source = tr41,
         .store = into_workload<&W::rate>},
        {.path = "workload[].messages",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "1000000",
         .only = not_all,
         .doc = "Number of single multicasts, or of messages of every host (on rails: process), without load.",
         .store = into_workload<&W::messages>},
        {.path = "workload[].reliable",
         .type = v::boolean,
         .fallback = "false",
         .optional = true,
         .only = {{"kind", {"unicast", "multicast", "program", "collective"}}, with_interfaces},
         .doc = "Whether every receiver acknowledges each message, and the interface repairs what is lost; a message "
                "that fails names the hosts that lack it. See `ni.reliable`.",
         .store = into_workload<&W::reliable>},
        {.path = "workload[].expect",
         .optional = true,
         .only = {{"kind", {"unicast", "multicast"}}, with_interfaces},
         .doc = "What must hold of a run, or it fails; a run in which a delivery is wrong or missing fails anyway."},
        {.path = "workload[].expect.latency",
         .type = v::number,
         .fallback = "none",
         .unit = d::cycles,
         .least = "1",
         .most = "1000000000000000",
         .words = {"none"},
         .doc = "Longest latency of a message; under load of those that count.",
         .store = into_workload<&W::expect, &E::latency>},
        {.path = "workload[].expect.wait",
         .type = v::number,
         .fallback = "none",
         .unit = d::cycles,
         .least = "1",
         .most = "1000000000000000",
         .words = {"none"},
         .doc = "Longest time, after the warm-up, in which a host has messages on their way and none of them arrives; "
                "only under load.",
         .store = into_workload<&W::expect, &E::wait>},
        {.path = "workload[].expect.fairness",
         .type = v::number,
         .fallback = "none",
         .whole = false,
         .least = "0",
         .most = "1",
         .words = {"none"},
         .doc = "Least value of Jain's index over the hosts, from 1/hosts to 1 where all fare alike; it compares the "
                "share of each host's messages of the window that arrives in the window. Only under load.",
         .source = "Jain, Chiu and Hawe, DEC-TR-301, 1984",
         .store = into_workload<&W::expect, &E::fairness>},
    };
}

}  // namespace

std::vector<key> messages_keys() {
    static const pattern_rows patterns;
    std::vector<key> joined = multicast_keys();
    for (const std::vector<key>& more : {patterns.keys, list_keys(), message_keys()})
        joined.insert(joined.end(), more.begin(), more.end());
    return joined;
}

}  // namespace polycast::tlm::scenario
