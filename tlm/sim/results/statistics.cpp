// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/statistics.h"

#include <algorithm>
#include <boost/accumulators/accumulators.hpp>
#include <boost/accumulators/statistics/mean.hpp>
#include <boost/accumulators/statistics/stats.hpp>
#include <boost/accumulators/statistics/variance.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace polycast::tlm::sim {

namespace acc = boost::accumulators;

std::optional<double> confidence(std::span<const double> values) {
    if (values.size() < 2) return std::nullopt;
    acc::accumulator_set<double, acc::stats<acc::tag::mean, acc::tag::variance>> set;
    for (const double value : values) set(value);
    const auto count = static_cast<double>(values.size());
    const double deviation = std::sqrt(std::max(0.0, acc::variance(set)) * count / (count - 1));
    const boost::math::students_t student(count - 1);
    return boost::math::quantile(student, 0.975) * deviation / std::sqrt(count);
}

summary summarise(std::vector<std::uint64_t> values) {
    summary figures;
    figures.count = values.size();
    if (values.empty()) return figures;
    std::ranges::sort(values);
    const auto rank = [&](std::uint64_t percent) { return values[(values.size() * percent + 99) / 100 - 1]; };
    figures.min = values.front();
    figures.max = values.back();
    figures.p50 = rank(50);
    figures.p90 = rank(90);
    figures.p99 = rank(99);
    acc::accumulator_set<double, acc::stats<acc::tag::mean>> set;
    std::vector<double> numbers;
    for (const std::uint64_t value : values) {
        set(static_cast<double>(value));
        numbers.push_back(static_cast<double>(value));
    }
    figures.mean = acc::mean(set);
    figures.ci95 = confidence(numbers);
    return figures;
}

summary summarise(const hw::fabric::latency_histogram& values, std::uint64_t min, std::uint64_t max) {
    summary figures;
    if (values.count() == 0) return figures;
    figures.count = values.count();
    figures.mean = values.mean();
    figures.min = min;
    figures.max = max;
    figures.p50 = values.percentile(50);
    figures.p90 = values.percentile(90);
    figures.p99 = values.percentile(99);
    return figures;
}

summary summarise_batches(const std::vector<sample>& samples, std::uint64_t from, std::uint64_t to, unsigned batches) {
    std::vector<std::uint64_t> values;
    std::vector<acc::accumulator_set<double, acc::stats<acc::tag::mean>>> sets(batches);
    std::vector<bool> used(batches);
    for (const sample& s : samples) {
        if (s.time < from || s.time >= to) continue;
        values.push_back(s.value);
        const auto batch =
            static_cast<std::size_t>(static_cast<double>(s.time - from) / static_cast<double>(to - from) * batches);
        sets[std::min<std::size_t>(batch, batches - 1)](static_cast<double>(s.value));
        used[std::min<std::size_t>(batch, batches - 1)] = true;
    }
    summary figures = summarise(std::move(values));
    std::vector<double> means;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        if (used[batch]) means.push_back(acc::mean(sets[batch]));
    }
    figures.ci95 = confidence(means);
    return figures;
}

std::optional<std::size_t> warmup_of(std::span<const std::uint64_t> values) {
    constexpr std::size_t batch = 5;
    const std::size_t count = values.size() / batch;
    if (values.size() < fewest_for_warmup) return std::nullopt;
    // From the end, so that every tail's sums come from the one before; relative to the last value, against
    // cancellation.
    const auto zero = static_cast<double>(values[count * batch - 1]);
    double sum = 0;
    double squares = 0;
    double best = std::numeric_limits<double>::infinity();
    std::size_t place = count;
    for (std::size_t first = count; first-- != 0;) {
        double mean = 0;
        for (std::size_t index = first * batch; index < (first + 1) * batch; ++index)
            mean += (static_cast<double>(values[index]) - zero) / batch;
        sum += mean;
        squares += mean * mean;
        const auto left = static_cast<double>(count - first);
        // The last few alone say nothing of how much values vary.
        if (count - first < batch) continue;
        const double error = std::max(0.0, squares - sum * sum / left) / (left * left);
        if (error <= best) {
            best = error;
            place = first;
        }
    }
    if (place > count / 2) return std::nullopt;
    return place * batch;
}

}  // namespace polycast::tlm::sim
