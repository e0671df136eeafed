// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/algorithms/algorithms.h"
#include "hw/collectives/algorithms/closed_forms.h"
#include "hw/collectives/algorithms/parts.h"

namespace polycast::hw::collectives {
namespace {

rank_of from_root(const step_schedule& steps) {
    return [&steps](std::uint32_t place) { return steps.from_root(place); };
}

/// Where ranks add: the root in its output, others in bytes of their own, as their input must stay.
class sums {
public:
    explicit sums(step_schedule& steps) : steps_(steps), made_(steps.ranks()) {}

    region operator()(std::uint32_t rank) {
        if (rank == steps_.of().root) return steps_.of().output(rank);
        if (made_[rank].bytes == 0) made_[rank] = steps_.scratch(rank, steps_.of().bytes());
        return made_[rank];
    }

private:
    step_schedule& steps_;
    std::vector<region> made_;
};

void make_linear(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t root = of.root;
    steps.copy(root, of.output(root), of.input(root));
    std::vector<region> arriving;
    for (std::uint32_t i = 1; i < of.ranks; ++i) {
        const std::uint32_t from = steps.from_root(i);
        arriving.push_back(steps.scratch(root, of.bytes()));
        steps.send(from, root, of.input(from));
        steps.receive(root, from, arriving.back());
    }
    for (const region& one : arriving) {
        steps.step(root);
        steps.reduce(root, of.output(root), one);
    }
}

void make_binomial(step_schedule& steps) {
    sums sum(steps);
    const collective& of = steps.of();
    binomial_reduce(
        steps, of.ranks, from_root(steps), [&](std::uint32_t place) { return of.input(steps.from_root(place)); },
        [&](std::uint32_t place) { return sum(steps.from_root(place)); });
    if (of.ranks == 1) steps.copy(of.root, of.output(of.root), of.input(of.root));
}

/// From the far end towards the root: each rank adds its piece to what arrives and sends the piece before.
void make_chain(step_schedule& steps) {
    const collective& of = steps.of();
    sums sum(steps);
    for (std::uint32_t i = 0; i < of.ranks; ++i) {
        const std::uint32_t rank = steps.from_root(i);
        const bool first = i + 1 == of.ranks, last = i == 0;
        const region own = of.input(rank), added = first && !last ? own : sum(rank);
        steps.copy(rank, added, own);
        steps.step(rank);
        const auto share = [&](std::uint32_t index) { return of.share(index, of.pieces); };
        const region arriving = first ? region{} : steps.scratch(rank, share(0).bytes);
        for (std::uint32_t round = 0; round < of.pieces + (first ? 0 : 1); ++round) {
            const std::uint32_t sent = first ? round : round - 1;
            if (!last && (first || round != 0)) steps.send(rank, steps.from_root(i - 1), added.part(share(sent)));
            if (first || round == of.pieces) {
                steps.step(rank);
                continue;
            }
            const region got = arriving.part({0, share(round).bytes});
            steps.receive(rank, steps.from_root(i + 1), got);
            steps.step(rank);
            steps.reduce(rank, added.part(share(round)), got);
            steps.step(rank);
        }
    }
}

/// Rabenseifner: a reduce_scatter by halving, then a gather by a binomial tree.
void make_scatter_gather(step_schedule& steps) {
    const collective& of = steps.of();
    sums sum(steps);
    for (std::uint32_t rank = 0; rank < of.ranks; ++rank) steps.copy(rank, sum(rank), of.input(rank));
    steps.step();
    const blocks_of at = [&](std::uint32_t place, std::uint32_t first, std::uint32_t count) {
        return sum(steps.from_root(place)).part(blocks_in(of, first, count, of.ranks));
    };
    halving_reduce_scatter(steps, of.ranks, from_root(steps), at);
    binomial_gather(steps, of.ranks, from_root(steps), at);
}

}  // namespace

const algorithm reduce_linear{collective_kind::reduce, "linear", "all send to the root, which adds", make_linear,
                              [](const collective& of) {
                                  const closed_forms f(of);
                                  return collective_counts{1, f.n - 1, (f.n - 1) * f.m};
                              }};

const algorithm reduce_binomial{collective_kind::reduce, "binomial", "half of the ranks add to the other half",
                                make_binomial, [](const collective& of) {
                                    const closed_forms f(of);
                                    return collective_counts{f.log_p, f.n - 1, (f.n - 1) * f.m};
                                }};

const algorithm reduce_chain{collective_kind::reduce,
                             "chain",
                             "from rank to rank towards the root, in pieces",
                             make_chain,
                             [](const collective& of) {
                                 const closed_forms f(of);
                                 return collective_counts{f.n - 2 + f.k, (f.n - 1) * f.k, (f.n - 1) * f.m};
                             },
                             true};

const algorithm reduce_scatter_gather{
    collective_kind::reduce,
    "scatter_gather",
    "each rank adds a block, then they are gathered (Rabenseifner)",
    make_scatter_gather,
    [](const collective& of) {
        const closed_forms f(of);
        return collective_counts{2 * f.q, f.n * f.q + f.n - 1, (f.n - 1) * f.m + f.P_b};
    },
    false,
    true};

}  // namespace polycast::hw::collectives
