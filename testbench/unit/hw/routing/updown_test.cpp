// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/updown.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <optional>

#include "hw/input_error.h"
#include "hw/topology/irregular.h"
#include "hw/topology/topology_file.h"
#include "testbench/unit/hw/topology/small_networks.h"

namespace polycast::hw::routing {
namespace {

using topology::graph;
using topology::port_end;

graph draw(std::uint64_t seed, unsigned switches = 8, unsigned ports = 8, unsigned hosts = 32,
           double connectivity = 0.8) {
    return topology::make_irregular({switches, ports, hosts, connectivity, seed});
}

/// Shortest legal lengths from every (switch, may still go up), by plain search forwards over single steps.
std::vector<std::uint32_t> search(const updown& routes, std::uint32_t from, bool up) {
    const graph& network = routes.network();
    std::vector<std::uint32_t> length(2 * network.switches.size(), unreachable);
    std::deque<std::uint32_t> queue{2 * from + (up ? 1 : 0)};
    length[queue.front()] = 0;
    while (!queue.empty()) {
        const std::uint32_t state = queue.front(), s = state / 2;
        queue.pop_front();
        for (unsigned p = 0; p < network.switches[s].ports.size(); ++p) {
            const port_end& end = network.switches[s].ports[p];
            if (end.kind != port_end::leads_to::chip) continue;
            const bool rises = routes.direction(s, p) == format::direction::up;
            if (rises && state % 2 == 0) continue;
            const std::uint32_t next = 2 * end.index + (rises ? 1 : 0);
            if (length[next] != unreachable) continue;
            length[next] = length[state] + 1;
            queue.push_back(next);
        }
    }
    std::vector<std::uint32_t> best(network.switches.size());
    for (std::size_t s = 0; s < best.size(); ++s) best[s] = std::min(length[2 * s], length[2 * s + 1]);
    return best;
}

/// The spec's example of partially ordered chains: root 6.
graph example() {
    return topology::make_linked(
        11, 2, {{6, 1}, {6, 2}, {6, 4}, {6, 5}, {5, 3}, {3, 9}, {1, 7}, {4, 8}, {5, 10}, {1, 4}, {1, 2}, {0, 6}});
}

TEST(updown, orders_by_level_then_id) {
    const graph network = example();
    const updown routes(network, {updown_options::root_choice::given, 6});
    EXPECT_EQ(routes.root(), 6U);
    EXPECT_EQ(routes.level(6), 0U);
    for (const unsigned s : {0U, 1U, 2U, 4U, 5U}) EXPECT_EQ(routes.level(s), 1U) << s;
    for (const unsigned s : {3U, 7U, 8U, 10U}) EXPECT_EQ(routes.level(s), 2U) << s;
    EXPECT_EQ(routes.level(9), 3U);
    EXPECT_THAT(routes.top_down(), testing::ElementsAre(6, 0, 1, 2, 4, 5, 3, 7, 8, 10, 9));
    // Link 1-4 on equal level: 1 is the upper end.
    const auto ports = network.switches[4].ports;
    for (unsigned p = 0; p < ports.size(); ++p) {
        if (ports[p].kind != port_end::leads_to::chip) continue;
        const auto expected = ports[p].index == 8 ? format::direction::down : format::direction::up;
        EXPECT_EQ(routes.direction(4, p), expected) << "towards " << ports[p].index;
    }
}

TEST(updown, breadth_first_tree) {
    const graph network = example();
    const updown routes(network, {updown_options::root_choice::given, 6});
    EXPECT_EQ(routes.parent_port(6), std::nullopt);
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> parents{{0, 6}, {1, 6}, {2, 6}, {4, 6},  {5, 6},
                                                                       {3, 5}, {7, 1}, {8, 4}, {10, 5}, {9, 3}};
    for (const auto& [child, parent] : parents)
        EXPECT_EQ(network.switches[child].ports[routes.parent_port(child).value()].index, parent) << child;
    // Of two parents the earlier one, of two cables the lower port; never one on the same level.
    const graph diamond = topology::make_linked(5, 1, {{0, 2}, {0, 1}, {2, 3}, {3, 1}, {1, 3}, {1, 2}, {3, 4}});
    const updown below(diamond);
    EXPECT_EQ(below.parent_port(3), 2U);  // ports: host, to 2, to 1, to 1, to 4
    EXPECT_EQ(below.parent_port(2), 1U);
    EXPECT_EQ(below.parent_port(4), 1U);
}

TEST(updown, strings_over_the_tree) {
    const graph diamond = topology::make_linked(5, 1, {{0, 2}, {0, 1}, {2, 3}, {3, 1}, {1, 3}, {1, 2}, {3, 4}});
    const auto reach = updown(diamond).find_reachability(1, worm_links::spanning_tree);
    EXPECT_EQ(reach[2].total, chips::bit_string{0b00100});  // nothing over its links to 3 and from 1
    EXPECT_EQ(reach[1].total, chips::bit_string{0b11010});
    EXPECT_EQ(reach[0].total, chips::bit_string{0b11111});
    // Ports of 1: host, to 0, to 3 (from port 2 there), to 3, to 2.
    EXPECT_EQ(reach[1].restricted[2], chips::bit_string{0b11000});
    EXPECT_TRUE(reach[1].restricted[3].empty());
    EXPECT_TRUE(reach[1].restricted[4].empty());
}

TEST(updown, levels_of_the_print_out) {
    const graph network = topology::read_topology(POLYCAST_DATA_DIR "/irregular32.ibnetdiscover");
    const updown routes(network, {updown_options::root_choice::lowest_id, 0, true});
    std::vector<std::uint32_t> levels;
    for (std::uint32_t s = 0; s < 8; ++s) levels.push_back(routes.level(s));
    EXPECT_THAT(levels, testing::ElementsAre(0, 2, 1, 2, 3, 1, 2, 1));
    // switch2:6 and switch7:6 are the two ends of a cable inside level 1.
    EXPECT_EQ(routes.direction(7, 5), format::direction::up);
    EXPECT_EQ(routes.direction(2, 5), format::direction::down);
    for (const reachability& one : routes.find_reachability(1)) {
        std::uint64_t all = 0;
        for (const chips::bit_string& string : one.restricted) {
            if (string.empty()) continue;
            EXPECT_EQ(all & string[0], 0U);
            all |= string[0];
        }
        EXPECT_EQ(all, one.total[0]);
    }
}

TEST(updown, takes_the_lowest_id_or_guid) {
    graph network = topology::make_ring(5, 1);
    EXPECT_EQ(updown(network).root(), 0U);
    for (std::uint32_t s = 0; s < 5; ++s) network.switches[s].guid = s == 3 ? 7 : 100 - s;
    const updown by_guid(network, {updown_options::root_choice::lowest_id, 0, true});
    EXPECT_EQ(by_guid.root(), 3U);
    // 0 and 1 are both two links from 3; 1 has the smaller GUID, so it is the upper end.
    EXPECT_EQ(by_guid.level(0), by_guid.level(1));
    EXPECT_TRUE(by_guid.above(1, 0));
    network.switches[2].guid = 0;
    EXPECT_THROW(updown(network, {updown_options::root_choice::lowest_id, 0, true}), input_error);
    EXPECT_THROW(updown(network, {updown_options::root_choice::given, 5}), input_error);
}

TEST(updown, distances_and_ports_agree_with_a_search) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const graph network = draw(seed, 4 + static_cast<unsigned>(seed % 12), 6, 12, 0.9);
        const updown routes(network, {updown_options::root_choice::given, static_cast<std::uint32_t>(seed % 4)});
        std::vector<std::vector<std::uint32_t>> up, down;
        for (std::uint32_t s = 0; s < network.switches.size(); ++s) {
            up.push_back(search(routes, s, true));
            down.push_back(search(routes, s, false));
        }
        for (std::uint32_t d = 0; d < network.switches.size(); ++d) {
            routes_to found;
            routes.find_routes(d, found);
            for (std::uint32_t s = 0; s < network.switches.size(); ++s) {
                ASSERT_EQ(found.distance_up[s], up[s][d]);
                ASSERT_EQ(found.distance_down[s], down[s][d]);
                std::uint64_t ports_up = 0, ports_down = 0;
                for (unsigned p = 0; s != d && p < network.switches[s].ports.size(); ++p) {
                    const port_end& end = network.switches[s].ports[p];
                    if (end.kind != port_end::leads_to::chip) continue;
                    const bool rises = routes.direction(s, p) == format::direction::up;
                    const std::uint32_t rest = rises ? up[end.index][d] : down[end.index][d];
                    if (rest == unreachable) continue;
                    if (rest + 1 == up[s][d]) ports_up |= std::uint64_t{1} << p;
                    if (!rises && rest + 1 == down[s][d]) ports_down |= std::uint64_t{1} << p;
                }
                ASSERT_EQ(found.ports_up[s], ports_up) << "seed " << seed << " " << s << "->" << d;
                ASSERT_EQ(found.ports_down[s], ports_down);
            }
        }
    }
}

