// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/messages_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hw/system/schemes.h"
#include "tlm/scenario/mlid.h"
#include "tlm/scenario/propose.h"
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

unsigned level_of(const hw::ni::lid_paths& lids, unsigned mlid) {
    const auto found = lids.group_levels.find(static_cast<std::uint16_t>(mlid));
    return found == lids.group_levels.end() ? 0 : found->second;
}

std::string list_of(const std::vector<std::string>& names) {
    constexpr std::size_t most = 12;
    std::vector<std::string> first(names.begin(),
                                   names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
    if (names.size() > most) first.emplace_back("...");
    return scenario::join(first);
}

/// Members of the group that a key names.
std::vector<std::uint32_t> members_at(const loaded& scenario, const std::string& path, const std::string& group,
                                      const hw::ni::lid_paths& lids) {
    std::vector<std::uint32_t> members = lids.members(*scenario::mlid_of(group));
    if (members.size() >= 2) return members;
    std::vector<std::string> known;
    for (const auto& [mlid, level] : lids.group_levels)
        if (lids.members(mlid).size() >= 2) known.push_back(fmt::format("0x{:04X}", mlid));
    scenario.fail(
        path,
        "group " + group + (members.empty() ? " has no member" : " has no member but one") + " in the multicast tables",
        known.empty() ? "name the tables with 'network.routing.mft'" : "known: " + list_of(known));
}

void require_member(const loaded& scenario, const std::string& path, const graph& network, std::uint32_t host,
                    const std::string& group, const std::vector<std::uint32_t>& members) {
    if (std::ranges::binary_search(members, host)) return;
    std::vector<std::string> names;
    for (const std::uint32_t member : members) names.push_back(network.hosts[member].name);
    scenario.fail(path, "host '" + network.hosts[host].name + "' is no member of group " + group,
                  "its members are " + list_of(names));
}

void add_group(const loaded& scenario, std::size_t workload, const graph& network, const hw::ni::lid_paths& lids,
               hw::traffic::workload_params& params) {
    const workload_settings& w = scenario.values.workloads[workload];
    params.destinations = members_at(scenario, scenario::workload_path(workload, "group"), w.mlid, lids);
    params.degree = static_cast<std::uint32_t>(params.destinations.size() - 1);
    params.group = true;
    if (params.source)
        require_member(scenario, scenario::workload_path(workload, "source"), network, *params.source, w.mlid,
                       params.destinations);
}

void add_list(const loaded& scenario, std::size_t workload, const graph& network, const hw::ni::lid_paths* lids,
              hw::traffic::workload_params& params) {
    const std::vector<scenario::listed_message>& list = scenario.values.workloads[workload].list;
    params.kind = hw::traffic::workload_kind::list;
    const hw::engine::cycle ready = first_message(scenario.values);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const scenario::listed_message& one = list[i];
        const std::string path = scenario::workload_path(workload, "list[") + std::to_string(i) + "].";
        if (one.at < ready)
            scenario.fail(path + "at", "firmware is not ready before cycle " + std::to_string(ready),
                          "take " + std::to_string(ready) + " or later, or 'ni.processor: native'");
        hw::traffic::listed_message& made = params.list.emplace_back();
        made.at = one.at;
        made.source = host_at(scenario, path + "source", network, one.source);
        if (one.group && lids == nullptr) continue;
        if (one.group) {
            made.destinations = members_at(scenario, path + "group", *one.group, *lids);
            require_member(scenario, path + "source", network, made.source, *one.group, made.destinations);
            std::erase(made.destinations, made.source);
        } else {
            made.destinations = {host_at(scenario, path + "destination", network, *one.destination)};
        }
        made.bytes = static_cast<std::uint32_t>(*one.bytes);
        if (made.source == made.destinations.front())
            scenario.fail(path + "destination", "host '" + one.source + "' sends to itself", "take another host");
        if ((!one.sl && !one.group) || lids == nullptr) continue;
        const unsigned lid =
            one.group ? *scenario::mlid_of(*one.group) : lids->to(made.destinations.front(), made.source).dlid;
        made.address = hw::format::stop{lid, one.sl.value_or(one.group ? level_of(*lids, lid) : 0)};
        if (one.sl && lids->lane(made.source, *one.sl) == 15)
            scenario.fail(
                path + "sl",
                "service level " + std::to_string(*one.sl) + " has no lane on the link of host '" + one.source + "'",
                "take one that has");
    }
}

}  // namespace

hw::traffic::workload_params workload_params_of(const loaded& scenario, std::size_t workload, const graph& network,
                                                const hw::ni::lid_paths* lids) {
    const workload_settings& w = scenario.values.workloads[workload];
    const std::string path = scenario::workload_path(workload);
    hw::traffic::workload_params params;
    const bool multicast = w.kind == scenario::traffic_kind::multicast;
    params.kind = multicast ? hw::traffic::workload_kind::multicast : hw::traffic::workload_kind::unicast;
    params.hosts = static_cast<std::uint32_t>(network.hosts.size());
    params.bytes = static_cast<std::uint32_t>(w.message_bytes);
    params.payload_bytes = scenario.values.packet.payload_bytes;
    if (w.kind == scenario::traffic_kind::list) {
        add_list(scenario, workload, network, lids, params);
        return params;
    }
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
    if (!w.mlid.empty()) {
        if (lids != nullptr) add_group(scenario, workload, network, *lids, params);
    } else if (w.destinations) {
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

hw::system::multicast_choice choice_of(const workload_settings& w, const hw::ni::lid_paths* lids) {
    hw::system::multicast_choice choice = w.multicast;
    if (w.mlid.empty() || lids == nullptr) return choice;
    const unsigned mlid = *scenario::mlid_of(w.mlid);
    choice.scheme.group = {mlid, level_of(*lids, mlid)};
    return choice;
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
