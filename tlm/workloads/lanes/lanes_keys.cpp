// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/key_tables.h"
#include "tlm/workloads/lanes/lanes_rules.h"

namespace polycast::tlm::scenario {

namespace {

using v = value_type;
using d = dimension;
using L = lanes_settings;
using W = lanes_workload;
constexpr auto of_workload = &workload_settings::lanes;
constexpr std::string_view longest_delay = "1000000000000";

}  // namespace

std::vector<key> lanes_keys() {
    constexpr auto lanes = &settings::lanes;
    return {
        {.path = "lanes",
         .only = {with_sites, with_interfaces},
         .doc = "The lanes of nodes, and what joins their sites; for `kind: lanes` and `kind: streams`."},
        {.path = "lanes.interfaces",
         .type = v::number,
         .fallback = "2",
         .least = "1",
         .most = "2",
         .doc =
             "Network interfaces of a node, each a lane; broadcasts over two lanes share a single one by two queues.",
         .source = lane_broadcasts,
         .store = into<lanes, &L::interfaces>},
        {.path = "lanes.bandwidth",
         .type = v::number,
         .fallback = "1 Gbit/s",
         .unit = d::line_rate,
         .whole = false,
         .least = "1",
         .most = "1000000000000",
         .doc = "Of a lane, in each direction. A flit is a byte, and a cycle its time at this rate.",
         .source = lane_broadcasts,
         .store = into<lanes, &L::bandwidth>},
        {.path = "lanes.latency",
         .type = v::number,
         .fallback = "1.92 ms",
         .unit = d::cycles,
         .whole = false,
         .least = "1",
         .most = longest_delay,
         .doc = "From an interface to another one of the same site, first byte to first byte (l).",
         .source = lane_broadcasts,
         .store = into<lanes, &L::latency>},
        {.path = "lanes.wan_latency",
         .type = v::number,
         .fallback = "10 ms",
         .unit = d::cycles,
         .whole = false,
         .least = "1",
         .most = longest_delay,
         .doc = "From an interface to one of another site, one way (L).",
         .source = lane_broadcasts,
         .store = into<lanes, &L::wan_latency>},
        {.path = "lanes.wan_bandwidth",
         .type = v::number,
         .fallback = "auto",
         .unit = d::line_rate,
         .whole = false,
         .least = "1",
         .most = "1000000000000",
         .words = {"auto"},
         .doc = "Of the links between sites, in each direction, one for each lane; `auto`: as fast as a lane.",
         .source = lane_broadcasts,
         .store = into<lanes, &L::wan_bandwidth>},
        {.path = "lanes.window",
         .type = v::number,
         .fallback = "none",
         .unit = d::bytes,
         .least = "1",
         .most = "2147483647",
         .words = {"none"},
         .doc = "What a stream between sites has under way at most; each packet is acknowledged. `none`: no limit.",
         .source = lane_broadcasts,
         .store = into<lanes, &L::window>},
    };
}

std::vector<key> lanes_workload_keys() {
    return {
        {.path = "workload[].lanes",
         .only = {{"kind", {"lanes"}}},
         .doc = "A broadcast of `message` bytes from node 0 to all nodes, over two lanes."},
        {.path = "workload[].lanes.algorithm",
         .type = v::choice,
         .fallback = "multi_lane",
         .many = true,
         .choices = {{"chain", "each node has the whole message before it sends it to the next"},
                     {"pipelined_chain", "the same piece by piece"},
                     {"binary", "a binary tree, piece by piece, a lane for each child"},
                     {"binomial", "a binomial tree, the whole message to one child after the other"},
                     {"van_de_geijn", "a block for each node scattered along a binomial tree, then gathered in rounds"},
                     {"multi_lane",
                      "half of the message in a binary tree of half of the nodes each; idle lanes of one "
                      "tree feed the other"}},
         .doc = "Who sends what to whom.",
         .source = lane_broadcasts,
         .store = into_workload<of_workload, &W::algorithm>},
        {.path = "workload[].lanes.piece",
         .type = v::number,
         .fallback = "64 KiB",
         .unit = d::bytes,
         .least = "1",
         .most = "1000000000",
         .many = true,
         .doc = "Of the message, that is sent on at once.",
         .source = lane_broadcasts,
         .store = into_workload<of_workload, &W::piece>},
        {.path = "workload[].streams",
         .type = v::number,
         .fallback = "1",
         .least = "1",
         .most = "128",
         .many = true,
         .only = {{"kind", {"lanes", "streams"}}},
         .doc = "Parallel streams between two sites, each with a window of its own: those of a broadcast on each lane, "
                "or of `kind: streams` from the first node of the first site to the first one of the second.",
         .source = lane_broadcasts,
         .store = into_workload<of_workload, &W::streams>},
        {.path = "workload[].round_trips",
         .type = v::number,
         .fallback = "8",
         .least = "1",
         .most = "10000",
         .only = {{"kind", {"streams"}}},
         .doc = "Round trips, of twice `lanes.wan_latency`, that are measured behind the first two.",
         .store = into_workload<of_workload, &W::round_trips>},
    };
}

}  // namespace polycast::tlm::scenario
