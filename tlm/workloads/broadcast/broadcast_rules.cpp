// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/broadcast/broadcast_rules.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>

#include "hw/input_error.h"
#include "hw/workloads/broadcast/broadcast_rule.h"
#include "tlm/scenario/rules.h"
#include "tlm/topologies/kind.h"

namespace polycast::tlm::scenario {

namespace {

using hw::format::broadcast_algorithm;
using hw::topology::bypass_torus;
using std::to_string;

std::string counted(std::size_t count, const std::string& what) {
    return to_string(count) + " " + what + (count == 1 ? "" : "s");
}

unsigned parts_of(const settings& s, const broadcast_workload& w) {
    const auto used = static_cast<unsigned>(dimensions_of(s, w).size());
    return w.algorithm == broadcast_algorithm::trees ? 2 * used : used;
}

/// Where broadcasts can be at all.
void check_place(const loaded& result, std::size_t index) {
    const settings& s = result.values;
    if (!s.network.topology.has_rings()) {
        result.fail(workload_path(index, "kind"),
                    "'kind: broadcast' belongs to tori, and 'network.topology.kind' is '" +
                        std::string(name_of(s.network.topology.kind)) + "'",
                    "take 'network.topology.kind: torus' or 'bypass_torus'");
    }
    if (s.host.model != host_model::ideal)
        result.fail(workload_path(index, "kind"), "'kind: broadcast' belongs to ideal hosts",
                    "take 'host.model: ideal'");
}

void check_units(loaded& result, std::size_t index) {
    settings& s = result.values;
    const broadcast_workload& w = s.workloads[index].broadcast;
    if (s.broadcast.neighbours == neighbour_state::ideal) {
        result.fail("router.broadcast.neighbours",
                    "no router knows at once what its neighbours have: 'neighbours: ideal' belongs to 'timing: step'",
                    "take 'maps' or 'none', or 'timing: step'");
    }
    if (w.packets > s.broadcast.slots) {
        const bool slots = result.given.contains("router.broadcast.slots");
        result.fail(slots ? "router.broadcast.slots" : workload_path(index, "broadcast.packets"),
                    "a message of " + counted(w.packets, "packet") + " does not fit the " +
                        counted(s.broadcast.slots, "slot") + " of a broadcast unit",
                    slots ? "take " + to_string(w.packets) : "raise 'router.broadcast.slots', or send fewer packets");
    }
}

void check_steps(loaded& result) {
    settings& s = result.values;
    if (result.given.contains("router.broadcast.neighbours") && s.broadcast.neighbours != neighbour_state::ideal) {
        result.fail("router.broadcast.neighbours",
                    "'timing: step' is the ideal variant: 'neighbours: " +
                        std::string(name_of(s.broadcast.neighbours)) + "' belongs to 'timing: cycle'",
                    "take 'ideal', or 'timing: cycle'");
    }
    s.broadcast.neighbours = neighbour_state::ideal;
    result.resolved.find("router")->find("broadcast")->find("neighbours")->text = name_of(s.broadcast.neighbours);
    if (s.network.all != fidelity::core || !s.network.chips.empty())
        result.fail(s.network.all != fidelity::core ? "network.fidelity" : "network.chips",
                    "with 'router.broadcast.timing: step' there are no routers that could have another fidelity",
                    "take 'network.fidelity: core', or 'timing: cycle'");
    if (!s.trace.chips || !s.trace.chips->empty())
        result.fail("trace.chips", "there are no waves with 'router.broadcast.timing: step'", "take 'timing: cycle'");
    if (s.trace.trigger.event)
        result.fail("trace.trigger.event", "there are no waves with 'router.broadcast.timing: step'",
                    "take 'timing: cycle'");
    if (s.trace.packets)
        result.fail("trace.packets", "there is no log of packets with 'router.broadcast.timing: step'",
                    "take 'timing: cycle'");
}

void check_dimensions(const loaded& result, std::size_t index) {
    const settings& s = result.values;
    const broadcast_workload& w = s.workloads[index].broadcast;
    const std::string path = workload_path(index, "broadcast.dimensions");
    if (!w.dimensions) return;
    if (w.dimensions->empty()) result.fail(path, "'" + path + "' is empty", "take 'all'");
    for (std::size_t i = 0; i < w.dimensions->size(); ++i) {
        const unsigned one = (*w.dimensions)[i];
        const std::string item = path + "[" + to_string(i) + "]";
        if (one >= s.network.topology.dimensions)
            result.fail(item, "there is no dimension " + to_string(one),
                        "dimensions are 0.." + to_string(s.network.topology.dimensions - 1));
        if (std::count(w.dimensions->begin(), w.dimensions->end(), one) != 1)
            result.fail(item, "'" + path + "' names dimension " + to_string(one) + " twice");
    }
}

void check_parts(const loaded& result, std::size_t index) {
    const settings& s = result.values;
    const broadcast_workload& w = s.workloads[index].broadcast;
    const bool trees = w.algorithm == broadcast_algorithm::trees;
    if (trees && !s.network.topology.bypass.empty()) {
        result.fail(workload_path(index, "broadcast.algorithm"),
                    "the trees are those of a torus: bypass links take no part",
                    "take 'colours', or 'network.topology.kind: torus'");
    }
    const unsigned parts = parts_of(s, w);
    const std::string parts_text = counted(parts, trees ? "tree" : "colour");
    if (w.split && w.split->size() != parts) {
        result.fail(workload_path(index, "broadcast.split"),
                    counted(w.split->size(), "number") + " of packets for " + parts_text,
                    "give one for each, or take 'equal'");
    }
    if (w.split) {
        const auto sum = std::accumulate(w.split->begin(), w.split->end(), std::uint64_t{0});
        if (sum != w.packets)
            result.fail(workload_path(index, "broadcast.split"),
                        "these are " + to_string(sum) + " packets, and the message has " + to_string(w.packets));
    }
    if (trees) return;
    const std::string patterns = workload_path(index, "broadcast.patterns");
    if (w.patterns.size() != 1 && w.patterns.size() != parts)
        result.fail(patterns, counted(w.patterns.size(), "pattern") + " for " + parts_text,
                    "give one for all, or one for each");
    for (std::size_t i = 0; i < w.patterns.size(); ++i) {
        if (w.patterns[i] > 15)
            result.fail(patterns + "[" + to_string(i) + "]", "there is no pattern " + to_string(w.patterns[i]),
                        "patterns are 0..15");
    }
}

/// "5", or "1,0". \throws hw::input_error at the source that is none
std::uint32_t source_at(const loaded& scenario, const std::string& path, const std::string& text,
                        const bypass_torus& network) {
    std::vector<std::uint32_t> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto none = [&]() {
        scenario.fail(path, "'" + text + "' is no node",
                      "a number below " + to_string(network.nodes()) + ", or " +
                          counted(network.dimensions(), "coordinate") + " below " + to_string(network.radix()) +
                          " with commas between, in quotes");
    };
    while (true) {
        const auto [stop, error] = std::from_chars(at, end, numbers.emplace_back());
        if (error != std::errc{}) none();
        if (stop == end) break;
        at = stop + 1;
        if (*stop != ',') none();
        while (at != end && *at == ' ') ++at;
    }
    if (numbers.size() == 1) {
        if (numbers[0] >= network.nodes()) none();
        return numbers[0];
    }
    if (numbers.size() != network.dimensions()) none();
    bypass_torus::coordinates place{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] >= network.radix()) none();
        place[i] = numbers[i];
    }
    return network.node_at(place);
}

