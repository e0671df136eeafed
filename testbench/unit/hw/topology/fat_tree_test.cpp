// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/fat_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "hw/topology/graphml.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using kind = port_end::leads_to;
using testbench::unit::refusal;

/// Distances from a switch by a search that knows nothing of trees.
std::vector<unsigned> distances(const graph& network, std::uint32_t from) {
    std::vector<unsigned> found(network.switches.size(), ~0u);
    std::vector<std::uint32_t> queue{from};
    found[from] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
        for (const port_end& end : network.switches[queue[next]].ports) {
            if (end.kind != kind::chip || found[end.index] != ~0u) continue;
            found[end.index] = found[queue[next]] + 1;
            queue.push_back(end.index);
        }
    }
    return found;
}

/// Cables from the lower half of the leaves to the others that have none in common, by augmenting paths.
unsigned disjoint_ways(const graph& network) {
    const auto switches = static_cast<std::uint32_t>(network.switches.size());
    const auto hosts = static_cast<std::uint32_t>(network.hosts.size());
    const std::uint32_t half = hosts / 2, source = switches + hosts, sink = source + 1;
    struct edge {
        std::uint32_t to;
        unsigned room;
    };
    std::vector<edge> edges;  // the way back of an edge is next to it
    std::vector<std::vector<std::uint32_t>> from(sink + 1);
    const auto join = [&](std::uint32_t a, std::uint32_t b, unsigned back) {
        from[a].push_back(static_cast<std::uint32_t>(edges.size()));
        edges.push_back({b, 1});
        from[b].push_back(static_cast<std::uint32_t>(edges.size()));
        edges.push_back({a, back});
    };
    for (const link& one : network.links()) join(one.a.chip, one.b.chip, 1);
    for (std::uint32_t host = 0; host < hosts; ++host) {
        join(switches + host, network.hosts[host].chip, 1);
        if (host < half) {
            join(source, switches + host, 0);
        } else {
            join(switches + host, sink, 0);
        }
    }
    for (unsigned flow = 0;; ++flow) {
        std::vector<std::uint32_t> by(sink + 1, ~0u), queue{source};
        for (std::size_t next = 0; next < queue.size() && by[sink] == ~0u; ++next) {
            for (const std::uint32_t number : from[queue[next]]) {
                if (edges[number].room == 0 || edges[number].to == source || by[edges[number].to] != ~0u) continue;
                by[edges[number].to] = number;
                queue.push_back(edges[number].to);
            }
        }
        if (by[sink] == ~0u) return flow;
        for (std::uint32_t at = sink; at != source; at = edges[by[at] ^ 1].to) {
            --edges[by[at]].room;
            ++edges[by[at] ^ 1].room;
        }
    }
}

