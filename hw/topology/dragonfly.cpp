// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/dragonfly.h"

#include <algorithm>

#include "hw/chips/router/router_config.h"
#include "hw/input_error.h"

namespace polycast::hw::topology {

namespace {

constexpr unsigned most_links = 8;  ///< a router's ports 2d and 2d + 1 have virtual channels of their own up to d = 3

}  // namespace

std::optional<dragonfly::bad_parameter> dragonfly::find_problem(const dragonfly_params& params) {
    const auto text = [](std::uint64_t number) { return std::to_string(number); };
    const auto& [p, a, h, groups, routing] = params;
    const unsigned most_ports = chips::router_ranges::ports.most;
    if (h < 1 || h > most_links)
        return bad_parameter{
            "links", "a router of a dragonfly has 1.." + text(most_links) + " global links, not " + text(h), ""};
    if (p < 1 || p > most_ports)
        return bad_parameter{"hosts", "a router has 1.." + text(most_ports) + " hosts, not " + text(p), ""};
    if (a < 1 || a > most_ports)
        return bad_parameter{"routers", "a group has 1.." + text(most_ports) + " routers, not " + text(a), ""};
    const unsigned ports = (h + 1) / 2 * 2 + a - 1 + p;
    if (ports > most_ports)
        return bad_parameter{"routers",
                             "routers with " + text(p) + " hosts, " + text(a - 1) + " others in the group and " +
                                 text(h) + " global links have " + text(ports) + " ports, and there are at most " +
                                 text(most_ports),
                             "take fewer of them"};
    const unsigned most_groups = a * h + 1;
    if (groups == 1 || groups > most_groups)
        return bad_parameter{"groups",
                             text(a) + " routers with " + text(h) + " global links each join 2.." + text(most_groups) +
                                 " groups, not " + text(groups),
                             "take " + text(groups == 1 ? 2 : most_groups)};
    const std::uint64_t used = groups == 0 ? most_groups : groups;
    const std::uint64_t hosts = used * a * p;
    const std::uint64_t most_addresses = chips::router_ranges::max_nodes.most;
    if (routing == dragonfly_routing::valiant && hosts * used > most_addresses)
        return bad_parameter{"groups",
                             "Valiant routing of " + text(hosts) + " hosts over " + text(used) + " groups takes " +
                                 text(hosts * used) + " entries of route tables, which have at most " +
                                 text(most_addresses),
                             "take fewer groups, or minimal routing"};
    return std::nullopt;
}

dragonfly::dragonfly(const dragonfly_params& params) : params_(params) {
    if (const auto bad = find_problem(params)) throw input_error(bad->message, bad->proposal);
    if (params_.groups == 0) params_.groups = params_.routers * params_.links + 1;
}

port_end dragonfly::neighbour(std::uint32_t router, unsigned port) const {
    const unsigned group = router / params_.routers, own = router % params_.routers;
    using leads_to = port_end::leads_to;
    if (port >= host_port()) return {leads_to::host, router * params_.hosts + port - host_port(), 0};
    if (port >= local_port()) {
        const unsigned index = port - local_port();
        const unsigned to = index < own ? index : index + 1;
        return {leads_to::chip, group * params_.routers + to, static_cast<std::uint16_t>(port_to(to, own))};
    }
    const unsigned link = own * params_.links + port;
    if (port >= params_.links || link >= groups() - 1) return {};
    const unsigned back = groups() - 2 - link;
    return {leads_to::chip, (group + link + 1) % groups() * params_.routers + back / params_.links,
            static_cast<std::uint16_t>(back % params_.links)};
}

unsigned dragonfly::route(std::uint32_t router, std::uint32_t address) const {
    const unsigned group = router / params_.routers, own = router % params_.routers;
    const std::uint32_t host = address % hosts();
    const unsigned last = host / group_hosts();
    if (group == last) {
        const unsigned to = host / params_.hosts % params_.routers;
        return to == own ? host_port() + host % params_.hosts : port_to(own, to);
    }
    const unsigned middle = (last + address / hosts()) % groups();
    const unsigned next = group == middle ? last : middle;
    const unsigned link = (next + groups() - group - 1) % groups();
    const unsigned gateway = link / params_.links;
    return gateway == own ? link % params_.links : port_to(own, gateway);
}

std::string dragonfly::name() const {
    return "dragonfly-p" + std::to_string(params_.hosts) + "-a" + std::to_string(params_.routers) + "-h" +
           std::to_string(params_.links) + "-g" + std::to_string(groups());
}

graph make_dragonfly(const dragonfly& shape) {
    graph network;
    for (std::uint32_t router = 0; router < shape.routers(); ++router)
        network.add_switch("router" + std::to_string(router), shape.ports());
    for (std::uint32_t router = 0; router < shape.routers(); ++router) {
        for (unsigned port = 0; port < shape.ports(); ++port) {
            const port_end end = shape.neighbour(router, port);
            if (end.kind == port_end::leads_to::host)
                network.attach_host("host" + std::to_string(end.index), router, port);
            if (end.kind == port_end::leads_to::chip && router < end.index)
                network.connect(router, port, end.index, end.port);
        }
    }
    return network;
}

dragonfly_description describe(const dragonfly& shape) {
    const unsigned a = shape.params().routers, p = shape.params().hosts;
    const std::uint64_t groups = shape.groups();
    dragonfly_description found;
    found.local_links = groups * a * (a - 1) / 2;
    found.global_links = groups * (groups - 1) / 2;
    // Groups are all alike.
    std::uint64_t sum = 0;
    for (std::uint32_t from = 0; from < a; ++from) {
        for (std::uint32_t to = 0; to < shape.routers(); ++to) {
            unsigned distance = 0;
            for (std::uint32_t at = from; at != to; ++distance) at = shape.neighbour(at, shape.route(at, to * p)).index;
            found.diameter = std::max(found.diameter, distance);
            sum += std::uint64_t{distance} * p * p;
        }
    }
    found.mean_distance = static_cast<double>(sum) / (static_cast<double>(shape.group_hosts()) * (shape.hosts() - 1));
    return found;
}

std::string write_dot(const dragonfly& shape, const graph& network) {
    std::string text =
        "graph network {\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=9];\n";
    for (unsigned group = 0; group < shape.groups(); ++group) {
        text += "  subgraph cluster" + std::to_string(group) + " {\n";
        for (unsigned own = 0; own < shape.params().routers; ++own)
            text += "    " + network.switches[group * shape.params().routers + own].name +
                    " [shape=box, style=filled, fillcolor=\"#cfe2f3\"];\n";
        text += "  }\n";
    }
    for (const host_node& host : network.hosts)
        text += "  " + host.name + " -- " + network.switches[host.chip].name + " [headlabel=\"" +
                std::to_string(host.port) + "\"];\n";
    for (const link& one : network.links())
        text += "  " + network.switches[one.a.chip].name + " -- " + network.switches[one.b.chip].name +
                " [taillabel=\"" + std::to_string(one.a.port) + "\", headlabel=\"" + std::to_string(one.b.port) +
                "\"];\n";
    return text + "}\n";
}

}  // namespace polycast::hw::topology
