// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/lane_trees.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::collectives {

namespace {

using numbers = std::vector<std::uint32_t>;
using ::testing::ElementsAre;

std::uint32_t site_of(const lane_plan& plan, std::uint32_t node) {
    std::uint32_t site = 0;
    while (node >= plan.sites[site]) node -= plan.sites[site++];
    return site;
}

/// Single sites, equal and unequal ones, ones of a single node, and random ones.
std::vector<numbers> many_sites() {
    std::vector<numbers> all;
    for (std::uint32_t nodes = 2; nodes <= 300; ++nodes) {
        all.push_back({nodes});
        for (const std::uint32_t sites : {2u, 3u, 5u})
            if (sites <= nodes) all.push_back(equal_sites(nodes, sites));
    }
    for (std::uint32_t first = 1; first <= 12; ++first) {
        for (std::uint32_t second = 1; second <= 12; ++second) {
            all.push_back({first, second});
            all.push_back({first, 1, second});
        }
    }
    std::mt19937 random(7);
    for (unsigned i = 0; i < 100; ++i) {
        numbers sites(1 + random() % 9);
        for (std::uint32_t& nodes : sites) nodes = static_cast<std::uint32_t>(1 + random() % (i % 2 == 0 ? 4 : 20));
        if (std::accumulate(sites.begin(), sites.end(), 0u) >= 2) all.push_back(sites);
    }
    return all;
}

std::string text_of(lane_algorithm how, const numbers& sites) {
    std::string text(name_of(how));
    for (const std::uint32_t nodes : sites) text += " " + std::to_string(nodes);
    return text;
}

/// Carries out a plan, whatever can be sent being sent. \returns [node * parts + part] how often it came
std::vector<unsigned> receipts_of(const lane_plan& plan) {
    std::vector<unsigned> count(std::size_t{plan.nodes()} * plan.parts, 0);
    const auto times = [&](std::uint32_t node, std::uint32_t part) -> unsigned& {
        return count[std::size_t{node} * plan.parts + part];
    };
    std::vector<bool> sent(plan.edges.size(), false);
    for (bool again = true; again;) {
        again = false;
        for (std::size_t i = 0; i < sent.size(); ++i) {
            const lane_edge& edge = plan.edges[i];
            if (sent[i]) continue;
            bool ready = true;
            for (std::uint32_t part = edge.first_part; part < edge.first_part + edge.parts; ++part)
                ready = ready && (edge.parent == 0 || times(edge.parent, part) != 0);
            if (!ready) continue;
            for (std::uint32_t part = edge.first_part; part < edge.first_part + edge.parts; ++part)
                ++times(edge.child, part);
            sent[i] = again = true;
        }
    }
    return count;
}

/// Edges as (parent, child, lane) of one part.
using short_edge = std::tuple<std::uint32_t, std::uint32_t, lane_choice>;
std::vector<short_edge> edges_of(const lane_plan& plan, std::uint32_t part = 0) {
    std::vector<short_edge> edges;
    for (const lane_edge& edge : plan.edges)
        if (edge.first_part == part) edges.emplace_back(edge.parent, edge.child, edge.lanes);
    std::ranges::sort(edges);
    return edges;
}

constexpr lane_choice both = lane_choice::both, first = lane_choice::first, second = lane_choice::second;

using testbench::unit::refusal;

}  // namespace

TEST(lane_trees, every_node_gets_every_part_once) {
    for (const numbers& sites : many_sites()) {
        for (const lane_algorithm how : lane_algorithms) {
            const lane_plan plan = make_lane_plan(how, sites);
            ASSERT_EQ(find_problem(plan), std::nullopt) << text_of(how, sites);
            const std::vector<unsigned> receipts = receipts_of(plan);
            ASSERT_TRUE(std::all_of(receipts.begin(), receipts.begin() + plan.parts, [](unsigned n) { return n == 0; }))
                << "the root: " << text_of(how, sites);
            ASSERT_TRUE(std::all_of(receipts.begin() + plan.parts, receipts.end(), [](unsigned n) { return n == 1; }))
                << text_of(how, sites);
        }
    }
}

