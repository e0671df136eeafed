// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/k_binomial.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace polycast::hw::collectives {

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return a > most - b ? most : a + b;
}

/// N(0, k) .. N(steps, k), or as far as the first value of `enough` or more.
std::vector<std::uint64_t> reaches(unsigned steps, unsigned k, std::uint64_t enough) {
    std::vector<std::uint64_t> found{1};
    while (found.size() <= steps && found.back() < enough) {
        const std::size_t s = found.size();
        std::uint64_t sum = 1;
        for (std::size_t j = 1; j <= std::min<std::size_t>(s, k); ++j) sum = add(sum, found[s - j]);
        found.push_back(sum);  // for s <= k this is 1 + 2^(s-1) + ... + 1 = 2^s
    }
    return found;
}

}  // namespace

std::uint64_t reach(unsigned steps, unsigned k) {
    const std::vector<std::uint64_t> found = reaches(steps, k, most);
    return found.back();
}

unsigned steps_of_one(std::uint32_t nodes, unsigned k) {
    return static_cast<unsigned>(reaches(std::numeric_limits<unsigned>::max(), k, nodes).size() - 1);
}

std::uint64_t steps_of_message(std::uint32_t nodes, std::uint64_t packets, unsigned k) {
    return steps_of_one(nodes, k) + (packets - 1) * k;
}

unsigned binomial_k(std::uint32_t nodes) {
    return std::max(1u, static_cast<unsigned>(std::bit_width(nodes - 1)));
}

std::vector<unsigned> best_k(std::uint32_t nodes, std::uint64_t packets) {
    std::vector<unsigned> best;
    std::uint64_t fewest = most;
    for (unsigned k = 1; k <= binomial_k(nodes); ++k) {
        const std::uint64_t steps = steps_of_message(nodes, packets, k);
        if (steps < fewest) best.clear();
        fewest = std::min(fewest, steps);
        if (steps == fewest) best.push_back(k);
    }
    return best;
}

forwarding_tree k_binomial_tree(std::uint32_t nodes, unsigned k) {
    forwarding_tree tree(nodes);
    const std::vector<std::uint64_t> reached = reaches(std::numeric_limits<unsigned>::max(), k, nodes);
    // A node that has the packet, with those up to `end` below it, and the steps that are left.
    struct part {
        std::uint32_t node;
        std::uint32_t end;
        std::size_t steps;
    };
    std::vector<part> open{{0, nodes, reached.size() - 1}};
    while (!open.empty()) {
        const auto [node, high, steps] = open.back();
        open.pop_back();
        std::uint32_t end = high;
        for (unsigned j = 1; j <= k && end - node > 1; ++j) {
            const std::uint64_t places = j <= steps ? reached[steps - j] : 1;
            const std::uint32_t child = places >= end - node ? node + 1 : end - static_cast<std::uint32_t>(places);
            tree[node].push_back(child);
            open.push_back({child, end, j <= steps ? steps - j : 0});
            end = child;
        }
    }
    return tree;
}

}  // namespace polycast::hw::collectives
