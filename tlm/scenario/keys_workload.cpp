// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/key_tables.h"
#include "tlm/scenario/kind_rules.h"

namespace polycast::tlm::scenario {

namespace {

constexpr std::string_view most_cycles = "1000000000000000";
using v = value_type;
using d = dimension;
using W = workload_settings;
using M = measurement_settings;
using R = trace_settings;
using T = trigger_settings;

/// "detect" leaves nothing out beforehand.
void store_warmup(settings& s, const value& given) {
    s.measurement.detects_warmup = given.word;
    s.measurement.warmup = 0;
    if (!given.word) assign(s.measurement.warmup, given);
}

std::vector<choice> kind_choices() {
    std::vector<choice> choices;
    for (const kind_rules& each : all_kind_rules()) choices.insert(choices.end(), each.kinds.begin(), each.kinds.end());
    return choices;
}

}  // namespace

std::vector<key> workload_keys() {
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
         .choices = kind_choices(),
         .doc = "What is sent.",
         .store = into_workload<&W::kind>},
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
        {.path = "measurement.saturated",
         .type = v::choice,
         .fallback = "stop",
         .choices = {{"stop", "it ends with the window; what was not delivered by then is not waited for"},
                     {"drain", "it goes on until all is delivered"}},
         .doc = "What a run under load does that has not kept up when its window ends: whose backlog of messages grew "
                "by more than 5 % of those created, and by more than chance.",
         .store = [](settings& s, const value& given) { s.measurement.drains_saturated = given.choice == 1; }},
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
         .doc =
             "Chips, by name, whose pins and state are written: switches, routers, hosts, cables with a link layer by "
             "their lower end (`switch1:3`); `all`.",
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
         .choices = choices_of(tlm::trace::wave_formats),
         .doc = "File format.",
         .store = into_named<tlm::trace::wave_formats, trace, &R::format>},
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
         .choices = choices_of(tlm::trace::trigger_events, {{"none", "no trigger"}}),
         .doc = "What happens.",
         .store = into_optional<tlm::trace::trigger_events, trace, &R::trigger, &T::event>},
        {.path = "trace.trigger.packet",
         .type = v::text,
         .fallback = "any",
         .words = {"any"},
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "latency"}}},
         .doc = "Number of the packet as in packet logs, or `HOST#SEQUENCE`, such as `3#17`; `any`.",
         .store = into<trace, &R::trigger, &T::packet>},
        {.path = "trace.trigger.chip",
         .type = v::text,
         .fallback = "any",
         .words = {"any"},
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "error", "latency", "full", "fault"}}},
         .doc = "Switch, router or host where it happens; of `fault` the port that the wire leads away from, as in "
                "`faults.links`, such as `switch1:3`; `any`.",
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
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "error", "latency", "full", "fault"}}},
         .doc = "Which of such events, from 1.",
         .store = into<trace, &R::trigger, &T::occurrence>},
        {.path = "trace.trigger.before",
         .type = v::number,
         .fallback = "200 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = "10000000",
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "error", "latency", "full", "fault"}}},
         .doc = "Cycles before it that are written.",
         .store = into<trace, &R::trigger, &T::before>},
        {.path = "trace.trigger.after",
         .type = v::number,
         .fallback = "50 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = "10000000",
         .only = {{"event", {"injected", "passes", "delivered", "dropped", "error", "latency", "full", "fault"}}},
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
