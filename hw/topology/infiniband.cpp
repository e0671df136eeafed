// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/infiniband.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hw/topology/infiniband_records.h"
#include "hw/topology/infiniband_text.h"
#include "hw/topology/name_pool.h"
#include "hw/topology/nearest_name.h"

namespace polycast::hw::topology {
namespace {

struct end_point {
    std::size_t node;
    unsigned port;  ///< of the adapter
    std::uint64_t guid;
    std::string name;
};

template <typename point, typename function>
void order_by_guid(std::vector<point>& points, const function& guid) {
    std::unordered_set<std::uint64_t> seen{0};
    for (const point& one : points)
        if (!seen.insert(guid(one)).second) return;
    std::sort(points.begin(), points.end(), [&guid](const point& a, const point& b) { return guid(a) < guid(b); });
}

}  // namespace

void infiniband_records::fail(std::uint32_t file, text_position at, const std::string& message,
                              const std::string& proposal) const {
    throw input_error(files[file], at, message, proposal);
}

void check_cables(const infiniband_records& records) {
    std::unordered_map<std::string, std::size_t> numbers;
    for (std::size_t n = 0; n < records.nodes.size(); ++n) numbers.emplace(records.nodes[n].id, n);
    for (const infiniband_node& here : records.nodes)
        for (const auto& [port, one] : here.cables) {
            const auto found = numbers.find(one.remote);
            if (found == numbers.end()) {
                std::vector<std::string> ids;
                for (const infiniband_node& other : records.nodes) ids.push_back(other.id);
                const std::string near = guid_of(one.remote) ? std::string{} : propose_name(one.remote, ids);
                records.fail(one.file, one.at, "'" + one.remote + "' is cabled, but has no record",
                             near.empty() ? "is the file cut short?" : near);
            }
            const infiniband_node& there = records.nodes[found->second];
            const std::string text = "the cable from '" + here.id + "' port " + std::to_string(port) + " to '" +
                                     there.id + "' port " + std::to_string(one.remote_port);
            if (one.remote_port > there.ports)
                records.fail(one.file, one.at, "'" + there.id + "' has no port " + std::to_string(one.remote_port),
                             "its ports are 1 to " + std::to_string(there.ports));
            const auto back = there.cables.find(one.remote_port);
            if (back == there.cables.end())
                records.fail(one.file, one.at, text + " is not listed from its other end", "is the file cut short?");
            if (back->second.remote != here.id || back->second.remote_port != port)
                records.fail(
                    one.file, one.at,
                    text + " is told differently by its other end (line " + std::to_string(back->second.at.line) + ")");
            if (&there == &here && here.is_switch)
                records.fail(one.file, one.at, "a link from switch '" + here.id + "' to itself",
                             "leave such ports open");
            if (!here.is_switch && !there.is_switch)
                records.fail(one.file, one.at, "a cable between two adapters", "adapters are cabled to switches");
        }
}

infiniband_network make_network(const infiniband_records& records) {
    using node = infiniband_node;
    infiniband_network made;
    std::vector<end_point> hosts;
    for (std::size_t n = 0; n < records.nodes.size(); ++n) {
        const node& one = records.nodes[n];
        if (one.is_switch) {
            made.switches.push_back(n);
            continue;
        }
        if (one.cables.empty()) records.fail(one.file, one.at, "adapter '" + one.id + "' is not cabled", "remove it");
        const bool several = one.cables.size() > 1;
        for (const auto& [port, cabled] : one.cables)
            hosts.push_back(
                {n, port, several ? cabled.port_guid : one.guid, several ? "/" + std::to_string(port) : ""});
    }
    order_by_guid(made.switches, [&records](std::size_t n) { return records.nodes[n].guid; });
    order_by_guid(hosts, [](const end_point& one) { return one.guid; });

    graph& network = made.network;
    network.first_port = 1;
    name_pool names;
    const auto name_of = [](const node& one) { return one.description.empty() ? one.id : one.description; };
    for (const std::size_t n : made.switches) names.count(name_of(records.nodes[n]));
    for (const end_point& one : hosts) names.count(name_of(records.nodes[one.node]) + one.name);
    std::unordered_map<std::string, std::uint32_t> numbers;
    for (const std::size_t n : made.switches) {
        const node& one = records.nodes[n];
        if (network.switches.size() >= max_switches)
            records.fail(one.file, one.at, "more than " + std::to_string(max_switches) + " switches");
        numbers.emplace(one.id, network.add_switch(names.take(name_of(one), one.id), one.ports, one.guid));
        network.switches.back().id = one.id;
    }
    for (const end_point& one : hosts) {
        const node& owner = records.nodes[one.node];
        if (network.hosts.size() >= max_hosts)
            records.fail(owner.file, owner.at, "more than " + std::to_string(max_hosts) + " hosts");
        const infiniband_cable& cabled = owner.cables.at(one.port);
        network.attach_host(names.take(name_of(owner) + one.name, owner.id + one.name), numbers.at(cabled.remote),
                            cabled.remote_port - 1, one.guid);
        made.hosts.push_back({one.node, one.port});
    }
    for (const std::size_t n : made.switches) {
        const node& one = records.nodes[n];
        for (const auto& [port, cabled] : one.cables) {
            const auto other = numbers.find(cabled.remote);
            if (other != numbers.end() && std::pair(one.id, port) < std::pair(cabled.remote, cabled.remote_port))
                network.connect(numbers.at(one.id), port - 1, other->second, cabled.remote_port - 1);
        }
    }
    if (const auto why = find_problem(network)) {
        const node* about = why->chip ? &records.nodes[made.switches[*why->chip]] : nullptr;
        records.fail(about == nullptr ? 0 : about->file, about == nullptr ? text_position{} : about->at, why->message,
                     why->proposal);
    }
    return made;
}

graph read_ibnetdiscover(const std::string& file, std::string_view text) {
    return make_network(read_infiniband_records(file, text, true)).network;
}

graph read_ibsim(const std::string& file, std::string_view text) {
    return make_network(read_infiniband_records(file, text, false)).network;
}

}  // namespace polycast::hw::topology