TEST(lane_trees, multi_lane_serves_one_node_on_a_lane_and_enters_each_site_once) {
    for (const numbers& sites : many_sites()) {
        const lane_plan plan = make_lane_plan(lane_algorithm::multi_lane, sites);
        std::map<std::pair<std::uint32_t, unsigned>, unsigned> sends, receives;
        std::map<std::uint32_t, std::vector<std::uint32_t>> entries;  // by site: halves that come
        for (const lane_edge& edge : plan.edges) {
            ASSERT_NE(edge.lanes, both);
            ASSERT_TRUE(edge.pipelined);
            const unsigned lane = edge.uses(0) ? 0 : 1;
            ASSERT_EQ(++sends[std::pair(edge.parent, lane)], 1u) << text_of(plan.algorithm, sites);
            ASSERT_EQ(++receives[std::pair(edge.child, lane)], 1u) << text_of(plan.algorithm, sites);
            if (edge.wide) entries[site_of(plan, edge.child)].push_back(edge.first_part);
        }
        ASSERT_EQ(entries.size(), sites.size() - 1);
        for (auto& [site, halves] : entries) {
            std::ranges::sort(halves);
            ASSERT_THAT(halves, ElementsAre(0, 1)) << text_of(plan.algorithm, sites);
        }
        if (sites.size() == 1) {
            ASSERT_EQ(depth_of(plan), std::bit_width(sites[0] - 1)) << sites[0];
        }
    }
}

TEST(lane_trees, multi_lane_as_the_paper_numbers_it) {
    for (std::uint32_t n = 2; n <= 64; n *= 2) {
        const lane_plan plan = make_lane_plan(lane_algorithm::multi_lane, {2 * n - 1});
        const auto tree_a = [](std::uint32_t k) { return k; };
        const auto tree_b = [n](std::uint32_t k) { return n - 1 + k; };
        std::vector<std::pair<std::uint32_t, std::uint32_t>> halves[2];
        halves[0] = {{0, tree_a(1)}};
        halves[1] = {{0, tree_b(1)}};
        for (std::uint32_t k = 1; k < n / 2; ++k) {
            for (const std::uint32_t child : {2 * k, 2 * k + 1}) {
                halves[0].emplace_back(tree_a(k), tree_a(child));
                halves[1].emplace_back(tree_b(k), tree_b(child));
            }
        }
        for (std::uint32_t i = 0; i < n / 2; ++i) {
            for (const std::uint32_t other : {2 * i + 1, 2 * i + 2}) {
                if (other > n - 1) continue;
                halves[0].emplace_back(tree_a(n / 2 + i), tree_b(other));
                halves[1].emplace_back(tree_b(n / 2 + i), tree_a(other));
            }
        }
        for (std::uint32_t half = 0; half < 2; ++half) {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> got;
            for (const auto& [parent, child, lane] : edges_of(plan, half)) got.emplace_back(parent, child);
            EXPECT_THAT(got, ::testing::UnorderedElementsAreArray(halves[half])) << n;
        }
        const std::vector<lane_table> tables = lane_tables(plan);
        for (const std::uint32_t last : {tree_a(n - 1), tree_b(n - 1)})
            EXPECT_EQ(tables[last].sends[0].size() + tables[last].sends[1].size(), 1u) << "one idle lane, n = " << n;
    }
}

TEST(lane_trees, multi_lane_of_seven_nodes) {
    const lane_plan plan = make_lane_plan(lane_algorithm::multi_lane, {7});
    EXPECT_THAT(edges_of(plan, 0),
                ElementsAre(short_edge{0, 1, first}, short_edge{1, 2, second}, short_edge{1, 3, first},
                            short_edge{2, 4, first}, short_edge{2, 5, second}, short_edge{3, 6, first}));
    EXPECT_THAT(edges_of(plan, 1),
                ElementsAre(short_edge{0, 4, second}, short_edge{4, 5, first}, short_edge{4, 6, second},
                            short_edge{5, 1, second}, short_edge{5, 2, first}, short_edge{6, 3, second}));
    const lane_table leaf = lane_tables(plan)[2];
    ASSERT_THAT(leaf.sends, ElementsAre(::testing::SizeIs(1), ::testing::SizeIs(1)));
    EXPECT_EQ(plan.edges[leaf.sends[1][0]].child, 5u);
    EXPECT_EQ(plan.edges[leaf.receives[1][0]].parent, 1u);
}

