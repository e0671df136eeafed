// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/algorithms/algorithms.h"
#include "hw/collectives/algorithms/closed_forms.h"
#include "hw/collectives/algorithms/parts.h"

namespace polycast::hw::collectives {
namespace {

/// A byte that a rank sends, or that comes: what is in it means nothing.
region byte(step_schedule& steps, std::uint32_t rank) {
    return steps.scratch(rank, 1);
}

void make_dissemination(step_schedule& steps) {
    const std::uint32_t n = steps.ranks();
    for (std::uint32_t k = 1; k < n; k *= 2)
        for (std::uint32_t i = 0; i < n; ++i) {
            steps.send(i, (i + k) % n, byte(steps, i));
            steps.receive(i, (i + n - k) % n, byte(steps, i));
            steps.step(i);
        }
}

void make_tree(step_schedule& steps) {
    const std::uint32_t n = steps.ranks();
    for (std::uint32_t k = 1; k < n; k *= 2)
        for (std::uint32_t i = 0; i + k < n; i += 2 * k) steps.pass(i + k, byte(steps, i + k), i, byte(steps, i));
    for (std::uint32_t k = 1; k < n; k *= 2)
        for (std::uint32_t i = 0; i < k && i + k < n; ++i) steps.pass(i, byte(steps, i), i + k, byte(steps, i + k));
}

void make_central(step_schedule& steps) {
    const std::uint32_t n = steps.ranks();
    for (std::uint32_t i = 1; i < n; ++i) {
        steps.send(i, 0, byte(steps, i));
        steps.receive(0, i, byte(steps, 0));
    }
    steps.step();
    for (std::uint32_t i = 1; i < n; ++i) {
        steps.send(0, i, byte(steps, 0));
        steps.receive(i, 0, byte(steps, i));
    }
}

}  // namespace

const algorithm barrier_dissemination{collective_kind::barrier, "dissemination",
                                      "news from distances 1, 2, 4, .. (Hensgen, Finkel and Manber, 1988)",
                                      make_dissemination, [](const collective& of) {
                                          const closed_forms f(of);
                                          return collective_counts{f.q, f.n * f.q, f.n * f.q};
                                      }};

const algorithm barrier_tree{collective_kind::barrier, "tree", "to rank 0 and back by binomial trees", make_tree,
                             [](const collective& of) {
                                 const closed_forms f(of);
                                 return collective_counts{f.log_p + f.q, 2 * (f.n - 1), 2 * (f.n - 1)};
                             }};

const algorithm barrier_central{collective_kind::barrier, "central", "all tell rank 0, which tells all", make_central,
                                [](const collective& of) {
                                    const closed_forms f(of);
                                    return collective_counts{2, 2 * (f.n - 1), 2 * (f.n - 1)};
                                }};

}  // namespace polycast::hw::collectives
