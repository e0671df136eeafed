// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/graph.h"

#include <algorithm>
#include <charconv>

#include "hw/input_error.h"
#include "hw/topology/guid.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/repetition.h"

namespace polycast::hw::topology {
namespace {

void refuse(const std::optional<problem>& why, const std::string& file = {}) {
    if (why) throw input_error(file, {}, why->message, why->proposal);
}

template <typename node>
std::optional<std::uint32_t> find_named(const std::vector<node>& nodes, std::string_view name) {
    const auto found = std::find_if(nodes.begin(), nodes.end(), [name](const node& one) { return one.name == name; });
    if (found == nodes.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - nodes.begin());
}

template <typename node>
std::uint32_t find_or_refuse(const std::vector<node>& nodes, std::string_view name, const std::string& sort) {
    if (const auto index = find_named(nodes, name)) return *index;
    std::vector<std::string> names;
    names.reserve(nodes.size());
    for (const node& one : nodes) names.push_back(one.name);
    throw input_error("there is no " + sort + " '" + std::string(name) + "'", propose_name(name, names));
}

/// Cables whose two ends tell different things.
std::optional<problem> find_mismatch(const graph& network) {
    for (std::uint32_t s = 0; s < network.switches.size(); ++s) {
        for (std::uint16_t p = 0; p < network.switches[s].ports.size(); ++p) {
            const port_end& end = network.switches[s].ports[p];
            if (end.kind == port_end::leads_to::host) {
                if (end.index >= network.hosts.size() || network.hosts[end.index].chip != s ||
                    network.hosts[end.index].port != p)
                    return problem{network.port_text(s, p) + " leads to a host that is cabled elsewhere", {}};
            } else if (end.kind == port_end::leads_to::chip) {
                if (end.index == s)
                    return problem{network.port_text(s, p) + " is cabled to its own switch", "leave such ports open"};
                if (end.index >= network.switches.size() || end.port >= network.switches[end.index].ports.size() ||
                    network.switches[end.index].ports[end.port] != port_end{port_end::leads_to::chip, s, p})
                    return problem{network.port_text(s, p) + " leads to a port that does not lead back", {}};
            }
        }
    }
    for (std::uint32_t h = 0; h < network.hosts.size(); ++h) {
        const host_node& host = network.hosts[h];
        if (host.chip >= network.switches.size() || host.port >= network.switches[host.chip].ports.size() ||
            network.switches[host.chip].ports[host.port] != port_end{port_end::leads_to::host, h, 0})
            return problem{"host '" + host.name + "' is cabled to a port that does not lead back", {}};
    }
    return std::nullopt;
}

std::optional<problem> find_gap(const graph& network) {
    std::vector<bool> seen(network.switches.size());
    std::vector<std::uint32_t> todo{0};
    seen[0] = true;
    std::size_t reached = 1;
    while (!todo.empty()) {
        const std::uint32_t chip = todo.back();
        todo.pop_back();
        for (const port_end& end : network.switches[chip].ports) {
            if (end.kind != port_end::leads_to::chip || seen[end.index]) continue;
            seen[end.index] = true;
            ++reached;
            todo.push_back(end.index);
        }
    }
    if (reached == network.switches.size()) return std::nullopt;
    std::string cut_off;
    std::size_t named = 0;
    std::optional<std::uint32_t> first;
    for (std::uint32_t s = 0; s < seen.size() && named < 4; ++s) {
        if (seen[s]) continue;
        if (!first) first = s;
        cut_off += (named++ == 0 ? "'" : ", '") + network.switches[s].name + "'";
    }
    if (const std::size_t more = network.switches.size() - reached - named; more != 0)
        cut_off += " and " + std::to_string(more) + " more";
    return problem{
        "the network is not connected: no path leads from switch '" + network.switches[0].name + "' to " + cut_off,
        "cable the parts to each other or remove one", first};
}

}  // namespace

std::uint32_t graph::add_switch(std::string name, unsigned ports, std::uint64_t guid) {
    if (switches.size() >= max_switches) throw input_error("more than " + std::to_string(max_switches) + " switches");
    if (ports < 1 || ports > max_switch_ports)
        throw input_error("switch '" + name + "' has " + std::to_string(ports) + " ports",
                          "a switch has 1 to " + std::to_string(max_switch_ports) + " ports");
    switches.push_back({std::move(name), guid, std::vector<port_end>(ports)});
    return static_cast<std::uint32_t>(switches.size() - 1);
}

std::optional<problem> graph::attach_problem(std::uint32_t chip, unsigned port) const {
    if (chip >= switches.size()) return problem{"there is no switch number " + std::to_string(chip), {}};
    const std::vector<port_end>& ports = switches[chip].ports;
    if (port >= ports.size())
        return problem{
            "switch '" + switches[chip].name + "' has no port " + std::to_string(std::uint64_t{port} + first_port),
            "its ports are " + std::to_string(first_port) + " to " + std::to_string(ports.size() - 1 + first_port)};
    const port_end& end = ports[port];
    if (end.kind == port_end::leads_to::host)
        return problem{port_text(chip, port) + " is already cabled to host '" + hosts[end.index].name + "'", {}};
    if (end.kind == port_end::leads_to::chip)
        return problem{port_text(chip, port) + " is already cabled to " + port_text(end.index, end.port), {}};
    return std::nullopt;
}

std::optional<problem> graph::connect_problem(std::uint32_t a, unsigned a_port, std::uint32_t b,
                                              unsigned b_port) const {
    if (const auto why = attach_problem(a, a_port)) return why;
    if (const auto why = attach_problem(b, b_port)) return why;
    if (a == b) return problem{"a link from switch '" + switches[a].name + "' to itself", "leave such ports open"};
    return std::nullopt;
}

void graph::connect(std::uint32_t a, unsigned a_port, std::uint32_t b, unsigned b_port) {
    refuse(connect_problem(a, a_port, b, b_port));
    switches[a].ports[a_port] = {port_end::leads_to::chip, b, static_cast<std::uint16_t>(b_port)};
    switches[b].ports[b_port] = {port_end::leads_to::chip, a, static_cast<std::uint16_t>(a_port)};
}

std::uint32_t graph::attach_host(std::string name, std::uint32_t chip, unsigned port, std::uint64_t guid) {
    if (hosts.size() >= max_hosts) throw input_error("more than " + std::to_string(max_hosts) + " hosts");
    refuse(attach_problem(chip, port));
    const auto index = static_cast<std::uint32_t>(hosts.size());
    hosts.push_back({std::move(name), guid, chip, static_cast<std::uint16_t>(port)});
    switches[chip].ports[port] = {port_end::leads_to::host, index, 0};
    return index;
}

std::vector<link> graph::links() const {
    std::vector<link> found;
    for (std::uint32_t s = 0; s < switches.size(); ++s)
        for (std::uint16_t p = 0; p < switches[s].ports.size(); ++p)
            if (const port_end& end = switches[s].ports[p]; end.kind == port_end::leads_to::chip && s < end.index)
                found.push_back({{s, p}, {end.index, end.port}});
    return found;
}

std::optional<std::uint32_t> graph::find_switch(std::string_view name) const {
    return find_named(switches, name);
}
std::optional<std::uint32_t> graph::find_host(std::string_view name) const {
    return find_named(hosts, name);
}

std::optional<std::uint32_t> graph::identify_switch(std::string_view text) const {
    if (const auto named = find_switch(text)) return named;
    const auto first = [this](const auto& fits) -> std::optional<std::uint32_t> {
        const auto found = std::ranges::find_if(switches, fits);
        if (found == switches.end()) return std::nullopt;
        return static_cast<std::uint32_t>(found - switches.begin());
    };
    if (const auto known = first([text](const switch_node& one) { return !one.id.empty() && one.id == text; }))
        return known;
    const bool is_guid = text.starts_with("0x");
    const std::string_view digits = text.substr(is_guid ? 2 : 0);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, is_guid ? 16 : 10);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    if (is_guid) return first([number](const switch_node& one) { return one.guid != 0 && one.guid == number; });
    if (number >= switches.size()) return std::nullopt;
    return static_cast<std::uint32_t>(number);
}

