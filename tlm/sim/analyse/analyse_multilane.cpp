// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "hw/collectives/lane_cost.h"
#include "hw/input_error.h"
#include "tlm/sim/analyse/analyse.h"
#include "tlm/sim/analyse/choice.h"

namespace polycast::tlm::sim {

namespace {

using hw::input_error;
using hw::collectives::broadcast_lanes;
using hw::collectives::lane_algorithm;
using hw::collectives::lane_edge;
using hw::collectives::lane_network;
using hw::collectives::lane_plan;
using hw::collectives::part_of;
using nlohmann::ordered_json;

constexpr double gigabit_lane = 125e6;  ///< bytes/s
constexpr std::size_t most_lines = 64;
constexpr std::size_t most_drawn = 1500;
/// Colours of parts, distinguishable also by colour-blind eyes (Okabe and Ito).
constexpr std::array<const char*, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#000000"};

struct analysed_broadcast {
    lane_plan plan;
    double seconds = 0;             ///< closed form, corrected
    std::optional<double> printed;  ///< closed form, as the paper has it
    std::optional<double> derived;  ///< where it prints none: from its construction, for full trees
    double model = 0;               ///< piece by piece
};

struct multilane_analysis {
    const multilane_options& options;
    std::vector<std::uint32_t> sites;
    lane_network network;
    std::vector<analysed_broadcast> broadcasts;
};

std::vector<std::uint32_t> sites_of(const multilane_options& options) {
    if (options.site_nodes.empty()) {
        if (options.nodes == 0)
            throw input_error("a broadcast to how many nodes?", "--nodes NUMBER, or --site-nodes NUMBER,NUMBER,...");
        return hw::collectives::equal_sites(options.nodes, options.sites);
    }
    const std::uint64_t nodes = std::accumulate(options.site_nodes.begin(), options.site_nodes.end(), std::uint64_t{0});
    const std::string text = fmt::format("--site-nodes {}", fmt::join(options.site_nodes, ","));
    if (options.nodes != 0 && options.nodes != nodes)
        throw input_error(fmt::format("{}: {} nodes, not {}", text, nodes, options.nodes), "leave out --nodes");
    if (options.sites != 1 && options.sites != options.site_nodes.size()) {
        throw input_error(fmt::format("{}: {} sites, not {}", text, options.site_nodes.size(), options.sites),
                          "leave out --sites");
    }
    return options.site_nodes;
}

lane_network network_of(const multilane_options& options) {
    if (options.lanes < 1 || options.lanes > broadcast_lanes) {
        throw input_error(fmt::format("--lanes {}: broadcasts run over 1 or {} lanes", options.lanes, broadcast_lanes));
    }
    lane_network network;
    network.bandwidth = options.bandwidth.value_or(options.lanes * gigabit_lane);
    network.latency = options.latency;
    network.wide_latency = options.wide_latency;
    network.window = static_cast<double>(options.window);
    network.streams = options.streams;
    check(network);
    return network;
}

std::vector<lane_algorithm> algorithms_of(const multilane_options& options) {
    if (options.algorithm.empty() && options.dot) return {lane_algorithm::multi_lane};
    if (options.algorithm.empty())
        return {hw::collectives::lane_algorithms.begin(), hw::collectives::lane_algorithms.end()};
    std::vector<std::string> names;
    for (const lane_algorithm how : hw::collectives::lane_algorithms) names.emplace_back(name_of(how));
    return {hw::collectives::lane_algorithms[index_of_choice("--algorithm", options.algorithm, names)]};
}

std::vector<unsigned> lanes_of(const lane_edge& edge) {
    std::vector<unsigned> lanes;
    for (unsigned lane = 0; lane < broadcast_lanes; ++lane)
        if (edge.uses(lane)) lanes.push_back(lane);
    return lanes;
}

/// "A" or "B", a block, or nothing where the whole message goes over an edge.
std::string part_text(const lane_plan& plan, const lane_edge& edge) {
    if (plan.parts == 1) return "";
    if (plan.algorithm == lane_algorithm::multi_lane) return edge.first_part == 0 ? "A" : "B";
    if (edge.parts == 1) return std::to_string(edge.first_part);
    return fmt::format("{}-{}", edge.first_part, edge.first_part + edge.parts - 1);
}

ordered_json edges_json(const lane_plan& plan, std::uint64_t bytes) {
    ordered_json edges = ordered_json::array();
    for (const lane_edge& edge : plan.edges) {
        const std::uint64_t first = part_of(bytes, plan.parts, edge.first_part).first;
        const hw::collectives::byte_range last = part_of(bytes, plan.parts, edge.first_part + edge.parts - 1);
        ordered_json& j = edges.emplace_back(ordered_json{{"parent", edge.parent},
                                                          {"child", edge.child},
                                                          {"lanes", lanes_of(edge)},
                                                          {"first_byte", first},
                                                          {"bytes", last.first + last.bytes - first},
                                                          {"pipelined", edge.pipelined},
                                                          {"between_sites", edge.wide}});
        if (plan.algorithm == lane_algorithm::multi_lane) j["half"] = part_text(plan, edge);
    }
    return edges;
}

/// Of 1 stream, 2, 4, ... up to what fills a lane.
std::vector<std::pair<unsigned, double>> stream_bandwidths(const multilane_analysis& what) {
    const double line = what.network.bandwidth / what.options.lanes;
    std::vector<std::pair<unsigned, double>> found;
    for (unsigned streams = 1; streams <= 1u << 20; streams *= 2) {
        const double rate =
            hw::collectives::stream_bandwidth(what.network.window, 2 * what.network.wide_latency, streams, line);
        found.emplace_back(streams, rate);
        if (rate >= line) break;
    }
    return found;
}

void print_json(const multilane_analysis& what) {
    const multilane_options& options = what.options;
    ordered_json j{{"nodes", what.broadcasts.front().plan.nodes()},
                   {"sites", what.sites},
                   {"bytes", options.bytes},
                   {"piece", options.piece},
                   {"lanes", options.lanes},
                   {"bandwidth", what.network.bandwidth},
                   {"latency", what.network.latency},
                   {"wan_latency", what.network.wide_latency},
                   {"window", options.window},
                   {"streams", options.streams}};
    for (const analysed_broadcast& one : what.broadcasts) {
        const std::string name(name_of(one.plan.algorithm));
        j["seconds"][name] = one.seconds;
        j["printed_seconds"][name] = one.printed ? ordered_json(*one.printed) : ordered_json(nullptr);
        j["derived_seconds"][name] = one.derived ? ordered_json(*one.derived) : ordered_json(nullptr);
        j["model_seconds"][name] = one.model;
        j["depth"][name] = depth_of(one.plan);
        j["edges"][name] = edges_json(one.plan, options.bytes);
    }
    if (options.window != 0) {
        for (const auto& [streams, rate] : stream_bandwidths(what))
            j["stream_bandwidth"].push_back({{"streams", streams}, {"bytes_per_second", rate}});
    }
    fmt::print("{}\n", j.dump());
}

std::string sends_text(const lane_plan& plan, const std::vector<std::uint32_t>& numbers) {
    std::vector<std::string> texts;
    for (const std::uint32_t number : numbers) {
        const lane_edge& edge = plan.edges[number];
        const std::string part = part_text(plan, edge);
        texts.push_back(fmt::format("{}{}{}", part.empty() ? "" : part + " to ", edge.child, edge.wide ? "*" : ""));
    }
    return texts.empty() ? "-" : fmt::format("{}", fmt::join(texts, ", "));
}

void print_sends(const lane_plan& plan) {
    fmt::print("\n{}: what nodes send, lane by lane{}\n", name_of(plan.algorithm),
               plan.sites.size() > 1 ? " (* to another site)" : "");
    fmt::print("{:>6}  {:<24}{}\n", "node", "lane 0", "lane 1");
    const std::vector<hw::collectives::lane_table> tables = lane_tables(plan);
    std::size_t lines = 0, more = 0;
    for (std::uint32_t node = 0; node < tables.size(); ++node) {
        const auto& sends = tables[node].sends;
        if (sends[0].empty() && sends[1].empty()) continue;
        if (++lines > most_lines) {
            ++more;
            continue;
        }
        if (sends[0] == sends[1]) {
            fmt::print("{:>6}  {} (both lanes as one link)\n", node, sends_text(plan, sends[0]));
        } else {
            fmt::print("{:>6}  {:<22}  {}\n", node, sends_text(plan, sends[0]), sends_text(plan, sends[1]));
        }
    }
    if (more != 0) fmt::print("and {} more that send; --json lists them all\n", more);
}

void print_text(const multilane_analysis& what) {
    const multilane_options& options = what.options;
    const lane_network& n = what.network;
    fmt::print("{} nodes on {} site{} of {}, {} bytes in pieces of {}\n", what.broadcasts.front().plan.nodes(),
               what.sites.size(), what.sites.size() == 1 ? "" : "s", fmt::join(what.sites, ", "), options.bytes,
               options.piece);
    fmt::print("{} lane{} of {:.6g} MB/s, {:.6g} ms within a site", options.lanes, options.lanes == 1 ? "" : "s",
               n.bandwidth / options.lanes / 1e6, 1e3 * n.latency);
    if (what.sites.size() > 1) fmt::print(", {:.6g} ms between sites", 1e3 * n.wide_latency);
    fmt::print("\n\n{:<18}{:>6}{:>16}{:>14}{:>16}\n", "ms", "hops", "closed form", "as printed", "piece by piece");
    for (const analysed_broadcast& one : what.broadcasts) {
        fmt::print("{:<18}{:>6}{:>16.3f}{:>14}{:>16.3f}{}\n", name_of(one.plan.algorithm), depth_of(one.plan),
                   1e3 * one.seconds, one.printed ? fmt::format("{:.3f}", 1e3 * *one.printed) : "-", 1e3 * one.model,
                   one.derived ? fmt::format("  derived for full trees: {:.3f}", 1e3 * *one.derived) : "");
    }
    if (options.window != 0) {
        fmt::print("\nstreams of {} bytes under way, round trip {:.6g} ms, on a lane\n{:>8}{:>12}{:>10}\n",
                   options.window, 2e3 * n.wide_latency, "streams", "Mbit/s", "of it");
        for (const auto& [streams, rate] : stream_bandwidths(what)) {
            fmt::print("{:>8}{:>12.1f}{:>9.1f}%\n", streams, rate * 8 / 1e6, 100 * rate * options.lanes / n.bandwidth);
        }
    }
    print_sends(what.broadcasts.back().plan);
}

/// Sites as boxes; solid the first arrival at a node, dashed and unlabelled what arrives on another path.
void print_dot(const lane_plan& plan) {
    if (plan.edges.size() > most_drawn) {
        throw input_error(fmt::format("{} edges are too many to draw (at most {})", plan.edges.size(), most_drawn),
                          "--json has all of it");
    }
    const char* const words = plan.parts == 1                                ? "lane"
                              : plan.algorithm == lane_algorithm::multi_lane ? "lane and half, dashed by idle lanes"
                                                                             : "lanes and blocks, dashed later ones";
    std::string text = fmt::format(
        "digraph lanes {{\n  label=\"{}, {} nodes; edges: {}\";\n  labelloc=t;\n"
        "  graph [fontname=\"sans-serif\", nodesep=0.2, ranksep=0.6];\n"
        "  node [fontname=\"sans-serif\", fontsize=10, shape=circle, width=0.4, fixedsize=true];\n"
        "  edge [fontname=\"sans-serif\", fontsize=8, arrowsize=0.6];\n",
        name_of(plan.algorithm), plan.nodes(), words);
    std::uint32_t node = 0;
    for (std::size_t site = 0; site < plan.sites.size(); ++site) {
        text += fmt::format("  subgraph cluster_{0} {{ label=\"site {0}\"; color=\"#d0d6dc\";", site);
        for (std::uint32_t i = 0; i < plan.sites[site]; ++i, ++node) text += fmt::format(" {};", node);
        text += " }\n";
    }
    text += "  0 [penwidth=3];\n";
    std::vector<bool> reached(plan.nodes(), false);
    for (const lane_edge& edge : plan.edges) {
        const std::string part = part_text(plan, edge);
        const std::string look = reached[edge.child] ? "style=dashed, constraint=false"
                                                     : fmt::format("label=\"{}{}{}\"", fmt::join(lanes_of(edge), "+"),
                                                                   part.empty() ? "" : " ", part);
        text += fmt::format("  {} -> {} [color=\"{}\", {}];\n", edge.parent, edge.child,
                            colours[edge.first_part % colours.size()], look);
        reached[edge.child] = true;
    }
    fmt::print("{}}}\n", text);
}

}  // namespace

int analyse_multilane(const multilane_options& options) {
    multilane_analysis what{options, sites_of(options), network_of(options), {}};
    for (const lane_algorithm how : algorithms_of(options)) {
        analysed_broadcast one;
        one.plan = make_lane_plan(how, what.sites);
        if (const auto wrong = find_problem(one.plan)) {
            fmt::print(stderr, "wrong plan: {}: {}\n", name_of(how), *wrong);
            return 1;
        }
        one.model = time_plan(one.plan, what.network, options.bytes, options.piece).seconds;
        one.seconds = corrected_cost(how, what.sites, what.network, options.bytes);
        one.printed = printed_cost(how, what.sites, what.network, options.bytes);
        one.derived = derived_cost(how, what.sites, what.network, options.bytes);
        what.broadcasts.push_back(std::move(one));
    }
    if (options.dot) {
        print_dot(what.broadcasts.front().plan);
    } else if (options.json) {
        print_json(what);
    } else {
        print_text(what);
    }
    return 0;
}

}  // namespace polycast::tlm::sim
