// SPDX-License-Identifier: Apache-2.0
// Against the tables of the papers, and against a step-by-step count that knows nothing of the formulas.
#include "hw/collectives/k_binomial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/unit/hw/collectives/count_steps.h"

namespace polycast::hw::collectives {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(k_binomial, nodes_reached) {
    const auto row = [](unsigned k) {
        std::vector<std::uint64_t> values;
        for (unsigned s = 0; s <= 7; ++s) values.push_back(reach(s, k));
        return values;
    };
    EXPECT_THAT(row(1), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_THAT(row(2), ElementsAre(1, 2, 4, 7, 12, 20, 33, 54));
    EXPECT_THAT(row(3), ElementsAre(1, 2, 4, 8, 15, 28, 52, 96));
    EXPECT_THAT(row(7), ElementsAre(1, 2, 4, 8, 16, 32, 64, 128));
    EXPECT_EQ(reach(63, 64), std::uint64_t{1} << 63);
    EXPECT_EQ(reach(64, 64), ~std::uint64_t{0});
    EXPECT_EQ(reach(200, 2), ~std::uint64_t{0});
}

TEST(k_binomial, steps_of_the_examples) {
    EXPECT_EQ(steps_of_message(4, 3, 2), 6u);  // 3 packets to 3 destinations, binomial
    EXPECT_EQ(steps_of_message(4, 3, 1), 5u);  // linear
    EXPECT_EQ(steps_of_message(8, 3, 3), 9u);  // to 7 destinations, binomial
    EXPECT_EQ(steps_of_one(1, 3), 0u);
    EXPECT_EQ(steps_of_one(32, 2), 6u);
    EXPECT_EQ(steps_of_one(33, 2), 6u);
    EXPECT_EQ(steps_of_one(34, 2), 7u);
    EXPECT_EQ(steps_of_one(5000, 1), 4999u);
}

TEST(k_binomial, binomial_trees_have_log2_children) {
    EXPECT_EQ(binomial_k(1), 1u);
    EXPECT_EQ(binomial_k(2), 1u);
    EXPECT_EQ(binomial_k(3), 2u);
    EXPECT_EQ(binomial_k(4), 2u);
    EXPECT_EQ(binomial_k(5), 3u);
    EXPECT_EQ(binomial_k(32), 5u);
    EXPECT_EQ(binomial_k(33), 6u);
}

TEST(k_binomial, best_k_of_32_nodes) {
    EXPECT_THAT(best_k(32, 1), ElementsAre(5));
    for (std::uint64_t packets = 2; packets <= 25; ++packets)
        EXPECT_EQ(best_k(32, packets).back(), 2u) << packets << " packets";
    EXPECT_THAT(best_k(32, 26), ElementsAre(1, 2));
    for (const std::uint64_t packets : {27u, 28u, 1000u}) EXPECT_THAT(best_k(32, packets), ElementsAre(1));
    EXPECT_THAT(best_k(2, 7), ElementsAre(1));
    EXPECT_THAT(best_k(1, 7), ElementsAre(1));
}

TEST(k_binomial, tree_of_16_nodes_with_4_children) {
    EXPECT_THAT(k_binomial_tree(16, 4),
                ElementsAre(ElementsAre(8, 4, 2, 1), IsEmpty(), ElementsAre(3), IsEmpty(), ElementsAre(6, 5), IsEmpty(),
                            ElementsAre(7), IsEmpty(), ElementsAre(12, 10, 9), IsEmpty(), ElementsAre(11), IsEmpty(),
                            ElementsAre(14, 13), IsEmpty(), ElementsAre(15), IsEmpty()));
}

TEST(k_binomial, small_trees) {
    EXPECT_THAT(k_binomial_tree(1, 3), ElementsAre(IsEmpty()));
    EXPECT_THAT(k_binomial_tree(4, 1), ElementsAre(ElementsAre(1), ElementsAre(2), ElementsAre(3), IsEmpty()));
    EXPECT_THAT(k_binomial_tree(4, 2), ElementsAre(ElementsAre(2, 1), IsEmpty(), ElementsAre(3), IsEmpty()));
}

TEST(k_binomial, a_tree_may_be_very_deep) {
    const forwarding_tree tree = k_binomial_tree(1000000, 1);
    EXPECT_THAT(tree[999998], ElementsAre(999999));
    EXPECT_THAT(tree.back(), IsEmpty());
}

// Every node but the root has one parent, before it in the chain; nobody has more than k children; and the steps are
// those of the formula, or fewer where the last step would have reached more nodes than there are.
TEST(k_binomial, trees_of_all_sizes_keep_to_the_formula) {
    for (std::uint32_t nodes = 1; nodes <= 140; ++nodes) {
        for (unsigned k = 1; k <= 8; ++k) {
            const forwarding_tree tree = k_binomial_tree(nodes, k);
            ASSERT_EQ(tree.size(), nodes);
            std::vector<unsigned> parents(nodes);
            for (std::uint32_t node = 0; node < nodes; ++node) {
                EXPECT_LE(tree[node].size(), k);
                for (const std::uint32_t child : tree[node]) {
                    EXPECT_GT(child, node);
                    ++parents.at(child);
                }
            }
            EXPECT_EQ(parents[0], 0u);
            for (std::uint32_t node = 1; node < nodes; ++node) ASSERT_EQ(parents[node], 1u) << nodes << " nodes, " << k;
            for (const std::uint64_t packets : {1u, 2u, 3u, 17u}) {
                const std::uint64_t steps = count_steps(tree, packets, forwarding_order::fpfs);
                const std::uint64_t formula = steps_of_message(nodes, packets, k);
                EXPECT_LE(steps, nodes == 1 ? 0 : formula) << nodes << " nodes, " << k << ", " << packets;
                if (nodes > 1 && reach(steps_of_one(nodes, k), k) == nodes && steps_of_one(nodes, k) >= k) {
                    EXPECT_EQ(steps, formula) << nodes << " nodes, " << k << ", " << packets;
                }
            }
            EXPECT_EQ(count_steps(tree, 1, forwarding_order::fpfs), steps_of_one(nodes, k));
        }
    }
}

TEST(k_binomial, orders_of_forwarding) {
    // The root with children 2 and 1, 2 with child 3.
    const forwarding_tree tree = k_binomial_tree(4, 2);
    EXPECT_EQ(count_steps(tree, 3, forwarding_order::fpfs), 6u);
    EXPECT_EQ(count_steps(tree, 3, forwarding_order::fcfs), 6u);
    EXPECT_EQ(count_steps(tree, 3, forwarding_order::whole), 6u);
    const forwarding_tree chain = k_binomial_tree(4, 1);
    EXPECT_EQ(count_steps(chain, 3, forwarding_order::fpfs), 5u);
    EXPECT_EQ(count_steps(chain, 3, forwarding_order::fcfs), 5u);
    EXPECT_EQ(count_steps(chain, 3, forwarding_order::whole), 9u);
    // Binomial over conventional interfaces: ceil(log2 n) steps of a whole message.
    EXPECT_EQ(count_steps(k_binomial_tree(32, 5), 7, forwarding_order::whole), 35u);
    EXPECT_EQ(count_steps(k_binomial_tree(20, 5), 7, forwarding_order::whole), 35u);
    // A star: the same work in another order.
    const forwarding_tree star{{1, 2, 3}, {}, {}, {}};
    EXPECT_EQ(count_steps(star, 5, forwarding_order::fpfs), 15u);
    EXPECT_EQ(count_steps(star, 5, forwarding_order::fcfs), 15u);
}

}  // namespace
}  // namespace polycast::hw::collectives