TEST(lane_trees, sites_of_multi_lane) {
    // Trees of one size: the last of each feeds the next site. Two times 16 nodes: trees of 8 and 7; a leaf of the
    // larger one sends both halves.
    for (const auto& [sites, senders] :
         {std::pair<numbers, numbers>{{15, 14}, {7, 14}}, {{16, 16}, {8, 8}}, {{1, 4}, {0, 0}}, {{4, 1, 2}, {2, 2}}}) {
        const lane_plan plan = make_lane_plan(lane_algorithm::multi_lane, sites);
        numbers from;
        for (const lane_edge& edge : plan.edges)
            if (edge.wide && edge.child >= sites[0] && site_of(plan, edge.child) == 1) from.push_back(edge.parent);
        EXPECT_EQ(from, senders) << text_of(plan.algorithm, sites);
    }
}

TEST(lane_trees, the_others) {
    EXPECT_THAT(edges_of(make_lane_plan(lane_algorithm::binary, {6})),
                ElementsAre(short_edge{0, 1, first}, short_edge{0, 2, second}, short_edge{1, 3, first},
                            short_edge{1, 4, second}, short_edge{2, 5, first}));
    EXPECT_THAT(edges_of(make_lane_plan(lane_algorithm::binomial, {6})),
                ElementsAre(short_edge{0, 1, both}, short_edge{0, 2, both}, short_edge{0, 4, both},
                            short_edge{1, 3, both}, short_edge{1, 5, both}));
    EXPECT_THAT(edges_of(make_lane_plan(lane_algorithm::chain, {2, 2})),
                ElementsAre(short_edge{0, 1, both}, short_edge{1, 2, both}, short_edge{2, 3, both}));
    const lane_plan binary = make_lane_plan(lane_algorithm::binary, {3, 3, 2});
    const std::vector<lane_table> tables = lane_tables(binary);
    numbers served;
    for (const std::uint32_t edge : tables[0].sends[0]) served.push_back(binary.edges[edge].child);
    EXPECT_THAT(served, ElementsAre(3, 1)) << "the other site first";
    EXPECT_THAT(edges_of(binary), ElementsAre(short_edge{0, 1, first}, short_edge{0, 2, second}, short_edge{0, 3, both},
                                              short_edge{3, 4, first}, short_edge{3, 5, second}, short_edge{3, 6, both},
                                              short_edge{6, 7, first}));
    for (const lane_algorithm how : lane_algorithms) {
        const bool pieces = how == lane_algorithm::pipelined_chain || how == lane_algorithm::binary ||
                            how == lane_algorithm::multi_lane;
        for (const lane_edge& edge : make_lane_plan(how, {9, 4}).edges) EXPECT_EQ(edge.pipelined, pieces);
    }
}

TEST(lane_trees, depths) {
    for (std::uint32_t p = 2; p <= 300; ++p) {
        const auto rounds = static_cast<unsigned>(std::bit_width(p - 1));
        const auto depth = [p](lane_algorithm how) { return depth_of(make_lane_plan(how, {p})); };
        EXPECT_EQ(depth(lane_algorithm::chain), p - 1);
        EXPECT_EQ(depth(lane_algorithm::binary), std::bit_width(p) - 1);
        EXPECT_LE(depth(lane_algorithm::binomial), rounds);
        EXPECT_EQ(depth(lane_algorithm::multi_lane), rounds);
        EXPECT_LE(depth(lane_algorithm::van_de_geijn), 2 * rounds);
    }
    EXPECT_EQ(depth_of(make_lane_plan(lane_algorithm::binomial, {32})), 5u);
}

TEST(lane_trees, van_de_geijn) {
    const lane_plan four = make_lane_plan(lane_algorithm::van_de_geijn, {4});
    EXPECT_EQ(four.parts, 4u);
    std::vector<std::array<std::uint32_t, 4>> got;
    for (const lane_edge& edge : four.edges) got.push_back({edge.parent, edge.child, edge.first_part, edge.parts});
    using edge = std::array<std::uint32_t, 4>;
    EXPECT_THAT(got, ElementsAre(edge{0, 2, 2, 2}, edge{0, 1, 1, 1}, edge{2, 3, 3, 1},  // scatter
                                 edge{0, 1, 0, 1}, edge{2, 3, 2, 1},                    // neighbours
                                 edge{3, 1, 2, 2}, edge{0, 2, 0, 2}, edge{1, 3, 0, 2}));
    // A node sends at most once in a round where nodes are a power of two.
    const lane_plan plan = make_lane_plan(lane_algorithm::van_de_geijn, {64});
    for (const lane_table& table : lane_tables(plan)) EXPECT_LE(table.sends[0].size(), 12u);
}

