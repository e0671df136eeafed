// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "hw/collectives/algorithms/algorithms.h"
#include "hw/collectives/algorithms/closed_forms.h"
#include "hw/collectives/algorithms/parts.h"

namespace polycast::hw::collectives {
namespace {

/// Bytes of the blocks of places [first, first + count), which lie one behind the other in the order of places.
range places_in(const step_schedule& steps, std::uint32_t first, std::uint32_t count) {
    range made;
    for (std::uint32_t place = 0; place < first + count; ++place) {
        const std::uint64_t bytes = steps.of().block(steps.from_root(place)).bytes;
        (place < first ? made.begin : made.bytes) += bytes;
    }
    return made;
}

/// How many places a place of a binomial tree has blocks of: its own, and those behind it.
std::uint32_t blocks_behind(std::uint32_t place, std::uint32_t places) {
    const std::uint32_t most = place == 0 ? places : place & (~place + 1);  // its lowest one
    return std::min(most, places - place);
}

/// Bytes of each place's blocks, in the order of places. Those of one block are the input or the output.
std::vector<region> buffers(step_schedule& steps, bool gathers) {
    const collective& of = steps.of();
    std::vector<region> made(of.ranks);
    for (std::uint32_t place = 0; place < of.ranks; ++place) {
        const std::uint32_t rank = steps.from_root(place), count = blocks_behind(place, of.ranks);
        if (place == 0 && of.root == 0)
            made[place] = gathers ? of.output(rank) : of.input(rank);
        else if (count == 1 && place != 0)
            made[place] = gathers ? of.input(rank) : of.output(rank);
        else
            made[place] = steps.scratch(rank, places_in(steps, place, count).bytes);
    }
    return made;
}

blocks_of in_buffers(const step_schedule& steps, const std::vector<region>& buffers) {
    return [&](std::uint32_t place, std::uint32_t first, std::uint32_t count) {
        range blocks = places_in(steps, first, count);
        blocks.begin -= places_in(steps, place, 0).begin;
        return buffers[place].part(blocks);
    };
}

/// The root's vector has the blocks in the order of ranks; in the order of places the root's comes first.
void turn(step_schedule& steps, const region& by_rank, const region& by_place, bool to_places) {
    const collective& of = steps.of();
    const std::uint64_t own = of.block(of.root).begin, behind = of.bytes() - own;
    const std::pair<range, range> parts[] = {{{own, behind}, {0, behind}}, {{0, own}, {behind, own}}};
    for (const auto& [ranks, places] : parts)
        to_places ? steps.copy(of.root, by_place.part(places), by_rank.part(ranks))
                  : steps.copy(of.root, by_rank.part(ranks), by_place.part(places));
    steps.step(of.root);
}

void scatter_linearly(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t root = of.root;
    steps.copy(root, of.output(root), of.input(root).part(of.block(root)));
    for (std::uint32_t i = 1; i < of.ranks; ++i) {
        const std::uint32_t to = steps.from_root(i);
        steps.send(root, to, of.input(root).part(of.block(to)));
        steps.receive(to, root, of.output(to));
    }
}

void scatter_by_tree(step_schedule& steps) {
    const collective& of = steps.of();
    const std::vector<region> at = buffers(steps, false);
    if (of.root != 0) turn(steps, of.input(of.root), at[0], true);
    const blocks_of blocks = in_buffers(steps, at);
    binomial_scatter(
        steps, of.ranks, [&](std::uint32_t place) { return steps.from_root(place); }, blocks);
    for (std::uint32_t place = 0; place < of.ranks; ++place) {
        const std::uint32_t rank = steps.from_root(place);
        steps.copy(rank, of.output(rank), blocks(place, place, 1));
    }
}

void gather_linearly(step_schedule& steps) {
    const collective& of = steps.of();
    const std::uint32_t root = of.root;
    steps.copy(root, of.output(root).part(of.block(root)), of.input(root));
    for (std::uint32_t i = 1; i < of.ranks; ++i) {
        const std::uint32_t from = steps.from_root(i);
        steps.send(from, root, of.input(from));
        steps.receive(root, from, of.output(root).part(of.block(from)));
    }
}

void gather_by_tree(step_schedule& steps) {
    const collective& of = steps.of();
    const std::vector<region> at = buffers(steps, true);
    const blocks_of blocks = in_buffers(steps, at);
    for (std::uint32_t place = 0; place < of.ranks; ++place) {
        const std::uint32_t rank = steps.from_root(place);
        steps.copy(rank, blocks(place, place, 1), of.input(rank));
        steps.step(rank);
    }
    binomial_gather(
        steps, of.ranks, [&](std::uint32_t place) { return steps.from_root(place); }, blocks);
    if (of.root != 0) turn(steps, of.output(of.root), at[0], false);
}

collective_counts linear_counts(const collective& of) {
    const closed_forms f(of);
    return {1, f.n - 1, f.m - of.block(of.root).bytes};
}

/// \param chain of messages: the root of a scatter sends one after the other; that of a gather waits for the deepest
collective_counts tree_counts(const collective& of, std::uint64_t chain) {
    std::uint64_t bytes = 0;
    for (std::uint32_t place = 0; place < of.ranks; ++place)
        bytes += of.block((of.root + place) % of.ranks).bytes * closed_forms::ones(place);
    return {chain, of.ranks - 1, bytes};
}

}  // namespace

const algorithm scatter_linear{collective_kind::scatter, "linear", "the root sends each rank its block",
                               scatter_linearly, linear_counts};
const algorithm scatter_binomial{collective_kind::scatter, "binomial", "halves of what is left, to subtrees",
                                 scatter_by_tree,
                                 [](const collective& of) { return tree_counts(of, closed_forms(of).q); }};
const algorithm gather_linear{collective_kind::gather, "linear", "each rank sends the root its block", gather_linearly,
                              linear_counts};
const algorithm gather_binomial{collective_kind::gather, "binomial", "subtrees collect their blocks", gather_by_tree,
                                [](const collective& of) { return tree_counts(of, closed_forms(of).log_p); }};

}  // namespace polycast::hw::collectives
