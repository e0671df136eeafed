// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/tables.h"

#include <algorithm>
#include <stdexcept>

namespace polycast::hw::routing {

void fill_tables(const updown& routes, std::span<chips::switch_tables> tables, unsigned max_hosts, worm_links links) {
    const topology::graph& network = routes.network();
    const std::size_t hosts = network.hosts.size();
    if (max_hosts == 0) max_hosts = static_cast<unsigned>(hosts);
    if (tables.size() != network.switches.size() || max_hosts < hosts)
        throw std::logic_error("fill_tables: one table per switch, and room for every host");
    const std::size_t words = (std::size_t{max_hosts} + 63) / 64;

    std::vector<reachability> reach = routes.find_reachability(words, links);
    for (std::uint32_t s = 0; s < tables.size(); ++s) {
        chips::switch_tables& table = tables[s];
        const std::size_t ports = network.switches[s].ports.size();
        table.port_direction.assign(std::max(ports, table.port_direction.size()), format::direction::open);
        for (unsigned p = 0; p < ports; ++p) table.port_direction[p] = routes.direction(s, p);
        table.switch_number = s;
        table.tree_up = ~std::uint64_t{0};
        if (links == worm_links::spanning_tree) {
            const std::optional<unsigned> parent = routes.parent_port(s);
            table.tree_up = parent ? std::uint64_t{1} << *parent : 0;
        }
        table.switch_up.assign(tables.size(), 0);
        table.switch_down.assign(tables.size(), 0);
        table.unicast_up.assign(max_hosts, 0);
        table.unicast_down.assign(max_hosts, 0);
        table.reach_total = std::move(reach[s].total);
        table.reach_port = std::move(reach[s].restricted);
        table.reach_port.resize(table.port_direction.size());
        for (chips::bit_string& string : table.reach_port) string.resize(words);
    }

    std::vector<std::vector<std::uint32_t>> hosts_of(network.switches.size());
    for (std::uint32_t h = 0; h < hosts; ++h) hosts_of[network.hosts[h].chip].push_back(h);
    routes_to found;
    for (std::uint32_t destination = 0; destination < hosts_of.size(); ++destination) {
        routes.find_routes(destination, found);
        for (std::uint32_t s = 0; s < tables.size(); ++s) {
            tables[s].switch_up[destination] = found.ports_up[s];
            tables[s].switch_down[destination] = found.ports_down[s];
            for (const std::uint32_t h : hosts_of[destination]) {
                const std::uint64_t own = s == destination ? std::uint64_t{1} << network.hosts[h].port : 0;
                tables[s].unicast_up[h] = found.ports_up[s] | own;
                tables[s].unicast_down[h] = found.ports_down[s] | own;
            }
        }
    }
}

std::vector<chips::switch_tables> make_tables(const updown& routes, unsigned max_hosts, worm_links links) {
    std::vector<chips::switch_tables> tables(routes.network().switches.size());
    fill_tables(routes, tables, max_hosts, links);
    return tables;
}

}  // namespace polycast::hw::routing