/// Some networks carry nothing else.
void check_others(loaded& result) {
    const settings& s = result.values;
    const bool bypassed = s.network.topology.kind->is().broadcasts_only;
    const bool steps = s.broadcast.timing == broadcast_timing::step && s.network.topology.has_routers();
    if (!bypassed && !steps) return;
    const std::string cause = bypassed ? "network.topology.kind: bypass_torus" : "router.broadcast.timing: step";
    const std::string instead = bypassed ? "network.topology.kind: torus" : "timing: cycle";
    for (std::size_t i = 0; i < s.workloads.size(); ++i)
        if (s.workloads[i].kind != traffic_kind::broadcast)
            result.fail(workload_path(i, "kind"), "with '" + cause + "' all workloads are broadcasts",
                        "take 'kind: broadcast', or '" + instead + "'");
}

/// Says in the resolved scenario what neighbours know, too.
void check(loaded& result, std::size_t index) {
    const settings& s = result.values;
    if (s.host.model == host_model::ideal && wants_own(s.network))
        result.fail(s.network.all == fidelity::own ? "network.fidelity" : "network.chips",
                    "the routers of broadcasts with ideal hosts are 'core', 'tlm' or 'rtl'", "take 'rtl'");
    check_place(result, index);
    if (s.broadcast.timing == broadcast_timing::step) {
        check_steps(result);
    } else {
        check_units(result, index);
    }
    check_dimensions(result, index);
    check_parts(result, index);
    sources_of(result, index, rings_of(result));
}

}  // namespace

bool only_broadcasts(const settings& s) {
    return std::ranges::all_of(s.workloads,
                               [](const workload_settings& w) { return w.kind == traffic_kind::broadcast; });
}

kind_rules broadcast_rules() {
    return {.kinds = {{"broadcast", "a message of several packets to all nodes, by broadcast units"}},
            .keys = broadcast_keys,
            .check_scenario = check_others,
            .check = check};
}

bypass_torus rings_of(const loaded& scenario) {
    const topology_settings& t = scenario.values.network.topology;
    try {
        return bypass_torus({t.radix, t.dimensions, t.bypass});
    } catch (const hw::input_error& refused) {
        scenario.fail(t.bypass.empty() ? "network.topology.radix" : "network.topology.bypass", refused.what());
    }
}

std::vector<std::uint32_t> sources_of(const loaded& scenario, std::size_t workload, const bypass_torus& network) {
    const std::string path = workload_path(workload, "broadcast.sources");
    const std::vector<std::string>& written = scenario.values.workloads[workload].broadcast.sources;
    if (written.empty()) scenario.fail(path, "'" + path + "' is empty", "such as [0]");
    std::vector<std::uint32_t> nodes;
    for (std::size_t i = 0; i < written.size(); ++i)
        nodes.push_back(source_at(scenario, path + "[" + to_string(i) + "]", written[i], network));
    return nodes;
}

std::vector<unsigned> dimensions_of(const settings& s, const broadcast_workload& workload) {
    std::vector<unsigned> used(s.network.topology.dimensions);
    std::iota(used.begin(), used.end(), 0u);
    if (workload.dimensions) used = *workload.dimensions;
    std::ranges::sort(used);
    return used;
}

std::vector<unsigned> split_of(const settings& s, const broadcast_workload& workload) {
    return workload.split ? *workload.split : hw::broadcast::equal_split(workload.packets, parts_of(s, workload));
}

std::vector<unsigned> patterns_of(const settings& s, const broadcast_workload& workload) {
    if (workload.algorithm == broadcast_algorithm::trees) return {};
    std::vector<unsigned> patterns = workload.patterns;
    if (patterns.size() == 1) patterns.resize(parts_of(s, workload), patterns[0]);
    return patterns;
}

}  // namespace polycast::tlm::scenario
