// SPDX-License-Identifier: Apache-2.0
// Against the paper's numbers, a recount of them, and all unicasts listed one by one.
#include "hw/collectives/network_coding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "hw/input_error.h"

namespace polycast::hw::collectives {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

coding_options square(std::uint32_t radix, std::uint32_t group, coding_base base) {
    coding_options options;
    options.radix = radix;
    options.group = group;
    options.base = base;
    return options;
}

std::uint64_t hops(const coding_options& options, accounting what = accounting::delivered) {
    return network_coding(options).total(what).hops;
}

std::map<char, std::uint64_t> hops_by_step(const coding_options& options) {
    const network_coding plan(options);
    std::map<char, std::uint64_t> found;
    for (const coding_step& step : plan.steps()) found[step.letter] += plan.count(step).hops;
    return found;
}

/// What the explicit unicasts add up to.
coding_count listed(const network_coding& plan, const coding_step& step, accounting what) {
    coding_count sum;
    plan.for_each_transfer(step, what, [&](const transfer& one) {
        const std::uint64_t data =
            one.what.kind == parcel::sort::message ? plan.contents(one.what).size() : std::uint64_t{1};
        sum += {1, data, data * plan.distance(one.from, one.to)};
        EXPECT_LT(one.round, step.rounds);
    });
    return sum;
}

TEST(network_coding, base_alone_all_at_once) {
    for (const auto& [radix, known] :
         std::map<std::uint32_t, std::uint64_t>{{4, 640}, {8, 21'504}, {16, 696'320}, {32, 22'347'776}}) {
        EXPECT_EQ(hops(square(radix, radix * radix, coding_base::all_at_once)), known);
        EXPECT_EQ(known, 2ull * radix * radix * radix * (radix * radix - 1) / 3);
    }
}

TEST(network_coding, base_alone_tree) {
    for (const auto& [radix, known] :
         std::map<std::uint32_t, std::uint64_t>{{4, 320}, {8, 6'912}, {16, 139'264}, {32, 2'703'360}}) {
        EXPECT_EQ(hops(square(radix, radix * radix, coding_base::tree)), known);
    }
}

TEST(network_coding, known_example_of_16_ary) {
    const coding_options options = square(16, 32, coding_base::tree);
    EXPECT_THAT(hops_by_step(options), ElementsAre(std::pair('B', 11'264u), std::pair('D', 6'696u),
                                                   std::pair('E', 76'384u), std::pair('F', 18'432u)));
    EXPECT_EQ(hops(options), 112'776u);
    EXPECT_EQ(hops(options, accounting::as_published), 47'304u);
}

TEST(network_coding, known_example_of_32_ary) {
    const coding_options options = square(32, 64, coding_base::tree);
    EXPECT_EQ(hops(options, accounting::as_published), 673'136u);
    EXPECT_EQ(hops(options), 2'197'232u);
    EXPECT_EQ(network_coding(options).floor(), 1'047'552u);
    const auto base = static_cast<double>(hops(square(32, 1024, coding_base::tree)));
    EXPECT_NEAR(1 - 673'136 / base, 0.75, 0.005);
    EXPECT_NEAR(1 - 2'197'232 / base, 0.187, 0.0005);
}

TEST(network_coding, table_of_group_geometry) {
    const std::map<std::uint32_t, std::pair<unsigned, unsigned>> known{
        {2, {1, 28}}, {4, {2, 26}}, {8, {4, 22}}, {16, {6, 18}}, {32, {10, 10}}, {64, {14, 2}}, {128, {22, 1}}};
    for (const auto& [group, expected] : known) {
        const network_coding plan(square(16, group, coding_base::tree));
        const coding_level& level = plan.levels().front();
        EXPECT_EQ(level.extent[0] - 1 + level.extent[1] - 1, expected.first) << group;
        EXPECT_EQ(plan.distance(plan.intermediate_node(0, 0), plan.intermediate_node(0, level.group_count - 1)),
                  expected.second)
            << group;
    }
}

TEST(network_coding, groups_are_as_square_as_can_be) {
    EXPECT_THAT(group_extent({16, 16}, 2), ElementsAre(1, 2));
    EXPECT_THAT(group_extent({16, 16}, 32), ElementsAre(4, 8));
    EXPECT_THAT(group_extent({16, 16}, 64), ElementsAre(8, 8));
    EXPECT_THAT(group_extent({12, 12}, 12), ElementsAre(3, 4));
    EXPECT_THAT(group_extent({8, 8, 8}, 16), ElementsAre(2, 2, 4));
    EXPECT_THAT(group_extent({16}, 8), ElementsAre(8));
    EXPECT_THAT(group_extent({16, 16}, 24), IsEmpty());
    EXPECT_THAT(group_extent({16, 16}, 0), IsEmpty());
    EXPECT_THAT(group_extent({4, 8}, 64), IsEmpty());
    EXPECT_THAT(group_sizes(square(4, 4, coding_base::tree)), ElementsAre(2, 4, 8));
    EXPECT_THAT(group_sizes(square(6, 4, coding_base::all_at_once)), ElementsAre(2, 3, 4, 6, 9, 12, 18));
}

TEST(network_coding, numbers_and_intermediate_nodes) {
    coding_options options = square(16, 32, coding_base::tree);
    const network_coding inner(options);
    EXPECT_EQ(inner.levels().front().nodes[32 + 4], 4u + 16u);  // group 1, the first of its second row
    EXPECT_EQ(inner.intermediate_node(0, 0), 3u + 16u * 7);
    EXPECT_EQ(inner.intermediate_node(0, 1), 7u + 16u * 7);
    EXPECT_EQ(inner.intermediate_node(0, 7), 12u + 16u * 8);
    options.placement = node_placement::centre;
    const network_coding centre(options);
    EXPECT_EQ(centre.intermediate_node(0, 0), 1u + 16u * 3);
    EXPECT_EQ(centre.intermediate_node(0, 7), 13u + 16u * 11);
    const network_coding flat(square(16, 128, coding_base::tree));  // 8x16: one group along y
    EXPECT_EQ(flat.intermediate_node(0, 0), 7u + 16u * 7);
    EXPECT_EQ(flat.intermediate_node(0, 1), 8u + 16u * 7);
}

TEST(network_coding, rings_shorten_ways) {
    coding_options options = square(8, 64, coding_base::all_at_once);
    options.torus = true;
    EXPECT_EQ(network_coding(options).distance(0, 7 + 8 * 5), 1u + 3u);
    EXPECT_EQ(hops(options), 64u * 2 * 8 * 16);  // 16 hops from a node to all of its ring
    EXPECT_EQ(hops(square(8, 64, coding_base::tree)), 6'912u);
    options.base = coding_base::tree;
    EXPECT_EQ(hops(options), 6'912u);  // XOR halving never goes more than half way round
}

TEST(network_coding, packets_are_as_many_as_with_every_group_size) {
    for (const coding_base base : {coding_base::tree, coding_base::all_at_once}) {
        for (const std::uint32_t group : group_sizes(square(16, 4, base))) {
            EXPECT_EQ(network_coding(square(16, group, base)).total().unicasts, 256u * 255u);
            coding_options options = square(16, group, base);
            options.method = coding_method::uncoded;
            EXPECT_EQ(network_coding(options).total().unicasts, 256u * 255u);
        }
    }
}

/// [hops] size of groups
std::map<std::uint64_t, std::uint32_t> sizes_by_hops(std::uint32_t radix, accounting what) {
    std::map<std::uint64_t, std::uint32_t> found;
    for (const std::uint32_t group : group_sizes(square(radix, 1, coding_base::tree)))
        found[hops(square(radix, group, coding_base::tree), what)] = group;
    return found;
}

TEST(network_coding, best_and_worst_groups) {
    for (const accounting what : {accounting::delivered, accounting::as_published}) {
        const std::map<std::uint64_t, std::uint32_t> found = sizes_by_hops(16, what);
        EXPECT_EQ(found.begin()->second, 32u);
        EXPECT_EQ(found.rbegin()->second, 2u);
    }
    EXPECT_EQ(sizes_by_hops(4, accounting::as_published).begin()->second, 4u);
    EXPECT_EQ(sizes_by_hops(4, accounting::delivered).begin()->second, 8u);
}

/// Counts that no complete delivery can have show that the paper's do not hold.
TEST(network_coding, published_ratios_of_large_networks) {
    const coding_options tree = square(64, 64 * 64, coding_base::tree);
    EXPECT_LT(0.06 * static_cast<double>(hops(tree)), static_cast<double>(network_coding(tree).floor()));
    const auto least = static_cast<double>(sizes_by_hops(64, accounting::as_published).begin()->first);
    EXPECT_NEAR(1 - least / static_cast<double>(hops(tree)), 0.842, 0.001);  // published: 0.94
    const auto all = static_cast<double>(hops(square(256, 65'536, coding_base::all_at_once)));
    const coding_options coded = square(256, 64, coding_base::all_at_once);
    EXPECT_NEAR(all / static_cast<double>(hops(coded, accounting::as_published)), 32.9, 0.1);  // published: 32
    EXPECT_NEAR(all / static_cast<double>(hops(coded)), 14.1, 0.1);
}

/// Every small network with every group size, method, base, placement, and several numbers of sources.
class small_networks : public testing::TestWithParam<std::tuple<std::uint32_t, unsigned, bool>> {
protected:
    template <typename function>
    void for_all(function call) const {
        const auto& [radix, dimensions, torus] = GetParam();
        for (const coding_base base : {coding_base::tree, coding_base::all_at_once}) {
            if (base == coding_base::tree && (radix & (radix - 1)) != 0) continue;
            coding_options options = square(radix, 1, base);
            options.dimensions = dimensions;
            options.torus = torus;
            std::vector<std::uint32_t> sizes = group_sizes(options);
            std::uint32_t nodes = 1;
            for (unsigned d = 0; d < dimensions; ++d) nodes *= radix;
            sizes.push_back(1);
            sizes.push_back(nodes);
            for (const coding_method method :
                 {coding_method::coded, coding_method::every_node, coding_method::combining, coding_method::uncoded}) {
                for (const node_placement placement : {node_placement::inner, node_placement::centre}) {
                    options.method = method;
                    options.placement = placement;
                    for (const std::uint32_t group : sizes) {
                        options.group = group;
                        for (const std::uint64_t sources : std::set<std::uint64_t>{0, 1, 3, nodes / 2 - 1}) {
                            options.sources = sources;
                            call(network_coding(options));
                        }
                    }
                }
            }
        }
    }
};

std::string text_of(const network_coding& plan) {
    const coding_options& o = plan.options();
    return "group " + std::to_string(o.group) + " base " + std::to_string(static_cast<int>(o.base)) + " method " +
           std::to_string(static_cast<int>(o.method)) + " placement " + std::to_string(static_cast<int>(o.placement)) +
           " sources " + std::to_string(o.sources) + " levels " + std::to_string(plan.levels().size());
}

void expect_counts_as_listed(const network_coding& plan) {
    for (const coding_step& step : plan.steps()) {
        for (const accounting what : {accounting::delivered, accounting::as_published})
            EXPECT_EQ(plan.count(step, what), listed(plan, step, what)) << step.letter << step.level << text_of(plan);
    }
}

TEST_P(small_networks, counted_as_listed) {
    for_all(expect_counts_as_listed);
}

TEST_P(small_networks, every_node_recovers_all_data) {
    for_all([](const network_coding& plan) {
        EXPECT_EQ(find_problem(plan), std::nullopt) << text_of(plan);
        EXPECT_EQ(plan.total().data, plan.floor()) << text_of(plan);
    });
}

TEST_P(small_networks, as_published_falls_short) {
    for_all([](const network_coding& plan) {
        const coding_level& level = plan.levels().front();
        if (plan.options().sources != 0 || plan.options().method != coding_method::coded) return;
        const bool short_of = level.group_count > 2 && level.members > 1;
        EXPECT_EQ(find_problem(plan, accounting::as_published).has_value(), short_of) << text_of(plan);
        EXPECT_EQ(plan.total(accounting::as_published).hops < plan.total().hops, short_of) << text_of(plan);
    });
}

INSTANTIATE_TEST_SUITE_P(all, small_networks,
                         testing::Values(std::tuple(16, 1, false), std::tuple(4, 2, false), std::tuple(4, 2, true),
                                         std::tuple(8, 2, true), std::tuple(6, 2, true), std::tuple(5, 2, false),
                                         std::tuple(2, 5, false), std::tuple(4, 3, true)));

TEST(network_coding, recursion) {
    for (const bool torus : {false, true}) {
        for (const std::uint64_t sources : {0, 5, 40}) {
            coding_options options = square(8, 16, coding_base::tree);
            options.torus = torus;
            options.sources = sources;
            for (const std::vector<std::uint32_t>& inner : {std::vector<std::uint32_t>{4}, {8, 2}, {8, 4, 2}}) {
                options.inner_groups = inner;
                for (const coding_method method : {coding_method::coded, coding_method::every_node,
                                                   coding_method::combining, coding_method::uncoded}) {
                    options.method = method;
                    const network_coding plan(options);
                    ASSERT_EQ(plan.levels().size(), inner.size() + 1);
                    expect_counts_as_listed(plan);
                    EXPECT_EQ(find_problem(plan), std::nullopt) << text_of(plan);
                    EXPECT_EQ(plan.total().data, plan.floor());
                }
            }
        }
    }
}

TEST(network_coding, steps_of_recursion_are_in_order) {
    coding_options options = square(8, 16, coding_base::tree);
    options.inner_groups = {4};
    EXPECT_THAT(
        network_coding(options).steps(),
        ElementsAre(coding_step{'B', 1, 2}, coding_step{'D', 1, 2}, coding_step{'E', 1, 2}, coding_step{'F', 1, 1},
                    coding_step{'D', 0, 2}, coding_step{'E', 0, 4}, coding_step{'F', 0, 1}));
}

TEST(network_coding, sources_are_dealt_round_robin) {
    coding_options options = square(4, 4, coding_base::tree);
    options.sources = 6;
    const network_coding plan(options);
    EXPECT_THAT(plan.levels().front().sources,
                ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(8), ElementsAre(10)));
    std::map<std::uint32_t, std::uint32_t> got;  // in group 3, from group 0
    for (const transfer& one : plan.transfers({'F', 0, 1})) {
        if (one.from <= 1 && one.to >= 10 && one.to != 12 && one.to != 13) got[one.to] = one.what.first;
    }
    EXPECT_THAT(got, ElementsAre(std::pair(10, 0), std::pair(11, 1), std::pair(14, 0), std::pair(15, 1)));
    EXPECT_EQ(plan.floor(), 6u * 15u);
}

TEST(network_coding, plans_with_other_groups_can_have_the_same_sources) {
    coding_options options = square(4, 16, coding_base::all_at_once);
    options.sources = 6;
    options.dealt_over = 4;
    const network_coding base(options);
    EXPECT_THAT(base.levels().front().sources, ElementsAre(ElementsAre(0, 1, 2, 3, 8, 10)));
    options.inner_groups = {2};
    EXPECT_THAT(network_coding(options).levels().back().sources,
                ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3), ElementsAre(8),
                            ElementsAre(), ElementsAre(10), ElementsAre()));
}

TEST(network_coding, unicasts_of_a_tree) {
    const network_coding plan(square(4, 4, coding_base::tree));
    std::vector<transfer> from_5;  // member 3 of group 0
    for (const transfer& one : plan.transfers({'B', 0, 2})) {
        if (one.what.first == 5) from_5.push_back(one);
    }
    const parcel datum{parcel::sort::datum, 5, 0};
    EXPECT_THAT(from_5, ElementsAre(transfer{5, 1, datum, 0}, transfer{5, 4, datum, 1}, transfer{1, 0, datum, 1}));
}

TEST(network_coding, next_ones_come_first_all_at_once) {
    const network_coding plan(square(4, 16, coding_base::all_at_once));
    std::vector<std::uint32_t> to;
    for (const transfer& one : plan.transfers({'B', 0, 1})) {
        if (one.from == 14) to.push_back(one.to);
    }
    EXPECT_THAT(to, ElementsAre(15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
}

TEST(network_coding, known_examples_unicast_by_unicast) {
    const network_coding plan(square(16, 32, coding_base::tree));
    EXPECT_EQ(find_problem(plan), std::nullopt);
    EXPECT_THAT(find_problem(plan, accounting::as_published).value_or(""),
                HasSubstr("cannot recover the datum of node"));
    expect_counts_as_listed(plan);
    expect_counts_as_listed(network_coding(square(32, 64, coding_base::tree)));
}

TEST(network_coding, large_networks_are_counted_without_a_list) {
    EXPECT_EQ(hops(square(256, 65'536, coding_base::tree)), 65'536ull * 257 * 128 * 8);
    EXPECT_EQ(hops(square(256, 65'536, coding_base::all_at_once)), 2ull * 256 * 256 * 256 * (256 * 256 - 1) / 3);
    EXPECT_EQ(network_coding(square(256, 1024, coding_base::tree)).total().unicasts, 65'536ull * 65'535);
}

TEST(network_coding, bad_input) {
    const auto said = [](const coding_options& options) -> std::string {
        try {
            const network_coding plan(options);
        } catch (const input_error& wrong) {
            return wrong.what();
        }
        return {};
    };
    EXPECT_EQ(said(square(12, 4, coding_base::tree)),
              "k = 12: XOR halving (base tree) needs a k that is a power of two; 8 or 16, or base all-at-once");
    EXPECT_EQ(said(square(12, 4, coding_base::all_at_once)), "");
    EXPECT_EQ(said(square(16, 24, coding_base::tree)),
              "groups of 24 nodes: no rectangles of this size fill 16x16 nodes; 16 or 32 do");
    EXPECT_EQ(said(square(16, 512, coding_base::tree)),
              "groups of 512 nodes: no rectangles of this size fill 16x16 nodes; 256 does");
    EXPECT_EQ(said(square(16, 0, coding_base::tree)),
              "groups of 0 nodes: no rectangles of this size fill 16x16 nodes; 1 does");
    EXPECT_EQ(said(square(1, 1, coding_base::tree)), "k = 1: a dimension has 2 or more nodes");
    EXPECT_EQ(said(square(2048, 4, coding_base::tree)), "a 2048-ary 2-mesh has more than 1048576 nodes");
    coding_options options = square(16, 32, coding_base::tree);
    options.dimensions = 0;
    EXPECT_EQ(said(options), "n = 0: a network has 1 to 20 dimensions");
    options.dimensions = 2;
    options.sources = 257;
    EXPECT_EQ(said(options), "257 sources: the network has 256 nodes");
    options.sources = 0;
    options.inner_groups = {32};
    EXPECT_THAT(said(options), HasSubstr("a group of 32 within a group of 32"));
    options.inner_groups = {5};
    EXPECT_EQ(said(options), "groups of 5 nodes: no rectangles of this size fill 4x8 nodes; 4 or 8 do");
}

}  // namespace
}  // namespace polycast::hw::collectives
