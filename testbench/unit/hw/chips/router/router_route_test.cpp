// SPDX-License-Identifier: Apache-2.0
// Routes of whole small meshes and tori, walked hop by hop: they are minimal, balanced and free of cycles, and the tree
// of a broadcast reaches every node once.
#include "hw/chips/router/router_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "hw/format/header.h"
#include "hw/routing/dependency_graph.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::chips;
using hw::format::chip_error;
using hw::routing::dependency_graph;

/// A mesh or torus with two host ports at every node; class 0 has VC 0 on side 0 and VC 1 on side 1.
struct shape {
    unsigned dimensions;
    unsigned radix;
    unsigned wrap;
};

std::ostream& operator<<(std::ostream& stream, const shape& s) {
    return stream << s.dimensions << "_dimensions_of_" << s.radix << "_wrap_" << s.wrap;
}

class lattice {
public:
    explicit lattice(const shape& shape) : lattice(params_of(shape), tables_of(shape)) {}
    lattice(const router_params& params, const router_tables& tables) : rules(params, tables), table(tables.route) {
        for (std::uint32_t node = 0; node < rules.nodes; ++node) places.emplace_back(rules, node, tables.credits);
    }

    static router_params params_of(const shape& shape) {
        router_params params;
        params.dimensions = shape.dimensions;
        params.radix = shape.radix;
        params.ports = 2 * shape.dimensions + 2;
        return params;
    }
    static router_tables tables_of(const shape& shape) {
        router_tables tables;
        tables.wrap = shape.wrap;
        tables.credits.assign(2 * shape.dimensions + 2, 8);
        tables.vc_sets[0] = {1, 2};
        return tables;
    }

    /// The node that a port leads to; -1 at the edge.
    int neighbour(std::uint32_t node, unsigned port) const {
        const unsigned d = port / 2;
        unsigned step = 1;
        for (unsigned below = 0; below < d; ++below) step *= rules.radix;
        const unsigned at = places[node].own[d];
        const bool up = port % 2 == 0;
        if (!rules.is_ring(d) && at == (up ? rules.radix - 1 : 0)) return -1;
        const unsigned to = (at + (up ? 1 : rules.radix - 1)) % rules.radix;
        return static_cast<int>(node + to * step - at * step);
    }
    /// Port by which a packet that leaves by `port` comes in at the neighbour.
    static unsigned opposite(unsigned port) { return port ^ 1; }

    unsigned distance(std::uint32_t a, std::uint32_t b) const {
        unsigned hops = 0;
        for (unsigned d = 0; d < rules.dimensions; ++d) {
            const unsigned up = (places[b].own[d] + rules.radix - places[a].own[d]) % rules.radix;
            const unsigned across = rules.is_ring(d) ? std::min(up, rules.radix - up) : 0;
            const int plain = std::abs(int{places[a].own[d]} - int{places[b].own[d]});
            hops += rules.is_ring(d) ? across : static_cast<unsigned>(plain);
        }
        return hops;
    }

    route_rules rules;
    std::vector<route_place> places;
    std::vector<std::uint32_t> table;
};

unsigned output_of(const route_decision& decision) {
    return decision.info & flit_info::output_mask;
}
unsigned side_of(const route_decision& decision) {
    return decision.info >> flit_info::side_bit & 1;
}

/// Channels of a lattice as nodes of a graph: link (node, port) and virtual channel.
class channels {
public:
    explicit channels(const lattice& network, bool two_sides = true)
        : ports_(network.rules.first_host_port), two_sides_(two_sides) {
        for (unsigned link = 0; link < network.rules.nodes * ports_; ++link)
            for (unsigned side = 0; side < 2; ++side)
                graph_.add_node("node " + std::to_string(link / ports_) + " port " + std::to_string(link % ports_) +
                                " side " + std::to_string(side));
    }
    std::uint32_t of(std::uint32_t node, unsigned port, unsigned side) const {
        return (node * ports_ + port) * 2 + (two_sides_ ? side : 0);
    }
    void depend(int from, std::uint32_t to) {
        if (from >= 0) graph_.add_edge(static_cast<std::uint32_t>(from), to);
    }
    std::string cycle() const { return graph_.cycle_text(graph_.find_cycle()); }

private:
    unsigned ports_;
    bool two_sides_;
    dependency_graph graph_;
};

