// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/router/router_route.h"

#include "hw/chips/port_set.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

using format::chip_error;
using format::packet_kind;

namespace {

route_decision dropped(chip_error error) {
    return {flit_info::drop, static_cast<std::uint16_t>(error), {}};
}

/// A packet with one branch.
route_decision single(const route_rules& rules, const route_place& place, route_hop hop, unsigned service_class) {
    if ((place.connected >> hop.port & 1) == 0 || rules.vcs_of(hop.port, service_class, hop.side) == 0)
        return dropped(chip_error::no_route);
    return {route_info(hop.port, service_class, hop.side ? 1 : 0), 0, {}};
}

/// A hop that the route table says.
route_hop table_hop(const route_rules& rules, const route_place& place, unsigned port, std::uint32_t destination) {
    const unsigned d = port / 2;
    if (d >= rules.dimensions || !rules.is_ring(d)) return {port, true};
    const unsigned to = coordinates_of(destination % rules.nodes, rules.dimensions, rules.radix)[d];
    return {port, port % 2 == 0 ? to >= place.own[d] : to <= place.own[d]};
}

/// A unicast that may take any of the ports that the route table says.
route_decision among(const route_rules& rules, const route_place& place, std::uint32_t ports, std::uint32_t destination,
                     unsigned service_class) {
    branch_set possible;
    for (std::uint32_t set = ports & place.connected; set != 0; set &= set - 1) {
        const auto [port, side] = table_hop(rules, place, lowest(set), destination);
        if (rules.vcs_of(port, service_class, side) == 0) continue;
        possible.outputs |= 1u << port;
        if (side) possible.sides |= 1u << port;
    }
    if (possible.outputs == 0) return dropped(chip_error::no_route);
    if ((possible.outputs & (possible.outputs - 1)) == 0) {
        const unsigned port = lowest(possible.outputs);
        return {route_info(port, service_class, possible.sides >> port & 1), 0, {}};
    }
    return {static_cast<std::uint16_t>(flit_info::chooses | service_class << flit_info::class_bit), 0, possible};
}

constexpr unsigned port_of(unsigned dimension, bool up) {
    return 2 * dimension + (up ? 0 : 1);
}

/// Steps from coordinate `from` to `to` along a ring, in one direction.
unsigned ring_distance(unsigned from, unsigned to, bool up, unsigned radix) {
    const unsigned distance = up ? to + radix - from : from + radix - to;
    return distance >= radix ? distance - radix : distance;
}

/// Steps that the tree of a broadcast still makes from the place in one direction of a dimension.
unsigned tree_reach(const route_rules& rules, unsigned own, unsigned source, unsigned dimension, bool up) {
    if (!rules.is_ring(dimension)) return up ? rules.radix - 1 - own : own;
    const unsigned reach = up ? rules.radix / 2 : (rules.radix - 1) / 2;
    const unsigned distance = ring_distance(source, own, up, rules.radix);
    return distance < reach ? reach - distance : 0;
}

}  // namespace

coordinates coordinates_of(std::uint32_t node, unsigned dimensions, unsigned radix) {
    coordinates place = {};
    for (unsigned d = 0; d < dimensions; ++d, node /= radix) place[d] = static_cast<std::uint16_t>(node % radix);
    return place;
}

route_rules::route_rules(const router_params& params, const router_tables& tables)
    : ports(params.ports),
      dimensions(params.dimensions),
      radix(params.radix),
      first_host_port(params.first_host_port()),
      nodes(params.nodes()),
      wrap(tables.wrap),
      table(tables.table),
      copies(params.copies),
      chooses(tables.table && tables.select != route_select::lowest),
      vc_sets(tables.vc_sets) {}

route_place::route_place(const route_rules& rules, std::uint32_t number, std::span<const unsigned> credits)
    : node(number), own(coordinates_of(number, rules.dimensions, rules.radix)), even(true), connected(0) {
    for (const std::uint16_t coordinate : own) even ^= coordinate % 2 != 0;
    for (unsigned port = 0; port < credits.size(); ++port)
        if (credits[port] != 0) connected |= 1u << port;
}

