// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/rail_allocation.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <set>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::collectives {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// All of it, as the rule says: for each ordered pair a rail on which one transmits and the other receives.
bool is_connected(const rail_matrix& matrix) {
    for (std::uint32_t x = 0; x < matrix.nodes(); ++x) {
        for (std::uint32_t y = 0; y < matrix.nodes(); ++y) {
            bool found = x == y;
            for (unsigned rail = 0; rail < matrix.rails(); ++rail)
                found = found || (matrix.transmits(rail, x) && !matrix.transmits(rail, y));
            if (!found) return false;
        }
    }
    return true;
}

using testbench::unit::refusal;

}  // namespace

TEST(rail_allocation, the_printed_example_of_algorithm_1) {
    EXPECT_EQ(write_rail_matrix(allocate_rails(rail_algorithm::paired, 8)),
              "10101010\n11001100\n11110000\n01010101\n00110011\n00001111\n");
}

TEST(rail_allocation, algorithm_2_in_its_order) {
    EXPECT_EQ(write_rail_matrix(allocate_rails(rail_algorithm::recursive, 6)), "111000\n100110\n010101\n001011\n");
    const rail_matrix spare = allocate_rails(rail_algorithm::recursive, 3, 5);
    EXPECT_EQ(write_rail_matrix(spare), "111\n100\n010\n001\n000\n") << "more rails than are needed";
}

TEST(rail_allocation, bounds) {
    const std::vector<std::pair<unsigned, std::uint64_t>> known{{1, 1},
                                                                {2, 2},
                                                                {3, 3},
                                                                {4, 6},
                                                                {5, 10},
                                                                {6, 20},
                                                                {7, 35},
                                                                {8, 70},
                                                                {9, 126},
                                                                {10, 252},
                                                                {62, 465428353255261088},
                                                                {63, 916312070471295267},
                                                                {64, 1832624140942590534}};
    for (const auto& [rails, nodes] : known) EXPECT_EQ(most_nodes(rail_algorithm::recursive, rails), nodes) << rails;
    EXPECT_EQ(rails_needed(rail_algorithm::recursive, 32), 7u);
    EXPECT_EQ(rails_needed(rail_algorithm::paired, 32), 10u);
    for (std::uint32_t nodes = 2; nodes <= 5000; ++nodes) {
        EXPECT_EQ(rails_needed(rail_algorithm::paired, nodes), 2 * static_cast<unsigned>(std::ceil(std::log2(nodes))));
        for (const rail_algorithm how : {rail_algorithm::paired, rail_algorithm::recursive}) {
            const unsigned rails = rails_needed(how, nodes);
            EXPECT_GE(most_nodes(how, rails), nodes);
            EXPECT_LT(most_nodes(how, rails - 1), nodes);
        }
    }
}

TEST(rail_allocation, every_pair_has_a_rail) {
    for (std::uint32_t nodes = 2; nodes <= 300; ++nodes) {
        for (const rail_algorithm how : {rail_algorithm::paired, rail_algorithm::recursive}) {
            const rail_matrix matrix = allocate_rails(how, nodes);
            ASSERT_EQ(matrix.nodes(), nodes);
            ASSERT_EQ(matrix.rails(), rails_needed(how, nodes));
            ASSERT_TRUE(is_connected(matrix)) << nodes;
            ASSERT_EQ(find_unreachable(matrix), std::nullopt) << nodes;
        }
    }
    const rail_matrix largest = allocate_rails(rail_algorithm::recursive, most_rail_nodes);
    EXPECT_EQ(largest.rails(), 19u);
    EXPECT_EQ(find_unreachable(largest), std::nullopt);
    EXPECT_EQ(find_unreachable(allocate_rails(rail_algorithm::paired, most_rail_nodes)), std::nullopt);
    EXPECT_TRUE(is_connected(allocate_rails(rail_algorithm::recursive, 40, 64))) << "all bits of a set";
}

TEST(rail_allocation, the_check_finds_exactly_what_is_not_connected) {
    // All matrices of 3 rails and 3 nodes.
    unsigned connected = 0;
    for (unsigned bits = 0; bits < 512; ++bits) {
        const rail_matrix matrix(3, {bits & 7, (bits >> 3) & 7, bits >> 6});
        const auto pair = find_unreachable(matrix);
        ASSERT_EQ(!pair, is_connected(matrix)) << write_rail_matrix(matrix);
        connected += !pair;
        if (pair) {
            ASSERT_EQ(matrix.usable(pair->first, pair->second), 0u);
        }
    }
    EXPECT_EQ(connected, 12u) << "of three sets of 3 rails in order: all of one rail, or all of two";
}

