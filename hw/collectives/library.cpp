// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/library.h"

#include <algorithm>
#include <utility>

#include "hw/collectives/algorithms/algorithms.h"
#include "hw/input_error.h"

namespace polycast::hw::collectives {
namespace {

constexpr std::uint64_t most_vector_bytes = std::uint64_t{1} << 32;  ///< so that a message has at most 2^32 - 1
constexpr std::uint32_t most_pieces = 65'536;

constexpr const algorithm* written[] = {&broadcast_linear,
                                        &broadcast_binomial,
                                        &broadcast_chain,
                                        &broadcast_scatter_allgather,
                                        &reduce_linear,
                                        &reduce_binomial,
                                        &reduce_chain,
                                        &reduce_scatter_gather,
                                        &allreduce_ring,
                                        &allreduce_doubling,
                                        &allreduce_halving_doubling,
                                        &allreduce_reduce_broadcast,
                                        &allreduce_one_shot,
                                        &allreduce_two_shot,
                                        &allreduce_reduce_worm,
                                        &allgather_ring,
                                        &allgather_direct,
                                        &allgather_doubling,
                                        &allgather_bruck,
                                        &allgather_worms,
                                        &reduce_scatter_ring,
                                        &reduce_scatter_direct,
                                        &reduce_scatter_halving,
                                        &all_to_all_direct,
                                        &all_to_all_pairwise,
                                        &all_to_all_bruck,
                                        &scatter_linear,
                                        &scatter_binomial,
                                        &gather_linear,
                                        &gather_binomial,
                                        &barrier_dissemination,
                                        &barrier_tree,
                                        &barrier_central};

}  // namespace

std::span<const algorithm* const> algorithms() {
    static const std::vector<algorithm> by_schemes = broadcasts_by_schemes();
    static const std::vector<const algorithm*> all = [] {
        std::vector<const algorithm*> made;
        for (const algorithm* const each : written)
            if (each->of == collective_kind::broadcast) made.push_back(each);
        for (const algorithm& each : by_schemes) made.push_back(&each);
        for (const algorithm* const each : written)
            if (each->of != collective_kind::broadcast) made.push_back(each);
        return made;
    }();
    return all;
}

const algorithm* find_algorithm(collective_kind of, std::string_view name) {
    const auto known = algorithms();
    const auto found =
        std::ranges::find_if(known, [&](const algorithm* one) { return one->of == of && one->name == name; });
    return found == known.end() ? nullptr : *found;
}

std::string why_not(const algorithm& by, const collective& made) {
    const std::string name = std::string(name_in(programs::collective_kinds, by.of)) + " by " + std::string(by.name);
    if (by.of != made.kind) return name + " is no " + std::string(name_in(programs::collective_kinds, made.kind));
    if (made.ranks < 1 || made.ranks > programs::most_ranks) return "a collective has 1 to 65536 ranks";
    if (made.root >= made.ranks)
        return "the root is rank " + std::to_string(made.root) + " of " + std::to_string(made.ranks);
    if (by.power_of_two && !std::has_single_bit(made.ranks))
        return name + " takes a power of two of ranks, not " + std::to_string(made.ranks);
    if (made.elements == 0 || made.elements >= most_vector_bytes / made.element_bytes())
        return "a vector has 1 byte or more, and less than 4 GiB";
    if (by.cuts && (made.pieces == 0 || made.pieces > most_pieces)) return "a vector is cut into 1 to 65536 pieces";
    if (programs::reduces(by.of) && !made.combined.possible())
        return std::string(name_in(programs::reductions, made.combined.how)) + " is for whole numbers, not for " +
               std::string(name_in(programs::element_types, made.combined.type));
    return {};
}

programs::program make_program(const algorithm& by, const collective& made) {
    return make_repeated(by, made, 1).made;
}

repeated_program make_repeated(const algorithm& by, const collective& made, std::uint32_t times) {
    if (const std::string reason = why_not(by, made); !reason.empty()) throw input_error(reason);
    programs::program_builder to(made.ranks);
    to.set_collective(made);
    step_schedule steps(to, made, 0);
    std::vector<region> saved(made.ranks);
    const bool saves = made.in_place && times > 1;
    for (std::uint32_t rank = 0; saves && rank < made.ranks; ++rank) {
        const region own = made.input(rank);
        if (own.bytes == 0) continue;
        saved[rank] = steps.scratch(rank, own.bytes);
        steps.copy(rank, saved[rank], own);
    }
    steps.step();
    steps.keep_scratch();
    repeated_program all;
    for (std::uint32_t repetition = 0; repetition < times; ++repetition) {
        if (repetition != 0) {
            for (std::uint32_t rank = 0; saves && rank < made.ranks; ++rank)
                steps.copy(rank, made.input(rank), saved[rank]);
            steps.step();
            collective barrier;
            barrier.kind = collective_kind::barrier;
            barrier.ranks = made.ranks;
            steps.begin(barrier, 2 * repetition - 1);
            barrier_dissemination.make(steps);
            steps.step();
            steps.begin(made, 2 * repetition);
        }
        std::vector<operation_range> ranges(made.ranks);
        for (std::uint32_t rank = 0; rank < made.ranks; ++rank) ranges[rank].begin = to.operations(rank);
        steps.copy_by(by.scheme);
        by.make(steps);
        steps.step();
        for (std::uint32_t rank = 0; rank < made.ranks; ++rank) ranges[rank].end = to.operations(rank);
        all.operations.push_back(std::move(ranges));
    }
    all.made = to.finish();
    return all;
}

}  // namespace polycast::hw::collectives