/// Whether the up links alone lead in no circle, whatever the levels say: switches without links up are taken away
/// again and again.
bool up_links_end(const updown& routes) {
    const graph& network = routes.network();
    std::vector<bool> gone(network.switches.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t s = 0; s < gone.size(); ++s) {
            bool rises = false;
            for (unsigned p = 0; p < network.switches[s].ports.size(); ++p)
                rises = rises ||
                        (routes.direction(s, p) == format::direction::up && !gone[network.switches[s].ports[p].index]);
            if (gone[s] || rises) continue;
            gone[s] = changed = true;
        }
    }
    return std::ranges::all_of(gone, std::identity());
}

TEST(updown, several_roots_route_or_are_refused) {
    unsigned routed = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const auto count = 3 + static_cast<unsigned>(seed % 10);
        const graph network = draw(seed, count, 6, count + 2, 0.9);
        const auto first = static_cast<std::uint32_t>(seed % count);
        updown_options options{updown_options::root_choice::given, first};
        for (const std::uint64_t other : {seed / 7 % count, seed / 3 % count})
            if (other != first && std::ranges::count(options.more_roots, other) == 0)
                options.more_roots.push_back(static_cast<std::uint32_t>(other));
        std::optional<updown> routes;
        try {
            routes.emplace(network, options);
        } catch (const input_error& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("roots no route goes down from root '"));
            EXPECT_FALSE(options.more_roots.empty());
            ++refused;
            continue;
        }
        routed += options.more_roots.empty() ? 0 : 1;
        ASSERT_TRUE(up_links_end(*routes)) << "seed " << seed;
        for (std::uint32_t s = 0; s < count; ++s) {
            std::uint32_t nearest = updown(network, {updown_options::root_choice::given, first}).level(s);
            for (const std::uint32_t root : options.more_roots)
                nearest = std::min(nearest, updown(network, {updown_options::root_choice::given, root}).level(s));
            EXPECT_EQ(routes->level(s), nearest) << "seed " << seed;
            const std::vector<std::uint32_t> lengths = search(*routes, s, true);
            for (const topology::host_node& host : network.hosts)
                EXPECT_NE(lengths[host.chip], unreachable) << "seed " << seed << " " << s << " -> " << host.name;
        }
    }
    EXPECT_GT(routed, 50U);
    EXPECT_GT(refused, 50U);
}

