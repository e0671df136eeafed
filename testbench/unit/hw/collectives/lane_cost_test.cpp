// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/lane_cost.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::collectives {

namespace {

using numbers = std::vector<std::uint32_t>;
using ::testing::DoubleNear;

constexpr std::uint64_t million = 1'000'000;

double ms(double seconds) {
    return 1e3 * seconds;
}

double model(lane_algorithm how, const numbers& sites, const lane_network& network, std::uint64_t bytes,
             std::uint64_t piece) {
    return time_plan(make_lane_plan(how, sites), network, bytes, piece).seconds;
}

/// Latencies do not count; a piece of one byte takes 1 s on a lane, 1/2 s on both.
constexpr lane_network unit_pieces{2, 0, 0, 0, 1};

/// Whole steps, in each of which a lane may send one piece: the multi-lane broadcast without any times.
std::uint64_t steps_of(const lane_plan& plan, std::uint32_t pieces_of_a_half) {
    std::vector<std::vector<std::uint32_t>> held(plan.nodes(), std::vector<std::uint32_t>(plan.parts, 0));
    held[0].assign(plan.parts, pieces_of_a_half);
    std::vector<std::uint32_t> sent(plan.edges.size(), 0);
    for (std::uint64_t step = 0;; ++step) {
        bool complete = true;
        for (const auto& parts : held)
            for (const std::uint32_t pieces : parts) complete = complete && pieces == pieces_of_a_half;
        if (complete) return step;
        const auto before = held;
        for (std::size_t i = 0; i < sent.size(); ++i) {
            const lane_edge& edge = plan.edges[i];
            if (sent[i] == before[edge.parent][edge.first_part]) continue;
            ++sent[i];
            ++held[edge.child][edge.first_part];
        }
    }
}

using testbench::unit::refusal;

}  // namespace

