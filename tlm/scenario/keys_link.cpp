// SPDX-License-Identifier: Apache-2.0

#include "tlm/scenario/key_tables.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using d = dimension;
using L = link_settings;
using C = hw::chips::link_config;
constexpr auto net = &settings::network;

/// Where values go: into those of all cables, or into those of the cable that is being read.
using place = L& (*)(settings& s);
L& of_all(settings& s) {
    return s.network.link;
}
L& of_one(settings& s) {
    return s.network.cables.back().what;
}

const condition with_layer{"layer", {"check", "retry"}};
const condition with_retry{"layer", {"retry"}};
constexpr std::string_view ultra_ethernet = "Ultra Ethernet 1.0, sections 5.1 and 5.2, and SAI 1.18";

template <auto member>
auto into_settings(place at) {
    return [at](settings& s, const value& given) { assign(at(s).*member, given); };
}
template <auto member>
auto into_register(place at) {
    return [at](settings& s, const value& given) { assign(at(s).registers.*member, given); };
}

/// A register whose word `auto` leaves it to the link end, and whose word `never` is 0.
template <auto member>
auto into_timed(place at) {
    return [at](settings& s, const value& given) {
        (at(s).registers.*member) = !given.word             ? narrow<std::uint64_t>(given.number.numerator())
                                    : given.text == "never" ? 0
                                                            : hw::chips::automatic;
    };
}

/// What link ends do.
std::vector<key> register_keys(place at) {
    const std::vector<choice> actions{{"block", "it waits"}, {"discard", "it is dropped, and its credits come back"}};
    const std::string_view most_cycles = "1000000000000";
    return {
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
         .store = into_register<&C::layer>(at)},
        {.path = "network.link.trailer",
         .type = v::choice,
         .fallback = "inline",
         .choices = {{"inline", "they take cycles of the wire"},
                     {"beside", "on 64 wires of their own; frames are one flit, of 4 bytes or more"}},
         .only = {with_layer},
         .doc = "Where trailers of frames and ordered sets are.",
         .store = [at](settings& s, const value& given) { at(s).registers.beside = given.choice == 1; }},
        {.path = "network.link.frame",
         .type = v::number,
         .fallback = "auto",
         .unit = d::flits,
         .least = "1",
         .most = "256",
         .words = {"auto"},
         .only = {with_layer},
         .doc = "Most flits of a frame, which is checked and repeated as a whole; `auto`: 128 bytes.",
         .store = into_timed<&C::frame>(at)},
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
         .store = into_timed<&C::window>(at)},
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
         .store = into_timed<&C::window_bytes>(at)},
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
         .store = into_timed<&C::replay_timer>(at)},
        {.path = "network.link.replay_count",
         .type = v::number,
         .fallback = "8",
         .least = "1",
         .most = "255",
         .only = {with_layer},
         .doc = "Replays without progress before the link goes down (REPLAY_COUNT_MAX), and cc_updates without an "
                "answer.",
         .source = ultra_ethernet,
         .store = into_register<&C::replay_count>(at)},
        {.path = "network.link.ack_spacing",
         .type = v::number,
         .fallback = "2048 B",
         .unit = d::bytes,
         .least = "0",
         .most = "1000000000",
         .only = {with_layer},
         .doc = "Least distance of acknowledgements (CTLOS_TARGET_SPACING).",
         .source = ultra_ethernet,
         .store = into_settings<&L::ack_bytes>(at)},
        {.path = "network.link.credit_spacing",
         .type = v::number,
         .fallback = "64 B",
         .unit = d::bytes,
         .least = "0",
         .most = "1000000000",
         .only = {with_layer},
         .doc = "Least distance of credit updates (CF_MIN_SPACING); never less than two ordered sets.",
         .source = ultra_ethernet,
         .store = into_settings<&L::credit_bytes>(at)},
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
         .store = into_timed<&C::credit_timer>(at)},
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
         .store = into_timed<&C::signal_timeout>(at)},
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
         .store = into_timed<&C::age_timeout>(at)},
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
         .store = into_timed<&C::lifetime>(at)},
        {.path = "network.link.init_action",
         .type = v::choice,
         .fallback = "block",
         .choices = actions,
         .only = {with_layer},
         .doc = "What happens to flits before a link is up for the first time (INIT_LLR_FRAME_ACTION).",
         .source = ultra_ethernet,
         .store = into_register<&C::init_action>(at)},
        {.path = "network.link.flush_action",
         .type = v::choice,
         .fallback = "discard",
         .choices = actions,
         .only = {with_layer},
         .doc = "And while it is down later (FLUSH_LLR_FRAME_ACTION).",
         .source = ultra_ethernet,
         .store = into_register<&C::flush_action>(at)},
        {.path = "network.link.reinit",
         .type = v::boolean,
         .fallback = "true",
         .only = {with_layer},
         .doc = "Whether a link that went down starts anew by itself (RE_INIT_ON_FLUSH).",
         .source = ultra_ethernet,
         .store = into_register<&C::reinit>(at)},
        {.path = "network.link.sequence_bits",
         .type = v::number,
         .fallback = "20",
         .least = "4",
         .most = "20",
         .only = {with_retry},
         .doc = "Bits of the frames' numbers.",
         .store = into_register<&C::sequence_bits>(at)},
    };
}

/// The same keys of one cable. What is not said is as for all.
std::vector<key> cable_keys() {
    struct text {
        std::string path, doc;
    };
    // Keys refer to their texts.
    static const std::vector<text> texts = [] {
        std::vector<text> made;
        for (const key& each : register_keys(of_one))
            made.push_back({"network.link.cables{}." + std::string(each.leaf()),
                            "As `" + std::string(each.path) + "`, which it has if nothing is said."});
        return made;
    }();
    std::vector<key> made = register_keys(of_one);
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i].path = texts[i].path;
        made[i].doc = texts[i].doc;
        made[i].source = made[i].fallback = {};
        made[i].optional = true;
    }
    return made;
}

}  // namespace

std::vector<key> link_keys() {
    std::vector<key> all{
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
    };
    const key cables{.path = "network.link.cables",
                     .type = v::named,
                     .optional = true,
                     .doc =
                         "Cables that differ, by their lower ends: `{\"switch1:3\": {layer: none}}`. Both directions "
                         "of a cable are alike.",
                     .store = [](settings& s, const value& given) {
                         s.network.cables.push_back({given.text, s.network.link});
                     }};
    for (const std::vector<key>& more : {register_keys(of_all), std::vector<key>{cables}, cable_keys()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace polycast::tlm::scenario