std::string graph::propose_switch(std::string_view text) const {
    std::vector<std::string> known;
    for (const switch_node& one : switches) known.push_back(one.name);
    for (const switch_node& one : switches) {
        if (!one.id.empty()) known.push_back(one.id);
        if (one.guid != 0) known.push_back(guid_text(one.guid));
    }
    return propose_name(text, known);
}

std::uint32_t graph::switch_named(std::string_view name) const {
    return find_or_refuse(switches, name, "switch");
}
std::uint32_t graph::host_named(std::string_view name) const {
    return find_or_refuse(hosts, name, "host");
}

std::string graph::port_text(std::uint32_t chip, unsigned port) const {
    return switches[chip].name + ":" + std::to_string(port + first_port);
}

std::optional<problem> find_problem(const graph& network) {
    if (network.switches.empty()) return problem{"the network has no switch", {}};
    if (network.switches.size() > max_switches)
        return problem{"more than " + std::to_string(max_switches) + " switches", {}};
    for (const switch_node& node : network.switches)
        if (node.ports.empty() || node.ports.size() > max_switch_ports)
            return problem{"switch '" + node.name + "' has " + std::to_string(node.ports.size()) + " ports",
                           "a switch has 1 to " + std::to_string(max_switch_ports) + " ports"};
    if (network.hosts.size() < 2)
        return problem{network.hosts.empty() ? "the network has no host" : "the network has only one host",
                       "it takes at least two"};
    if (network.hosts.size() > max_hosts) return problem{"more than " + std::to_string(max_hosts) + " hosts", {}};
    // Logs and waves know nodes by their names.
    if (const auto twice = find_repetition(network)) return problem{twice->message, twice->proposal};
    if (auto why = find_mismatch(network)) return why;
    return find_gap(network);
}

void validate(const graph& network, const std::string& file) {
    refuse(find_problem(network), file);
}

}  // namespace polycast::hw::topology
