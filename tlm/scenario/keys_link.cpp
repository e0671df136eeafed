// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/key_tables.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using d = dimension;
using L = link_settings;
using C = hw::chips::link_config;
constexpr auto net = &settings::network;
constexpr auto link = &network_settings::link;

const condition with_layer{"layer", {"check", "retry"}};
const condition with_retry{"layer", {"retry"}};
constexpr std::string_view ultra_ethernet = "Ultra Ethernet 1.0, sections 5.1 and 5.2, and SAI 1.18";

/// A register whose word `auto` leaves it to the link end.
template <auto member>
void into_register(settings& s, const value& given) {
    (s.network.link.registers.*member) =
        given.word ? hw::chips::automatic : narrow<std::uint64_t>(given.number.numerator());
}

/// A time-out whose word `auto` leaves it to the link end, and `never` is 0.
template <auto member>
void into_timeout(settings& s, const value& given) {
    if (given.word && given.text == "never") {
        (s.network.link.registers.*member) = 0;
    } else {
        into_register<member>(s, given);
    }
}

template <auto member>
void into_action(settings& s, const value& given) {
    (s.network.link.registers.*member) = static_cast<hw::chips::link_action>(given.choice);
}

}  // namespace

std::vector<key> link_keys() {
    const std::vector<choice> actions{{"block", "it waits"}, {"discard", "it is dropped, and its credits come back"}};
    const std::string_view most_cycles = "1000000000000";
    return {
        {.path = "network.link", .doc = "Every cable."},
        {.path = "network.link.delay",
         .type = v::number,
         .fallback = "1 cycle",
         .unit = d::cycles,
         .least = "1",
         .most = "100000",
         .doc = "Time from output register to input pin; with a link layer of the wire between the two link ends.",
         .source = tr41,
         .store = into<net, &network_settings::link_delay>},
        {.path = "network.link.layer",
         .type = v::choice,
         .fallback = "none",
         .choices = {{"none", "what is on the wire arrives"},
                     {"check", "link ends detect errors, drop and repair credits; nothing is sent again"},
                     {"retry", "link ends repeat what was lost: link layer retry (LLR)"}},
         .doc = "What every cable does about errors on its wire; every buffer keeps its last unit free for the tail of "
                "a packet that was cut. Not with ideal hosts, packets as events, and the kinds `broadcast`, `lanes` "
                "and `streams`. See hw/chips/link/link.md.",
         .source = ultra_ethernet,
         .store = into<net, link, &L::registers, &C::layer>},
        {.path = "network.link.trailer",
         .type = v::choice,
         .fallback = "inline",
         .choices = {{"inline", "they take cycles of the wire"},
                     {"beside", "on 64 wires of their own; frames are one flit, of 4 bytes or more"}},
         .only = {with_layer},
         .doc = "Where trailers of frames and ordered sets are.",
         .store = [](settings& s, const value& given) { s.network.link.registers.beside = given.choice == 1; }},
        {.path = "network.link.frame",
         .type = v::number,
         .fallback = "auto",
         .unit = d::flits,
         .least = "1",
         .most = "256",
         .words = {"auto"},
         .only = {with_layer},
         .doc = "Most flits of a frame, which is checked and repeated as a whole; `auto`: 128 bytes.",
         .store = into_register<&C::frame>},
        {.path = "network.link.window",
         .type = v::number,
         .fallback = "auto",
         .least = "1",
         .most = "524288",
         .words = {"auto"},
         .only = {with_retry},
         .doc = "Most frames that are sent and not acknowledged (OUTSTANDING_FRAMES_MAX); `auto`: as many as full "
                "throughput needs.",
         .source = ultra_ethernet,
         .store = into_register<&C::window>},
        {.path = "network.link.window_bytes",
         .type = v::number,
         .fallback = "auto",
         .unit = d::bytes,
         .least = "1",
         .most = most_cycles,
         .words = {"auto"},
         .only = {with_retry},
         .doc = "The same in bytes (OUTSTANDING_BYTES_MAX); `auto`: those of `window`.",
         .source = ultra_ethernet,
         .store = into_register<&C::window_bytes>},
        {.path = "network.link.replay_timer",
         .type = v::number,
         .fallback = "auto",
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .words = {"auto"},
         .only = {with_layer},
         .doc = "Time without an acknowledgement after which all is sent again (REPLAY_TIMER_MAX); `auto`: twice the "
                "least.",
         .source = ultra_ethernet,
         .store = into_register<&C::replay_timer>},
        {.path = "network.link.replay_count",
         .type = v::number,
         .fallback = "8",
         .least = "1",
         .most = "255",
         .only = {with_layer},
         .doc = "Replays without progress before the link goes down (REPLAY_COUNT_MAX), and cc_updates without an "
                "answer.",
         .source = ultra_ethernet,
         .store = into<net, link, &L::registers, &C::replay_count>},
        {.path = "network.link.ack_spacing",
         .type = v::number,
         .fallback = "2048 B",
         .unit = d::bytes,
         .least = "0",
         .most = "1000000000",
         .only = {with_layer},
         .doc = "Least distance of acknowledgements (CTLOS_TARGET_SPACING).",
         .source = ultra_ethernet,
         .store = into<net, link, &L::ack_bytes>},
        {.path = "network.link.credit_spacing",
         .type = v::number,
         .fallback = "64 B",
         .unit = d::bytes,
         .least = "0",
         .most = "1000000000",
         .only = {with_layer},
         .doc = "Least distance of credit updates (CF_MIN_SPACING); never less than two ordered sets.",
         .source = ultra_ethernet,
         .store = into<net, link, &L::credit_bytes>},
        {.path = "network.link.credit_timer",
         .type = v::number,
         .fallback = "auto",
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .words = {"auto"},
         .only = {with_layer},
         .doc = "Time without a credit update after which the sender asks (CC_MESSAGE_TIMER); `auto`: 16 times the "
                "least replay timer.",
         .source = ultra_ethernet,
         .store = into_register<&C::credit_timer>},
        {.path = "network.link.signal_timeout",
         .type = v::number,
         .fallback = "auto",
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .words = {"auto", "never"},
         .only = {with_layer},
         .doc = "Time without a signal after which the link goes down (PCS_LOST_TIMEOUT); `auto`: replay_count + 1 "
                "replay timers.",
         .source = ultra_ethernet,
         .store = into_timeout<&C::signal_timeout>},
        {.path = "network.link.age_timeout",
         .type = v::number,
         .fallback = "never",
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .words = {"never"},
         .only = {with_retry},
         .doc = "Time for which a frame may stay without acknowledgement before the link goes down (DATA_AGE_TIMEOUT).",
         .source = ultra_ethernet,
         .store = into_timeout<&C::age_timeout>},
        {.path = "network.link.lifetime",
         .type = v::number,
         .fallback = "never",
         .unit = d::cycles,
         .least = "1",
         .most = most_cycles,
         .words = {"never"},
         .only = {with_layer},
         .doc =
             "Time for which a virtual channel may wait for a credit before its packets are dropped, as InfiniBand's "
             "head-of-queue lifetime.",
         .store = into_timeout<&C::lifetime>},
        {.path = "network.link.init_action",
         .type = v::choice,
         .fallback = "block",
         .choices = actions,
         .only = {with_layer},
         .doc = "What happens to flits before a link is up for the first time (INIT_LLR_FRAME_ACTION).",
         .source = ultra_ethernet,
         .store = into_action<&C::init_action>},
        {.path = "network.link.flush_action",
         .type = v::choice,
         .fallback = "discard",
         .choices = actions,
         .only = {with_layer},
         .doc = "And while it is down later (FLUSH_LLR_FRAME_ACTION).",
         .source = ultra_ethernet,
         .store = into_action<&C::flush_action>},
        {.path = "network.link.reinit",
         .type = v::boolean,
         .fallback = "true",
         .only = {with_layer},
         .doc = "Whether a link that went down starts anew by itself (RE_INIT_ON_FLUSH).",
         .source = ultra_ethernet,
         .store = into<net, link, &L::registers, &C::reinit>},
        {.path = "network.link.sequence_bits",
         .type = v::number,
         .fallback = "20",
         .least = "4",
         .most = "20",
         .only = {with_retry},
         .doc = "Bits of the frames' numbers.",
         .store = into<net, link, &L::registers, &C::sequence_bits>},
    };
}

}  // namespace polycast::tlm::scenario
