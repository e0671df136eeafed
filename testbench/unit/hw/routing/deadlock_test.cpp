// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/deadlock.h"

#include <gmock/gmock.h>

#include "hw/routing/tables.h"
#include "hw/topology/irregular.h"
#include "testbench/unit/hw/topology/small_networks.h"

namespace polycast::hw::routing {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using topology::graph;

/// A network with tables and everything else as good as it gets.
struct routed {
    explicit routed(graph the_network, const updown_options& options = {})
        : network(std::move(the_network)), tables(make_tables(updown(network, options))) {
        for (std::size_t s = 0; s < tables.size(); ++s) {
            tables[s].buffer_chunks.assign(network.switches[s].ports.size(), 80);
            tables[s].credits.assign(network.switches[s].ports.size(), 80);
        }
    }

    route_check_result check(bool unicast = true, bool tree = true, bool ssr = false, bool path = false) const {
        return check_routes({&network,
                             tables,
                             params,
                             unicast ? longest : 0,
                             tree ? longest : 0,
                             ssr ? longest : 0,
                             path ? longest : 0,
                             {}});
    }
    route_check_result check_ssr() const { return check(false, false, true); }
    route_check_result check_path() const { return check(false, false, false, true); }

    graph network;
    std::vector<chips::switch_tables> tables;
    std::vector<chips::switch_params> params{1};
    unsigned longest = 640;
};

/// A ring of four, one host each, where everything goes round one way: the textbook deadlock.
routed one_way_ring() {
    routed ring(topology::make_ring(4, 1));
    for (std::uint32_t s = 0; s < 4; ++s) {
        ring.tables[s].port_direction = {format::direction::down, format::direction::down, format::direction::down};
        for (std::uint32_t h = 0; h < 4; ++h)
            ring.tables[s].unicast_up.edit()[h] = ring.tables[s].unicast_down.edit()[h] = h == s ? 0b001 : 0b010;
    }
    return ring;
}

TEST(deadlock, ring_is_refused_with_its_cycle) {
    const route_check_result result = one_way_ring().check(true, false);
    EXPECT_THAT(result.cycle, ElementsAre("switch0:1", "switch1:1", "switch2:1", "switch3:1"));
    EXPECT_THAT(result.problems,
                ElementsAre("the routes can deadlock: packets may wait for each other along switch0:1 -> "
                            "switch1:1 -> switch2:1 -> switch3:1 -> switch0:1"));
    EXPECT_EQ(result.channels, 4U * 3 + 4);
}

/// The same tables, each for itself.
routed unshared(routed network) {
    for (chips::switch_tables& table : network.tables) {
        table.unicast_up.edit();
        table.unicast_down.edit();
    }
    return network;
}

TEST(deadlock, shared_routes_have_the_dependencies_of_every_host_by_itself) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        topology::irregular_params params{.switches = 3 + static_cast<unsigned>(seed % 9), .seed = seed};
        params.hosts = 4 * params.switches;
        params.placement = topology::host_placement::even;
        const routed shared(topology::make_irregular(params)), own = unshared(shared);
        const auto edges = [](const routed& one) {
            return channel_dependencies({&one.network, one.tables, one.params, 640, 0, 0, 0, {}});
        };
        const dependency_graph of_shared = edges(shared), of_own = edges(own);
        ASSERT_EQ(of_shared.size(), of_own.size());
        for (std::uint32_t node = 0; node < of_own.size(); ++node)
            ASSERT_EQ(of_shared.successors(node), of_own.successors(node));
        EXPECT_TRUE(shared.check(true, false).good());
    }
}

TEST(deadlock, problems_of_shared_routes_are_those_of_every_host_by_itself) {
    routed network(topology::make_irregular({}));
    for (const topology::host_node& host : network.network.hosts)
        if (host.chip == 3) network.tables[3].port_direction[host.port] = format::direction::up;
    const route_check_result shared = network.check(true, false);
    EXPECT_FALSE(shared.good());
    EXPECT_EQ(shared.problems, unshared(network).check(true, false).problems);
    network.tables[2].port_direction.assign(8, format::direction::open);
    EXPECT_EQ(network.check(true, false).problems, unshared(network).check(true, false).problems);
}

TEST(deadlock, ring_of_tree_worms_is_refused) {
    routed ring = one_way_ring();
    for (std::uint32_t s = 0; s < 4; ++s) {
        ring.tables[s].reach_total = {15};
        const std::uint64_t own = std::uint64_t{1} << s;
        ring.tables[s].reach_port = {{own}, {15 & ~own}, {0}};
    }
    const route_check_result result = ring.check(false, true);
    EXPECT_THAT(result.cycle, ElementsAre("switch0:1", "switch1:1", "switch2:1", "switch3:1"));
    EXPECT_THAT(result.problems, testing::SizeIs(1));
}

