// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/tables.h"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace polycast::hw::routing {

namespace {

std::shared_ptr<const chips::network_routes> make_routes(const updown& routes) {
    const topology::graph& network = routes.network();
    std::size_t ports = 0;
    for (const topology::switch_node& node : network.switches) ports = std::max(ports, node.ports.size());
    const std::size_t switches = network.switches.size();
    const auto made = std::make_shared<chips::network_routes>(switches, static_cast<unsigned>(ports));
    for (const topology::host_node& host : network.hosts) made->add_host(host.chip, host.port);
    routes_to found;
    for (std::uint32_t destination = 0; destination < switches; ++destination) {
        routes.find_routes(destination, found);
        for (std::uint32_t s = 0; s < switches; ++s) {
            made->set(s, destination, true, found.ports_up[s]);
            made->set(s, destination, false, found.ports_down[s]);
        }
    }
    return made;
}

/// Finds strings that are there already.
class equal_strings {
public:
    chips::shared_string get(chips::bit_string bits) {
        std::vector<chips::shared_string>& alike = found_[boost::hash_range(bits.begin(), bits.end())];
        const auto same = std::ranges::find_if(alike, [&](const chips::shared_string& one) { return *one == bits; });
        return same != alike.end() ? *same : alike.emplace_back(std::move(bits));
    }

private:
    std::unordered_map<std::size_t, std::vector<chips::shared_string>> found_;
};

}  // namespace

void fill_tables(const updown& routes, std::span<chips::switch_tables> tables, unsigned max_hosts, worm_links links) {
    const topology::graph& network = routes.network();
    const std::size_t hosts = network.hosts.size();
    if (max_hosts == 0) max_hosts = static_cast<unsigned>(hosts);
    if (tables.size() != network.switches.size() || max_hosts < hosts)
        throw std::logic_error("fill_tables: one table per switch, and room for every host");
    const std::size_t words = (format::string_bits(max_hosts) + 63) / 64;

    const std::shared_ptr<const chips::network_routes> shared = make_routes(routes);
    std::vector<reachability> reach(tables.size());
    if (words != 0) reach = routes.find_reachability(words, links);
    equal_strings strings;
    const chips::shared_string none = strings.get(chips::bit_string(words));
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
        using to = chips::port_sets::to;
        table.switch_up = {shared, s, to::switches, true, tables.size()};
        table.switch_down = {shared, s, to::switches, false, tables.size()};
        table.unicast_up = {shared, s, to::hosts, true, max_hosts};
        table.unicast_down = {shared, s, to::hosts, false, max_hosts};
        table.reach_total = strings.get(std::move(reach[s].total));
        table.reach_port.assign(table.port_direction.size(), none);
        for (std::size_t p = 0; p < reach[s].restricted.size(); ++p)
            if (!reach[s].restricted[p].empty()) table.reach_port[p] = strings.get(std::move(reach[s].restricted[p]));
    }
}

std::vector<chips::switch_tables> make_tables(const updown& routes, unsigned max_hosts, worm_links links) {
    std::vector<chips::switch_tables> tables(routes.network().switches.size());
    fill_tables(routes, tables, max_hosts, links);
    return tables;
}

}  // namespace polycast::hw::routing
