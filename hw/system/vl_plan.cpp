// SPDX-License-Identifier: Apache-2.0
#include "hw/system/vl_plan.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "hw/input_error.h"

namespace polycast::hw::system {

namespace {

/// Tables are rounded up to this many entries, so that networks of nearly the same size share a Verilated model.
constexpr unsigned lid_granule = 64;
constexpr unsigned group_granule = 16;
/// No service level has a lane.
constexpr std::uint64_t no_lanes = ~std::uint64_t{0};
/// Without tables all service levels have lane 0.
constexpr std::uint64_t lane_zero = 0;

unsigned rounded_up(std::size_t count, unsigned granule) {
    return static_cast<unsigned>((count + granule - 1) / granule * granule);
}

/// LIDs that any port owns or any table knows, from 0.
unsigned lids_of(const subnet::fabric& of) {
    unsigned end = 2;
    const auto add = [&](const subnet::lid_owner& owner) {
        if (owner.lid != 0) end = std::max(end, owner.lid + (1u << owner.lmc));
    };
    for (const subnet::switch_state& one : of.switches) add(one.self);
    for (const subnet::host_state& one : of.hosts) add(one.self);
    return std::min(rounded_up(end, lid_granule), 0xc000u);
}

unsigned groups_of(const subnet::fabric& of) {
    unsigned end = 0;
    for (const subnet::switch_state& one : of.switches)
        if (!one.multicast.empty()) end = std::max(end, one.multicast.rbegin()->first - 0xc000 + 1);
    return rounded_up(end, group_granule);
}

std::set<unsigned> service_levels_of(const subnet::fabric& of, const vl_options& options) {
    std::set<unsigned> used;
    for (const subnet::host_state& source : of.hosts)
        for (const subnet::host_state& target : of.hosts)
            if (of.has_path_sls && target.self.lid != 0) {
                const std::uint8_t sl = source.path_sl[target.self.lid];
                if (sl != subnet::not_told) used.insert(sl);
            }
    if (used.empty()) used.insert(0);
    used.insert(options.levels.begin(), options.levels.end());
    for (const subnet::switch_state& one : of.switches)
        for (const auto& [mlid, row] : one.multicast) used.insert(group_service_level(of, options, mlid));
    return used;
}

chips::sl_to_vl lanes_of_switch(const subnet::fabric& of, std::size_t index) {
    const std::size_t ports = of.network.switches[index].ports.size();
    chips::sl_to_vl rows(ports * ports, lane_zero);
    if (!of.has_lanes) return rows;
    for (unsigned in = 0; in < ports; ++in)
        for (unsigned out = 0; out < ports; ++out)
            rows[in * ports + out] = of.switches[index].lanes.find(in + 1, out + 1).value_or(no_lanes);
    return rows;
}

chips::vl_weights weights_of(const subnet::fabric& of, std::size_t index, unsigned port) {
    chips::vl_weights made;
    const auto& tables = of.switches[index].arbitration;
    const auto found = tables.find(port + 1);
    if (found == tables.end() || !found->second)
        throw input_error("there are no tables of VL arbitration of port " + std::to_string(port + 1) + " of switch '" +
                              of.network.switches[index].name + "'",
                          "capture them (smpquery vlarb), or take 'switch.vl_policy: round_robin'");
    const auto copy = [](const std::vector<subnet::lane_arbitration::entry>& from, auto& to) {
        for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) to[i] = {from[i].vl, from[i].weight};
    };
    copy(found->second->high, made.high);
    copy(found->second->low, made.low);
    return made;
}

chips::vl_switch_tables tables_of(const subnet::fabric& of, std::size_t index, const chips::vl_switch_params& chip,
                                  const vl_options& options, const system_params& params) {
    const subnet::switch_state& state = of.switches[index];
    const topology::switch_node& node = of.network.switches[index];
    chips::vl_switch_tables tables;
    tables.route_delay = params.route_delay;
    tables.packet_limit = params.packet_limit;
    tables.arbitration = params.arbitration;
    tables.hoq_life = options.hoq_life;
    tables.policy = options.policy;
    tables.vl_chunks.assign(std::size_t{chip.ports} * chip.vls, chip.chunks);
    tables.credits.assign(std::size_t{chip.ports} * chip.vls, 0);
    for (unsigned port = 0; port < chip.ports; ++port) {
        if (node.ports[port].kind == topology::port_end::leads_to::nowhere) continue;
        const unsigned told = port < state.operational_vls.size() ? state.operational_vls[port] : 0;
        const unsigned lanes = told == 0 ? chip.vls : std::min(chip.vls, told);
        std::fill_n(tables.credits.begin() + port * chip.vls, lanes, chip.chunks);
        if (options.policy == format::vl_policy::weighted) tables.weights.resize(chip.ports);
        if (options.policy == format::vl_policy::weighted) tables.weights[port] = weights_of(of, index, port);
    }
    tables.lft.resize(chip.max_lids, 255);
    for (unsigned lid = 1; lid < chip.max_lids; ++lid) {
        const std::uint8_t port = state.port_for(lid);
        if (port < subnet::no_row) tables.lft[lid] = port;
    }
    tables.mft.resize(chip.max_groups);
    for (const auto& [mlid, row] : state.multicast) tables.mft[mlid - 0xc000] = row.ports;
    return tables;
}

/// MLIDs that reach each host.
std::vector<std::vector<std::uint16_t>> groups_of_hosts(const subnet::fabric& of) {
    std::vector<std::vector<std::uint16_t>> groups(of.hosts.size());
    for (std::size_t host = 0; host < groups.size(); ++host) {
        const topology::host_node& node = of.network.hosts[host];
        for (const auto& [mlid, row] : of.switches[node.chip].multicast)
            if ((row.ports >> node.port & 1) != 0) groups[host].push_back(static_cast<std::uint16_t>(mlid));
    }
    return groups;
}

std::shared_ptr<const ni::lid_paths> paths_of(const subnet::fabric& of, const vl_options& options, unsigned lids) {
    ni::lid_paths paths;
    paths.spread = options.spread;
    for (const subnet::host_state& host : of.hosts) {
        paths.base.push_back(static_cast<std::uint16_t>(host.self.lid));
        paths.lmc.push_back(static_cast<std::uint8_t>(host.self.lmc));
        if (of.has_lanes) paths.lanes.push_back(host.lanes.value_or(no_lanes));
        if (!of.has_path_sls) continue;
        std::vector<std::uint8_t>& levels = paths.sl.emplace_back(lids);
        for (unsigned lid = 0; lid < lids; ++lid)
            if (host.path_sl[lid] != subnet::not_told) levels[lid] = host.path_sl[lid];
    }
    paths.groups = groups_of_hosts(of);
    for (const subnet::switch_state& one : of.switches)
        for (const auto& [mlid, row] : one.multicast)
            paths.group_levels[static_cast<std::uint16_t>(mlid)] =
                static_cast<std::uint8_t>(group_service_level(of, options, mlid));
    return std::make_shared<const ni::lid_paths>(std::move(paths));
}

}  // namespace

