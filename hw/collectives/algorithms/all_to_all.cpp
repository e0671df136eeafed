// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/algorithms/algorithms.h"
#include "hw/collectives/algorithms/closed_forms.h"
#include "hw/collectives/algorithms/parts.h"

namespace polycast::hw::collectives {
namespace {

/// What comes from a rank: blocks lie in the order of their ranks.
region from(const collective& of, std::uint32_t rank, std::uint32_t source) {
    const std::uint64_t bytes = of.block(rank).bytes;
    return of.output(rank).part({source * bytes, bytes});
}

/// \returns [rank] what it gives. In place it is copied first, as other ranks' blocks come to the same bytes
std::vector<region> begin(step_schedule& steps) {
    const collective& of = steps.of();
    std::vector<region> given(of.ranks);
    for (std::uint32_t i = 0; i < of.ranks; ++i) {
        given[i] = of.input(i);
        if (of.in_place) {
            given[i] = steps.scratch(i, of.bytes());
            steps.copy(i, given[i], of.input(i));
            steps.step(i);
        }
    }
    return given;
}

void make(step_schedule& steps, bool one_by_one) {
    const collective& of = steps.of();
    const std::uint32_t n = of.ranks;
    const std::vector<region> given = begin(steps);
    for (std::uint32_t i = 0; i < n; ++i) {
        steps.copy(i, from(of, i, i), given[i].part(of.block(i)));
        for (std::uint32_t far = 1; far < n; ++far) {
            const std::uint32_t to = (i + far) % n, source = (i + n - far) % n;
            steps.send(i, to, given[i].part(of.block(to)));
            steps.receive(i, source, from(of, i, source));
            if (one_by_one) steps.step(i);
        }
    }
}

void make_direct(step_schedule& steps) {
    make(steps, false);
}

void make_pairwise(step_schedule& steps) {
    make(steps, true);
}

/// Slot j of rank i has the block for rank i + j. It moves by k where j has bit k, and ends where it belongs, as that
/// of rank i - j.
void make_bruck(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t n = of.ranks;
    const std::uint64_t longest = of.block(0).bytes;
    const std::vector<region> given = begin(steps);
    std::vector<region> slots(n), leaving(n), arriving(n);
    const auto slot = [&](std::uint32_t i, std::uint32_t j, std::uint64_t bytes) {
        return slots[i].part({j * longest, bytes});
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        slots[i] = steps.scratch(i, n * longest);
        leaving[i] = steps.scratch(i, n * longest);
        arriving[i] = steps.scratch(i, n * longest);
        for (std::uint32_t j = 0; j < n; ++j) {
            const range block = of.block((i + j) % n);
            steps.copy(i, slot(i, j, block.bytes), given[i].part(block));
        }
        steps.step(i);
    }
    for (std::uint32_t k = 1; k < n; k *= 2)
        for (std::uint32_t i = 0; i < n; ++i) {
            // For whom slot j is, which has moved by the bits of j below k already.
            const auto bytes_at = [&](std::uint32_t rank, std::uint32_t j) {
                return of.block((rank + n - j % k + j) % n).bytes;
            };
            const std::uint32_t source = (i + n - k) % n;
            std::uint64_t sent = 0, got = 0;
            for (std::uint32_t j = k; j < n; ++j) {
                if ((j & k) == 0) continue;
                const std::uint64_t bytes = bytes_at(i, j);
                steps.copy(i, leaving[i].part({sent, bytes}), slot(i, j, bytes));
                sent += bytes;
            }
            steps.step(i);
            for (std::uint32_t j = k; j < n; ++j)
                if ((j & k) != 0) got += bytes_at(source, j);
            steps.send(i, (i + k) % n, leaving[i].part({0, sent}));
            steps.receive(i, source, arriving[i].part({0, got}));
            steps.step(i);
            got = 0;
            for (std::uint32_t j = k; j < n; ++j) {
                if ((j & k) == 0) continue;
                const std::uint64_t bytes = bytes_at(source, j);
                steps.copy(i, slot(i, j, bytes), arriving[i].part({got, bytes}));
                got += bytes;
            }
            steps.step(i);
        }
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < n; ++j)
            steps.copy(i, from(of, i, (i + n - j) % n), slot(i, j, of.block(i).bytes));
}

}  // namespace

const algorithm all_to_all_direct{collective_kind::all_to_all, "direct", "all send to all, side by side", make_direct,
                                  [](const collective& of) {
                                      const closed_forms f(of);
                                      return collective_counts{1, f.n * (f.n - 1), (f.n - 1) * f.m};
                                  }};

const algorithm all_to_all_pairwise{collective_kind::all_to_all, "pairwise",
                                    "to the rank 1 ahead, then to that 2 ahead, and so on", make_pairwise,
                                    [](const collective& of) {
                                        const closed_forms f(of);
                                        return collective_counts{f.n - 1, f.n * (f.n - 1), (f.n - 1) * f.m};
                                    }};

const algorithm all_to_all_bruck{collective_kind::all_to_all, "bruck",
                                 "blocks travel by the ones in their distance (Bruck et al., 1997)", make_bruck,
                                 [](const collective& of) {
                                     const closed_forms f(of);
                                     // Each rank sends the block for another as often as their distance has ones.
                                     std::uint64_t P = 0;
                                     for (std::uint32_t i = 0; i < of.ranks; ++i) P += closed_forms::ones(i);
                                     return collective_counts{f.q, f.n * f.q, P * f.m};
                                 }};

}  // namespace polycast::hw::collectives
