// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/algorithms/algorithms.h"
#include "hw/collectives/algorithms/closed_forms.h"
#include "hw/collectives/algorithms/parts.h"

namespace polycast::hw::collectives {
namespace {

std::uint32_t same(std::uint32_t place) {
    return place;
}

/// Outputs hold the vectors, and become the sums.
void begin(step_schedule& steps) {
    for (std::uint32_t rank = 0; rank < steps.ranks(); ++rank)
        steps.copy(rank, steps.of().output(rank), steps.of().input(rank));
    steps.step();
}

/// Chunk c starts at rank c and goes round; each rank adds its own. Then the sums go round.
void make_ring(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t n = of.ranks;
    begin(steps);
    std::vector<region> arriving(n);
    for (std::uint32_t i = 0; i < n; ++i) arriving[i] = steps.scratch(i, of.block(0).bytes);
    for (std::uint32_t round = 0; round + 1 < n; ++round)
        for (std::uint32_t i = 0; i < n; ++i) {
            const range sent = of.block((i + n - round) % n), got = of.block((i + 2 * n - round - 1) % n);
            const region in = arriving[i].part({0, got.bytes});
            steps.send(i, (i + 1) % n, of.output(i).part(sent));
            steps.receive(i, (i + n - 1) % n, in);
            steps.step(i);
            steps.reduce(i, of.output(i).part(got), in);
            steps.step(i);
        }
    // Rank i has the sum of chunk i + 1.
    const blocks_of at = [&](std::uint32_t place, std::uint32_t first, std::uint32_t) {
        return of.output(place).part(of.block((first + 1) % n));
    };
    ring_allgather(steps, n, same, at);
}

/// Where ranks are no power of two, ranks 2i give their vectors to ranks 2i + 1, and get the result from them.
class folded {
public:
    explicit folded(step_schedule& steps) : steps_(steps) {
        const std::uint32_t n = steps.ranks();
        places_ = std::bit_floor(n);
        pairs_ = n - places_;
        for (std::uint32_t i = 0; i < pairs_; ++i) {
            const std::uint32_t gives = 2 * i, takes = gives + 1;
            const region in = arriving(takes), sum = steps.of().output(takes);
            steps.pass(gives, steps.of().output(gives), takes, in);
            steps.reduce(takes, sum, in);
            steps.step(takes);
        }
    }

    void unfold() {
        for (std::uint32_t i = 0; i < pairs_; ++i)
            steps_.pass(2 * i + 1, steps_.of().output(2 * i + 1), 2 * i, steps_.of().output(2 * i));
    }

