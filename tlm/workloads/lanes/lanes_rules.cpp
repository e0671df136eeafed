// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/lanes/lanes_rules.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "hw/input_error.h"
#include "tlm/workloads/rails/rails_rules.h"

namespace polycast::tlm::scenario {

namespace {

/// Keys of sections that sites have, too, without a meaning there.
constexpr std::array meaningless{"packet.header",  "packet.check",   "host.receive_overhead", "host.overheads",
                                 "ni.wait",        "ni.arbitration", "ni.charge_completions", "ni.receive_memory",
                                 "ni.send_memory", "ni.groups",      "network.link"};

/// What sites take where the scenario says nothing.
constexpr unsigned usual_payload = 8192;
constexpr std::uint64_t usual_firmware = 8;            ///< cycles for a packet
constexpr std::uint64_t usual_patience = 100'000'000;  ///< cycles, more than latencies of wide areas

constexpr std::uint32_t most_nodes = 16384;

bool is_lanes(const workload_settings& w) {
    return w.kind == traffic_kind::lanes || w.kind == traffic_kind::streams;
}

double value_of(const ratio& exact) {
    return boost::rational_cast<double>(exact);
}

/// The resolved text of "section.key".
std::string& resolved_text(loaded& result, const std::string& path) {
    const std::size_t dot = path.find('.');
    return result.resolved.find(path.substr(0, dot))->find(path.substr(dot + 1))->text;
}

template <class member>
void take_default(loaded& result, const std::string& path, member& value, std::uint64_t usual,
                  const std::string& unit) {
    if (result.given.contains(path)) return;
    value = static_cast<member>(usual);
    resolved_text(result, path) = std::to_string(usual) + " " + unit;
}

void take_defaults(loaded& result) {
    settings& s = result.values;
    for (const std::string path : meaningless) {
        if (result.given.contains(path))
            result.fail(path, "'" + path + "' has no meaning with 'network.topology.kind: sites'", "leave it out");
        const std::size_t dot = path.find('.');
        std::erase_if(result.resolved.find(path.substr(0, dot))->entries,
                      [&](const node::entry& e) { return e.key == path.substr(dot + 1); });
    }
    take_default(result, "packet.payload", s.packet.payload_bytes, usual_payload, "B");
    take_default(result, "host.send_overhead", s.host.send_overhead, 0, "cycle");
    take_default(result, "host.ni_send", s.host.ni_send, usual_firmware, "cycle");
    take_default(result, "host.ni_receive", s.host.ni_receive, usual_firmware, "cycle");
    take_default(result, "watchdog.patience", s.patience, usual_patience, "cycle");
}

/// What `first`, the number of a workload over lanes, needs of the network.
void check_network(const loaded& result, std::size_t first) {
    const settings& s = result.values;
    const std::string kind(name_of(s.workloads[first].kind));
    if (!s.network.topology.has_sites()) {
        result.fail(
            result.given.contains("network.topology.kind") ? "network.topology.kind" : workload_path(first, "kind"),
            "'kind: " + kind + "' runs on sites of nodes with lanes, and 'network.topology.kind' is '" +
                std::string(name_of(s.network.topology.kind)) + "'",
            "take 'sites'");
    }
    if (s.host.model == host_model::ideal)
        result.fail("host.model", "lanes are network interfaces, and ideal hosts have none",
                    "take 'host.model: interface'");
    if (s.network.all == fidelity::event && !s.network.chips.empty())
        result.fail("network.chips", "packets as events have no other fidelity beside them",
                    "leave it out, or take another 'network.fidelity'");
    check_event_traces(result);
}

void check_sites(const loaded& result) {
    const settings& s = result.values;
    const std::vector<unsigned>& sites = s.network.topology.sites;
    const std::string path = "network.topology.sites";
    if (sites.empty()) result.fail(path, "'" + path + "' is empty", "such as [16, 16]");
    for (std::size_t i = 0; i < sites.size(); ++i) {
        if (sites[i] == 0)
            result.fail(path + "[" + std::to_string(i) + "]", "site " + std::to_string(i) + " has no nodes",
                        "leave it out, or give it one or more");
    }
    const std::uint64_t nodes = std::accumulate(sites.begin(), sites.end(), std::uint64_t{0});
    if (nodes < 2) result.fail(path, "a single node has nobody to send to", "take 2 or more");
    if (nodes > most_nodes)
        result.fail(path, "sites have " + std::to_string(nodes) + " nodes together",
                    "at most " + std::to_string(most_nodes));
    if (s.network.all != fidelity::event && sites.size() > 1)
        result.fail("network.fidelity", "flit by flit there is one site: a wide-area link would hold millions of flits",
                    "take 'network.fidelity: event', or one site");
    if (s.lanes.window && *s.lanes.window < s.packet.payload_bytes) {
        result.fail(
            "lanes.window",
            "a window of " + std::to_string(*s.lanes.window) + " B never lets a packet of " +
                std::to_string(s.packet.payload_bytes) + " B go",
            "take a window of " + std::to_string(s.packet.payload_bytes) + " B or more, or a smaller 'packet.payload'");
    }
}

void check_broadcast_of(const loaded& result, std::size_t index) {
    const settings& s = result.values;
    const lanes_workload& w = s.workloads[index].lanes;
    try {
        make_lane_plan(w.algorithm, s.network.topology.sites);
    } catch (const hw::input_error& refused) {
        result.fail(workload_path(index, "lanes.algorithm"), refused.what());
    }
    if (w.streams > 1 && !s.lanes.window)
        result.fail(workload_path(index, "streams"),
                    "a stream without a window is as fast as its lane: more of them make no difference",
                    "give 'lanes.window', or leave out 'streams'");
}

void check_streams(loaded& result, std::size_t index) {
    const settings& s = result.values;
    if (s.network.topology.sites.size() < 2)
        result.fail("network.topology.sites", "streams go from one site to another one, and there is one",
                    "such as [1, 1]");
    if (!s.lanes.window)
        result.fail(workload_path(index, "kind"), "streams are limited by a window, and 'lanes.window' is 'none'",
                    "such as 'lanes.window: 100 kB'");
    if (result.given.contains(workload_path(index, "message")))
        result.fail(workload_path(index, "message"), "streams have no end: they are measured for 'round_trips'",
                    "leave it out");
    std::erase_if(result.resolved.find("workload")->items[index].entries,
                  [](const node::entry& e) { return e.key == "message"; });
}

void check_workload(loaded& result, std::size_t index) {
    const workload_settings& w = result.values.workloads[index];
    if (w.kind == traffic_kind::lanes) return check_broadcast_of(result, index);
    if (w.kind == traffic_kind::streams) return check_streams(result, index);
    result.fail(
        workload_path(index, "kind"),
        "nodes of sites run 'kind: lanes' and 'kind: streams', and this is '" + std::string(name_of(w.kind)) + "'",
        "take one of them, or another kind of topology");
}

void check_lanes(loaded& result) {
    settings& s = result.values;
    const auto first = std::ranges::find_if(s.workloads, is_lanes);
    if (first == s.workloads.end()) {
        if (s.network.topology.has_sites())
            result.fail("network.topology.kind", "'network.topology.kind: sites' is for broadcasts over lanes",
                        "take 'kind: lanes' or 'kind: streams' workloads, or another kind of topology");
        return;
    }
    check_network(result, static_cast<std::size_t>(first - s.workloads.begin()));
    take_defaults(result);
    check_sites(result);
    for (std::size_t i = 0; i < s.workloads.size(); ++i) check_workload(result, i);
    s.host.cycle_ns = ratio{1'000'000'000} / s.lanes.bandwidth;
}

}  // namespace

bool has_lanes(const settings& s) {
    return std::ranges::any_of(s.workloads, is_lanes);
}

kind_rules lanes_rules() {
    return {.kinds = {{"lanes", "a message to all nodes, over two lanes of each"},
                      {"streams", "messages from nodes of a site to those of another one, all at once"}},
            .sections = lanes_keys,
            .keys = lanes_workload_keys,
            .check_scenario = check_lanes};
}

hw::collectives::lane_network lane_network_of(const settings& s, const workload_settings& workload) {
    const double cycle = value_of(s.host.cycle_ns) * 1e-9;
    hw::collectives::lane_network network;
    network.bandwidth = s.lanes.interfaces * value_of(s.lanes.bandwidth);
    network.latency = value_of(s.lanes.latency) * cycle;
    network.wide_latency = value_of(s.lanes.wan_latency) * cycle;
    network.window = static_cast<double>(s.lanes.window.value_or(0));
    network.streams = workload.lanes.streams;
    return network;
}

}  // namespace polycast::tlm::scenario