TEST(rail_allocation, usable_rails) {
    const rail_matrix matrix = allocate_rails(rail_algorithm::recursive, 32);
    EXPECT_EQ(matrix.transmitting(0), 0b111u);
    std::size_t usable = 0;
    for (std::uint32_t x = 0; x < 32; ++x) {
        EXPECT_EQ(std::popcount(matrix.transmitting(x)), 3);
        for (std::uint32_t y = 0; y < 32; ++y) {
            std::vector<unsigned> rails;
            for (unsigned rail = 0; rail < 7; ++rail)
                if (matrix.transmits(rail, x) && !matrix.transmits(rail, y)) rails.push_back(rail);
            EXPECT_EQ(rails_in(matrix.usable(x, y)), rails);
            usable += rails.size();
        }
    }
    EXPECT_EQ(usable, 3u * 15 * 17 + 3 * 13 * 19 + 12 * 20) << "by rails: transmitters times receivers";
    EXPECT_THAT(rails_in((rail_set{1} << 63) | 5), ElementsAre(0, 2, 63));
}

TEST(rail_allocation, too_few_rails) {
    const auto with = [](std::uint32_t nodes, unsigned rails, rail_algorithm how = rail_algorithm::recursive) {
        return refusal([&] { allocate_rails(how, nodes, rails); });
    };
    EXPECT_EQ(with(40, 7), "7 rails connect at most 35 nodes, not 40; 40 nodes need 8 rails");
    EXPECT_EQ(with(2, 1), "1 rail connects no pair of nodes, not 2; 2 nodes need 2 rails");
    EXPECT_EQ(with(8, 5, rail_algorithm::paired), "5 rails connect at most 4 nodes, not 8; 8 nodes need 6 rails");
    EXPECT_EQ(with(8, 7, rail_algorithm::paired),
              "algorithm 1 gives 8 nodes 6 rails, not 7; algorithm 2 takes any number that is enough");
    EXPECT_EQ(with(8, 65), "an allocation has at most 64 rails, not 65");
    EXPECT_THAT(with(1, 0), HasSubstr("2 to 65536 nodes, not 1"));
    EXPECT_THAT(with(most_rail_nodes + 1, 0), HasSubstr("not 65537"));
}

TEST(rail_allocation, unreachable_pairs_are_named) {
    const rail_matrix equal(3, {0b011, 0b101, 0b011});
    EXPECT_EQ(refusal([&] { require_connected(equal); }),
              "no rail takes messages from node 0 to node 2: node 2 transmits wherever node 0 does; algorithm 2 has an "
              "allocation of so many rails that connects all");
    const rail_matrix silent(2, {0b01, 0b00, 0b10});
    EXPECT_EQ(refusal([&] { require_connected(silent, "my.txt"); }),
              "my.txt: no rail takes messages from node 1 to node 0: node 1 transmits on none; 3 nodes need 3 rails at "
              "least");
    EXPECT_EQ(refusal([] { require_connected(allocate_rails(rail_algorithm::paired, 9)); }), "accepted");
}

TEST(rail_allocation, matrices_of_files) {
    const rail_matrix matrix = read_rail_matrix("m.txt", "# mine\n1 0 1\t0\r\n\n1100 # second\n0011");
    EXPECT_EQ(write_rail_matrix(matrix), "1010\n1100\n0011\n");
    for (const std::uint32_t nodes : {2u, 9u, 35u}) {
        const rail_matrix made = allocate_rails(rail_algorithm::recursive, nodes);
        EXPECT_EQ(read_rail_matrix("m.txt", write_rail_matrix(made)), made);
    }
    const auto reading = [](const std::string& text) { return refusal([&] { read_rail_matrix("m.txt", text); }); };
    EXPECT_EQ(reading("10\n12\n"),
              "m.txt:2:2: expected 0 (receives) or 1 (transmits), found '2'; a line of such digits for each rail, one "
              "digit for each node");
    EXPECT_EQ(reading("10\n\n101\n"),
              "m.txt:3:3: this rail has more nodes than the first one, which has 2; one digit for each node");
    EXPECT_EQ(reading("101\n10 # short\n"),
              "m.txt:2:4: this rail ends after 2 nodes, the first one has 3; one digit for each node");
    EXPECT_EQ(reading("1\n0\n"), "m.txt:1:2: one node alone has nobody to send to; one digit for each node, 2 or more");
    EXPECT_EQ(reading("# nothing\n"),
              "m.txt: it has no rails; a line of 0 and 1 for each rail, one digit for each node");
    std::string many;
    for (unsigned rail = 0; rail < 65; ++rail) many += "10\n";
    EXPECT_EQ(reading(many), "m.txt:65:1: more than 64 rails");
    EXPECT_EQ(reading(std::string(most_rail_nodes + 1, '1')), "m.txt:1:65537: more than 65536 nodes");
}

}  // namespace polycast::hw::collectives