TEST(deadlock, a_ring_cut_once_is_accepted) {
    // The same ring, but nothing passes from switch 3 to switch 0: the line 0..3 both ways.
    routed line(topology::make_ring(4, 1));
    for (std::uint32_t s = 0; s < 4; ++s) {
        line.tables[s].port_direction = {format::direction::down, format::direction::down, format::direction::down};
        for (std::uint32_t h = 0; h < 4; ++h)
            line.tables[s].unicast_up.edit()[h] = line.tables[s].unicast_down.edit()[h] =
                h == s ? 0b001 : (h > s ? 0b010 : 0b100);
    }
    EXPECT_THAT(line.check(true, false).problems, IsEmpty());
}

TEST(deadlock, up_down_always_passes) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        topology::irregular_params params{3 + static_cast<unsigned>(seed % 14), 4 + static_cast<unsigned>(seed % 5), 0,
                                          1.0, seed};
        params.hosts = params.switches * (params.ports - 2) / 2 + 2;
        params.placement = seed % 2 == 0 ? topology::host_placement::even : topology::host_placement::random;
        const routed network(topology::make_irregular(params),
                             {updown_options::root_choice::given, static_cast<std::uint32_t>(seed % params.switches)});
        const route_check_result result = network.check(true, true, true, true);
        ASSERT_THAT(result.problems, IsEmpty()) << "seed " << seed;
        EXPECT_GT(result.dependencies, 0U);
    }
}

TEST(deadlock, several_roots_pass) {
    const graph network = topology::make_leaf_spine(4, 3, 2);
    const routed all(network, {updown_options::root_choice::given, 4, false, {5, 6}});
    EXPECT_THAT(all.check(true, true, true, true).problems, IsEmpty());
}

TEST(deadlock, dependencies_of_a_line) {
    // Two switches, one host each: host 0 -> (switch 0) -> link -> (switch 1) -> host 1, and back.
    const routed line(topology::make_linked(2, 1, {{0, 1}}));
    const route_check_result result = line.check(true, false);
    EXPECT_EQ(result.channels, 6U);
    EXPECT_EQ(result.dependencies, 4U);
    const auto with_trees = line.check(true, true);
    // A worm to both hosts from either: also back to the sender's own host, and down the link it came up.
    EXPECT_GT(with_trees.dependencies, 4U);
    EXPECT_TRUE(with_trees.good());
}

TEST(deadlock, every_wrong_unicast_entry_is_named) {
    routed ring(topology::make_ring(4, 1));
    ring.tables[2].unicast_up.edit()[0] = 0;
    EXPECT_THAT(ring.check().problems,
                ElementsAre("host 'host0' is not reached: the table of switch 'switch2' has no port "
                            "towards it for packets that may still go up"));
    ring = routed(topology::make_ring(4, 1));
    ring.tables[2].unicast_up.edit()[0] = 1;
    EXPECT_THAT(ring.check().problems,
                Contains("host 'host0' is not reached: packets to it are delivered to host 'host2' at switch2:0"));
    graph open = topology::make_ring(4, 1);
    open.switches[1].ports.emplace_back();
    routed with_open(open);
    with_open.tables[1].port_direction[3] = format::direction::down;
    with_open.tables[1].unicast_up.edit()[0] = 0b1000;
    EXPECT_THAT(with_open.check().problems,
                Contains("host 'host0' is not reached: packets to it leave through the open port switch1:3"));
    // Up after down is not a port at all.
    ring = routed(topology::make_ring(4, 1));
    for (auto& table : ring.tables)
        for (std::uint64_t& mask : table.unicast_up.edit()) mask &= ~std::uint64_t{0b100};
    EXPECT_FALSE(ring.check().good());
}

TEST(deadlock, every_wrong_string_is_named) {
    const auto network = [] { return routed(topology::make_linked(4, 1, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}})); };
    EXPECT_THAT(network().check().problems, IsEmpty());
    routed wrong = network();
    wrong.tables[0].reach_port[1].edit()[0] |= 0b1000;
    EXPECT_THAT(wrong.check().problems,
                ElementsAre("host 'h3' gets two copies of a tree worm: two reachability strings of switch "
                            "'0' hold it, the second at 0:2"));
    wrong = network();
    wrong.tables[0].reach_port[2].edit()[0] = 0b0100;
    EXPECT_THAT(
        wrong.check().problems,
        ElementsAre("host 'h3' is not reached by tree worms: no reachability string of a port of switch '0' holds it"));
    wrong = network();
    std::swap(wrong.tables[1].reach_port[0], wrong.tables[1].reach_port[3]);
    EXPECT_THAT(wrong.check().problems,
                Contains("host 'h3' is not reached by tree worms: its copy leaves through 1:0 to host 'h1'"));
    wrong = network();
    wrong.tables[3].reach_total.edit()[0] = 0b1100;
    EXPECT_FALSE(wrong.check().good());
    EXPECT_TRUE(wrong.check(true, false).good()) << "a workload without tree worms does not use the strings";
}