    std::uint32_t places() const { return places_; }
    std::uint32_t real(std::uint32_t place) const { return place < pairs_ ? 2 * place + 1 : place + pairs_; }
    rank_of reals() const {
        return [this](std::uint32_t place) { return real(place); };
    }
    /// Bytes for a vector that comes to a rank.
    region arriving(std::uint32_t rank) {
        if (arriving_.empty()) arriving_.resize(steps_.ranks());
        if (arriving_[rank].bytes == 0) arriving_[rank] = steps_.scratch(rank, steps_.of().bytes());
        return arriving_[rank];
    }

private:
    step_schedule& steps_;
    std::uint32_t places_ = 0, pairs_ = 0;
    std::vector<region> arriving_;
};

void make_doubling(step_schedule& steps) {
    begin(steps);
    folded ranks(steps);
    for (std::uint32_t k = 1; k < ranks.places(); k *= 2)
        for (std::uint32_t i = 0; i < ranks.places(); ++i) {
            const std::uint32_t rank = ranks.real(i), other = ranks.real(i ^ k);
            const region in = ranks.arriving(rank), sum = steps.of().output(rank);
            steps.send(rank, other, sum);
            steps.receive(rank, other, in);
            steps.step(rank);
            steps.reduce(rank, sum, in);
            steps.step(rank);
        }
    ranks.unfold();
}

void make_halving_doubling(step_schedule& steps) {
    begin(steps);
    folded ranks(steps);
    const blocks_of at = [&](std::uint32_t place, std::uint32_t first, std::uint32_t count) {
        return steps.of().output(ranks.real(place)).part(blocks_in(steps.of(), first, count, ranks.places()));
    };
    halving_reduce_scatter(steps, ranks.places(), ranks.reals(), at);
    doubling_allgather(steps, ranks.places(), ranks.reals(), at);
    ranks.unfold();
}

void make_reduce_broadcast(step_schedule& steps) {
    begin(steps);
    const region_of at = [&](std::uint32_t place) { return steps.of().output(place); };
    binomial_reduce(steps, steps.ranks(), same, at, at);
    binomial_broadcast(steps, steps.ranks(), same, at);
}

/// Switches copy, and cannot add: ranks do that, and rank 0 sends the result to all at once.
void make_reduce_worm(step_schedule& steps) {
    begin(steps);
    const region_of at = [&](std::uint32_t place) { return steps.of().output(place); };
    binomial_reduce(steps, steps.ranks(), same, at, at);
    steps.step();
    steps.multicast(0, at(0));
    for (std::uint32_t rank = 1; rank < steps.ranks(); ++rank) steps.receive(rank, 0, at(rank));
}

/// All to all, and each adds all of them: ranks 0, 1, 2, .., so that all have the same bits.
void make_one_shot(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t n = of.ranks;
    for (std::uint32_t i = 0; i < n; ++i) {
        std::vector<region> vectors(n);
        for (std::uint32_t other = 0; other < n; ++other)
            vectors[other] = other == i ? of.input(i) : steps.scratch(i, of.bytes());
        for (std::uint32_t far = 1; far < n; ++far) {
            const std::uint32_t to = (i + far) % n, from = (i + n - far) % n;
            steps.send(i, to, of.input(i));
            steps.receive(i, from, vectors[from]);
        }
        steps.step(i);
        // In place the own vector lies where the sum will be: the first rank's is added up.
        const region sum = i == 0 ? of.output(0) : vectors[0];
        for (std::uint32_t other = 0; other < n; ++other) {
            if (other == 0)
                steps.copy(i, sum, vectors[0]);
            else
                steps.reduce(i, sum, vectors[other]);
            steps.step(i);
        }
        steps.copy(i, of.output(i), sum);
    }
}

/// A reduce_scatter, then an allgather, each with one message to every other rank.
void make_two_shot(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t n = of.ranks;
    begin(steps);
    for (std::uint32_t i = 0; i < n; ++i) {
        const region sum = of.output(i).part(of.block(i));
        std::vector<region> arriving;
        for (std::uint32_t far = 1; far < n; ++far) {
            const std::uint32_t to = (i + far) % n, from = (i + n - far) % n;
            arriving.push_back(steps.scratch(i, sum.bytes));
            steps.send(i, to, of.output(i).part(of.block(to)));
            steps.receive(i, from, arriving.back());
        }
        steps.step(i);
        for (const region& one : arriving) {
            steps.reduce(i, sum, one);
            steps.step(i);
        }
        for (std::uint32_t far = 1; far < n; ++far) {
            const std::uint32_t to = (i + far) % n, from = (i + n - far) % n;
            steps.send(i, to, sum);
            steps.receive(i, from, of.output(i).part(of.block(from)));
        }
    }
}

}  // namespace

const algorithm allreduce_ring{collective_kind::allreduce, "ring", "each chunk goes round twice: added, then known",
                               make_ring, [](const collective& of) {
                                   const closed_forms f(of);
                                   return collective_counts{2 * (f.n - 1), 2 * f.n * (f.n - 1), 2 * (f.n - 1) * f.m};
                               }};

const algorithm allreduce_doubling{collective_kind::allreduce, "doubling",
                                   "exchanges of whole vectors over distances 1, 2, 4, ..", make_doubling,
                                   [](const collective& of) {
                                       const closed_forms f(of);
                                       const std::uint64_t messages = f.p * f.log_p + 2 * f.r;
                                       return collective_counts{f.log_p + (f.r != 0 ? 2 : 0), messages, messages * f.m};
                                   }};

const algorithm allreduce_halving_doubling{
    collective_kind::allreduce, "halving_doubling", "halves are exchanged and added, then exchanged (Rabenseifner)",
    make_halving_doubling, [](const collective& of) {
        const closed_forms f(of);
        return collective_counts{2 * f.log_p + (f.r != 0 ? 2 : 0), 2 * f.p * f.log_p + 2 * f.r,
                                 (2 * (f.p - 1) + 2 * f.r) * f.m};
    }};

const algorithm allreduce_reduce_broadcast{
    collective_kind::allreduce, "reduce_broadcast", "to rank 0 and back by binomial trees", make_reduce_broadcast,
    [](const collective& of) {
        const closed_forms f(of);
        return collective_counts{f.log_p + f.q, 2 * (f.n - 1), 2 * (f.n - 1) * f.m};
    }};

const algorithm allreduce_one_shot{collective_kind::allreduce, "one_shot", "all send to all, and each adds all",
                                   make_one_shot, [](const collective& of) {
                                       const closed_forms f(of);
                                       return collective_counts{1, f.n * (f.n - 1), f.n * (f.n - 1) * f.m};
                                   }};

const algorithm allreduce_two_shot{collective_kind::allreduce, "two_shot",
                                   "all send each rank its block, which adds and sends to all", make_two_shot,
                                   [](const collective& of) {
                                       const closed_forms f(of);
                                       return collective_counts{2, 2 * f.n * (f.n - 1), 2 * (f.n - 1) * f.m};
                                   }};

const algorithm allreduce_reduce_worm{
    .of = collective_kind::allreduce,
    .name = "reduce_worm",
    .doc = "to rank 0 by a binomial tree, and to all by one tree worm, which switches copy",
    .make = make_reduce_worm,
    .count =
        [](const collective& of) {
            const closed_forms f(of);
            return collective_counts{f.log_p + 1, f.n - 1, (f.n - 1) * f.m, 1, f.m};
        },
    .scheme = "tree"};

}  // namespace polycast::hw::collectives