/// Walks a unicast from `source`. \returns the number of hops; notes what depends on what
unsigned walk(const lattice& network, std::uint32_t source, std::uint32_t destination, channels& graph) {
    std::uint32_t node = source;
    int held = -1;
    unsigned dimension = 0;
    for (unsigned hops = 0; hops < 100; ++hops) {
        const route_decision decision =
            route_unicast(network.rules, network.places[node], network.table, destination, 0);
        EXPECT_EQ(decision.errors, 0);
        const unsigned port = output_of(decision);
        if (port >= network.rules.first_host_port) {
            EXPECT_EQ(node, destination % network.rules.nodes);
            EXPECT_EQ(port, network.rules.first_host_port + destination / network.rules.nodes);
            return hops;
        }
        EXPECT_GE(port / 2, dimension) << "the order of dimensions";
        dimension = port / 2;
        const std::uint32_t channel = graph.of(node, port, side_of(decision));
        graph.depend(held, channel);
        held = static_cast<int>(channel);
        const int next = network.neighbour(node, port);
        if (next < 0) {
            ADD_FAILURE() << "off the edge";
            return 0;
        }
        node = static_cast<std::uint32_t>(next);
    }
    ADD_FAILURE() << "never there";
    return 0;
}

/// Sends a broadcast from `source` through the lattice. \returns how often each node's host got it
std::vector<unsigned> spread(const lattice& network, std::uint32_t source, unsigned host, channels& graph,
                             unsigned& hops) {
    struct copy {
        std::uint32_t node;
        unsigned input;
        int held;
    };
    std::vector<unsigned> got(network.rules.nodes);
    std::deque<copy> copies{{source, network.rules.first_host_port, -1}};
    while (!copies.empty() && hops < 10000) {
        const copy here = copies.front();
        copies.pop_front();
        const route_decision decision =
            route_broadcast(network.rules, network.places[here.node], source, host, 0, here.input);
        EXPECT_EQ(decision.errors, 0) << "at node " << here.node << " from " << source;
        branch_set branches = decision.branches;
        if ((decision.info & flit_info::copied) == 0) {
            branches.outputs = 1u << output_of(decision);
            branches.sides = side_of(decision) << output_of(decision);
        }
        for (unsigned port = 0; port < network.rules.ports; ++port) {
            if ((branches.outputs >> port & 1) == 0) continue;
            if (port >= network.rules.first_host_port) {
                EXPECT_EQ(port, network.rules.first_host_port + host);
                ++got[here.node];
                continue;
            }
            const std::uint32_t channel = graph.of(here.node, port, branches.sides >> port & 1);
            graph.depend(here.held, channel);
            const int next = network.neighbour(here.node, port);
            if (next < 0) {
                ADD_FAILURE() << "off the edge at node " << here.node;
                continue;
            }
            ++hops;
            copies.push_back({static_cast<std::uint32_t>(next), network.opposite(port), static_cast<int>(channel)});
        }
    }
    return got;
}

struct lattices : testing::TestWithParam<shape> {};

TEST_P(lattices, unicasts_of_all_pairs_are_minimal_and_acyclic) {
    const lattice network(GetParam());
    channels graph(network);
    for (std::uint32_t source = 0; source < network.rules.nodes; ++source)
        for (std::uint32_t destination = 0; destination < 2 * network.rules.nodes; ++destination)
            EXPECT_EQ(walk(network, source, destination, graph),
                      network.distance(source, destination % network.rules.nodes));
    EXPECT_EQ(graph.cycle(), "");
}

TEST_P(lattices, broadcasts_reach_every_node_once_and_are_acyclic_together_with_unicasts) {
    const lattice network(GetParam());
    channels graph(network);
    for (std::uint32_t source = 0; source < network.rules.nodes; ++source) {
        for (const unsigned host : {0u, 1u}) {
            unsigned hops = 0;
            std::vector<unsigned> expected(network.rules.nodes, 1);
            expected[source] = 0;
            EXPECT_EQ(spread(network, source, host, graph, hops), expected) << "source " << source;
            EXPECT_EQ(hops, network.rules.nodes - 1);
        }
        for (std::uint32_t destination = 0; destination < network.rules.nodes; ++destination)
            walk(network, source, destination, graph);
    }
    EXPECT_EQ(graph.cycle(), "");
}

