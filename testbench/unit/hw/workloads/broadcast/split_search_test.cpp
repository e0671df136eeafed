// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/split_search.h"

#include <gmock/gmock.h>

#include <numeric>

#include "hw/input_error.h"

namespace polycast::hw::broadcast {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using topology::bypass_torus;
using topology::bypass_torus_params;

broadcast_params everywhere(const bypass_torus& network, std::uint32_t source) {
    broadcast_params base;
    base.dimensions.resize(network.dimensions());
    std::iota(base.dimensions.begin(), base.dimensions.end(), 0u);
    base.source = source;
    return base;
}

search_result best_of(const bypass_torus_params& shape, std::uint32_t source, const search_params& search = {}) {
    const bypass_torus network(shape);
    return find_best(network, everywhere(network, source), search);
}

/// Tries every split with every pattern that differs.
std::uint64_t exhaustive(const bypass_torus_params& shape, unsigned packets) {
    const bypass_torus network(shape);
    std::uint64_t best = ~std::uint64_t{0};
    broadcast_params params = everywhere(network, 0);
    for (unsigned first = 0; first <= packets; ++first) {
        for (const unsigned one : patterns_that_differ(network, 0, 0)) {
            for (const unsigned other : patterns_that_differ(network, 0, 1)) {
                params.split = {first, packets - first};
                params.patterns = {one, other};
                best = std::min(best, run_broadcast(network, params).steps);
            }
        }
    }
    return best;
}

TEST(split_search, rectangles_of_the_table) {
    // Printed: 28, 27, 27 and 25; by the rules 29, 27, 28 and 26.
    EXPECT_EQ(best_of({64, 2, {6}}, 0).result.steps, 29u);
    EXPECT_EQ(best_of({64, 2, {14}}, 0).result.steps, 27u);
    EXPECT_EQ(best_of({64, 2, {4, 16}}, 0).result.steps, 28u);
    const search_result table = best_of({64, 2, {8, 24}}, 1);
    EXPECT_EQ(table.result.steps, 26u);
    EXPECT_EQ(table.pipelined, 26u);
    EXPECT_THAT(table.params.split, ElementsAre(16, 16));
    EXPECT_TRUE(table.result.complete);
}

TEST(split_search, nothing_is_better) {
    for (const bypass_torus_params& shape : {bypass_torus_params{8, 2, {4}}, bypass_torus_params{12, 2, {4, 8}},
                                             bypass_torus_params{9, 2, {}}, bypass_torus_params{6, 2, {2}}}) {
        for (const unsigned packets : {1u, 5u, 12u}) {
            search_params search;
            search.packets = packets;
            EXPECT_EQ(best_of(shape, 0, search).result.steps, exhaustive(shape, packets))
                << name_of(shape) << ", " << packets << " packets";
        }
    }
}

TEST(split_search, longer_ways_get_fewer_packets) {
    EXPECT_THAT(balanced_split({10, 12}, 32), ElementsAre(17, 15));
    EXPECT_THAT(balanced_split({5, 5, 5}, 32), ElementsAre(11, 11, 10));
    EXPECT_THAT(balanced_split({2, 40}, 7), ElementsAre(7, 0));
    EXPECT_EQ(pipelined_steps({10, 12}, {17, 15}), 26u);
    EXPECT_EQ(pipelined_steps({2, 40}, {7, 0}), 8u) << "a colour without packets goes nowhere";
}

TEST(split_search, broadcasts_of_several_dimensions_are_pipelines) {
    for (const bypass_torus_params& shape :
         {bypass_torus_params{16, 2, {4}}, bypass_torus_params{9, 3, {3}}, bypass_torus_params{12, 3, {6}},
          bypass_torus_params{7, 4, {}}, bypass_torus_params{32, 2, {8, 12}}}) {
        for (const std::uint32_t source : {0u, 1u}) {
            const search_result found = best_of(shape, source);
            EXPECT_EQ(found.result.steps, found.pipelined) << name_of(shape) << " from " << source;
        }
    }
}

TEST(split_search, patterns_by_the_links_of_the_source) {
    EXPECT_THAT(patterns_that_differ(bypass_torus({16, 2, {}}), 0, 0), ElementsAre(0, 1));
    EXPECT_THAT(patterns_that_differ(bypass_torus({16, 2, {4}}), 0, 0), SizeIs(8));
    EXPECT_THAT(patterns_that_differ(bypass_torus({16, 2, {4}}), 0, 1), ElementsAre(0, 1));
    EXPECT_THAT(patterns_that_differ(bypass_torus({16, 2, {8}}), 1, 1), ElementsAre(0, 1, 4, 5));
}

TEST(split_search, limits_and_wishes) {
    search_params search;
    search.most_sends = 1;
    EXPECT_EQ(best_of({16, 2, {4}}, 0, search).runs, 1u);
    search.most_sends = 1 << 20;
    search.split = {20, 12};
    search.patterns = {3, 1};
    const search_result found = best_of({16, 2, {4}}, 0, search);
    EXPECT_EQ(found.runs, 1u);
    EXPECT_THAT(found.params.split, ElementsAre(20, 12));
    EXPECT_THAT(found.params.patterns, ElementsAre(3, 1));
    search.patterns = {};
    EXPECT_EQ(best_of({16, 2, {4}}, 0, search).runs, 16u);
    search.patterns = {3, 1};
    search.split = {};
    EXPECT_EQ(best_of({16, 2, {4}}, 0, search).runs, 3u);
    search.split = {32};
    EXPECT_THROW(best_of({16, 2, {4}}, 0, search), input_error);
    search.split = {};
    search.patterns = {3};
    EXPECT_THROW(best_of({16, 2, {4}}, 0, search), input_error);
    const search_result line = best_of({16, 1, {}}, 0);
    EXPECT_EQ(line.runs, 2u) << "the second pattern takes no more than is possible";
    EXPECT_EQ(line.result.steps, line.pipelined);
}

}  // namespace
}  // namespace polycast::hw::broadcast
