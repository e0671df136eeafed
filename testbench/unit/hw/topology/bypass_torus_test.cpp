// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/bypass_torus.h"

#include <gmock/gmock.h>

#include <deque>
#include <map>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::topology {
namespace {

using testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<bypass_torus_params> shapes{{8, 2, {4}}, {16, 2, {4}},    {16, 2, {4, 8}},  {12, 3, {6}},
                                              {8, 4, {4}}, {12, 1, {4, 6}}, {24, 2, {4, 12}}, {7, 2, {}},
                                              {6, 1, {4}}, {2, 3, {}},      {5, 4, {}},       {8, 2, {6}}};

/// Distances from a node over neighbour().
std::vector<unsigned> plain_distances(const bypass_torus& network, std::uint32_t source) {
    std::vector<unsigned> found(network.nodes(), 1000);
    std::deque<std::uint32_t> open{source};
    found[source] = 0;
    for (; !open.empty(); open.pop_front()) {
        for (unsigned port = 0; port < network.ports(); ++port) {
            const auto next = network.neighbour(open.front(), port);
            if (!next || found[*next] != 1000) continue;
            found[*next] = found[open.front()] + 1;
            open.push_back(*next);
        }
    }
    return found;
}

TEST(bypass_torus, bypasses_by_class) {
    const bypass_torus network({16, 2, {4, 8}});
    EXPECT_EQ(network.nodes(), 256u);
    EXPECT_EQ(network.classes(), 4u);
    EXPECT_EQ(network.ports(), 6u);
    const auto ports = [&network](std::uint32_t node) {
        std::vector<int> to;
        for (unsigned port = 0; port < network.ports(); ++port) {
            const auto next = network.neighbour(node, port);
            to.push_back(next ? static_cast<int>(*next) : -1);
        }
        return to;
    };
    EXPECT_THAT(ports(0), ElementsAre(1, 15, 16, 240, 4, 12)) << "class 0: dimension 0, length 4";
    EXPECT_THAT(ports(1), ElementsAre(2, 0, 17, 241, 65, 193)) << "class 1: dimension 1, length 4";
    EXPECT_THAT(ports(2), ElementsAre(3, 1, 18, 242, 10, -1)) << "class 2: half way round there is one link";
    EXPECT_THAT(ports(19), ElementsAre(20, 18, 35, 3, 23, 31)) << "class 4 is class 0: 3 + 1";
    EXPECT_EQ(network.opposite(0, 4), 5u);
    EXPECT_EQ(network.opposite(2, 4), 4u);
    EXPECT_EQ(network.opposite(2, 1), 0u);
    EXPECT_EQ(network.neighbour(0, 6), std::nullopt);
}

TEST(bypass_torus, cables_lead_back_and_are_counted) {
    EXPECT_EQ(bypass_torus({12, 3, {6}}).degree(), 7u) << "all bypasses lead half round";
    for (const bypass_torus_params& shape : shapes) {
        SCOPED_TRACE(name_of(shape));
        const bypass_torus network(shape);
        unsigned most = 0;
        for (std::uint32_t node = 0; node < network.nodes(); ++node) {
            unsigned cables = 0;
            for (unsigned port = 0; port < network.ports(); ++port) cables += network.neighbour(node, port) ? 1 : 0;
            most = std::max(most, cables);
        }
        EXPECT_EQ(network.degree(), most);
        std::uint64_t ends = 0;
        std::uint64_t loops = 0;  // cables that end at the port at which they begin, of the other node
        for (std::uint32_t node = 0; node < network.nodes(); ++node) {
            EXPECT_EQ(network.node_at(network.coordinates_of(node)), node);
            for (unsigned port = 0; port < network.ports(); ++port) {
                const auto next = network.neighbour(node, port);
                if (!next) continue;
                ++ends;
                EXPECT_NE(*next, node);
                const unsigned back = network.opposite(node, port);
                loops += back == port ? 1 : 0;
                EXPECT_EQ(network.neighbour(*next, back), node) << "node " << node << ", port " << port;
                EXPECT_EQ(network.opposite(*next, back), port);
            }
        }
        EXPECT_EQ(network.links() * 2, ends);
        EXPECT_LE(loops, network.nodes());
    }
}

TEST(bypass_torus, distances_are_those_of_all_pairs) {
    for (const bypass_torus_params& shape : shapes) {
        SCOPED_TRACE(name_of(shape));
        const bypass_torus network(shape);
        unsigned diameter = 0;
        double sum = 0;
        const std::uint32_t step = network.nodes() > 1000 ? 37 : 1;  // coprime to the number of classes
        std::uint32_t sources = 0;
        std::map<std::uint32_t, std::vector<unsigned>> profiles;
        for (std::uint32_t source = 0; source < network.nodes(); source += step, ++sources) {
            auto found = plain_distances(network, source);
            EXPECT_TRUE(std::ranges::equal(found, distances_from(network, source, 15)));
            std::ranges::sort(found);
            diameter = std::max(diameter, found.back());
            for (const unsigned distance : found) sum += distance;
            const auto [same, fresh] = profiles.try_emplace(network.class_of(network.coordinates_of(source)), found);
            EXPECT_EQ(same->second, found) << "node " << source << " sees what others of its class see";
        }
        EXPECT_EQ(profiles.size(), network.classes());
        const distance_summary all = distances(network);
        EXPECT_EQ(all.diameter, diameter);
        if (step == 1) {
            EXPECT_NEAR(all.mean, sum / sources / network.nodes(), 1e-9);
        }
    }
}

TEST(bypass_torus, published_distances) {
    struct line {
        bypass_torus_params shape;
        unsigned diameter;
        double mean;
    };
    // <8,24>: printed 6.633.
    for (const line& one : {line{{64, 2, {6}}, 14, 8.096}, line{{64, 2, {14}}, 12, 7.482},
                            line{{64, 2, {4, 16}}, 10, 6.568}, line{{64, 2, {8, 24}}, 10, 6.634}}) {
        const distance_summary found = distances(bypass_torus(one.shape));
        EXPECT_EQ(found.diameter, one.diameter) << name_of(one.shape);
        EXPECT_NEAR(found.mean, one.mean, 0.0005) << name_of(one.shape);
    }
    EXPECT_EQ(distances(bypass_torus({8, 2, {4}})).mean, 2.8125);
    EXPECT_EQ(distances(bypass_torus({16, 2, {4}})).mean, 3.84375);
    EXPECT_EQ(distances(bypass_torus({16, 2, {4}})).diameter, 6u);
    EXPECT_EQ(torus_distances(100, 3).diameter, 150u);
    EXPECT_EQ(torus_distances(100, 3).mean, 75);
}

TEST(bypass_torus, only_some_dimensions) {
    const bypass_torus network({8, 2, {4}});
    const auto row = distances_from(network, 9, 0b01);
    EXPECT_EQ(row[9], 0u);
    EXPECT_EQ(row[13], 1u) << "by a bypass";
    EXPECT_EQ(row[12], 2u);
    EXPECT_EQ(row[1], no_distance);
    EXPECT_EQ(std::ranges::count(row, no_distance), 56);
}

TEST(bypass_torus, names_and_refusals) {
    const auto said = [](bypass_torus_params params) { return refusal([&] { bypass_torus made(params); }); };
    EXPECT_EQ(name_of({64, 2, {8, 24}}), "iBT(64^2; <8,24>)");
    EXPECT_EQ(name_of({100, 3, {}}), "Torus(100^3)");
    EXPECT_EQ(said({64, 2, {8, 24}}), "accepted");
    EXPECT_EQ(said({8, 2, {6}}), "accepted") << "6 up is 2 down";
    EXPECT_EQ(said({10, 2, {4, 8}}),
              "iBT(10^2; <4,8>) is not symmetric: d k = 2 x 2 = 4 has to divide n = 10; n = 8 or 12 does");
    EXPECT_EQ(
        said({64, 2, {4, 6}}),
        "iBT(64^2; <4,6>) is not symmetric: d k = 2 x 2 = 4 has to divide every bypass length, and not 6; a length "
        "of 4 or 8 does");
    EXPECT_EQ(said({4, 3, {2}}),
              "iBT(4^3; <2>) is not symmetric: d k = 3 x 1 = 3 has to divide n = 4; n = 3 or 6 does");
    EXPECT_THAT(said({2, 3, {}}), "accepted");
    EXPECT_EQ(said({64, 2, {64}}),
              "iBT(64^2; <64>): a bypass of length 64 leads round the ring of n = 64 nodes; lengths are 2 to n - 2");
    EXPECT_THAT(said({64, 2, {0}}), HasSubstr("length 0 leads round the ring"));
    EXPECT_EQ(said({64, 1, {1}}), "iBT(64^1; <1>): a bypass of length 1 leads where a torus link leads");
    EXPECT_THAT(said({64, 1, {63}}), HasSubstr("leads where a torus link leads"));
    EXPECT_EQ(said({64, 5, {}}), "Torus(64^5): d = 5 dimensions; 1 to 4 are possible");
    EXPECT_THAT(said({64, 0, {}}), HasSubstr("1 to 4"));
    EXPECT_EQ(said({1, 2, {}}), "Torus(1^2): n = 1 nodes along a dimension; 2 to 65536 are possible");
    EXPECT_THAT(said({65537, 1, {}}), HasSubstr("2 to 65536"));
    EXPECT_EQ(said({65, 4, {}}), "Torus(65^4) has 17850625 nodes, more than 16777216; lower n or d");
}

}  // namespace
}  // namespace polycast::hw::topology
