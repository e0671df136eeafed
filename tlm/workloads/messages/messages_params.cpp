// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/messages_params.h"

#include <algorithm>
#include <charconv>

#include "hw/system/schemes.h"
#include "tlm/sim/networks/instance_parts.h"

namespace polycast::tlm::sim {

using hw::topology::graph;
using scenario::loaded;
using scenario::workload_settings;

namespace {

/// A host by name, or by number where no host has that name.
std::uint32_t host_at(const loaded& scenario, const std::string& path, const graph& network, const std::string& name) {
    if (const auto found = network.find_host(name)) return *found;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const auto hosts = static_cast<std::uint32_t>(network.hosts.size());
    if (error == std::errc{} && end == name.data() + name.size()) {
        if (number < hosts) return number;
        scenario.fail(path, "host " + name + " does not exist", "hosts are 0.." + std::to_string(hosts - 1));
    }
    no_such_host(scenario, path, network, name);
}

}  // namespace

hw::traffic::workload_params workload_params_of(const loaded& scenario, std::size_t workload, const graph& network) {
    const workload_settings& w = scenario.values.workloads[workload];
    const std::string path = scenario::workload_path(workload);
    hw::traffic::workload_params params;
    const bool multicast = w.kind == scenario::traffic_kind::multicast;
    params.kind = multicast ? hw::traffic::workload_kind::multicast : hw::traffic::workload_kind::unicast;
    params.hosts = static_cast<std::uint32_t>(network.hosts.size());
    params.bytes = static_cast<std::uint32_t>(w.message_bytes);
    params.payload_bytes = scenario.values.packet.payload_bytes;
    if (multicast) params.how = hw::system::forwarding_of(w.multicast);
    params.degree = w.degree;
    params.reliable = w.reliable;
    params.messages = w.messages;
    if (w.rate) {
        const std::uint64_t flit_bytes = flit_bytes_of(scenario.values);
        const std::uint64_t flits = (w.message_bytes + flit_bytes - 1) / flit_bytes;
        params.gap = static_cast<double>(flits) * static_cast<double>(w.rate->denominator()) /
                     static_cast<double>(w.rate->numerator());
    }
    if (w.source) params.source = host_at(scenario, path + ".source", network, *w.source);
    if (w.destinations) {
        for (std::size_t i = 0; i < w.destinations->size(); ++i) {
            const std::string item = path + ".destinations[" + std::to_string(i) + "]";
            const std::uint32_t host = host_at(scenario, item, network, (*w.destinations)[i]);
            if (std::ranges::find(params.destinations, host) != params.destinations.end())
                scenario.fail(item, "host '" + (*w.destinations)[i] + "' is given twice");
            if (params.source == host)
                scenario.fail(item, "'" + path + ".source' is among its destinations", "leave it out");
            params.destinations.push_back(host);
        }
        if (params.destinations.size() == params.hosts)
            scenario.fail(path + ".destinations", "all hosts are destinations, so nobody is left to send",
                          "leave one out");
    } else if (multicast && w.degree >= params.hosts) {
        scenario.fail(path + ".degree", "'" + path + ".degree' of " + std::to_string(w.degree) +
                                            " is too many: " + std::to_string(params.hosts) + " hosts have " +
                                            std::to_string(params.hosts - 1) + " others each");
    }
    params.pattern = pattern_params_of(scenario, workload, network);
    return params;
}

hw::traffic::pattern_params pattern_params_of(const loaded& scenario, std::size_t workload, const graph& network) {
    const workload_settings& w = scenario.values.workloads[workload];
    hw::traffic::pattern_params params = w.pattern;
    const std::string path = scenario::workload_path(workload, std::string(w.pattern.name) + ".hosts") + "[";
    for (std::size_t i = 0; i < w.pattern_hosts.size(); ++i)
        params.hosts.push_back(host_at(scenario, path + std::to_string(i) + "]", network, w.pattern_hosts[i]));
    const scenario::topology_settings& topology = scenario.values.network.topology;
    if (!topology.is_grid()) return params;
    params.dimensions = topology.dimensions;
    params.radix = topology.radix;
    return params;
}

}  // namespace polycast::tlm::sim