/// Every switch of a ring of four sends worms to stops round one way, down.
routed one_way_stops() {
    routed ring = one_way_ring();
    for (std::uint32_t s = 0; s < 4; ++s)
        for (std::uint32_t t = 0; t < 4; ++t)
            ring.tables[s].switch_up.edit()[t] = ring.tables[s].switch_down.edit()[t] = t == s ? 0 : 0b010;
    return ring;
}

TEST(deadlock, ring_of_worms_with_stops_is_refused) {
    EXPECT_THAT(one_way_stops().check_ssr().cycle, ElementsAre("switch0:1", "switch1:1", "switch2:1", "switch3:1"));
    EXPECT_THAT(one_way_stops().check_path().cycle, ElementsAre("switch0:1", "switch1:1", "switch2:1", "switch3:1"));
    EXPECT_TRUE(routed(topology::make_ring(4, 1)).check(true, true, true, true).good());
}

TEST(deadlock, a_path_worm_waits_for_channels_behind_its_stop) {
    // A ring of three where every other switch is one step away: only a worm that goes on waits for a second step.
    routed ring(topology::make_ring(3, 1));
    for (std::uint32_t s = 0; s < 3; ++s) {
        const std::uint32_t next = (s + 1) % 3, before = (s + 2) % 3;
        chips::switch_tables& table = ring.tables[s];
        table.port_direction.assign(3, format::direction::down);
        table.switch_up.edit()[next] = table.switch_down.edit()[next] = 0b010;
        table.switch_up.edit()[before] = 0b100;
        table.switch_down.edit()[before] = 0;
    }
    EXPECT_THAT(ring.check_ssr().problems, IsEmpty());
    EXPECT_THAT(ring.check_path().cycle, ElementsAre("switch0:1", "switch1:1", "switch2:1"));
}

TEST(deadlock, worms_with_stops_add_nothing_to_up_down) {
    // Whatever path worms do: each of their dependencies goes up, then down, as routing.md argues.
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const routed network(topology::make_irregular({.seed = seed}));
        const dependency_graph found =
            channel_dependencies({&network.network, network.tables, network.params, 0, 0, 0, network.longest, {}});
        std::vector<int> going_down(found.size(), 0);
        std::uint32_t node = 0;
        for (std::uint32_t s = 0; s < network.tables.size(); ++s)
            for (unsigned p = 0; p < network.network.switches[s].ports.size(); ++p)
                going_down[node++] = network.tables[s].port_direction[p] == format::direction::down;
        std::uint64_t turns = 0;
        for (std::uint32_t from = 0; from < found.size(); ++from)
            for (const std::uint32_t to : found.successors(from)) {
                ASSERT_LE(going_down[from], going_down[to]) << found.name(from) << " -> " << found.name(to);
                turns += going_down[from] != going_down[to];
            }
        EXPECT_GT(turns, 0U);
    }
}

