// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/dependency_graph.h"

#include <gmock/gmock.h>

#include <random>

namespace polycast::hw::routing {
namespace {

dependency_graph make(unsigned nodes) {
    dependency_graph graph;
    for (unsigned n = 0; n < nodes; ++n) graph.add_node("n" + std::to_string(n));
    return graph;
}

TEST(dependency_graph, finds_the_shortest_cycle_through_the_lowest_node) {
    dependency_graph graph = make(7);
    for (const auto& [from, to] :
         {std::pair{0U, 2U}, {2U, 3U}, {3U, 4U}, {4U, 2U}, {4U, 3U}, {5U, 6U}, {6U, 5U}, {1U, 5U}})
        graph.add_edge(from, to);
    EXPECT_THAT(graph.find_cycle(), testing::ElementsAre(2, 3, 4));
    EXPECT_EQ(graph.cycle_text(graph.find_cycle()), "n2 -> n3 -> n4 -> n2");
    EXPECT_EQ(graph.edges(), 8U);
}

TEST(dependency_graph, sees_a_node_that_waits_for_itself) {
    dependency_graph graph = make(3);
    graph.add_edge(0, 1);
    graph.add_edge(1, 1);
    EXPECT_EQ(graph.cycle_text(graph.find_cycle()), "n1 -> n1");
}

TEST(dependency_graph, finds_nothing_without_a_cycle) {
    EXPECT_THAT(dependency_graph{}.find_cycle(), testing::IsEmpty());
    EXPECT_EQ(dependency_graph{}.cycle_text({}), "");
    std::mt19937 generator(1);
    for (unsigned round = 0; round < 50; ++round) {
        dependency_graph graph = make(200);
        for (unsigned i = 0; i < 2000; ++i) {
            const auto a = static_cast<unsigned>(generator() % 200), b = static_cast<unsigned>(generator() % 200);
            if (a != b) graph.add_edge(std::min(a, b), std::max(a, b));
        }
        ASSERT_THAT(graph.find_cycle(), testing::IsEmpty());
        graph.add_edge(199, 0);
        const auto cycle = graph.find_cycle();
        EXPECT_TRUE(cycle.empty() || cycle.back() == 199U);
    }
}

TEST(dependency_graph, survives_long_chains) {
    dependency_graph graph = make(1000000);
    for (unsigned n = 0; n + 1 < 1000000; ++n) graph.add_edge(n, n + 1);
    EXPECT_THAT(graph.find_cycle(), testing::IsEmpty());
    graph.add_edge(999999, 0);
    EXPECT_EQ(graph.find_cycle().size(), 1000000U);
}

}  // namespace
}  // namespace polycast::hw::routing