TEST(lane_cost, one_site_of_32) {
    const lane_network network;
    const std::vector<std::tuple<lane_algorithm, double, double>> known{
        {lane_algorithm::chain, 4027.52, 4027.52},      {lane_algorithm::pipelined_chain, 187.52, 187.52},
        {lane_algorithm::binary, 265.6, 265.6},         {lane_algorithm::binomial, 649.6, 649.6},
        {lane_algorithm::van_de_geijn, 283.458, 267.2}, {lane_algorithm::multi_lane, 137.6, 137.6}};
    for (const auto& [how, printed, corrected] : known) {
        EXPECT_THAT(ms(*printed_cost(how, {32}, network, 32 * million)), DoubleNear(printed, 1e-3)) << name_of(how);
        EXPECT_THAT(ms(corrected_cost(how, {32}, network, 32 * million)), DoubleNear(corrected, 1e-3)) << name_of(how);
    }
    EXPECT_THAT(ms(corrected_cost(lane_algorithm::multi_lane, {32}, network, 1 << 25)), DoubleNear(143.818, 1e-3));
    EXPECT_THAT(ms(model(lane_algorithm::multi_lane, {32}, network, 32 * million, 65'536)), DoubleNear(139.697, 1e-3));
    EXPECT_THAT(ms(model(lane_algorithm::van_de_geijn, {32}, network, 32 * million, 65'536)), DoubleNear(265.28, 1e-3));
}

TEST(lane_cost, two_sites_of_16) {
    const lane_network network;
    const auto printed = [&](lane_algorithm how) { return printed_cost(how, {16, 16}, network, 32 * million); };
    const auto corrected = [&](lane_algorithm how) { return ms(corrected_cost(how, {16, 16}, network, 32 * million)); };
    EXPECT_THAT(ms(*printed(lane_algorithm::pipelined_chain)), DoubleNear(195.6, 1e-3));
    EXPECT_THAT(corrected(lane_algorithm::pipelined_chain), DoubleNear(195.6, 1e-3));
    EXPECT_THAT(ms(*printed(lane_algorithm::binary)), DoubleNear(401.68, 1e-3));
    EXPECT_THAT(corrected(lane_algorithm::binary), DoubleNear(391.68, 1e-3)) << "3M/b, and L passes meanwhile";
    EXPECT_THAT(ms(*printed(lane_algorithm::binomial)), DoubleNear(657.68, 1e-3));
    EXPECT_THAT(corrected(lane_algorithm::binomial), DoubleNear(657.68, 1e-3));
    EXPECT_EQ(printed(lane_algorithm::multi_lane), std::nullopt) << "two sites: chain, binomial and binary only";
    EXPECT_THAT(ms(*derived_cost(lane_algorithm::multi_lane, {16, 16}, network, 32 * million)),
                DoubleNear(150.173, 1e-3))
        << "log2 9";
    EXPECT_EQ(derived_cost(lane_algorithm::binary, {16, 16}, network, million), std::nullopt);
    EXPECT_EQ(derived_cost(lane_algorithm::multi_lane, {32}, network, million), std::nullopt);
    EXPECT_THAT(corrected(lane_algorithm::multi_lane), DoubleNear(153.36, 1e-3)) << "8 l";
    EXPECT_EQ(printed(lane_algorithm::chain), std::nullopt);
    EXPECT_EQ(printed(lane_algorithm::van_de_geijn), std::nullopt);
    EXPECT_EQ(printed_cost(lane_algorithm::binary, {16, 15}, network, million), std::nullopt);
    EXPECT_EQ(printed_cost(lane_algorithm::binary, {8, 8, 8}, network, million), std::nullopt);
    EXPECT_NE(derived_cost(lane_algorithm::multi_lane, {8, 8, 8}, network, million), std::nullopt);
    // A small message is behind L in the second site, and the root has long served its own.
    EXPECT_THAT(ms(corrected_cost(lane_algorithm::binary, {16, 16}, network, 1000)), DoubleNear(17.688, 1e-3));
}

TEST(lane_cost, the_printed_form_of_several_sites_is_exact_for_full_trees) {
    const lane_network network{250e6, 1e-3, 7e-3, 0, 1};
    for (std::uint32_t n = 2; n <= 64; n *= 2) {
        numbers sites{2 * n - 1};
        for (std::uint32_t count = 1; count <= 5; ++count, sites.push_back(2 * n - 2)) {
            const double levels = std::log2(n);
            const double expected =
                (2 + count * (levels - 1)) * network.latency + (count - 1) * network.wide_latency + 0.4;
            EXPECT_NEAR(corrected_cost(lane_algorithm::multi_lane, sites, network, 100 * million), expected, 1e-9)
                << n << " " << count;
            if (count > 1) sites.front() = 2 * n - 2;
            if (const auto derived = derived_cost(lane_algorithm::multi_lane, sites, network, 100 * million)) {
                EXPECT_NEAR(*derived, expected, 1e-9) << n << " " << count;
            }
            sites.front() = 2 * n - 1;
        }
    }
}

TEST(lane_cost, multi_lane_never_stalls) {
    EXPECT_EQ(steps_of(make_lane_plan(lane_algorithm::multi_lane, {31}), 64), 68u);
    EXPECT_EQ(model(lane_algorithm::multi_lane, {31}, unit_pieces, 128, 1), 68);
    for (std::uint32_t p = 2; p <= 300; ++p) {
        const lane_plan plan = make_lane_plan(lane_algorithm::multi_lane, {p});
        const double steps = depth_of(plan) + 5 - 1;
        ASSERT_EQ(time_plan(plan, unit_pieces, 10, 1).seconds, steps) << p;
        ASSERT_EQ(static_cast<double>(steps_of(plan, 5)), steps) << p;
    }
    for (const numbers& sites : {numbers{16, 16}, {15, 14}, {3, 1, 7}, {1, 9}, {20, 19, 18, 17}}) {
        const lane_plan plan = make_lane_plan(lane_algorithm::multi_lane, sites);
        EXPECT_EQ(time_plan(plan, unit_pieces, 40, 1).seconds, depth_of(plan) + 19);
        EXPECT_EQ(steps_of(plan, 20), depth_of(plan) + 19);
    }
}

TEST(lane_cost, pieces_cost_their_length_at_each_hop) {
    const lane_network network;
    constexpr std::uint64_t piece = 65'536, bytes = 512 * piece;
    const double whole = static_cast<double>(piece) / network.bandwidth;
    const auto extra = [&](lane_algorithm how, const numbers& sites) {
        return (model(how, sites, network, bytes, piece) - corrected_cost(how, sites, network, bytes)) / whole;
    };
    EXPECT_NEAR(extra(lane_algorithm::pipelined_chain, {32}), 30, 1e-6);
    EXPECT_NEAR(extra(lane_algorithm::binary, {32}), 2 * 4, 1e-6);
    EXPECT_NEAR(extra(lane_algorithm::multi_lane, {32}), 2 * 4, 1e-6);
    EXPECT_NEAR(extra(lane_algorithm::multi_lane, {16, 16}), 2 * 8, 1e-6);
    EXPECT_NEAR(extra(lane_algorithm::chain, {32}), 0, 1e-6);
    EXPECT_NEAR(extra(lane_algorithm::binomial, {32}), 0, 1e-6);
    EXPECT_EQ(model(lane_algorithm::multi_lane, {32}, network, 1000, 65'536),
              model(lane_algorithm::multi_lane, {32}, network, 1000, 500))
        << "a half of a small message is one piece";
}

TEST(lane_cost, the_model_tends_to_the_corrected_forms) {
    for (const lane_network& network :
         {lane_network{250e6, 1.92e-3, 10e-3, 0, 1}, {250e6, 1e-4, 10e-3, 100e3, 4}, {1e9, 0, 20e-3, 100e3, 100}}) {
        for (const numbers& sites : {numbers{2},
                                     {3},
                                     {31},
                                     {32},
                                     {33},
                                     {100},
                                     {16, 16},
                                     {17, 5},
                                     {1, 6},
                                     {6, 1},
                                     {8, 8, 8},
                                     {3, 1, 2, 9, 4},
                                     {1, 1, 1}}) {
            for (const std::uint64_t bytes : {std::uint64_t{20'000}, 4 * million}) {
                for (const lane_algorithm how : lane_algorithms) {
                    const std::uint64_t piece = bytes / 4000;
                    const double got = model(how, sites, network, bytes, piece);
                    const double bound = corrected_cost(how, sites, network, bytes);
                    std::string text = std::string(name_of(how)) + " " + std::to_string(bytes);
                    for (const std::uint32_t nodes : sites) text += " " + std::to_string(nodes);
                    if (how == lane_algorithm::van_de_geijn) {
                        const double odd_bytes = 2.0 * make_lane_plan(how, sites).parts / network.bandwidth;
                        EXPECT_LE(got, bound + odd_bytes) << text;
                        continue;
                    }
                    // What pieces take is not in the closed form: at most their length for each node.
                    EXPECT_GE(got, bound - 1e-9) << text;
                    EXPECT_LE(got, bound * 1.06 + 1e-9) << text;
                }
            }
        }
    }
}

TEST(lane_cost, published_statements) {
    const lane_network network;
    const auto cost = [&](lane_algorithm how, const numbers& sites, std::uint64_t bytes) {
        return corrected_cost(how, sites, network, bytes);
    };
    const auto first_behind_chain = [&](lane_algorithm how) {
        std::uint64_t bytes = 1;
        while (cost(how, {32}, bytes) < cost(lane_algorithm::pipelined_chain, {32}, bytes)) bytes += 10'000;
        return static_cast<double>(bytes) / 1e6;
    };
    EXPECT_NEAR(first_behind_chain(lane_algorithm::binary), 12.48, 0.02) << "published: 128 MB";
    EXPECT_NEAR(first_behind_chain(lane_algorithm::binomial), 3.12, 0.02);
    const auto of_multi_lane = [&](lane_algorithm how, const numbers& sites) {
        return cost(how, sites, 128 * million) / cost(lane_algorithm::multi_lane, sites, 128 * million);
    };
    EXPECT_NEAR(of_multi_lane(lane_algorithm::binary, {32}), 1.98, 5e-3);
    EXPECT_NEAR(of_multi_lane(lane_algorithm::binomial, {32}), 4.93, 5e-3) << "published: about 4";
    EXPECT_NEAR(of_multi_lane(lane_algorithm::binary, {16, 16}), 2.87, 5e-3);
    EXPECT_NEAR(of_multi_lane(lane_algorithm::binomial, {16, 16}), 4.80, 5e-3) << "published: about 4";
    for (const std::uint64_t bytes : {std::uint64_t{1000}, 32 * million, 128 * million}) {
        EXPECT_NEAR(
            ms(cost(lane_algorithm::pipelined_chain, {32}, bytes) - cost(lane_algorithm::multi_lane, {32}, bytes)),
            49.92, 1e-6);
    }
}

TEST(lane_cost, van_de_geijn_in_step) {
    // Nodes that are not sent what they have spare one hop against all in step.
    const lane_network network;
    for (std::uint32_t p = 4; p <= 64; p *= 2) {
        const double bound = corrected_cost(lane_algorithm::van_de_geijn, {p}, network, million);
        EXPECT_NEAR(model(lane_algorithm::van_de_geijn, {p}, network, million, 65'536), bound - network.latency, 1e-6);
    }
    EXPECT_NEAR(corrected_cost(lane_algorithm::van_de_geijn, {16, 16}, network, 32 * million), 0.28336, 1e-9)
        << "one round of each kind goes from site to site";
}

TEST(lane_cost, completion_of_nodes) {
    const lane_times chain = time_plan(make_lane_plan(lane_algorithm::pipelined_chain, {4}), unit_pieces, 10, 2);
    EXPECT_THAT(chain.complete, ::testing::ElementsAre(0, 5, 6, 7));
    EXPECT_EQ(chain.seconds, 7);
    const lane_times odd = time_plan(make_lane_plan(lane_algorithm::multi_lane, {3}), unit_pieces, 5, 2);
    EXPECT_THAT(odd.complete, ::testing::ElementsAre(0, 4, 5)) << "halves of 3 and 2 bytes, pieces of 2 and 1";
    const lane_times binary = time_plan(make_lane_plan(lane_algorithm::binary, {3, 1}), unit_pieces, 4, 4);
    EXPECT_THAT(binary.complete, ::testing::ElementsAre(0, 6, 6, 2))
        << "both lanes to the other site, then each to one";
}

TEST(lane_cost, windows) {
    EXPECT_EQ(stream_bandwidth(100e3, 20e-3, 1, 125e6), 5e6) << "40 Mbit/s, 4 % of a gigabit";
    EXPECT_EQ(stream_bandwidth(100e3, 20e-3, 23, 125e6), 115e6);
    EXPECT_EQ(stream_bandwidth(100e3, 20e-3, 30, 125e6), 125e6);
    EXPECT_EQ(stream_bandwidth(100e3, 0, 1, 125e6), 125e6);
    lane_network network;
    network.window = 100e3;
    EXPECT_NEAR(corrected_cost(lane_algorithm::multi_lane, {16, 16}, network, 32 * million),
                8 * 1.92e-3 + 10e-3 + 16e6 / 5e6, 1e-9)
        << "each half by a stream of 5 MB/s";
    EXPECT_NEAR(corrected_cost(lane_algorithm::pipelined_chain, {16, 16}, network, 32 * million),
                30 * 1.92e-3 + 10e-3 + 32e6 / 10e6, 1e-9)
        << "a stream on each lane";
    network.streams = 25;
    EXPECT_NEAR(corrected_cost(lane_algorithm::multi_lane, {16, 16}, network, 32 * million), 0.15336, 1e-9);
    EXPECT_EQ(corrected_cost(lane_algorithm::multi_lane, {32}, network, 32 * million),
              corrected_cost(lane_algorithm::multi_lane, {32}, lane_network{}, 32 * million))
        << "streams are between sites";
}

TEST(lane_cost, refusals) {
    const auto refused = [](lane_network network) { return refusal([&] { check(network); }); };
    EXPECT_EQ(refused({0}), "lanes without bandwidth; more than 0 bytes a second");
    EXPECT_EQ(refused({NAN}), "lanes without bandwidth; more than 0 bytes a second");
    EXPECT_EQ(refused({1, -1}), "a latency is 0 seconds or more");
    EXPECT_EQ(refused({1, 1, INFINITY}), "a latency is 0 seconds or more");
    EXPECT_EQ(refused({1, 1, 1, -5}), "a window is 0 bytes, for none, or more");
    EXPECT_EQ(refused({1, 1, 1, 5, 0}), "no stream between sites; 1 or more");
    EXPECT_EQ(refused({1, 0, 0, 0, 1}), "accepted");
    const lane_plan plan = make_lane_plan(lane_algorithm::multi_lane, {31});
    EXPECT_EQ(refusal([&] { time_plan(plan, {}, 0, 1); }), "a broadcast of no bytes; 1 or more");
    EXPECT_EQ(refusal([&] { time_plan(plan, {}, 1, 0); }), "pieces of no bytes; 1 or more");
    EXPECT_EQ(refusal([&] { time_plan(plan, {}, 1ull << 30, 1); }),
              "1073741824 pieces to 31 nodes are too many; larger pieces, such as 497 bytes");
    EXPECT_EQ(refusal([&] { corrected_cost(lane_algorithm::chain, {2}, {0}, 1); }),
              "lanes without bandwidth; more than 0 bytes a second");
}

}  // namespace polycast::hw::collectives
