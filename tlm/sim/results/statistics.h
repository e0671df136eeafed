// SPDX-License-Identifier: Apache-2.0
/// \file From latencies to a mean with its confidence interval.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/fabric/latency_histogram.h"

namespace polycast::tlm::sim {

/// Figures of a sample.
struct summary {
    std::uint64_t count = 0;
    double mean = 0;
    std::uint64_t min = 0, max = 0;
    std::uint64_t p50 = 0, p90 = 0, p99 = 0;  ///< nearest rank: the smallest value that so many percent do not exceed
    std::optional<double>
        ci95;  ///< half the width of the mean's 95 % confidence interval (Student); nothing if it cannot be determined
};

/// Half width of the 95 % confidence interval of the mean of independent values; nothing for fewer than two.
std::optional<double> confidence(std::span<const double> values);

/// Figures of independent values.
summary summarise(std::vector<std::uint64_t> values);
/// Figures of values that were counted; there is no confidence interval.
summary summarise(const hw::fabric::latency_histogram& values, std::uint64_t min, std::uint64_t max);

/// A value seen at a time.
struct sample {
    std::uint64_t time = 0;
    std::uint64_t value = 0;
};

/// Figures of values that depend on their neighbours, as latencies under load do: the interval comes from the means of
/// `batches` equal stretches of `from`..`to` (batch means; Law and Kelton, "Simulation Modeling and Analysis"), those
/// without a value left out.
summary summarise_batches(const std::vector<sample>& samples, std::uint64_t from, std::uint64_t to, unsigned batches);

/// Number of values at the beginning of a series that differ from the rest: MSER-5 (White, "An effective truncation
/// heuristic for bias reduction in simulation output", Simulation 69, 1997). Of the means of 5 values each, the first d
/// are left out for which the rest has the least squared standard error of its mean. A multiple of 5; nothing where
/// that is in the second half, as the series is too short to say, or for fewer than fewest_for_warmup values.
inline constexpr std::size_t fewest_for_warmup = 250;
std::optional<std::size_t> warmup_of(std::span<const std::uint64_t> values);

}  // namespace polycast::tlm::sim