template <typename action>
void for_all_trees(action act) {
    for (unsigned arity = 2; arity <= 5; ++arity) {
        for (std::uint32_t nodes = 2; nodes <= 100; ++nodes) {
            SCOPED_TRACE(std::to_string(arity) + "-ary, " + std::to_string(nodes) + " nodes");
            act(fat_tree({arity, nodes}));
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST(fat_tree, a_quaternary_tree_of_32_nodes) {
    const fat_tree tree({4, 32});
    EXPECT_EQ(tree.name(), "4-ary-3-tree");
    const fat_tree_description found = describe(tree);
    EXPECT_THAT(found.switches, ElementsAre(8, 8, 16));
    EXPECT_EQ(found.links, 64u);
    EXPECT_EQ(found.bisection, 16u);
    EXPECT_EQ(found.diameter, 4u);
    EXPECT_DOUBLE_EQ(found.mean_distance, (3 * 0 + 12 * 2 + 16 * 4) / 31.0);
    const graph network = make_fat_tree(tree);
    EXPECT_EQ(network.switches.size(), 32u);
    EXPECT_EQ(network.switches[31].name, "router31");
    EXPECT_EQ(network.hosts[31].name, "host31");
    // Switch 5 of level 0: leaves 20 to 23, then switches 4 to 7 of level 1, at their second down port.
    const auto& leaf = network.switches[5].ports;
    EXPECT_EQ(leaf[2], (port_end{kind::host, 22, 0}));
    EXPECT_EQ(leaf[4], (port_end{kind::chip, 8 + 4, 1}));
    EXPECT_EQ(leaf[7], (port_end{kind::chip, 8 + 7, 1}));
    // Switch 6 of level 1: switches 4 to 7 below, at their third up port; switches 2, 6, 10, 14 of level 2.
    const auto& middle = network.switches[8 + 6].ports;
    EXPECT_EQ(middle[0], (port_end{kind::chip, 4, 6}));
    EXPECT_EQ(middle[3], (port_end{kind::chip, 7, 6}));
    EXPECT_EQ(middle[4], (port_end{kind::chip, 16 + 2, 1}));
    EXPECT_EQ(middle[7], (port_end{kind::chip, 16 + 14, 1}));
    // Switch 14 of level 2: half of its down ports lead somewhere.
    const auto& top = network.switches[16 + 14].ports;
    EXPECT_EQ(top[0], (port_end{kind::chip, 8 + 2, 7}));
    EXPECT_EQ(top[1], (port_end{kind::chip, 8 + 6, 7}));
    for (unsigned port = 2; port < 8; ++port) EXPECT_EQ(top[port].kind, kind::nowhere);
    EXPECT_EQ(tree.route(5, 22), 0b0000'0100u);
    EXPECT_EQ(tree.route(5, 19), 0b1111'0000u);
    EXPECT_EQ(tree.route(8 + 6, 30), 0b0000'1000u);
    EXPECT_EQ(tree.route(16 + 14, 30), 0b0000'0010u);
}

TEST(fat_tree, the_whole_tree_is_that_of_the_paper) {
    const fat_tree tree({3, 27});
    EXPECT_THAT(describe(tree).switches, ElementsAre(9, 9, 9));
    EXPECT_EQ(describe(tree).links, 2u * 27);
    for (std::uint32_t chip = 0; chip < tree.switches(); ++chip) {
        for (unsigned port = 0; port < 6; ++port)
            EXPECT_EQ(tree.neighbour(chip, port).kind == kind::nowhere, chip >= 18 && port >= 3) << chip << ":" << port;
    }
}

TEST(fat_tree, both_ends_of_a_cable_know_of_each_other) {
    for_all_trees([](const fat_tree& tree) {
        const graph network = make_fat_tree(tree);
        EXPECT_EQ(find_problem(network), std::nullopt);
        for (std::uint32_t chip = 0; chip < tree.switches(); ++chip) {
            for (unsigned port = 0; port < tree.ports(); ++port)
                EXPECT_EQ(tree.neighbour(chip, port), network.switches[chip].ports[port]) << chip << ":" << port;
        }
    });
}

TEST(fat_tree, figures_are_those_of_a_search) {
    for_all_trees([](const fat_tree& tree) {
        const graph network = make_fat_tree(tree);
        const fat_tree_description found = describe(tree);
        std::uint32_t switches = 0;
        for (const std::uint32_t count : found.switches) switches += count;
        EXPECT_EQ(switches, network.switches.size());
        EXPECT_EQ(found.links, network.links().size());
        unsigned diameter = 0;
        std::uint64_t sum = 0;
        for (const host_node& from : network.hosts) {
            const std::vector<unsigned> far = distances(network, from.chip);
            for (const host_node& to : network.hosts) {
                diameter = std::max(diameter, far[to.chip]);
                sum += far[to.chip];
            }
        }
        EXPECT_EQ(found.diameter, diameter);
        EXPECT_DOUBLE_EQ(found.mean_distance, static_cast<double>(sum) / (tree.nodes() * (tree.nodes() - 1.0)));
        EXPECT_EQ(found.bisection, disjoint_ways(network));
    });
}

TEST(fat_tree, routes_are_all_shortest_ways) {
    for_all_trees([](const fat_tree& tree) {
        const graph network = make_fat_tree(tree);
        for (std::uint32_t leaf = 0; leaf < tree.nodes(); ++leaf) {
            const std::vector<unsigned> far = distances(network, network.hosts[leaf].chip);
            for (std::uint32_t chip = 0; chip < tree.switches(); ++chip) {
                std::uint64_t nearer = 0;
                for (unsigned port = 0; port < tree.ports(); ++port) {
                    const port_end& end = network.switches[chip].ports[port];
                    if (end == port_end{kind::host, leaf, 0} || (end.kind == kind::chip && far[end.index] < far[chip]))
                        nearer |= std::uint64_t{1} << port;
                }
                EXPECT_EQ(tree.route(chip, leaf), nearer) << "switch " << chip << " to leaf " << leaf;
            }
        }
    });
}

TEST(fat_tree, no_switch_but_the_ways_need_it) {
    for_all_trees([](const fat_tree& tree) {
        std::vector<bool> used(tree.switches());
        for (std::uint32_t to = 0; to < tree.nodes(); ++to) {
            std::vector<bool> seen(tree.switches());
            std::vector<std::uint32_t> queue;
            const auto visit = [&](std::uint32_t chip) {
                if (!seen[chip]) queue.push_back(chip);
                seen[chip] = used[chip] = true;
            };
            for (std::uint32_t from = 0; from < tree.nodes(); ++from) visit(from / tree.arity());
            for (std::size_t next = 0; next < queue.size(); ++next) {
                for (std::uint64_t left = tree.route(queue[next], to); left != 0; left &= left - 1) {
                    const port_end end = tree.neighbour(queue[next], static_cast<unsigned>(std::countr_zero(left)));
                    ASSERT_NE(end.kind, kind::nowhere);
                    if (end.kind == kind::chip) visit(end.index);
                }
            }
        }
        EXPECT_THAT(used, testing::Each(true));
    });
}

TEST(fat_tree, levels_may_be_given) {
    const fat_tree tree({4, 6, 3});
    EXPECT_THAT(describe(tree).switches, ElementsAre(2, 4, 16));
    EXPECT_EQ(describe(tree).diameter, 2u) << "nobody goes to the top";
    EXPECT_EQ(find_problem(make_fat_tree(tree)), std::nullopt);
    EXPECT_THAT(describe(fat_tree({4, 3})).switches, ElementsAre(1));
    EXPECT_EQ(describe(fat_tree({4, 3})).diameter, 0u);
}

TEST(fat_tree, what_cannot_be_is_refused) {
    const auto refused = [](const fat_tree_params& params) { return refusal([&] { const fat_tree tree(params); }); };
    EXPECT_THAT(refused({1, 4}), HasSubstr("arity is 2..32, not 1"));
    EXPECT_THAT(refused({33, 4}), HasSubstr("arity is 2..32, not 33"));
    EXPECT_THAT(refused({4, 1}), HasSubstr("2..65536 nodes, not 1"));
    EXPECT_THAT(refused({4, 65537}), HasSubstr("2..65536 nodes, not 65537"));
    EXPECT_EQ(refused({4, 17, 2}), "a 4-ary tree of 2 levels has room for 16 nodes, not for 17; take 3 levels");
    EXPECT_EQ(refused({4, 5, 1}), "a 4-ary tree of 1 level has room for 4 nodes, not for 5; take 2 levels");
    EXPECT_EQ(refused({2, 16384}),
              "a 2-ary tree of 14 levels with 16384 nodes has more than 65536 switches; raise the arity");
    EXPECT_EQ(refused({32, 4, 12}),
              "a 32-ary tree of 12 levels with 4 nodes has more than 65536 switches; take 1 level");
    EXPECT_EQ(refused({3, 16384}), "accepted");
}

TEST(fat_tree, is_written_and_read_as_other_networks_are) {
    const graph network = make_fat_tree(fat_tree({3, 7}));
    EXPECT_EQ(read_graphml("tree.graphml", write_graphml(network)), network);
}

TEST(fat_tree, is_drawn_in_rows) {
    const fat_tree tree({2, 3});
    const std::string dot = write_dot(tree, make_fat_tree(tree));
    EXPECT_THAT(dot, HasSubstr("{ rank=same; s0; s1; }"));
    EXPECT_THAT(dot, HasSubstr("{ rank=same; s2; s3; }"));
    EXPECT_THAT(dot, HasSubstr("h2 -- s1 [headlabel=\"0\"]"));
    EXPECT_THAT(dot, HasSubstr("s1 -- s3 [taillabel=\"3\", headlabel=\"1\"]"));
}

}  // namespace
}  // namespace polycast::hw::topology
