// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/algorithms/parts.h"

#include <algorithm>

namespace polycast::hw::collectives {

void binomial_broadcast(step_schedule& steps, std::uint32_t places, const rank_of& real, const region_of& at) {
    for (std::uint32_t k = 1; k < places; k *= 2)
        for (std::uint32_t i = 0; i < k && i + k < places; ++i) steps.pass(real(i), at(i), real(i + k), at(i + k));
}

void binomial_reduce(step_schedule& steps, std::uint32_t places, const rank_of& real, const region_of& own,
                     const region_of& sum) {
    const auto receives = [places](std::uint32_t place) { return place + std::bit_ceil(place + 1) < places; };
    std::vector<region> arriving(places);
    for (std::uint32_t i = 0; i < places; ++i) {
        if (!receives(i)) continue;
        arriving[i] = steps.scratch(real(i), own(i).bytes);
        steps.copy(real(i), sum(i), own(i));
        steps.step(real(i));
    }
    for (std::uint32_t k = std::bit_ceil(places) / 2; k != 0; k /= 2)
        for (std::uint32_t i = k; i < std::min(2 * k, places); ++i) {
            const std::uint32_t to = i - k;
            steps.pass(real(i), receives(i) ? sum(i) : own(i), real(to), arriving[to]);
            steps.reduce(real(to), sum(to), arriving[to]);
            steps.step(real(to));
        }
}

void binomial_scatter(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& at) {
    for (std::uint32_t k = std::bit_ceil(places) / 2; k != 0; k /= 2)
        for (std::uint32_t i = 0; i + k < places; i += 2 * k) {
            const std::uint32_t to = i + k, count = std::min(k, places - to);
            steps.pass(real(i), at(i, to, count), real(to), at(to, to, count));
        }
}

void binomial_gather(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& at) {
    for (std::uint32_t k = 1; k < places; k *= 2)
        for (std::uint32_t i = 0; i + k < places; i += 2 * k) {
            const std::uint32_t from = i + k, count = std::min(k, places - from);
            steps.pass(real(from), at(from, from, count), real(i), at(i, from, count));
        }
}

void ring_allgather(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& at) {
    for (std::uint32_t round = 0; round + 1 < places; ++round)
        for (std::uint32_t i = 0; i < places; ++i) {
            const std::uint32_t sent = (i + places - round) % places, got = (i + 2 * places - round - 1) % places;
            steps.send(real(i), real((i + 1) % places), at(i, sent, 1));
            steps.receive(real(i), real((i + places - 1) % places), at(i, got, 1));
            steps.step(real(i));
        }
}

void doubling_allgather(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& at) {
    for (std::uint32_t k = 1; k < places; k *= 2)
        for (std::uint32_t i = 0; i < places; ++i) {
            const std::uint32_t other = i ^ k;
            steps.send(real(i), real(other), at(i, i & ~(k - 1), k));
            steps.receive(real(i), real(other), at(i, other & ~(k - 1), k));
            steps.step(real(i));
        }
}

void halving_reduce_scatter(step_schedule& steps, std::uint32_t places, const rank_of& real, const blocks_of& sum) {
    if (places == 1) return;
    std::vector<region> arriving(places);
    for (std::uint32_t i = 0; i < places; ++i)
        arriving[i] =
            steps.scratch(real(i), std::max(sum(i, 0, places / 2).bytes, sum(i, places / 2, places / 2).bytes));
    for (std::uint32_t k = places / 2; k != 0; k /= 2)
        for (std::uint32_t i = 0; i < places; ++i) {
            const std::uint32_t other = i ^ k;
            const region kept = sum(i, i & ~(k - 1), k), got = arriving[i].part({0, kept.bytes});
            steps.send(real(i), real(other), sum(i, other & ~(k - 1), k));
            steps.receive(real(i), real(other), got);
            steps.step(real(i));
            steps.reduce(real(i), kept, got);
            steps.step(real(i));
        }
}

}  // namespace polycast::hw::collectives
