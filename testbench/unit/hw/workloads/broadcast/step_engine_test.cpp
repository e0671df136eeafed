// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/step_engine.h"

#include <gmock/gmock.h>

#include <random>

#include "hw/input_error.h"
#include "hw/workloads/broadcast/broadcast_rule.h"
#include "testbench/unit/hw/workloads/broadcast/golden_steps.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::broadcast {
namespace {

using testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using topology::bypass_torus;
using topology::bypass_torus_params;

std::vector<unsigned> all_of(const bypass_torus& network) {
    std::vector<unsigned> dimensions;
    for (unsigned j = 0; j < network.dimensions(); ++j) dimensions.push_back(j);
    return dimensions;
}

broadcast_params line(unsigned dimension, std::uint32_t source, unsigned packets, unsigned pattern) {
    broadcast_params params;
    params.dimensions = {dimension};
    params.source = source;
    params.split = {packets};
    params.patterns = {pattern};
    return params;
}

std::vector<std::uint64_t> line_steps(const bypass_torus_params& shape, std::uint32_t source, unsigned packets) {
    const bypass_torus network(shape);
    std::vector<std::uint64_t> steps;
    for (unsigned pattern = 0; pattern < pattern_count; ++pattern)
        steps.push_back(run_broadcast(network, line(0, source, packets, pattern)).steps);
    return steps;
}

broadcast_params by_trees(const bypass_torus& network, unsigned packets) {
    broadcast_params params;
    params.how = algorithm::trees;
    params.dimensions = all_of(network);
    params.source = network.nodes() / 3;
    params.split = equal_split(packets, 2 * network.dimensions());
    params.patterns = {};
    return params;
}

broadcast_params by_colours(const bypass_torus& network, std::vector<unsigned> split, std::vector<unsigned> patterns) {
    broadcast_params params;
    params.dimensions = all_of(network);
    params.split = std::move(split);
    params.patterns = std::move(patterns);
    return params;
}

/// A network and a broadcast drawn at random.
struct drawn {
    bypass_torus_params network;
    broadcast_params params;
};

drawn draw(std::mt19937_64& random) {
    const auto below = [&random](std::uint64_t limit) { return static_cast<unsigned>(random() % limit); };
    drawn made;
    const unsigned d = made.network.dimensions = 1 + below(4);
    const unsigned most = d == 1 ? 80 : d == 2 ? 20 : d == 3 ? 9 : 6;
    made.network.radix = 2 + below(most - 1);
    const unsigned lengths = below(4);
    if (const unsigned classes = d * lengths; lengths != 0 && classes <= most) {
        made.network.radix = classes * (1 + below(most / classes));
        if (made.network.radix < 4) made.network.radix = 4 * classes;
        std::vector<std::uint32_t> legal;
        for (std::uint32_t length = 2; length + 2 <= made.network.radix; ++length)
            if (length % classes == 0) legal.push_back(length);
        for (unsigned index = 0; index < lengths && !legal.empty(); ++index)
            made.network.bypass.push_back(legal[below(legal.size())]);
    }
    const bypass_torus network(made.network);
    broadcast_params& params = made.params;
    params.source = below(network.nodes());
    params.dimensions.clear();
    while (params.dimensions.empty())
        for (unsigned j = 0; j < d; ++j)
            if (below(3) != 0) params.dimensions.push_back(j);
    if (!network.has_bypasses() && below(2) == 0) params.how = algorithm::trees;
    const auto colours = static_cast<unsigned>(params.dimensions.size());
    params.split.assign(colours * (params.how == algorithm::trees ? 2 : 1), 0);
    for (unsigned packets = 1 + below(below(4) == 0 ? 64 : 16); packets > 0; --packets)
        ++params.split[below(params.split.size())];
    params.patterns.clear();
    for (unsigned i = 0; i < colours && params.how == algorithm::colours; ++i) params.patterns.push_back(below(16));
    params.bytes = std::array{8u, 1u, 13u, 0u}[below(4)];
    params.seed = random();
    params.threads = 1 + below(4);
    return made;
}

TEST(step_engine, does_what_plain_senders_do) {
    const std::uint64_t seed = std::random_device{}();
    unsigned with_bypass = 0;
    for (unsigned number = 0; number < 200; ++number) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", network " << number);
        std::mt19937_64 random(number == 0 ? 0 : seed + number);
        const drawn made = draw(random);
        with_bypass += made.network.bypass.empty() ? 0 : 1;
        golden_steps golden(made.network, made.params);
        const auto compare = [&](const step_view& view) {
            ASSERT_EQ(view.receipts, golden.step()) << "step " << view.step;
            std::vector<std::uint64_t> holders(view.packets + 1);
            std::uint32_t node = 0;
            for (const auto& [global, order] : golden.orders()) {
                ASSERT_EQ(view.held[node], order.size()) << "step " << view.step << ", node " << global;
                ++holders[order.size()];
                const auto got = view.order.subspan(std::size_t{node} * view.packets, view.held[node]);
                if (global != made.params.source) {
                    ASSERT_TRUE(std::ranges::equal(got, order)) << "step " << view.step << ", node " << global;
                }
                ++node;
            }
            ASSERT_EQ(node, view.held.size());
            ASSERT_TRUE(std::ranges::equal(view.holders, holders));
        };
        const broadcast_result result = run_broadcast(bypass_torus(made.network), made.params, compare);
        EXPECT_TRUE(result.complete);
        EXPECT_EQ(golden.step(), 0u) << "nothing is left to send";
        if (HasFailure()) return;
    }
    EXPECT_GT(with_bypass, 50u);
}

