// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/describe.h"

#include <algorithm>
#include <set>

namespace polycast::hw::topology {
namespace {

void count_cables(const graph& network, const routing::updown& routes, description& found) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
    std::uint32_t between_levels = 0;
    for (const link& one : network.links()) {
        ++found.links;
        if (!joined.insert({one.a.chip, one.b.chip}).second) ++found.parallel_links;
        if (routes.level(one.a.chip) == routes.level(one.b.chip))
            ++found.same_level_links;
        else
            ++between_levels;
    }
    // The tree has one cable for every switch but the roots.
    found.cross_level_links = between_levels - (found.switches - static_cast<std::uint32_t>(found.roots.size()));
    found.least_degree = found.least_hosts = UINT32_MAX;
    for (std::uint32_t s = 0; s < found.switches; ++s) {
        std::uint32_t degree = 0, hosts = 0;
        for (const port_end& end : network.switches[s].ports) {
            if (end.kind == port_end::leads_to::chip)
                ++degree;
            else if (end.kind == port_end::leads_to::host)
                ++hosts;
            else
                ++found.open_ports;
        }
        found.least_degree = std::min(found.least_degree, degree);
        found.largest_degree = std::max(found.largest_degree, degree);
        found.least_hosts = std::min(found.least_hosts, hosts);
        found.largest_hosts = std::max(found.largest_hosts, hosts);
        if (routes.level(s) == 0) found.root_links += degree;
    }
    found.mean_degree = 2.0 * found.links / found.switches;
}

std::vector<std::uint32_t> plain_distances(const graph& network, std::uint32_t from) {
    std::vector<std::uint32_t> distance(network.switches.size(), routing::unreachable), queue{from};
    distance[from] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
        for (const port_end& end : network.switches[queue[next]].ports)
            if (end.kind == port_end::leads_to::chip && distance[end.index] == routing::unreachable) {
                distance[end.index] = distance[queue[next]] + 1;
                queue.push_back(end.index);
            }
    return distance;
}

void measure_distances(const graph& network, const routing::updown& routes, description& found) {
    std::vector<std::uint64_t> hosts(found.switches);
    for (const host_node& host : network.hosts) ++hosts[host.chip];
    std::uint64_t total = 0, legal_total = 0;
    routing::routes_to legal;
    for (std::uint32_t to = 0; to < found.switches; ++to) {
        if (hosts[to] == 0) continue;
        const std::vector<std::uint32_t> plain = plain_distances(network, to);
        routes.find_routes(to, legal);
        for (std::uint32_t from = 0; from < found.switches; ++from) {
            if (hosts[from] == 0) continue;
            found.diameter = std::max(found.diameter, plain[from]);
            found.legal_diameter = std::max(found.legal_diameter, legal.distance_up[from]);
            total += hosts[from] * hosts[to] * plain[from];
            legal_total += hosts[from] * hosts[to] * legal.distance_up[from];
        }
    }
    const double pairs = static_cast<double>(found.hosts) * (static_cast<double>(found.hosts) - 1);
    found.mean_distance = static_cast<double>(total) / pairs;
    found.mean_legal_distance = static_cast<double>(legal_total) / pairs;
    found.distances_known = true;
}

}  // namespace

std::string dot_text(const std::string& name) {
    std::string result = "\"";
    for (const char letter : name) {
        if (letter == '"' || letter == '\\') result += '\\';
        result += static_cast<unsigned char>(letter) < 0x20 ? '?' : letter;
    }
    return result + "\"";
}

description describe(const graph& network, const routing::updown& routes) {
    description found;
    found.switches = static_cast<std::uint32_t>(network.switches.size());
    found.hosts = static_cast<std::uint32_t>(network.hosts.size());
    found.roots = routes.roots();
    for (std::uint32_t s = 0; s < found.switches; ++s) {
        found.switches_at_level.resize(std::max<std::size_t>(found.switches_at_level.size(), routes.level(s) + 1));
        ++found.switches_at_level[routes.level(s)];
    }
    count_cables(network, routes, found);
    if (network.switches.size() <= describe_distances_up_to) measure_distances(network, routes, found);
    return found;
}

std::string write_dot(const graph& network, const routing::updown& routes) {
    // Nodes are numbered, as names may repeat. Edges run from the upper to the lower end, which puts the root on top;
    // the arrow is turned round.
    std::string text =
        "digraph network {\n  rankdir=TB;\n  node [fontname=\"sans-serif\"];\n"
        "  edge [fontname=\"sans-serif\", fontsize=9, dir=back];\n";
    std::vector<std::vector<std::uint32_t>> levels;
    for (std::uint32_t s = 0; s < network.switches.size(); ++s) {
        levels.resize(std::max<std::size_t>(levels.size(), routes.level(s) + 1));
        levels[routes.level(s)].push_back(s);
        text += "  s" + std::to_string(s) + " [shape=box, style=filled, fillcolor=\"" +
                (routes.level(s) == 0 ? "#f4c7a1" : "#cfe2f3") + "\", label=" + dot_text(network.switches[s].name) +
                "];\n";
    }
    for (const auto& level : levels) {
        text += "  { rank=same;";
        for (const std::uint32_t s : level) text += " s" + std::to_string(s) + ";";
        text += " }\n";
    }
    const auto port = [&](unsigned p) { return std::to_string(p + network.first_port); };
    for (const link& one : network.links()) {
        const bool a_above = routes.above(one.a.chip, one.b.chip);
        const link::end upper = a_above ? one.a : one.b, lower = a_above ? one.b : one.a;
        text += "  s" + std::to_string(upper.chip) + " -> s" + std::to_string(lower.chip) + " [taillabel=\"" +
                port(upper.port) + "\", headlabel=\"" + port(lower.port) + "\"];\n";
    }
    for (std::uint32_t h = 0; h < network.hosts.size(); ++h) {
        const host_node& host = network.hosts[h];
        text += "  h" + std::to_string(h) + " [shape=ellipse, label=" + dot_text(host.name) + "];\n";
        text += "  s" + std::to_string(host.chip) + " -> h" + std::to_string(h) + " [taillabel=\"" + port(host.port) +
                "\"];\n";
    }
    return text + "}\n";
}

}  // namespace polycast::hw::topology
