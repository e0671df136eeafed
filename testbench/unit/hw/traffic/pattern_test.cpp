// SPDX-License-Identifier: Apache-2.0
// Patterns of traffic: where messages go among processes of hosts. Those of coordinates: terminals_test.cpp.
#include "hw/traffic/pattern.h"

#include <gmock/gmock.h>

#include <cmath>
#include <iostream>
#include <set>

#include "testbench/unit/refusal.h"

namespace polycast::hw::traffic {
namespace {

using testing::HasSubstr;

std::string refused(const pattern_params& params, const pattern_sources& sources) {
    return testbench::unit::refusal([&] { make_pattern(params, sources); });
}

TEST(patterns, all_reach_processes_of_other_hosts_or_are_silent) {
    const pattern_sources sources{.hosts = 16, .processes = 3, .seed = 5};
    for (const pattern_kind* kind : pattern_kinds()) {
        pattern_params params{.name = kind->name, .dimensions = 2, .radix = 4};
        if (kind->hosts) params.hosts = {0, 15};
        const auto where = make_pattern(params, sources);
        random_stream random(1);
        std::set<std::uint32_t> reached;
        for (std::uint32_t source = 0; source < 48; ++source) {
            for (std::uint32_t number = 0; number < 40; ++number) {
                const std::uint32_t to = where->destination(source, number, {random});
                ASSERT_LT(to, 48u) << kind->name;
                EXPECT_NE(where->uniform(source, {random}) / 3, source / 3) << kind->name;
                EXPECT_TRUE(!where->fixed() || to % 3 == source % 3) << kind->name;
                EXPECT_TRUE(!where->silent(source) || to == source) << kind->name;
                EXPECT_TRUE(!where->spread() || to / 3 != source / 3) << kind->name;
                reached.insert(to);
            }
        }
        EXPECT_EQ(reached.size(), 48u) << kind->name;
    }
}

TEST(patterns, a_permutation_is_one_and_comes_from_the_seed) {
    const auto drawn = [](std::uint64_t seed) {
        const auto where = make_pattern({"permutation"}, {.hosts = 50, .seed = seed});
        random_stream random(1);
        std::vector<std::uint32_t> to;
        for (std::uint32_t host = 0; host < 50; ++host) {
            to.push_back(where->destination(host, 0, {random}));
            EXPECT_FALSE(where->silent(host));
        }
        EXPECT_EQ(std::set(to.begin(), to.end()).size(), 50u);
        return to;
    };
    EXPECT_EQ(drawn(1), drawn(1));
    EXPECT_NE(drawn(1), drawn(2));
}

TEST(patterns, each_to_each_begins_with_the_next_host) {
    const auto where = make_pattern({"each_to_each"}, {.hosts = 5});
    random_stream random(1);
    for (std::uint32_t host = 0; host < 5; ++host)
        for (std::uint32_t number = 0; number < 4; ++number)
            EXPECT_EQ(where->destination(host, number, {random}), (host + 1 + number) % 5);
}

TEST(patterns, whole_numbers_are_even_however_they_are_made) {
    for (const bool scaled : {false, true}) {
        random_stream random(3);
        const draws from{random, scaled};
        std::vector<unsigned> counts(7);
        for (unsigned draw = 0; draw < 70000; ++draw) ++counts[from.below(7)];
        // 5 standard deviations: sqrt(10000 * 6 / 7) = 93.
        for (const unsigned count : counts) EXPECT_NEAR(count, 10000, 465);
    }
}

/// Sums of many gaps of a source against mean and variance as derived in bursty.cpp, within 5 standard deviations.
TEST(patterns, bursts_keep_the_mean_rate_and_have_the_mean_length) {
    constexpr std::uint64_t seed = 17;
    constexpr unsigned gaps = 200'000;
    std::cout << "seed " << seed << "\n";
    for (const auto& [burst, peak] : {std::pair(8.0, 4.0), {1.0, 2.0}, {50.0, 1.5}, {3.0, 100.0}}) {
        const auto where = make_pattern({"bursty", {}, {{"burst", burst}, {"peak", peak}}}, {.hosts = 8});
        random_stream random(seed);
        constexpr double mean = 40;
        double sum = 0;
        unsigned ends = 0;
        for (unsigned count = 0; count < gaps; ++count) {
            const double gap = where->gap(1 / mean, random);
            ASSERT_GE(gap, mean / peak * (1 - 1e-9));
            sum += gap;
            ends += gap > mean / peak * (1 + 1e-9) ? 1 : 0;
        }
        const double deviation = std::sqrt(2 * burst - 1) * (1 - 1 / peak) * mean;
        EXPECT_NEAR(sum / gaps, mean, 5 * deviation / std::sqrt(gaps)) << burst << ", " << peak;
        const double expected = gaps / burst;
        EXPECT_NEAR(ends, expected, 5 * std::sqrt(expected * (1 - 1 / burst)) + 1e-9) << burst << ", " << peak;
    }
}

/// The first gap is what is left of a gap at a random moment: its mean is that of the square over twice the mean.
TEST(patterns, bursts_have_no_beginning) {
    constexpr double burst = 8, peak = 4, mean = 40;
    const auto where = make_pattern({"bursty"}, {.hosts = 8});
    random_stream random(18);
    double sum = 0, squares = 0;
    constexpr unsigned sources = 100'000;
    for (unsigned source = 0; source < sources; ++source) {
        const double first = where->first_gap(1 / mean, random);
        sum += first;
        squares += first * first;
    }
    const double variance = (2 * burst - 1) * (1 - 1 / peak) * (1 - 1 / peak) * mean * mean;
    const double found = sum / sources;
    const double deviation = std::sqrt((squares / sources - found * found) / sources);
    EXPECT_NEAR(found, (variance + mean * mean) / (2 * mean), 5 * deviation);
}

TEST(patterns, say_what_they_need) {
    EXPECT_THAT(refused({"gossip"}, {.hosts = 4}), HasSubstr("there is no traffic pattern 'gossip'"));
    EXPECT_THAT(refused({"uniform"}, {.hosts = 1}), HasSubstr("two hosts"));
    EXPECT_THAT(refused({"hotspot"}, {.hosts = 4}), HasSubstr("without a hotspot"));
    EXPECT_THAT(refused({"hotspot", {4}}, {.hosts = 4}), HasSubstr("hotspot 4 does not exist"));
    EXPECT_THAT(refused({"hotspot", {1}, {{"fraction", 1.5}}}, {.hosts = 4}), HasSubstr("0..1"));
    for (const char* name : {"transpose", "bit_complement", "tornado"})
        EXPECT_THAT(refused({name}, {.hosts = 4}), HasSubstr("needs the coordinates of a mesh or torus")) << name;
}

}  // namespace
}  // namespace polycast::hw::traffic