TEST_P(lattices, ties_are_balanced) {
    const lattice network(GetParam());
    if (network.rules.radix % 2 != 0 || network.rules.wrap == 0) return;
    for (unsigned d = 0; d < network.rules.dimensions; ++d) {
        if (!network.rules.is_ring(d)) continue;
        unsigned up = 0;
        unsigned down = 0;
        for (const route_place& place : network.places) {
            coordinates opposite = place.own;
            opposite[d] = static_cast<std::uint16_t>((opposite[d] + network.rules.radix / 2) % network.rules.radix);
            const unsigned port = dimension_order(network.rules, place, opposite).port;
            ASSERT_EQ(port / 2, d);
            ++(port % 2 == 0 ? up : down);
        }
        EXPECT_EQ(up, down);
    }
}

INSTANTIATE_TEST_SUITE_P(router_route, lattices,
                         testing::Values(shape{1, 2, 0}, shape{1, 2, 1}, shape{1, 3, 1}, shape{1, 8, 0}, shape{1, 8, 1},
                                         shape{1, 9, 1}, shape{2, 2, 0}, shape{2, 2, 3}, shape{2, 3, 0}, shape{2, 3, 3},
                                         shape{2, 4, 0}, shape{2, 4, 3}, shape{2, 4, 1}, shape{2, 5, 2}, shape{2, 5, 3},
                                         shape{2, 6, 3}, shape{2, 7, 3}, shape{3, 2, 7}, shape{3, 3, 7}, shape{3, 4, 0},
                                         shape{3, 4, 7}, shape{3, 4, 5}, shape{4, 2, 0}, shape{4, 3, 15}),
                         [](const auto& tested) {
                             std::ostringstream name;
                             name << tested.param;
                             return name.str();
                         });

TEST(router_route, one_side_for_a_whole_ring_would_close_a_cycle) {
    const lattice network(shape{1, 5, 1});
    channels graph(network, false);
    for (std::uint32_t source = 0; source < 5; ++source)
        for (std::uint32_t destination = 0; destination < 5; ++destination) walk(network, source, destination, graph);
    EXPECT_NE(graph.cycle(), "");
}

TEST(router_route, sides_tell_what_is_left_to_cross) {
    const lattice network(shape{1, 8, 1});
    const auto hop = [&](std::uint32_t node, std::uint32_t destination) {
        return dimension_order(network.rules, network.places[node], coordinates_of(destination, 1, 8));
    };
    EXPECT_EQ(hop(6, 1), (route_hop{0, false}));
    EXPECT_EQ(hop(7, 1), (route_hop{0, false}));  // the hop across the end itself
    EXPECT_EQ(hop(0, 1), (route_hop{0, true}));
    EXPECT_EQ(hop(1, 6), (route_hop{1, false}));
    EXPECT_EQ(hop(0, 6), (route_hop{1, false}));
    EXPECT_EQ(hop(7, 6), (route_hop{1, true}));
    EXPECT_EQ(hop(2, 6), (route_hop{0, true}));   // half way round: up from even nodes
    EXPECT_EQ(hop(3, 7), (route_hop{1, false}));  // down from odd ones
    EXPECT_EQ(hop(3, 3), (route_hop{2, true}));
}

TEST(router_route, sides_of_a_tree_tell_what_is_left_to_cross) {
    for (const unsigned radix : {4u, 5u, 8u, 9u}) {
        const lattice network(shape{1, radix, 1});
        for (std::uint32_t source = 0; source < radix; ++source) {
            for (const bool up : {true, false}) {
                const unsigned last = up ? radix / 2 : (radix - 1) / 2;  // steps of the tree in this direction
                for (unsigned step = 0; step < last; ++step) {
                    const auto at = [&](unsigned steps) { return (source + (up ? steps : radix - steps)) % radix; };
                    bool crosses = false;
                    for (unsigned rest = step; rest < last; ++rest)
                        crosses |= up ? at(rest + 1) < at(rest) : at(rest + 1) > at(rest);
                    const unsigned input = step == 0 ? network.rules.first_host_port : up ? 1 : 0;
                    const route_decision here =
                        route_broadcast(network.rules, network.places[at(step)], source, 0, 0, input);
                    const bool side = (here.info & flit_info::copied) != 0
                                          ? (here.branches.sides >> (up ? 0 : 1) & 1) != 0
                                          : side_of(here) != 0;
                    EXPECT_EQ(side, !crosses) << "radix " << radix << " source " << source << " step " << step;
                }
            }
        }
    }
}

TEST(router_route, coordinates_of_a_node) {
    EXPECT_EQ(coordinates_of(3 + 5 * 7 + 2 * 49, 3, 7), (coordinates{3, 5, 2, 0}));
}