TEST(updown, all_spines_are_roots) {
    const graph network = topology::make_leaf_spine(4, 3, 2);
    const updown one(network, {updown_options::root_choice::given, 4});
    const updown all(network, {updown_options::root_choice::given, 5, false, {4, 6}});
    EXPECT_THAT(all.roots(), testing::ElementsAre(5, 4, 6));
    EXPECT_EQ(all.root(), 5U);
    for (std::uint32_t s = 0; s < 7; ++s) {
        EXPECT_EQ(all.level(s), s < 4 ? 1U : 0U);
        EXPECT_EQ(all.parent_port(s), s < 4 ? std::optional(2U) : std::nullopt);
    }
    // With one root the other spines lie below the leaves, and routes over them turn down and up again.
    routes_to over_one, over_all;
    one.find_routes(3, over_one);
    all.find_routes(3, over_all);
    EXPECT_EQ(over_one.ports_up[0], 0b00100U);
    EXPECT_EQ(over_all.ports_up[0], 0b11100U);
    try {
        updown(network, {updown_options::root_choice::given, 0, false, {1}});
        FAIL();
    } catch (const input_error& error) {
        EXPECT_STREQ(error.what(),
                     "with 2 roots no route goes down from root '0' to host 'h1a'; take one root, or roots that each "
                     "have all hosts below them, such as all switches of the upper row of a fat tree");
    }
    EXPECT_THROW(updown(network, {updown_options::root_choice::given, 4, false, {5, 4}}), input_error);
    EXPECT_THROW(updown(network, {updown_options::root_choice::given, 4, false, {7}}), input_error);
}