TEST(deadlock, every_wrong_entry_for_stops_is_named) {
    const auto ring = [] { return routed(topology::make_ring(4, 1)); };  // 1 and 3 below 0, 2 below both
    routed wrong = ring();
    wrong.tables[1].switch_up.edit()[3] = 0;
    EXPECT_THAT(wrong.check_ssr().problems,
                ElementsAre("switch 'switch3' is not reached: the table of switch 'switch1' has no port towards it for "
                            "packets that may still go up"));
    wrong = ring();
    wrong.tables[1].switch_up.edit()[3] = 1;
    EXPECT_THAT(wrong.check_path().problems,
                Contains("switch 'switch3' is not reached: packets to it are delivered to host 'host1' at switch1:0"));
    // A down table that leads up.
    wrong = ring();
    wrong.tables[2].switch_down.edit()[1] = 0b100;
    EXPECT_THAT(wrong.check_path().problems,
                ElementsAre("the table of switch 'switch2' for packets that may only go down names an up port, "
                            "switch2:2, towards switch 'switch1'"));
    // A route that never arrives: 1 and 2 send worms for 3 to each other.
    wrong = ring();
    for (chips::switch_tables& table : wrong.tables) table.port_direction.assign(3, format::direction::down);
    wrong.tables[1].switch_up.edit()[3] = wrong.tables[1].switch_down.edit()[3] = 0b010;
    wrong.tables[2].switch_up.edit()[3] = wrong.tables[2].switch_down.edit()[3] = 0b100;
    EXPECT_THAT(wrong.check_ssr().cycle, ElementsAre("switch1:1", "switch2:2"));
    // Numbers, and a copy that cannot leave.
    wrong = ring();
    wrong.tables[2].switch_number = 1;
    EXPECT_THAT(wrong.check_ssr().problems,
                ElementsAre("switch 'switch2' is number 2, but takes stops of worms for switch 1 as its own"));
    EXPECT_THAT(wrong.check().problems, IsEmpty()) << "a workload without such worms does not use the numbers";
    wrong = ring();
    wrong.tables[2].port_direction[0] = format::direction::open;
    EXPECT_THAT(wrong.check_ssr().problems, ElementsAre("host 'host2' is not reached by worms that stop at its switch: "
                                                        "switch2:0 does not lead down"));
    wrong = ring();
    wrong.tables[3].switch_down.edit().pop_back();
    EXPECT_THAT(wrong.check_path().problems,
                ElementsAre("the tables of switch 'switch3' are too short for 3 ports, 4 hosts and 4 switches"));
    EXPECT_THAT(wrong.check().problems, IsEmpty());
}

TEST(deadlock, a_path_worm_may_lose_its_way_behind_a_stop) {
    // 1 and 4 below root 0, 2 below 1, 3 below 4 and 2. Worms from the hosts on 1 go to 3 over the root.
    routed network(topology::make_linked(5, 1, {{0, 1}, {1, 2}, {2, 3}, {0, 4}, {4, 3}}));
    network.tables[1].switch_up.edit()[3] = 0b010;
    EXPECT_THAT(network.check_path().problems, IsEmpty());
    network.tables[2].switch_down.edit()[3] = 0;
    EXPECT_THAT(network.check_ssr().problems, IsEmpty());
    EXPECT_THAT(network.check_path().problems,
                ElementsAre("switch '3' is not reached: the table of switch '2' has no port towards it for packets "
                            "that may only go down"));
    // Where the tables do not lead on, no plan has a worm go on.
    network.tables[1].switch_down.edit()[3] = 0;
    EXPECT_THAT(network.check_path().problems, IsEmpty());
}

