// SPDX-License-Identifier: Apache-2.0
/// \file What several algorithms are made of. Ranks are told by their place among those that take part: `real` gives
/// the rank, regions are those of the place.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "hw/collectives/schedule.h"

namespace polycast::hw::collectives {

using rank_of = std::function<std::uint32_t(std::uint32_t place)>;
using region_of = std::function<region(std::uint32_t place)>;
/// Blocks [first, first + count) at a place.
using blocks_of = std::function<region(std::uint32_t place, std::uint32_t first, std::uint32_t count)>;

/// Rounds of a binomial tree.
inline std::uint32_t rounds_of(std::uint32_t ranks) {
    return static_cast<std::uint32_t>(std::bit_width(ranks - 1));
}

/// Blocks [first, first + count) of a vector that is cut into so many.
inline range blocks_in(const collective& of, std::uint32_t first, std::uint32_t count, std::uint32_t parts) {
    const range begin = of.share(first, parts), last = of.share(first + count - 1, parts);
    return {begin.begin, last.end() - begin.begin};
}

/// Place 0 has it, then places i < k send it to i + k in rounds k = 1, 2, 4, ..
void binomial_broadcast(step_schedule& steps, std::uint32_t places, const rank_of& real, const region_of& at);

/// The broadcast turned round: places k <= i < 2k send to i - k in rounds k = .., 4, 2, 1. Place 0 gets the reduction
/// in sum(0). \param own what a place gives \param sum where it adds it to what arrives, own itself perhaps; asked for
/// only of places that get something
void binomial_reduce(step_schedule& steps, std::uint32_t places, const rank_of& real, const region_of& own,
                     const region_of& sum);

/// Place 0 has the blocks of all places; each gets its own and those of the places behind it, from the far half down.
void binomial_scatter(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& at);
/// The scatter turned round.
void binomial_gather(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& at);

/// Every place has its block in at(place, place, 1), and in the end all.
void ring_allgather(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& at);
/// The same for a power of two, by exchanges with place ^ 1, ^ 2, ^ 4, ..
void doubling_allgather(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& at);

/// Exchanges halves with place ^ n/2, .., ^ 2, ^ 1 of a power of two: each place keeps the reduction of its block in
/// sum(place). \param sum its vector at first
void halving_reduce_scatter(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& sum);

}  // namespace polycast::hw::collectives
