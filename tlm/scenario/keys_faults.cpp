// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/key_tables.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using d = dimension;
using hw::faults::fault_event;
using hw::faults::fault_kind;
using hw::faults::random_flip_rule;

/// Members of the entry that is being read.
template <auto member>
void into_flips(settings& s, const value& given) {
    assign(s.faults.links.back().what.*member, given);
}
template <auto member>
void into_event(settings& s, const value& given) {
    assign(s.faults.events.back().what.*member, given);
}

template <auto member>
void into_upset(settings& s, const value& given) {
    assign(s.faults.events.back().what.upset.*member, given);
}

const condition of_wires{"what", {"flip", "lose", "lose_credit", "double_credit", "frame", "set", "dead", "stuck"}};
const condition of_upset{"what", {"upset"}};
const condition of_hang{"what", {"hang"}};
const condition of_flip{"what", {"flip"}};
const condition of_frame{"what", {"frame"}};
const condition of_set{"what", {"set"}};
const condition of_dead{"what", {"dead"}};
const condition of_stuck{"what", {"stuck"}};
constexpr std::string_view most_cycles = "1000000000000";

}  // namespace

std::vector<key> fault_keys() {
    return {
        {.path = "faults",
         .optional = true,
         .doc = "What goes wrong on wires, with a link layer or without: the same in every fidelity, for any number of "
                "threads and whatever the traffic. See hw/faults/faults.md."},
        {.path = "faults.seed",
         .type = v::number,
         .fallback = "auto",
         .least = "0",
         .words = {"auto"},
         .doc = "Seed of all that is random; `auto`: that of the scenario.",
         .store = [](settings& s, const value& given) { assign(s.faults.seed, given); }},
        {.path = "faults.verdict",
         .type = v::choice,
         .fallback = "exact",
         .choices = {{"exact", "all has to arrive, and no error pin goes up"},
                     {"reported", "what is lost is no failure if a host was told of it, and error pins are none"}},
         .doc = "When a run with faults has passed. `reported` is for `unicast`, `multicast` and `list`, and for "
                "reliable programs.",
         .store = [](settings& s, const value& given) { s.faults.told = given.choice == 1; }},
        {.path = "faults.links",
         .type = v::sections,
         .optional = true,
         .doc = "List of directions whose bits flip at random.",
         .store = [](settings& s, const value&) { s.faults.links.emplace_back(); }},
        {.path = "faults.links[].link",
         .type = v::text,
         .fallback = "all",
         .doc = "`all`, or the port that the direction leads away from, `switch1:3` or `host7`.",
         .store = [](settings& s, const value& given) { assign(s.faults.links.back().link, given); }},
        {.path = "faults.links[].rate",
         .type = v::number,
         .required = true,
         .unit = d::fraction,
         .whole = false,
         .least = "0",
         .most = "0.1",
         .doc = "Probability that a bit flips, in every cycle, whether the wire is idle or not.",
         .store = into_flips<&random_flip_rule::rate>},
        {.path = "faults.links[].burst",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "4096",
         .doc = "Neighbouring bits: the first and the last flip, those between by half.",
         .store = into_flips<&random_flip_rule::burst>},
        {.path = "faults.links[].from",
         .type = v::number,
         .fallback = "0 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = most_cycles,
         .doc = "First cycle with faults.",
         .store = into_flips<&random_flip_rule::from>},
        {.path = "faults.links[].to",
         .type = v::number,
         .fallback = "never",
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .words = {"never"},
         .doc = "First cycle without.",
         .store =
             [](settings& s, const value& given) {
                 hw::engine::cycle& to = s.faults.links.back().what.to;
                 to = given.word ? hw::engine::never : narrow<std::uint64_t>(given.number.numerator());
             }},
        {.path = "faults.events",
         .type = v::sections,
         .optional = true,
         .doc = "List of single faults.",
         .store = [](settings& s, const value&) { s.faults.events.emplace_back(); }},
        {.path = "faults.events[].what",
         .type = v::choice,
         .required = true,
         .choices = {{"flip", "bits of one cycle are flipped"},
                     {"lose", "what is on the wire in one cycle is lost"},
                     {"lose_credit", "the next cf_update, or without a link layer credit, is lost"},
                     {"double_credit", "it comes twice"},
                     {"frame", "frames are spoiled or lost"},
                     {"set", "ordered sets of a type are lost"},
                     {"dead", "nothing arrives, and there is no signal"},
                     {"stuck", "a wire does not change"},
                     {"upset", "a stored bit of a link end, a switch, a router or an interface flips"},
                     {"hang", "the processor of an interface stands still"}},
         .doc = "What happens.",
         .store =
             [](settings& s, const value& given) {
                 fault_settings::event& event = s.faults.events.back();
                 event.hang = given.choice == hw::faults::fault_names.size();
                 if (!event.hang) event.what.what = static_cast<fault_kind>(given.choice);
             }},
        {.path = "faults.events[].at",
         .type = v::number,
         .required = true,
         .unit = d::cycles,
         .least = "0",
         .most = most_cycles,
         .doc =
             "Cycle of the input pins at which the direction ends; of credits, frames and sets the first that counts; "
             "an upset is at the end of it.",
         .store = into_event<&fault_event::at>},
        {.path = "faults.events[].link",
         .type = v::text,
         .required = true,
         .only = {of_wires},
         .doc = "As that of `faults.links`.",
         .store = [](settings& s, const value& given) { assign(s.faults.events.back().link, given); }},
        {.path = "faults.events[].chip",
         .type = v::text,
         .required = true,
         .only = {of_upset},
         .doc = "Link end, by its port: `switch1:3` or `host7`; or a switch or router: `switch1`; or the host of an "
                "interface: `host7`, on rails that of rail 0.",
         .store = [](settings& s, const value& given) { assign(s.faults.events.back().link, given); }},
        {.path = "faults.events[].host",
         .type = v::text,
         .required = true,
         .only = {of_hang},
         .doc = "Host of the interface; on rails that of rail 0.",
         .store = [](settings& s, const value& given) { assign(s.faults.events.back().link, given); }},
        {.path = "faults.events[].memory",
         .type = v::choice,
         .required = true,
         .choices = {{"counters", "of a link end: those of credits, modulo 2^20"},
                     {"ring", "of a link end: flits that are not acknowledged"},
                     {"buffer", "of a switch or router: data of flits in input buffers"},
                     {"routes", "of a switch or router: ports by destination"},
                     {"reach", "of a switch: hosts that can be reached going down"},
                     {"credits", "of a switch or router: counters of what is outstanding behind outputs"},
                     {"packets", "of an interface: packet memory"},
                     {"firmware", "of an interface: data memory of its processor, `iss` or `rtl`"}},
         .only = {of_upset},
         .doc = "What the bit is in.",
         .store =
             [](settings& s, const value& given) {
                 constexpr unsigned of_link_ends = 2, of_chips = 4;
                 fault_settings::event& event = s.faults.events.back();
                 if (given.choice >= of_link_ends + of_chips)
                     event.of_host = static_cast<hw::ni::interface_memory>(given.choice - of_link_ends - of_chips);
                 else if (given.choice >= of_link_ends)
                     event.memory = static_cast<hw::format::upset_memory>(given.choice - of_link_ends);
                 else
                     event.what.upset.memory = static_cast<hw::chips::link_memory>(given.choice);
             }},
        {.path = "faults.events[].index",
         .type = v::number,
         .required = true,
         .least = "0",
         .most = "16777215",
         .only = {of_upset},
         .doc = "Of the counters 4 x virtual channel + 0 S_CC, 1 S_CF, 2 R_CC, 3 R_CF; of the ring flits behind the "
                "oldest one. Of the buffer port x flits of a buffer + place; of routes 4 x destination or switch + 0 "
                "unicast_up, 1 unicast_down, 2 switch_up, 3 switch_down, of a router the destination; of reach 0 all, "
                "or 1 + port; of credits the port. Of routers with several virtual channels port x their number + "
                "virtual channel in place of the port. Of packets and firmware the word of 32 bits.",
         .store = into_upset<&hw::chips::link_upset::index>},
        {.path = "faults.events[].bit",
         .type = v::number,
         .required = true,
         .least = "0",
         .most = "65535",
         .only = {of_upset},
         .doc = "Bit of the counter; of a flit in the ring: data from 0 on, head, tail, 4 of the virtual channel, "
                "free header, whether it begins a unit; in the buffer: data. Of routes a port, of reach a host. Check "
                "bits (`protect`) are behind these.",
         .store = into_upset<&hw::chips::link_upset::bit>},
        {.path = "faults.events[].bits",
         .type = v::numbers,
         .required = true,
         .only = {of_flip},
         .doc =
             "Wires: data from 0 on, head, tail, 4 of the virtual channel, 3 of the kind, with `trailer: beside` 64, "
             "free header. Without a link layer, in place of the kind: valid, credit, 4 of its virtual channel.",
         .store = into_event<&fault_event::wires>},
        {.path = "faults.events[].number",
         .type = v::number,
         .required = true,
         .least = "0",
         .most = "1048575",
         .only = {of_frame},
         .doc = "Sequence number of the frame.",
         .store = into_event<&fault_event::number>},
        {.path = "faults.events[].times",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "1000000000",
         .only = {of_frame},
         .doc = "How often it is lost, copies included.",
         .store = into_event<&fault_event::times>},
        {.path = "faults.events[].loss",
         .type = v::choice,
         .fallback = "bad",
         .choices = {{"bad", "a bit of its check word is flipped"}, {"vanish", "no symbol of it arrives"}},
         .only = {of_frame},
         .doc = "What becomes of it.",
         .store = into_event<&fault_event::loss>},
        {.path = "faults.events[].type",
         .type = v::choice,
         .required = true,
         .choices = {{"init", ""}, {"init_echo", ""}, {"ack", ""}, {"nack", ""}, {"cf_update", ""}},
         .only = {of_set},
         .doc = "Type of the sets.",
         .store =
             [](settings& s, const value& given) {
                 s.faults.events.back().what.type = static_cast<hw::chips::set_type>(given.choice + 1);
             }},
        {.path = "faults.events[].count",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "1000000000",
         .words = {"all"},
         .only = {of_set},
         .doc = "How many are lost.",
         .store =
             [](settings& s, const value& given) {
                 s.faults.events.back().what.times =
                     given.word ? hw::faults::all_sets : narrow<unsigned>(given.number.numerator());
             }},
        {.path = "faults.events[].until",
         .type = v::number,
         .fallback = "never",
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .words = {"never"},
         .only = {{"what", {"dead", "hang"}}},
         .doc = "First cycle without the fault. `never`: a link needs `faults.verdict: reported`, a processor "
                "`ni.watchdog`, which ends its standing still in any case.",
         .store =
             [](settings& s, const value& given) {
                 s.faults.events.back().what.until =
                     given.word ? hw::engine::never : narrow<std::uint64_t>(given.number.numerator());
             }},
        {.path = "faults.events[].until",
         .type = v::number,
         .required = true,
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .only = {of_stuck},
         .doc = "First cycle without the fault.",
         .store = into_event<&fault_event::until>},
        {.path = "faults.events[].retrain",
         .type = v::number,
         .fallback = "0 cycle",
         .unit = d::cycles,
         .least = "0",
         .most = most_cycles,
         .only = {of_dead},
         .doc = "Time behind `until` after which the signal is back.",
         .store = into_event<&fault_event::retrain>},
        {.path = "faults.events[].oneway",
         .type = v::boolean,
         .fallback = "false",
         .only = {of_dead},
         .doc = "Whether the other direction of the cable goes on.",
         .store = into_event<&fault_event::one_way>},
        {.path = "faults.events[].wire",
         .type = v::number,
         .required = true,
         .least = "0",
         .most = "65535",
         .only = {of_stuck},
         .doc = "Wire, as in `bits`.",
         .store =
             [](settings& s, const value& given) {
                 s.faults.events.back().what.wires = {narrow<unsigned>(given.number.numerator())};
             }},
        {.path = "faults.events[].value",
         .type = v::number,
         .fallback = "0",
         .least = "0",
         .most = "1",
         .only = {of_stuck},
         .doc = "What it stays at.",
         .store = [](settings& s,
                     const value& given) { s.faults.events.back().what.value = given.number.numerator() != 0; }},
    };
}

}  // namespace polycast::tlm::scenario
