// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/statistics.h"

#include <gtest/gtest.h>

#include <array>

namespace polycast::tlm::sim {
namespace {

TEST(statistics, interval_of_known_values) {
    // Mean 3, standard deviation sqrt(2.5), t(4, 0.975) = 2.776445.
    const std::array<double, 5> values{1, 2, 3, 4, 5};
    ASSERT_TRUE(confidence(values).has_value());
    EXPECT_NEAR(*confidence(values), 2.776445 * 0.7071068, 1e-5);
    EXPECT_FALSE(confidence(std::array<double, 1>{7}).has_value());
    EXPECT_EQ(confidence(std::array<double, 3>{7, 7, 7}), 0.0);
}

TEST(statistics, percentiles_by_nearest_rank) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t value = 100; value >= 1; --value) values.push_back(value);
    const summary s = summarise(values);
    EXPECT_EQ(s.count, 100u);
    EXPECT_DOUBLE_EQ(s.mean, 50.5);
    EXPECT_EQ(s.min, 1u);
    EXPECT_EQ(s.p50, 50u);
    EXPECT_EQ(s.p90, 90u);
    EXPECT_EQ(s.p99, 99u);
    EXPECT_EQ(s.max, 100u);
    EXPECT_EQ(summarise({7}).p50, 7u);
    EXPECT_EQ(summarise({7}).p99, 7u);
    EXPECT_EQ(summarise({}).count, 0u);
}

TEST(statistics, batches_count_only_their_window) {
    std::vector<sample> samples;
    for (std::uint64_t time = 0; time < 300; ++time) samples.push_back({time, time < 150 ? 10u : 20u});
    const summary s = summarise_batches(samples, 100, 200, 10);
    EXPECT_EQ(s.count, 100u);
    EXPECT_DOUBLE_EQ(s.mean, 15);
    // Five batches of mean 10 and five of mean 20: t(9, 0.975) = 2.262157, deviation sqrt(250/9).
    ASSERT_TRUE(s.ci95.has_value());
    EXPECT_NEAR(*s.ci95, 2.262157 * 5.2704628 / 3.1622777, 1e-5);
    EXPECT_FALSE(summarise_batches(samples, 1000, 2000, 10).ci95.has_value());
}

/// Around `level` with noise of +-50, the first `cold` values higher.
std::vector<std::uint64_t> series(std::size_t count, std::size_t cold, std::uint64_t extra) {
    std::vector<std::uint64_t> values;
    std::uint64_t state = 1;
    for (std::size_t index = 0; index < count; ++index) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values.push_back(1000 + (state >> 33) % 101 + (index < cold ? extra : 0));
    }
    return values;
}

TEST(statistics, mser5_finds_where_a_warmup_ends) {
    EXPECT_EQ(warmup_of(series(1000, 100, 500)), 100u);
    EXPECT_NEAR(static_cast<double>(warmup_of(series(1000, 103, 500)).value()), 105, 25);
    EXPECT_LE(warmup_of(series(1000, 0, 0)).value(), 200u);
    EXPECT_EQ(warmup_of(series(1000, 600, 500)), std::nullopt);  // more than half
    EXPECT_EQ(warmup_of(series(249, 0, 0)), std::nullopt);
    EXPECT_EQ(warmup_of(std::vector<std::uint64_t>(250, 7)), 0u);
    // A queue that grows without end never settles.
    std::vector<std::uint64_t> growing;
    for (std::uint64_t index = 0; index < 1000; ++index) growing.push_back(1000 + 10 * index);
    EXPECT_EQ(warmup_of(growing), std::nullopt);
    // Far from zero.
    std::vector<std::uint64_t> far = series(1000, 100, 500);
    for (std::uint64_t& value : far) value += 1000000000000;
    EXPECT_EQ(warmup_of(far), 100u);
}

}  // namespace
}  // namespace polycast::tlm::sim
