// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "hw/collectives/algorithms/algorithms.h"
#include "hw/collectives/algorithms/closed_forms.h"
#include "hw/collectives/algorithms/parts.h"
#include "hw/collectives/scheme.h"

namespace polycast::hw::collectives {
namespace {

rank_of from_root(const step_schedule& steps) {
    return [&steps](std::uint32_t place) { return steps.from_root(place); };
}

/// The root's output holds its vector.
void begin(step_schedule& steps) {
    const std::uint32_t root = steps.of().root;
    steps.copy(root, steps.of().output(root), steps.of().input(root));
    steps.step(root);
}

void make_linear(step_schedule& steps) {
    const collective& of = steps.of();
    begin(steps);
    for (std::uint32_t i = 1; i < of.ranks; ++i) {
        const std::uint32_t to = steps.from_root(i);
        steps.send(of.root, to, of.output(of.root));
        steps.receive(to, of.root, of.output(to));
    }
}

void make_binomial(step_schedule& steps) {
    begin(steps);
    binomial_broadcast(steps, steps.ranks(), from_root(steps),
                       [&](std::uint32_t place) { return steps.of().output(steps.from_root(place)); });
}

/// Each rank receives a piece and sends the one before at the same time.
void make_chain(step_schedule& steps) {
    const collective& of = steps.of();
    begin(steps);
    const auto piece = [&](std::uint32_t rank, std::uint32_t index) {
        return of.output(rank).part(of.share(index, of.pieces));
    };
    for (std::uint32_t i = 0; i < of.ranks; ++i) {
        const std::uint32_t rank = steps.from_root(i);
        const bool first = i == 0, last = i + 1 == of.ranks;
        for (std::uint32_t round = 0; round < of.pieces + (first ? 0 : 1); ++round) {
            const std::uint32_t sent = first ? round : round - 1;
            if (!last && (first || round != 0)) steps.send(rank, steps.from_root(i + 1), piece(rank, sent));
            if (!first && round < of.pieces) steps.receive(rank, steps.from_root(i - 1), piece(rank, round));
            steps.step(rank);
        }
    }
}

/// van de Geijn: blocks are scattered, and then go round.
void make_scatter_allgather(step_schedule& steps) {
    const collective& of = steps.of();
    begin(steps);
    const blocks_of at = [&](std::uint32_t place, std::uint32_t first, std::uint32_t count) {
        return of.output(steps.from_root(place)).part(blocks_in(of, first, count, of.ranks));
    };
    binomial_scatter(steps, of.ranks, from_root(steps), at);
    ring_allgather(steps, of.ranks, from_root(steps), at);
}

/// One multicast, which switches, interfaces or hosts copy.
void make_multicast(step_schedule& steps) {
    const collective& of = steps.of();
    begin(steps);
    steps.multicast(of.root, of.output(of.root));
    for (std::uint32_t i = 1; i < of.ranks; ++i) {
        const std::uint32_t to = steps.from_root(i);
        steps.receive(to, of.root, of.output(to));
    }
}

}  // namespace

const algorithm broadcast_linear{collective_kind::broadcast, "linear", "the root sends to all, side by side",
                                 make_linear, [](const collective& of) {
                                     const closed_forms f(of);
                                     return collective_counts{1, f.n - 1, (f.n - 1) * f.m};
                                 }};

const algorithm broadcast_binomial{collective_kind::broadcast, "binomial",
                                   "who has it passes it on, twice as many in each round", make_binomial,
                                   [](const collective& of) {
                                       const closed_forms f(of);
                                       return collective_counts{f.q, f.n - 1, (f.n - 1) * f.m};
                                   }};

const algorithm broadcast_chain{collective_kind::broadcast,
                                "chain",
                                "from rank to rank, in pieces",
                                make_chain,
                                [](const collective& of) {
                                    const closed_forms f(of);
                                    return collective_counts{f.n - 2 + f.k, (f.n - 1) * f.k, (f.n - 1) * f.m};
                                },
                                true};

const algorithm broadcast_scatter_allgather{
    collective_kind::broadcast, "scatter_allgather", "blocks by a binomial tree, then round a ring (van de Geijn)",
    make_scatter_allgather, [](const collective& of) {
        const closed_forms f(of);
        return collective_counts{f.q + f.n - 1, (f.n - 1) + f.n * (f.n - 1), f.P_b + (f.n - 1) * f.m};
    }};

std::vector<algorithm> broadcasts_by_schemes() {
    std::vector<algorithm> made;
    for (const scheme each : schemes()) {
        // What hosts do with unicasts are algorithms of messages.
        if (each->packets == format::packet_kind::unicast && each->by != scheme_kind::forwarders::interfaces) continue;
        const bool one_worm = each->by == scheme_kind::forwarders::nobody;
        made.push_back({.of = collective_kind::broadcast,
                        .name = one_worm ? "worm" : each->name,
                        .doc = each->doc,
                        .make = make_multicast,
                        .count =
                            [](const collective& of) {
                                return collective_counts{1, 0, 0, 1, of.bytes()};
                            },
                        .scheme = each->name});
    }
    return made;
}

}  // namespace polycast::hw::collectives
