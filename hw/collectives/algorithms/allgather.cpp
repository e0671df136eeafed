// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/collectives/algorithms/algorithms.h"
#include "hw/collectives/algorithms/closed_forms.h"
#include "hw/collectives/algorithms/parts.h"

namespace polycast::hw::collectives {
namespace {

std::uint32_t same(std::uint32_t place) {
    return place;
}

/// Outputs hold the block of their rank.
void begin(step_schedule& steps) {
    const collective& of = steps.of();
    for (std::uint32_t rank = 0; rank < of.ranks; ++rank)
        steps.copy(rank, of.output(rank).part(of.block(rank)), of.input(rank));
    steps.step();
}

blocks_of in_output(const step_schedule& steps) {
    return [&steps](std::uint32_t place, std::uint32_t first, std::uint32_t count) {
        return steps.of().output(place).part(blocks_in(steps.of(), first, count, steps.ranks()));
    };
}

void make_ring(step_schedule& steps) {
    begin(steps);
    ring_allgather(steps, steps.ranks(), same, in_output(steps));
}

void make_direct(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t n = of.ranks;
    begin(steps);
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t far = 1; far < n; ++far) {
            const std::uint32_t from = (i + n - far) % n;
            steps.send(i, (i + far) % n, of.output(i).part(of.block(i)));
            steps.receive(i, from, of.output(i).part(of.block(from)));
        }
}

void make_doubling(step_schedule& steps) {
    begin(steps);
    doubling_allgather(steps, steps.ranks(), same, in_output(steps));
}

/// A worm of every rank.
void make_worms(step_schedule& steps) {
    const collective& of = steps.of();
    begin(steps);
    for (std::uint32_t i = 0; i < of.ranks; ++i) {
        steps.multicast(i, of.output(i).part(of.block(i)));
        for (std::uint32_t far = 1; far < of.ranks; ++far) {
            const std::uint32_t from = (i + of.ranks - far) % of.ranks;
            steps.receive(i, from, of.output(i).part(of.block(from)));
        }
    }
}

/// Rank i collects blocks i, i + 1, .. side by side in bytes of its own, and turns them round in the end.
void make_bruck(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t n = of.ranks;
    std::vector<region> turned(n);
    // Where the block of rank i + slot begins at rank i.
    const auto begins = [&](std::uint32_t i, std::uint32_t slot) {
        const std::uint64_t own = of.block(i).begin;
        return i + slot < n ? of.block(i + slot).begin - own
                            : of.bytes() - own + (i + slot == 2 * n ? own : of.block(i + slot - n).begin);
    };
    const auto slots = [&](std::uint32_t i, std::uint32_t first, std::uint32_t count) {
        const std::uint64_t begin = begins(i, first), end = first + count == n ? of.bytes() : begins(i, first + count);
        return turned[i].part({begin, end - begin});
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        turned[i] = steps.scratch(i, of.bytes());
        steps.copy(i, slots(i, 0, 1), of.input(i));
    }
    steps.step();
    for (std::uint32_t have = 1; have < n; have *= 2) {
        const std::uint32_t count = std::min(have, n - have);
        for (std::uint32_t i = 0; i < n; ++i) {
            steps.send(i, (i + n - have) % n, slots(i, 0, count));
            steps.receive(i, (i + have) % n, slots(i, have, count));
            steps.step(i);
        }
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint64_t own = of.block(i).begin, behind = of.bytes() - own;
        steps.copy(i, of.output(i).part({own, behind}), turned[i].part({0, behind}));
        steps.copy(i, of.output(i).part({0, own}), turned[i].part({behind, own}));
    }
}

}  // namespace

const algorithm allgather_ring{collective_kind::allgather, "ring", "blocks go round", make_ring,
                               [](const collective& of) {
                                   const closed_forms f(of);
                                   return collective_counts{f.n - 1, f.n * (f.n - 1), (f.n - 1) * f.m};
                               }};

const algorithm allgather_direct{collective_kind::allgather, "direct", "each rank sends its block to all", make_direct,
                                 [](const collective& of) {
                                     const closed_forms f(of);
                                     return collective_counts{1, f.n * (f.n - 1), (f.n - 1) * f.m};
                                 }};

const algorithm allgather_doubling{collective_kind::allgather,
                                   "doubling",
                                   "exchanges of all that ranks have, over distances 1, 2, 4, ..",
                                   make_doubling,
                                   [](const collective& of) {
                                       const closed_forms f(of);
                                       return collective_counts{f.q, f.n * f.q, (f.n - 1) * f.m};
                                   },
                                   false,
                                   true};

const algorithm allgather_bruck{collective_kind::allgather, "bruck",
                                "the same for any number of ranks, round a ring (Bruck et al., 1997)", make_bruck,
                                [](const collective& of) {
                                    const closed_forms f(of);
                                    return collective_counts{f.q, f.n * f.q, (f.n - 1) * f.m};
                                }};

const algorithm allgather_worms{.of = collective_kind::allgather,
                                .name = "worms",
                                .doc = "a tree worm of each rank to all others, which switches copy",
                                .make = make_worms,
                                .count =
                                    [](const collective& of) {
                                        return collective_counts{1, 0, 0, of.ranks, of.bytes()};
                                    },
                                .scheme = "tree"};

}  // namespace polycast::hw::collectives