TEST(updown, finds_the_best_root) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const graph network = draw(seed);
        double least = 1e9;
        std::uint32_t best = 0;
        for (std::uint32_t root = 0; root < 8; ++root) {
            const updown routes(network, {updown_options::root_choice::given, root});
            double total = 0;
            for (const auto& from : network.hosts) {
                const auto lengths = search(routes, from.chip, true);
                for (const auto& to : network.hosts) total += lengths[to.chip];
            }
            const double mean = total / (32 * 31);
            EXPECT_DOUBLE_EQ(routes.mean_legal_distance(), mean);
            if (mean < least) {
                least = mean;
                best = root;
            }
        }
        EXPECT_EQ(updown(network, {updown_options::root_choice::best}).root(), best) << "seed " << seed;
    }
}

TEST(updown, strings_of_a_small_network) {
    // 0 is the root; 1 and 2 below it, joined; 3 below both. One host each.
    const graph network = topology::make_linked(4, 1, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}});
    const updown routes(network);
    const auto reach = routes.find_reachability(1);
    EXPECT_EQ(reach[3].total[0], 0b1000U);
    EXPECT_EQ(reach[2].total[0], 0b1100U);
    EXPECT_EQ(reach[1].total[0], 0b1110U);  // 1-2 goes down from the lower id
    EXPECT_EQ(reach[0].total[0], 0b1111U);
    // 0: ports host, 1, 2. The highest-numbered port that reaches a host keeps it.
    EXPECT_EQ(reach[0].restricted[0][0], 0b0001U);
    EXPECT_EQ(reach[0].restricted[1][0], 0b0010U);
    EXPECT_EQ(reach[0].restricted[2][0], 0b1100U);
    // 1: ports host, 0, 2, 3.
    EXPECT_EQ(reach[1].restricted[0][0], 0b0010U);
    EXPECT_TRUE(reach[1].restricted[1].empty());
    EXPECT_EQ(reach[1].restricted[2][0], 0b0100U);
    EXPECT_EQ(reach[1].restricted[3][0], 0b1000U);
}

TEST(updown, parallel_links_split_nothing) {
    const graph network = topology::make_linked(2, 2, {{0, 1}, {0, 1}, {0, 1}});
    const auto reach = updown(network).find_reachability(1);
    EXPECT_EQ(reach[0].restricted[2][0], 0U);
    EXPECT_EQ(reach[0].restricted[3][0], 0U);
    EXPECT_EQ(reach[0].restricted[4][0], 0b1100U);
}

}  // namespace
}  // namespace polycast::hw::routing
