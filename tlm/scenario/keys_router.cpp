// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/chip_params.h"
#include "tlm/scenario/key_tables.h"

namespace polycast::tlm::scenario {

namespace {

namespace router_ranges = hw::chips::router_ranges;
using v = value_type;
using d = dimension;
using R = router_settings;

}  // namespace

std::vector<key> router_keys() {
    constexpr auto router = &settings::router;
    return {
        {.path = "router", .only = {with_routers}, .doc = "Every virtual-channel router."},
        {.path = "router.flit",
         .type = v::number,
         .fallback = "16 B",
         .unit = d::flit_size,
         .least = router_ranges::flit_bytes.least_text,
         .most = router_ranges::flit_bytes.most_text,
         .doc = "Size of a flit.",
         .store = into<router, &R::flit_bytes>},
        {.path = "router.vcs",
         .type = v::number,
         .fallback = "auto",
         .least = router_ranges::vcs.least_text,
         .most = router_ranges::vcs.most_text,
         .words = {"auto"},
         .doc = "Virtual channels (VCs) of every port; `auto`: 4, or more where classes on rings need them.",
         .source = coding,
         .store = into<router, &R::vcs>},
        {.path = "router.vc_classes",
         .type = v::number,
         .fallback = "auto",
         .least = "1",
         .most = "8",
         .words = {"auto"},
         .doc =
             "Parts into which the VCs are divided, one for each class of packets; steps of a collective have classes "
             "of their own. `auto`: as many as the workloads use.",
         .source = coding,
         .store = into<router, &R::vc_classes>},
        {.path = "router.dateline",
         .type = v::boolean,
         .fallback = "true",
         .only = {with_grids},
         .doc = "Whether ways across the end of a ring have VCs of their own, half of each class; if not, what can "
                "deadlock is refused: rings of more than 4 routers.",
         .store = into<router, &R::dateline>},
        {.path = "router.vc_policy",
         .type = v::choice,
         .fallback = "any",
         .choices = {{"any", "the first free one, in turn"},
                     {"keep", "that of the hop before: packets of a pair that enter in one VC stay in order"}},
         .doc = "Which VC a packet takes.",
         .store = into<router, &R::policy>},
        {.path = "router.buffer",
         .type = v::number,
         .fallback = "auto",
         .unit = d::flits,
         .least = router_ranges::vc_flits.least_text,
         .most = router_ranges::vc_flits.most_text,
         .words = {"auto"},
         .doc =
             "Size of the buffer of each VC of an input; `auto`: 8 flits, or the longest packet where that is longer.",
         .source = coding,
         .store = into<router, &R::buffer_flits>},
        {.path = "router.packet_limit",
         .type = v::number,
         .fallback = "auto",
         .unit = d::flits,
         .least = "1",
         .most = "65535",
         .words = {"auto"},
         .doc = "Longest packet that a router takes, header included; `auto`: the longest of the scenario.",
         .store = into<router, &R::packet_limit_flits>},
        {.path = "router.switching",
         .type = v::choice,
         .fallback = "cut_through",
         .choices = {{"cut_through", "a packet takes a VC whose buffer has room for the longest packet"},
                     {"wormhole", "for one flit"}},
         .doc = "When a packet may take a VC.",
         .source = coding,
         .store = [](settings& s, const value& given) { s.router.cut_through = given.choice == 0; }},
        {.path = "router.route_delay",
         .type = v::number,
         .fallback = "1 cycle",
         .unit = d::cycles,
         .least = "1",
         .most = "15",
         .doc = "Time to route a header.",
         .source = coding,
         .store = into<router, &R::route_delay>},
        {.path = "router.crossbar_delay",
         .type = v::number,
         .fallback = "1 cycle",
         .unit = d::cycles,
         .least = "1",
         .most = "16",
         .doc = "Time through the crossbar.",
         .source = coding,
         .store = into<router, &R::crossbar_delay>},
        {.path = "router.allocator",
         .type = v::choice,
         .fallback = "separable",
         .choices = {{"separable", "each input picks a VC, then each output an input, both in turn"},
                     {"islip", "iSLIP: outputs grant, inputs accept"}},
         .doc = "Who crosses the router in a cycle.",
         .store = into<router, &R::allocator>},
        {.path = "router.iterations",
         .type = v::number,
         .fallback = "2",
         .least = "1",
         .most = "4",
         .doc = "Rounds of allocation: who lost in one takes part in the next.",
         .store = into<router, &R::iterations>},
        {.path = "router.routing",
         .type = v::choice,
         .fallback = "dimension_order",
         .choices = {{"dimension_order", "along the first dimension, then the next"},
                     {"table", "the same ways from a table in every router; only with network interfaces"}},
         .only = {with_grids},
         .doc = "How routers find the way; in fat trees by tables.",
         .source = coding,
         .store = [](settings& s, const value& given) { s.router.route_tables = given.choice == 1; }},
        {.path = "router.select",
         .type = v::choice,
         .fallback = "auto",
         .choices = {{"auto", "`least_loaded` in fat trees"},
                     {"lowest", "the lowest"},
                     {"least_loaded", "with the fewest packets routed to it, then the most credits, then at random"},
                     {"random", "at random"}},
         .only = {with_choices},
         .doc = "Which of the ports up a packet takes, once and for all when it is routed.",
         .source = multirail,
         .store =
             [](settings& s, const value& given) {
                 if (given.choice > 0) s.router.select = static_cast<hw::chips::route_select>(given.choice - 1);
             }},
    };
}

}  // namespace polycast::tlm::scenario