TEST(lane_trees, problems_are_found) {
    const lane_plan good = make_lane_plan(lane_algorithm::multi_lane, {4, 3});
    const auto with = [&](auto change) {
        lane_plan plan = good;
        change(plan.edges);
        return find_problem(plan).value_or("none");
    };
    using edges = std::vector<lane_edge>;
    EXPECT_EQ(with([](edges&) {}), "none");
    EXPECT_EQ(with([](edges& e) { e.pop_back(); }), "node 5 never gets part 1");
    EXPECT_EQ(with([](edges& e) { e.push_back(e.front()); }), "node 1 gets part 0 twice");
    EXPECT_EQ(with([](edges& e) { e.push_back({1, 0}); }), "node 0 gets part 0 twice");
    EXPECT_EQ(with([](edges& e) { std::swap(e[0], e[2]); }), "node 1 sends part 0 before it has it");
    EXPECT_EQ(with([](edges& e) { e[0].child = 7; }), "there is no node 7");
    EXPECT_EQ(with([](edges& e) { e[0].parts = 3; }), "node 0 sends parts that do not exist");
    EXPECT_EQ(with([](edges& e) { e[0].parts = 0; }), "node 0 sends parts that do not exist");
    EXPECT_EQ(with([](edges& e) { e[0].wide = true; }), "whether nodes 0 and 1 are on one site is wrong");
    EXPECT_EQ(with([](edges& e) { e[0].lanes = second; }), "node 0 sends to two nodes on lane 1");
    EXPECT_EQ(with([](edges& e) {
                  for (lane_edge& edge : e)
                      if (edge.parent == 3 && edge.child == 1) edge.lanes = first;
              }),
              "node 1 receives from two nodes on lane 0");
}

TEST(lane_trees, parts_of_a_message) {
    EXPECT_EQ(part_of(10, 4, 1), (byte_range{3, 3}));
    EXPECT_EQ(part_of(10, 4, 3), (byte_range{8, 2}));
    EXPECT_EQ(part_of(1, 2, 1), (byte_range{1, 0}));
    for (const std::uint64_t bytes : {1ull, 31ull, 32ull, 1000ull, 1ull << 40}) {
        std::uint64_t next = 0;
        for (std::uint32_t part = 0; part < 37; ++part) {
            const byte_range range = part_of(bytes, 37, part);
            EXPECT_EQ(range.first, next);
            EXPECT_LE(range.bytes, bytes / 37 + 1);
            next += range.bytes;
        }
        EXPECT_EQ(next, bytes);
    }
}

TEST(lane_trees, sites) {
    EXPECT_THAT(equal_sites(32, 2), ElementsAre(16, 16));
    EXPECT_THAT(equal_sites(10, 4), ElementsAre(3, 3, 2, 2));
    const lane_plan plan = make_lane_plan(lane_algorithm::chain, {2, 1, 3});
    numbers sites;
    for (std::uint32_t node = 0; node < plan.nodes(); ++node) sites.push_back(site_of(plan, node));
    EXPECT_THAT(sites, ElementsAre(0, 0, 1, 2, 2, 2));
}

TEST(lane_trees, refusals) {
    const auto made = [](const numbers& sites, lane_algorithm how = lane_algorithm::multi_lane) {
        return refusal([&] { make_lane_plan(how, sites); });
    };
    EXPECT_EQ(made({1}), "a broadcast from one node to none; 2 nodes or more");
    EXPECT_EQ(made({}), "a broadcast without sites; one site or more, of 1 or more nodes each");
    EXPECT_EQ(made({16, 0, 8}), "sites of 16,0,8 nodes: a site without nodes; every site has 1 or more");
    EXPECT_EQ(made({65'537}),
              "a broadcast by multi_lane goes to at most 65536 nodes, not 65537; fewer nodes, or another algorithm");
    EXPECT_EQ(made({4097}, lane_algorithm::van_de_geijn),
              "a broadcast by van_de_geijn goes to at most 4096 nodes, not 4097; fewer nodes, or another algorithm");
    EXPECT_EQ(made({65'536}), "accepted");
    EXPECT_EQ(refusal([] { equal_sites(3, 4); }),
              "3 nodes on 4 sites: a site without nodes; at most as many sites as nodes");
    EXPECT_EQ(refusal([] { equal_sites(3, 0); }),
              "a broadcast without sites; one site or more, of 1 or more nodes each");
}

}  // namespace polycast::hw::collectives