TEST(step_engine, threads_change_nothing) {
    for (const bypass_torus_params& shape : {bypass_torus_params{24, 2, {4, 8}}, bypass_torus_params{9, 3, {}}}) {
        const bypass_torus network(shape);
        for (const bool trees : {false, true}) {
            if (trees && network.has_bypasses()) continue;
            broadcast_params params =
                trees ? by_trees(network, 32) : by_colours(network, equal_split(32, shape.dimensions), {5, 3, 1});
            params.patterns.resize(trees ? 0 : shape.dimensions);
            std::vector<std::vector<std::uint8_t>> orders;
            std::vector<broadcast_result> results;
            for (unsigned threads = 1; threads <= 4; ++threads) {
                params.threads = threads;
                auto& all = orders.emplace_back();
                results.push_back(run_broadcast(network, params, [&all](const step_view& view) {
                    all.insert(all.end(), view.held.begin(), view.held.end());
                    all.insert(all.end(), view.order.begin(), view.order.end());
                }));
                EXPECT_EQ(orders.back(), orders.front()) << threads << " threads";
                EXPECT_EQ(results.back().steps, results.front().steps);
                EXPECT_EQ(results.back().sends, results.front().sends);
                EXPECT_EQ(run_broadcast(network, params).steps, results.front().steps) << "without an observer";
            }
        }
    }
}

TEST(step_engine, published_lines) {
    EXPECT_THAT(line_steps({16, 2, {4}}, 0, 8), ElementsAre(10, 7, 7, 7, 7, 7, 7, 7));
    EXPECT_EQ(std::ranges::min(line_steps({64, 2, {6}}, 0, 32)), 23u);
    EXPECT_EQ(std::ranges::min(line_steps({64, 2, {6}}, 1, 32)), 23u);
    EXPECT_EQ(std::ranges::min(line_steps({64, 2, {8, 24}}, 0, 32)), 22u);
    EXPECT_EQ(std::ranges::min(line_steps({64, 2, {8, 24}}, 1, 32)), 22u);
    for (const std::uint32_t n : {64u, 96u, 128u, 192u, 256u})
        EXPECT_EQ(std::ranges::min(line_steps({n, 2, {8}}, 0, 32)), n / 16 + 21) << n;
}

TEST(step_engine, lines_of_tori_take_what_the_formula_says) {
    for (const std::uint32_t n : {4u, 6u, 16u, 64u}) {
        for (const unsigned packets : {1u, 2u, 7u, 32u, 64u}) {
            const auto steps = line_steps({n, 2, {}}, 3, packets);
            const std::uint64_t least = n / 2 + (packets + 1) / 2 - 1;
            EXPECT_EQ(std::ranges::min(steps), least) << n << " nodes, " << packets << " packets";
            EXPECT_EQ(steps[1], least) << "the links in opposite orders";
            EXPECT_EQ(least_steps(bypass_torus({n, 2, {}}), 3, {0}, packets), least);
        }
    }
}

TEST(step_engine, trees_take_what_the_formula_says) {
    for (const auto& [n, d] : {std::pair{8u, 2u}, {5u, 2u}, {3u, 3u}, {6u, 3u}, {4u, 4u}, {9u, 1u}}) {
        const bypass_torus network({n, d, {}});
        for (const unsigned packets : {1u, 5u, 32u}) {
            const std::uint64_t steps = d * (n - 1) + (packets + 2 * d - 1) / (2 * d) - 1;
            EXPECT_EQ(run_broadcast(network, by_trees(network, packets)).steps, steps) << n << "^" << d;
        }
    }
}

TEST(step_engine, rectangles_take_the_longest_way_and_the_larger_colour) {
    const bypass_torus small({16, 2, {4}});
    EXPECT_EQ(run_broadcast(small, by_colours(small, {4, 4}, {1, 1})).steps, 10u);
    for (const bypass_torus_params& shape :
         {bypass_torus_params{64, 2, {6}}, bypass_torus_params{64, 2, {8, 24}}, bypass_torus_params{32, 2, {4}}}) {
        const bypass_torus network(shape);
        const auto alone = [&](unsigned colour) {
            std::vector<unsigned> split(2);
            split[colour] = 1;
            return run_broadcast(network, by_colours(network, split, {0, 0})).steps;
        };
        const std::uint64_t longest = std::max(alone(0), alone(1));
        EXPECT_EQ(run_broadcast(network, by_colours(network, {16, 16}, {0, 0})).steps, longest + 15);
        EXPECT_EQ(run_broadcast(network, by_colours(network, {12, 20}, {0, 0})).steps, longest + 19);
    }
    const bypass_torus table({64, 2, {8, 24}});
    EXPECT_EQ(run_broadcast(table, by_colours(table, {16, 16}, {0, 0})).steps, 26u);
}

