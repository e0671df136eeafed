// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "hw/collectives/algorithms/algorithms.h"
#include "hw/collectives/algorithms/closed_forms.h"
#include "hw/collectives/algorithms/parts.h"

namespace polycast::hw::collectives {
namespace {

/// Chunk c starts at rank c + 1, so that its sum is complete at rank c.
void make_ring(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t n = of.ranks;
    for (std::uint32_t i = 0; i < n; ++i) {
        // What has come is sent while the next one comes.
        const std::array<region, 2> sums{steps.scratch(i, of.block(0).bytes), steps.scratch(i, of.block(0).bytes)};
        region sum = of.input(i).part(of.block((i + n - 1) % n));
        for (std::uint32_t round = 0; round + 1 < n; ++round) {
            const range chunk = of.block((i + 2 * n - round - 2) % n);
            const region in = sums[round % 2].part({0, chunk.bytes});
            steps.send(i, (i + 1) % n, sum);
            steps.receive(i, (i + n - 1) % n, in);
            steps.step(i);
            steps.reduce(i, in, of.input(i).part(chunk));
            steps.step(i);
            sum = in;
        }
        steps.copy(i, of.output(i), sum);
    }
}

void make_direct(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t n = of.ranks;
    for (std::uint32_t i = 0; i < n; ++i) {
        std::vector<region> arriving;
        steps.copy(i, of.output(i), of.input(i).part(of.block(i)));
        for (std::uint32_t far = 1; far < n; ++far) {
            const std::uint32_t to = (i + far) % n;
            arriving.push_back(steps.scratch(i, of.block(i).bytes));
            steps.send(i, to, of.input(i).part(of.block(to)));
            steps.receive(i, (i + n - far) % n, arriving.back());
        }
        for (const region& one : arriving) {
            steps.step(i);
            steps.reduce(i, of.output(i), one);
        }
    }
}

void make_halving(step_schedule& steps) {
    const collective& of = steps.of();
    std::vector<region> sums(of.ranks);
    for (std::uint32_t i = 0; i < of.ranks; ++i) {
        sums[i] = steps.scratch(i, of.bytes());
        steps.copy(i, sums[i], of.input(i));
    }
    steps.step();
    halving_reduce_scatter(
        steps, of.ranks, [](std::uint32_t place) { return place; },
        [&](std::uint32_t place, std::uint32_t first, std::uint32_t count) {
            return sums[place].part(blocks_in(of, first, count, of.ranks));
        });
    for (std::uint32_t i = 0; i < of.ranks; ++i) steps.copy(i, of.output(i), sums[i].part(of.block(i)));
}

}  // namespace

const algorithm reduce_scatter_ring{collective_kind::reduce_scatter, "ring", "chunks go round and grow", make_ring,
                                    [](const collective& of) {
                                        const closed_forms f(of);
                                        return collective_counts{f.n - 1, f.n * (f.n - 1), (f.n - 1) * f.m};
                                    }};

const algorithm reduce_scatter_direct{collective_kind::reduce_scatter, "direct", "all send each rank its block",
                                      make_direct, [](const collective& of) {
                                          const closed_forms f(of);
                                          return collective_counts{1, f.n * (f.n - 1), (f.n - 1) * f.m};
                                      }};

const algorithm reduce_scatter_halving{collective_kind::reduce_scatter,
                                       "halving",
                                       "exchanges of halves over distances n/2, .., 2, 1",
                                       make_halving,
                                       [](const collective& of) {
                                           const closed_forms f(of);
                                           return collective_counts{f.q, f.n * f.q, (f.n - 1) * f.m};
                                       },
                                       false,
                                       true};

}  // namespace polycast::hw::collectives