unsigned group_service_level(const subnet::fabric& of, const vl_options& options, unsigned mlid) {
    const auto given = options.group_sl.find(mlid);
    if (given != options.group_sl.end()) return given->second;
    const auto listed = of.groups.find(mlid);
    if (listed == of.groups.end() || listed->second.service_levels == 0) return 0;
    return static_cast<unsigned>(std::countr_zero(listed->second.service_levels));
}

unsigned lanes_of(const subnet::fabric& of, const vl_options& options) {
    unsigned highest = 0;
    const std::set<unsigned> used = service_levels_of(of, options);
    const auto look_at = [&](std::uint64_t row) {
        for (const unsigned sl : used)
            if (const unsigned vl = row >> 4 * sl & 15; vl != 15) highest = std::max(highest, vl);
    };
    if (!of.has_lanes) return 1;
    for (std::size_t index = 0; index < of.switches.size(); ++index)
        for (const std::uint64_t row : lanes_of_switch(of, index)) look_at(row);
    for (const subnet::host_state& host : of.hosts)
        if (host.lanes) look_at(*host.lanes);
    return highest + 1;
}

system_plan make_vl_plan(const subnet::fabric& of, const vl_options& options, const system_params& params) {
    topology::validate(of.network);
    system_plan plan;
    plan.params = params;
    plan.network = of.network;
    plan.add_network();
    const unsigned chunks = params.buffer_flits / params.chunk_flits;
    const unsigned vls = options.vls.value_or(lanes_of(of, options));
    const unsigned lids = lids_of(of);
    const unsigned groups = groups_of(of);
    if (params.packet_limit == 0) plan.params.packet_limit = params.buffer_flits;
    // Switches with equal lanes share them.
    std::map<chips::sl_to_vl, std::shared_ptr<const chips::sl_to_vl>> lanes;
    for (std::uint32_t index = 0; index < plan.switch_count(); ++index) {
        const auto ports = static_cast<unsigned>(plan.network.switches[index].ports.size());
        const chips::vl_switch_params chip{.ports = ports,
                                           .vls = vls,
                                           .flit_bytes = params.flit_bytes,
                                           .chunk_flits = params.chunk_flits,
                                           .chunks = chunks,
                                           .max_lids = lids,
                                           .max_groups = groups,
                                           .header_free = params.header_free,
                                           .read_ports = params.read_ports == 0 ? ports : params.read_ports,
                                           .xbar_stages = params.crossbar_delay - 1,
                                           .weighted = options.policy == format::vl_policy::weighted};
        chips::vl_switch_tables tables = tables_of(of, index, chip, options, plan.params);
        chips::sl_to_vl rows = lanes_of_switch(of, index);
        std::shared_ptr<const chips::sl_to_vl>& shared = lanes[rows];
        if (!shared) shared = std::make_shared<const chips::sl_to_vl>(std::move(rows));
        tables.sl2vl = shared;
        chips::checked(chip);
        plan.chips[index].is = vl_switch_chip{chip, chips::checked(chip, std::move(tables))};
    }
    plan.host = params.host;
    ni::ni_params& interface = plan.host.interface;
    interface.flit_bytes = params.flit_bytes;
    interface.header_ports = 8;  // a stop is a group and its service level
    interface.header_stops = 1;
    interface.header_bytes = plan.vl_switch_at(0).params.pin_shape().header_bytes;
    interface.chunk_flits = params.chunk_flits;
    interface.credits = chunks;
    interface.vcs = vls;
    interface.reserve = plan.vl_switch_at(0).tables.reserve(plan.vl_switch_at(0).params);
    interface.hosts = static_cast<std::uint32_t>(of.hosts.size());
    interface.lids = paths_of(of, options, lids);
    ni::check_params(interface);
    return plan;
}

}  // namespace polycast::hw::system