TEST(deadlock, tree_worms_whose_headers_stay_whole) {
    // The upper links of a square give host 3 to one side only, but a header that names it goes down both.
    routed square(topology::make_linked(4, 1, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
    for (chips::switch_tables& table : square.tables) table.rewrite = false;
    EXPECT_THAT(square.check(false, true).problems, IsEmpty());
    const std::uint64_t whole = square.check(false, true).dependencies;
    for (chips::switch_tables& table : square.tables) table.rewrite = true;
    EXPECT_GT(whole, square.check(false, true).dependencies);
    square.tables[0].reach_port[1].edit()[0] = 0;
    for (chips::switch_tables& table : square.tables) table.rewrite = false;
    EXPECT_THAT(square.check(false, true).problems, Contains(HasSubstr("host 'h1' is not reached by tree worms")));
}

TEST(deadlock, tree_worms_take_only_their_up_ports) {
    const updown_options options;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        routed network(topology::make_irregular({.seed = seed}), options);
        const std::uint64_t all = network.check(false, true).dependencies;
        fill_tables(updown(network.network, options), network.tables, 0, worm_links::spanning_tree);
        const route_check_result strict = network.check(false, true);
        EXPECT_THAT(strict.problems, IsEmpty());
        EXPECT_LT(strict.dependencies, all);
        for (chips::switch_tables& table : network.tables) table.tree_up = 0;
        EXPECT_THAT(network.check(false, true).problems,
                    Contains(HasSubstr("is not reached by tree worms: no reachability string")));
    }
}

TEST(deadlock, short_buffers_are_refused) {
    routed network(topology::make_linked(2, 1, {{0, 1}}));
    network.longest = 641;
    EXPECT_THAT(
        network.check().problems,
        Contains(
            "the buffer of input 0:0 (80 chunks of 8 flits) is shorter than a tree worm of 641 flits: it could never "
            "be absorbed whole, and replication could deadlock"));
    EXPECT_THAT(network.check().problems,
                Contains("switch '0' cuts packets at 640 flits, but the workload sends a tree worm of 641 flits"));
    network.longest = 128;
    EXPECT_TRUE(network.check().good());
    network.tables[1].buffer_chunks[1] = 15;
    EXPECT_THAT(network.check(false, true).problems,
                Contains(AllOf(HasSubstr("input 1:1 (15 chunks"), HasSubstr("128 flits"))));
    EXPECT_THAT(network.check(false, true).problems,
                Contains(HasSubstr("output 0:1 has 80 credits, but the buffer behind it has 15")));
    network = routed(topology::make_linked(2, 1, {{0, 1}}));
    network.longest = 128;
    network.tables[0].credits[1] = 15;
    EXPECT_THAT(network.check().problems, ElementsAre(HasSubstr("output 0:1 has 15 credits of 8 flits, too few")));
    network = routed(topology::make_linked(2, 1, {{0, 1}}));
    network.longest = 128;
    network.tables[0].credits[0] = 0;
    EXPECT_THAT(network.check().problems, ElementsAre("output 0:0 has no credit: nothing can leave to its host"));
    network = routed(topology::make_linked(2, 1, {{0, 1}}));
    network.tables[0].buffer_chunks[0] = 81;
    EXPECT_THAT(network.check().problems, ElementsAre("input 0:0 is to use 81 chunks of a buffer of 80"));
}

TEST(deadlock, the_longest_kind_is_named) {
    const routed network(topology::make_linked(2, 1, {{0, 1}}));
    const auto problem = [&](unsigned unicast, unsigned tree, unsigned ssr, unsigned path) {
        return check_routes({&network.network, network.tables, network.params, unicast, tree, ssr, path, {}})
            .problems.at(0);
    };
    EXPECT_THAT(problem(650, 0, 0, 0), HasSubstr("sends a packet of 650 flits"));
    EXPECT_THAT(problem(641, 650, 0, 0), HasSubstr("sends a tree worm of 650 flits"));
    EXPECT_THAT(problem(641, 642, 650, 0), HasSubstr("sends an SSR worm of 650 flits"));
    EXPECT_THAT(problem(641, 642, 643, 650), HasSubstr("sends a path worm of 650 flits"));
}

TEST(deadlock, tables_of_the_wrong_size_are_refused) {
    routed network(topology::make_linked(2, 1, {{0, 1}}));
    network.tables[1].unicast_down.edit().pop_back();
    EXPECT_THAT(network.check().problems,
                ElementsAre("the tables of switch '1' are too short for 2 ports and 2 hosts"));
    network = routed(topology::make_linked(2, 1, {{0, 1}}));
    network.tables[1].reach_port[0].edit().clear();
    EXPECT_FALSE(network.check().good());
    network.tables.pop_back();
    EXPECT_THROW(network.check(), std::logic_error);
}

TEST(deadlock, long_lists_of_problems_are_cut) {
    routed network(topology::make_irregular({}));
    for (auto& table : network.tables) table.unicast_up.edit().assign(32, 0);
    EXPECT_THAT(network.check().problems, testing::SizeIs(max_problems));
}

TEST(deadlock, memories_of_forwarding_interfaces_are_part_of_the_graph) {
    // A host that forwards what it receives: its memory waits for its own injection channel, and the ejection channel
    // for the memory. Two such hosts that forward to each other close a circle.
    const routed line(topology::make_linked(2, 1, {{0, 1}}));
    const auto check = [&](std::vector<std::uint32_t> forwarders) {
        return check_routes({&line.network, line.tables, line.params, 640, 0, 0, 0, forwarders});
    };
    EXPECT_THAT(check({}).problems, IsEmpty());
    EXPECT_THAT(check({0}).problems, IsEmpty());  // the other one takes all that comes
    EXPECT_THAT(check({0, 1}).problems,
                ElementsAre("the routes can deadlock: packets may wait for each other along 0:0 -> memory of host 'h0' "
                            "-> host 'h0' -> 0:1 -> 1:0 -> memory of host 'h1' -> host 'h1' -> 1:1 -> 0:0"));
    const std::vector<std::uint32_t> both{0, 1};
    EXPECT_EQ(check_routes({&line.network, line.tables, line.params, 0, 0, 640, 0, both}).cycle, check({0, 1}).cycle)
        << "copies of worms at their stops go to hosts";
    const std::vector<std::uint32_t> one{0};
    EXPECT_TRUE(check_routes({&line.network, line.tables, line.params, 0, 0, 640, 0, one}).good());
    EXPECT_EQ(check({0, 1}).channels, check({}).channels + 2);
    EXPECT_EQ(check({0, 1}).dependencies, check({}).dependencies + 4);
}

}  // namespace
}  // namespace polycast::hw::routing