TEST(step_engine, counts) {
    const bypass_torus network({16, 2, {4}});
    broadcast_params params = by_colours(network, {4, 4}, {1, 1});
    std::uint64_t receipts = 0;
    std::uint64_t last = 0;
    const broadcast_result result = run_broadcast(network, params, [&](const step_view& view) {
        EXPECT_EQ(view.step, last + 1);
        last = view.step;
        receipts += view.receipts;
    });
    EXPECT_EQ(result.steps, last);
    EXPECT_EQ(result.nodes, 256u);
    EXPECT_EQ(result.sends, 255u * 8);
    EXPECT_EQ(receipts, result.sends);
    EXPECT_GE(result.node_steps, 255u);
    params.bytes = 0;
    EXPECT_LT(run_broadcast(network, params).memory_bytes + 256 * 8 * 8, result.memory_bytes);
    params.step_limit = 9;
    EXPECT_FALSE(run_broadcast(network, params).complete);
    params.step_limit = 10;
    EXPECT_TRUE(run_broadcast(network, params).complete);
    params.dimensions = {1};
    params.split = {8};
    params.patterns = {1};
    EXPECT_EQ(run_broadcast(network, params).nodes, 16u) << "those of the line";
}

TEST(step_engine, observers_can_end_a_run) {
    const bypass_torus network({16, 2, {4}});
    broadcast_params params = by_colours(network, {4, 4}, {1, 1});
    for (params.threads = 1; params.threads <= 3; ++params.threads) {
        unsigned calls = 0;
        const auto observe = [&calls](const step_view& view) {
            ++calls;
            if (view.step == 3) throw std::runtime_error("enough");
        };
        EXPECT_THROW(run_broadcast(network, params, observe), std::runtime_error);
        EXPECT_EQ(calls, 3u);
    }
}

TEST(step_engine, least_steps_are_never_undercut) {
    for (const bypass_torus_params& shape : {bypass_torus_params{16, 2, {4}}, bypass_torus_params{12, 3, {6}},
                                             bypass_torus_params{8, 2, {4}}, bypass_torus_params{2, 3, {}}}) {
        const bypass_torus network(shape);
        for (const unsigned packets : {1u, 9u, 40u}) {
            const auto split = equal_split(packets, shape.dimensions);
            const std::vector<unsigned> patterns(shape.dimensions, 1);
            EXPECT_LE(least_steps(network, 0, all_of(network), packets),
                      run_broadcast(network, by_colours(network, split, patterns)).steps);
            EXPECT_LE(least_steps(network, 0, {0}, packets), run_broadcast(network, line(0, 0, packets, 1)).steps);
        }
    }
    EXPECT_EQ(least_steps(bypass_torus({16, 2, {}}), 0, {0, 1}, 32), 16u + 8 - 1);
}

TEST(step_engine, refusals) {
    const bypass_torus network({16, 2, {4}});
    const broadcast_params good = by_colours(network, {4, 4}, {1, 1});
    const auto said = [&](auto change) {
        broadcast_params params = good;
        change(params);
        return refusal([&] { run_broadcast(network, params); });
    };
    EXPECT_EQ(said([](broadcast_params&) {}), "accepted");
    EXPECT_THAT(said([](broadcast_params& p) { p.dimensions = {}; }), HasSubstr("dimensions 0 to 1"));
    EXPECT_THAT(said([](broadcast_params& p) { p.dimensions = {1, 0}; }), HasSubstr("ascending"));
    EXPECT_THAT(said([](broadcast_params& p) { p.dimensions = {0, 2}; }), HasSubstr("dimensions 0 to 1"));
    EXPECT_THAT(said([](broadcast_params& p) { p.source = 256; }), HasSubstr("nodes are 0 to 255"));
    EXPECT_THAT(said([](broadcast_params& p) { p.split = {8}; }), HasSubstr("2 are the colours"));
    EXPECT_THAT(said([](broadcast_params& p) { p.split = {0, 0}; }), HasSubstr("0 packets; 1 to 64"));
    EXPECT_THAT(said([](broadcast_params& p) { p.split = {64, 1}; }), HasSubstr("65 packets"));
    EXPECT_THAT(said([](broadcast_params& p) { p.patterns = {1}; }), HasSubstr("each colour has one"));
    EXPECT_THAT(said([](broadcast_params& p) { p.patterns = {1, 16}; }), HasSubstr("pattern 16; 0 to 15"));
    EXPECT_THAT(said([](broadcast_params& p) { p.bytes = 65'537; }), HasSubstr("65537 bytes"));
    EXPECT_THAT(said([](broadcast_params& p) { p.threads = 0; }), HasSubstr("0 threads"));
    EXPECT_THAT(said([](broadcast_params& p) { p.how = algorithm::trees; }), HasSubstr("iBT(16^2; <4>) has bypass"));
}

}  // namespace
}  // namespace polycast::hw::broadcast