const route_decision no_way{flit_info::drop, static_cast<std::uint16_t>(chip_error::no_route), {}};

TEST(router_route, destinations_without_a_host_port_are_dropped_at_once) {
    const lattice network(shape{2, 4, 0});
    EXPECT_EQ(route_unicast(network.rules, network.places[5], {}, 31, 0).errors, 0);
    EXPECT_EQ(route_unicast(network.rules, network.places[5], {}, 32, 0), no_way);
    EXPECT_EQ(route_unicast(network.rules, network.places[5], {}, 0xffffff, 0), no_way);
    EXPECT_EQ(route_broadcast(network.rules, network.places[5], 3, 2, 0, 4), no_way);
}

TEST(router_route, the_table_gives_the_lowest_port_and_the_ring_the_side) {
    router_params params = lattice::params_of({2, 4, 1});
    params.max_nodes = 32;
    router_tables tables = lattice::tables_of({2, 4, 1});
    tables.table = true;
    tables.route.assign(16, 0);
    tables.route[0] = 0x21;  // from node 2 up across the end
    tables.route[3] = 0x2a;  // node 2 goes down, the wrong way round
    tables.route[1] = 0x02;
    tables.route[6] = 0x01;  // the coordinate of the dimension is the own one
    tables.route[14] = 0x04;
    const lattice network(params, tables);
    const auto decide = [&](std::uint32_t destination) {
        return route_unicast(network.rules, network.places[2], network.table, destination, 0);
    };
    EXPECT_EQ(decide(0), (route_decision{route_info(0, 0, 0), 0, {}}));
    EXPECT_EQ(decide(3), (route_decision{route_info(1, 0, 0), 0, {}}));
    EXPECT_EQ(decide(1), (route_decision{route_info(1, 0, 1), 0, {}}));
    EXPECT_EQ(decide(6), (route_decision{route_info(0, 0, 1), 0, {}}));
    EXPECT_EQ(decide(14), (route_decision{route_info(2, 0, 1), 0, {}}));
    EXPECT_EQ(decide(5), no_way);
    EXPECT_EQ(decide(16), no_way);
}

TEST(router_route, sources_beyond_the_nodes_are_units_of_the_nodes) {
    const lattice network(shape{2, 5, 3});
    for (std::uint32_t node = 0; node < 25; ++node)
        EXPECT_EQ(route_broadcast(network.rules, network.places[node], 7, 1, 0, 4),
                  route_broadcast(network.rules, network.places[node], 7 + 25, 1, 0, 4));
}

TEST(router_route, the_header_names_class_and_kind) {
    router_params params = lattice::params_of({2, 4, 0});
    router_tables tables = lattice::tables_of({2, 4, 0});
    tables.vc_sets[6] = {0, 4};
    const lattice network(params, tables);
    std::vector<std::uint8_t> header(13);
    const auto decide = [&](hw::format::packet_kind kind, std::uint8_t service_class) {
        hw::format::write_common({kind, true, 7, 1, 2, service_class}, header.data());
        hw::format::write_field<hw::format::destination_field>(header.data(), 6);
        return route_packet(network.rules, network.places[5], {}, header.data(), 4);
    };
    using hw::format::packet_kind;
    EXPECT_EQ(decide(packet_kind::unicast, 6), (route_decision{route_info(0, 6, 1), 0, {}}));
    EXPECT_EQ(decide(packet_kind::unicast, 5), no_way);
    for (const packet_kind kind : {packet_kind::tree, packet_kind::ssr, packet_kind::path, packet_kind{9}})
        EXPECT_EQ(decide(kind, 6).errors, static_cast<std::uint16_t>(chip_error::bad_kind));
    // Its byte of the destination is the host port: 6 does not exist.
    EXPECT_EQ(decide(packet_kind::broadcast, 6), no_way);
    header[10] = 1;
    hw::format::write_common({packet_kind::broadcast, true, 7, 1, 2, 6}, header.data());
    const route_decision tree = route_packet(network.rules, network.places[5], {}, header.data(), 4);
    EXPECT_EQ(tree.info, flit_info::copied | 6u << flit_info::class_bit);
    EXPECT_EQ(tree.branches.outputs, 0x2fu);
    EXPECT_EQ(tree.branches.sides, 0x2fu);
}

}  // namespace
}  // namespace polycast::testbench::unit
