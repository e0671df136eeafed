// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/acyclic_layer.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "hw/subnet/channel_graph.h"
#include "hw/topology/irregular.h"

namespace polycast::hw::subnet {
namespace {

using turn = acyclic_layer::turn;

/// What the graph of the check says of the same turns.
bool free_with(const topology::graph& network, const std::vector<turn>& turns) {
    dependencies edges(network);
    for (const turn& one : turns) edges.add(one.chip, std::uint64_t{1} << one.in, 0, one.out, 0);
    return edges.free();
}

TEST(acyclic_layer, takes_what_closes_no_circle_and_nothing_else) {
    unsigned taken = 0, refused = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const topology::graph network = topology::make_irregular({6, 6, 8, 1.0, seed, {}});
        std::mt19937_64 draw(seed);
        acyclic_layer layer(network);
        std::vector<turn> all;
        for (unsigned round = 0; round < 120; ++round) {
            // A way of some switches, or turns anywhere.
            std::vector<turn> some;
            for (std::size_t count = 1 + draw() % 3; count > 0; --count) {
                const auto chip = static_cast<std::uint32_t>(draw() % network.switches.size());
                const auto in = static_cast<std::uint8_t>(draw() % 6), out = static_cast<std::uint8_t>(draw() % 6);
                if (in != out) some.push_back({chip, in, out});
            }
            std::vector<turn> with = all;
            with.insert(with.end(), some.begin(), some.end());
            const bool free = free_with(network, with);
            ASSERT_EQ(layer.add(some), free) << "round " << round;
            if (free) all = std::move(with);
            ++(free ? taken : refused);
        }
    }
    EXPECT_GT(taken, 200U);
    EXPECT_GT(refused, 200U);
}

}  // namespace
}  // namespace polycast::hw::subnet
