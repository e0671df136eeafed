// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/network_builder.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "hw/topology/repetition.h"

namespace polycast::hw::topology {

void network_builder::fail(text_position at, const std::string& message, const std::string& proposal) const {
    throw input_error(file_, at, message, proposal);
}

std::uint32_t network_builder::add_switch(std::string name, std::optional<std::uint64_t> ports, std::uint64_t guid,
                                          text_position at, std::string id) {
    if (switches_.size() >= max_switches) fail(at, "more than " + std::to_string(max_switches) + " switches");
    if (ports && (*ports < 1 || *ports > max_switch_ports))
        fail(at, "switch '" + name + "' has " + std::to_string(*ports) + " ports",
             "a switch has 1 to " + std::to_string(max_switch_ports) + " ports");
    switches_.push_back({std::move(name), guid, {}, std::move(id)});
    ports_.push_back(ports);
    places_.push_back(at);
    return static_cast<std::uint32_t>(switches_.size() - 1);
}

void network_builder::add_host(std::string name, std::uint64_t guid, end at) {
    if (hosts_.size() >= max_hosts) fail(at.at, "more than " + std::to_string(max_hosts) + " hosts");
    hosts_.push_back({std::move(name), guid, at});
}

void network_builder::add_link(end a, end b) {
    if (a.chip == b.chip)
        fail(b.at, "a link from switch '" + switches_[a.chip].name + "' to itself", "leave such ports open");
    cables_.push_back({a, b});
}

void network_builder::count_ports() {
    std::vector<std::uint64_t> ends(switches_.size()), highest(switches_.size());
    const auto count = [&](const end& one) {
        ++ends[one.chip];
        if (one.port && *one.port >= first_port)
            highest[one.chip] =
                std::max(highest[one.chip], std::min<std::uint64_t>(*one.port - first_port, max_switch_ports) + 1);
    };
    for (const cable& one : cables_) {
        count(one.a);
        count(one.b);
    }
    for (const host& one : hosts_) count(one.at);
    for (std::uint32_t s = 0; s < switches_.size(); ++s) {
        std::uint64_t ports = std::max(ends[s] + *hosts_per_switch, highest[s]);
        if (default_ports) ports = *default_ports;
        if (ports_[s]) ports = *ports_[s];
        if (ports > max_switch_ports)
            fail(places_[s], "switch '" + switches_[s].name + "' needs " + std::to_string(ports) + " ports",
                 "a switch has 1 to " + std::to_string(max_switch_ports) + " ports");
        // A switch has two ports at least; one that the file says nothing of gets what it needs.
        switches_[s].ports.resize(std::max<std::uint64_t>(ports, ports_[s] || default_ports ? 1 : 2));
    }
}

void network_builder::reserve(end& one) {
    if (!one.port) return;
    const switch_node& node = switches_[one.chip];
    if (*one.port < first_port || *one.port - first_port >= node.ports.size())
        fail(one.at, "switch '" + node.name + "' has no port " + std::to_string(*one.port),
             "its ports are " + std::to_string(first_port) + " to " +
                 std::to_string(node.ports.size() - 1 + first_port));
    const std::uint64_t bit = std::uint64_t{1} << (*one.port - first_port);
    if ((used_[one.chip] & bit) != 0)
        fail(one.at, "port " + std::to_string(*one.port) + " of switch '" + node.name + "' is cabled twice");
    used_[one.chip] |= bit;
}

void network_builder::assign(end& one) {
    if (one.port) return;
    const auto free = static_cast<unsigned>(std::countr_one(used_[one.chip]));
    if (free >= switches_[one.chip].ports.size())
        fail(one.at, "switch '" + switches_[one.chip].name + "' has no free port left",
             "it has " + std::to_string(switches_[one.chip].ports.size()) + " ports");
    used_[one.chip] |= std::uint64_t{1} << free;
    one.port = free + first_port;
}

void network_builder::add_missing_hosts() {
    std::unordered_set<std::string> names;
    for (const host& one : hosts_) names.insert(one.name);
    for (const switch_node& one : switches_) names.insert(one.name);
    unsigned next = 0;
    for (std::uint32_t s = 0; s < switches_.size(); ++s)
        for (unsigned i = 0; i < *hosts_per_switch; ++i) {
            std::string name;
            do name = "host" + std::to_string(next++);
            while (names.contains(name));
            end at{s, std::nullopt, places_[s]};
            assign(at);
            add_host(std::move(name), 0, at);
        }
}

void network_builder::refuse_repetitions() const {
    std::vector<identity> nodes;
    for (const switch_node& one : switches_) nodes.push_back({one.name, one.guid});
    for (const host& one : hosts_) nodes.push_back({one.name, one.guid});
    const std::optional<repetition> found = find_repetition(nodes);
    if (!found) return;
    const std::size_t n = found->node;
    fail(n < places_.size() ? places_[n] : hosts_[n - places_.size()].at.at, found->message, found->proposal);
}

graph network_builder::finish() {
    refuse_repetitions();
    if (!hosts_per_switch) hosts_per_switch = hosts_.empty() ? 1 : 0;
    count_ports();
    used_.assign(switches_.size(), 0);
    for (cable& one : cables_) {
        reserve(one.a);
        reserve(one.b);
    }
    for (host& one : hosts_) reserve(one.at);
    for (cable& one : cables_) {
        assign(one.a);
        assign(one.b);
    }
    for (host& one : hosts_) assign(one.at);
    add_missing_hosts();

    graph network;
    network.first_port = first_port;
    network.switches = std::move(switches_);
    const auto port = [&](const end& one) { return static_cast<unsigned>(*one.port - first_port); };
    for (const cable& one : cables_) network.connect(one.a.chip, port(one.a), one.b.chip, port(one.b));
    for (host& one : hosts_) network.attach_host(std::move(one.name), one.at.chip, port(one.at), one.guid);
    if (const auto why = find_problem(network))
        fail(why->chip ? places_[*why->chip] : text_position{}, why->message, why->proposal);
    return network;
}

}  // namespace polycast::hw::topology