route_hop dimension_order(const route_rules& rules, const route_place& place, const coordinates& destination) {
    for (unsigned d = 0; d < rules.dimensions; ++d) {
        const unsigned own = place.own[d];
        const unsigned to = destination[d];
        if (own == to) continue;
        if (!rules.is_ring(d)) return {port_of(d, to > own), true};
        const unsigned twice = 2 * ring_distance(own, to, true, rules.radix);
        const bool up = twice == rules.radix ? place.even : twice < rules.radix;
        return {port_of(d, up), up ? to > own : to < own};
    }
    return {rules.first_host_port, true};
}

route_decision route_unicast(const route_rules& rules, const route_place& place, std::span<const std::uint32_t> table,
                             std::uint32_t destination, unsigned service_class) {
    if (rules.table) {
        if (destination >= table.size() || table[destination] == 0) return dropped(chip_error::no_route);
        if (rules.chooses) return among(rules, place, table[destination], destination, service_class);
        return single(rules, place, table_hop(rules, place, lowest(table[destination]), destination), service_class);
    }
    unsigned unit = 0;
    for (; destination >= rules.nodes; destination -= rules.nodes)
        if (++unit == rules.ports - rules.first_host_port) return dropped(chip_error::no_route);
    route_hop hop = destination == place.node
                        ? route_hop{rules.first_host_port, true}
                        : dimension_order(rules, place, coordinates_of(destination, rules.dimensions, rules.radix));
    if (hop.port == rules.first_host_port) hop.port += unit;
    return single(rules, place, hop, service_class);
}

route_decision route_broadcast(const route_rules& rules, const route_place& place, std::uint32_t source, unsigned host,
                               unsigned service_class, unsigned input) {
    if (host >= rules.ports - rules.first_host_port) return dropped(chip_error::no_route);
    source %= rules.nodes;
    const coordinates from = coordinates_of(source, rules.dimensions, rules.radix);
    branch_set branches;
    bool lost = false;
    const auto add = [&](unsigned port, bool side) {
        if ((place.connected >> port & 1) == 0 || rules.vcs_of(port, service_class, side) == 0) {
            lost = true;
            return;
        }
        branches.outputs |= 1u << port;
        if (side) branches.sides |= 1u << port;
    };
    const auto go = [&](unsigned d, bool up) {
        const unsigned own = place.own[d];
        const unsigned steps = tree_reach(rules, own, from[d], d, up);
        if (steps != 0) add(port_of(d, up), up ? own + steps < rules.radix : steps <= own);
    };
    unsigned d = 0;
    if (input < rules.first_host_port) {
        d = input / 2;
        go(d++, input % 2 != 0);  // in by the port that leads down: on its way up
    }
    for (; d < rules.dimensions; ++d) {
        go(d, true);
        go(d, false);
    }
    if (place.node != source) add(rules.first_host_port + host, true);
    if (branches.outputs == 0) return dropped(chip_error::no_route);
    const auto errors = static_cast<std::uint16_t>(lost ? chip_error::partial_route : chip_error{});
    if ((branches.outputs & (branches.outputs - 1)) == 0) {
        const unsigned port = lowest(branches.outputs);
        return {route_info(port, service_class, branches.sides >> port & 1), errors, {}};
    }
    const auto info = static_cast<std::uint16_t>(flit_info::copied | service_class << flit_info::class_bit);
    return {info, errors, branches};
}

route_decision route_packet(const route_rules& rules, const route_place& place, std::span<const std::uint32_t> table,
                            const std::uint8_t* header, unsigned input) {
    const auto kind = static_cast<packet_kind>(header[0] & 0xfu);
    const unsigned service_class = format::vc_class_of(header);
    if (kind == packet_kind::unicast)
        return route_unicast(rules, place, table, format::destination_of(header), service_class);
    if (kind != packet_kind::broadcast || !rules.copies) return dropped(chip_error::bad_kind);
    if (rules.table) return dropped(chip_error::no_route);
    return route_broadcast(rules, place, format::read_field<format::source_field>(header),
                           format::read_field<format::broadcast_port_field>(header), service_class, input);
}

}  // namespace polycast::hw::chips
