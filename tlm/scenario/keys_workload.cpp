// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/key_tables.h"

namespace polycast::tlm::scenario {

namespace {

constexpr std::string_view most_cycles = "1000000000000000";
using v = value_type;
using d = dimension;
using W = workload_settings;
using M = measurement_settings;
using R = trace_settings;
using T = trigger_settings;
using hw::collectives::multicast_choice;
using hw::collectives::scheme_kind;
using hw::collectives::scheme_options;
using hw::collectives::schemes_that;
using hw::format::packet_kind;

constexpr hw::named<packet_kind> worms[] = {{packet_kind::path, "path", "along chains of switches"},
                                            {packet_kind::ssr, "ssr", "to one switch each"}};
constexpr hw::named<bool> forwarding_orders[] = {
    {false, "fpfs", "first packet first served: each packet to every child"},
    {true, "fcfs", "first child first served: the whole message to one child, then to the next"}};

/// "detect" leaves nothing out beforehand.
void store_warmup(settings& s, const value& given) {
    s.measurement.detects_warmup = given.word;
    s.measurement.warmup = 0;
    if (!given.word) assign(s.measurement.warmup, given);
}

void store_fanout(settings& s, const value& given) {
    using fanout = multicast_choice::fanout_choice;
    multicast_choice& how = s.workloads.back().multicast;
    how.fanout = !given.word ? fanout::given : given.text == "timing" ? fanout::timing : fanout::best;
    if (!given.word) assign(how.scheme.fanout, given);
}

void store_scheme(settings& s, const value& given) {
    s.workloads.back().multicast.scheme.how = hw::collectives::schemes()[given.choice];
}

std::vector<choice> scheme_choices() {
    std::vector<choice> choices;
    for (const hw::collectives::scheme each : hw::collectives::schemes()) choices.push_back({each->name, each->doc});
    return choices;
}

condition schemes_with(bool (*fit)(const scheme_kind& one)) {
    return {"scheme", schemes_that(fit)};
}

}  // namespace

std::vector<key> workload_keys() {
    const condition multicasts{"kind", {"multicast"}};
    const std::vector<condition> multicast{multicasts};
    const std::vector<condition> trees{multicasts, schemes_with([](const scheme_kind& k) { return k.has_tree(); })};
    const std::vector<condition> smart{
        multicasts, schemes_with([](const scheme_kind& k) { return k.by == scheme_kind::forwarders::interfaces; })};
    const std::vector<condition> phased{multicasts, schemes_with([](const scheme_kind& k) { return k.phases; })};
    const std::vector<condition> chosen{multicasts,
                                        schemes_with([](const scheme_kind& k) { return k.chooses_packets; })};
    constexpr auto how = &W::multicast;
    constexpr auto scheme = &multicast_choice::scheme;
    return {
        {.path = "workload",
         .type = v::sections,
         .required = true,
         .doc = "List of workloads; each runs alone on every network.",
         .store = [](settings& s, const value&) { s.workloads.emplace_back(); }},
        {.path = "workload[].name",
         .type = v::name,
         .required = true,
         .doc = "Name in results; no two alike.",
         .store = into_workload<&W::name>},
        {.path = "workload[].kind",
         .type = v::choice,
         .required = true,
         .choices = {{"unicast", "each message to one host"},
                     {"multicast", "each message to several hosts"},
                     {"allgather", "every host's datum to every other (all-to-all broadcast)"},
                     {"broadcast", "a message of several packets to all nodes, by broadcast units"},
                     {"rails", "messages between processes of hosts with an interface on each of several networks"},
                     {"lanes", "a message to all nodes, over two lanes of each"},
                     {"streams", "messages from nodes of a site to those of another one, all at once"}},
         .doc = "What is sent.",
         .store = into_workload<&W::kind>},
        {.path = "workload[].scheme",
         .type = v::choice,
         .fallback = hw::collectives::schemes().front()->name,
         .choices = scheme_choices(),
         .only = multicast,
         .doc = "How a multicast is done.",
         .source = tr41,
         .store = store_scheme},
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
         .only = multicast,
         .doc = "Number of destinations of a random multicast; with given destinations it is their number and may be "
                "left out.",
         .source = tr41,
         .store = into_workload<&W::degree>},
        {.path = "workload[].destinations",
         .type = v::names,
         .fallback = "random",
         .words = {"random"},
         .only = multicast,
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
         .only = {with_interfaces},
         .doc = "Length of a message; on rails the mean one, 32 KiB by default.",
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
                "then has an empty network for itself; with "
                "unicasts every host sends its messages at once. On rails payload flits of all processes for each "
                "rail.",
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
    };
}

std::vector<key> measurement_keys() {
    constexpr auto measurement = &settings::measurement;
    constexpr auto trace = &settings::trace;
    return {
        {.path = "measurement",
         .doc = "What of a run under load is counted; single messages are always counted whole."},
        {.path = "measurement.warmup",
         .type = v::number,
         .fallback = "10000 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = most_cycles,
         .words = {"detect"},
         .doc =
             "Time before the first message that counts; `detect`, on rails: what MSER-5 cuts off the window, by the "
             "bandwidth that is accepted.",
         .source = truncation,
         .store = store_warmup},
        {.path = "measurement.window",
         .type = v::number,
         .fallback = "100000 cycle",
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .doc = "Time in which messages are created that count.",
         .store = into<measurement, &M::window>},
        {.path = "measurement.drain_limit",
         .type = v::number,
         .fallback = "10000000 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = most_cycles,
         .doc =
             "Longest time after the window until all is delivered; a run that takes longer fails. On rails 0 ends a "
             "run under load with its window, and what is under way then is counted as open.",
         .store = into<measurement, &M::drain_limit>},
        {.path = "measurement.batches",
         .type = v::number,
         .fallback = "20",
         .least = "2",
         .most = "1000",
         .doc = "Batches of the window whose means give the confidence interval under load.",
         .store = into<measurement, &M::batches>},
        {.path = "measurement.duplicates",
         .type = v::choice,
         .fallback = "fail",
         .choices = {{"fail", "a packet that a host gets twice is an error"},
                     {"count", "such packets are counted; only with `switch.rewrite_headers: false`"}},
         .doc = "What a second copy of a packet at one host means.",
         .source = tr41,
         .store = into<measurement, &M::duplicates>},
        {.path = "measurement.links",
         .type = v::boolean,
         .fallback = "true",
         .only = {with_ideal_hosts},
         .doc = "Whether results have the flits and packets of each direction of every cable, 0.2 KiB for each.",
         .store = into<measurement, &M::links>},
        {.path = "watchdog", .doc = "Stops a run that hangs."},
        {.path = "watchdog.patience",
         .type = v::number,
         .fallback = "100000 cycle",
         .unit = d::cycles,
         .least = "100",
         .most = most_cycles,
         .doc = "Time without any movement, with packets under way, after which a run fails.",
         .store = into<&settings::patience>},
        {.path = "trace", .doc = "Waves."},
        {.path = "trace.chips",
         .type = v::names,
         .fallback = "[]",
         .words = {"all"},
         .doc = "Switches, by name, whose pins and state are written; `all`.",
         .store = into<trace, &R::chips>},
        {.path = "trace.networks",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "1000",
         .words = {"all"},
         .doc = "Networks, counted from the first, of which waves and logs of each workload are written; `all`.",
         .store = into<trace, &R::networks>},
        {.path = "trace.from",
         .type = v::number,
         .fallback = "0 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = most_cycles,
         .doc = "First cycle.",
         .store = into<trace, &R::from>},
        {.path = "trace.to",
         .type = v::number,
         .fallback = "end",
         .unit = d::cycles,
         .least = "0",
         .most = most_cycles,
         .words = {"end"},
         .doc = "Last cycle.",
         .store = into<trace, &R::to>},
        {.path = "trace.format",
         .type = v::choice,
         .fallback = "fst",
         .choices = {{"fst", "GTKWave's compressed format"}, {"vcd", "text that every viewer reads"}},
         .doc = "File format.",
         .store = into<trace, &R::format>},
        {.path = "trace.on_failure",
         .type = v::number,
         .fallback = "200 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = "1000000",
         .doc = "Cycles before a failing check that are written even without `chips`; 0: none.",
         .store = into<trace, &R::on_failure>},
        {.path = "trace.trigger",
         .doc =
             "An event: only the cycles around it are written, of all chips where `chips` is empty. They are kept in "
             "memory until it happens."},
        {.path = "trace.trigger.event",
         .type = v::choice,
         .fallback = "none",
         .choices = {{"none", "no trigger"},
                     {"injected", "a packet is seen for the first time: its header is complete on a link"},
                     {"passes", "its header is complete on an output of a chip"},
                     {"delivered", "its tail arrives at a host"},
                     {"dropped", "a switch or router drops it, or some of its copies"},
                     {"error", "an error pin of a chip goes up"},
                     {"latency", "a packet arrives at a host, `cycles` or more after it left its source"},
                     {"full", "a buffer has had no room for a packet for so many `cycles`"}},
         .doc = "What happens.",
         .store = into<trace, &R::trigger, &T::event>},
        {.path = "trace.trigger.packet",
         .type = v::text,
         .fallback = "any",
         .words = {"any"},
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "latency"}}},
         .doc = "Number of the packet as in packet logs, or `HOST#SEQUENCE`, such as `3#17`; `any`.",
         .store = into<trace, &R::trigger, &T::packet>},
        {.path = "trace.trigger.chip",
         .type = v::name,
         .fallback = "any",
         .words = {"any"},
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "error", "latency", "full"}}},
         .doc = "Switch, router or host where it happens; `any`.",
         .store = into<trace, &R::trigger, &T::chip>},
        {.path = "trace.trigger.cycles",
         .type = v::number,
         .fallback = "100 cycle",
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .only = {{"event", {"latency", "full"}}},
         .doc = "How long.",
         .store = into<trace, &R::trigger, &T::cycles>},
        {.path = "trace.trigger.occurrence",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "1000000000",
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "error", "latency", "full"}}},
         .doc = "Which of such events, from 1.",
         .store = into<trace, &R::trigger, &T::occurrence>},
        {.path = "trace.trigger.before",
         .type = v::number,
         .fallback = "200 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = "10000000",
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "error", "latency", "full"}}},
         .doc = "Cycles before it that are written.",
         .store = into<trace, &R::trigger, &T::before>},
        {.path = "trace.trigger.after",
         .type = v::number,
         .fallback = "50 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = "10000000",
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "error", "latency", "full"}}},
         .doc = "Cycles after it.",
         .store = into<trace, &R::trigger, &T::after>},
        {.path = "trace.packets",
         .type = v::boolean,
         .fallback = "false",
         .doc = "Whether the passage of every packet over every link is logged, between `from` and `to`: "
                "`scripts/polycast why` says from it where a packet spent its time, `scripts/polycast packets` makes a "
                "timeline of it.",
         .store = into<trace, &R::packets>},
        {.path = "trace.activity",
         .type = v::boolean,
         .fallback = "true",
         .doc = "Whether the first multicast of each workload on the first network is written as a chart of hosts, "
                "buses, interface processors and links over time.",
         .store = into<trace, &R::activity>},
    };
}

}  // namespace polycast::tlm::scenario
