// SPDX-License-Identifier: Apache-2.0
/// \file k-ary n-trees (fat trees): switches in levels, a leaf at every down port of the lowest one, as many links
/// between levels as there are leaves. Petrini and Vanneschi, "k-ary n-trees: High Performance Networks for Massively
/// Parallel Architectures", IPPS 1997.
///
/// The whole tree of n levels has k^n leaves, numbers of n digits to the base k, and in each level k^(n-1) switches,
/// numbers w of n - 1 digits. Levels count from the leaves, digits from the lowest one, both from 0.
/// - Leaf x is at down port x mod k of switch x div k of level 0.
/// - Up port j of switch w in level l leads to the switch of level l + 1 whose number has j for digit l of w, and there
///   to the down port that is that digit. Down ports are 0 .. k - 1, up ports k .. 2k - 1.
/// So below a switch are the leaves of the same x div k^(l+1) as its w div k^l; k^l switches of a level have the same
/// leaves below. A switch with no leaf below is left out, which leaves those of each level numbered from 0 without
/// gaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

struct fat_tree_params {
    unsigned arity = 4;        ///< k: down ports, and up ports, of a switch, 2 to 32
    std::uint32_t nodes = 32;  ///< leaves, 2 or more
    unsigned levels = 0;       ///< n: of switches; 0: as many as the leaves need

    bool operator==(const fat_tree_params&) const = default;
};

class fat_tree {
public:
    static constexpr unsigned most_arity = max_switch_ports / 2;

    /// \throws input_error for parameters that are not valid, or a tree that has no room for the leaves or is too large
    explicit fat_tree(const fat_tree_params& params);

    unsigned arity() const { return arity_; }
    unsigned levels() const { return static_cast<unsigned>(first_.size() - 1); }
    std::uint32_t nodes() const { return nodes_; }
    std::uint32_t switches() const { return first_.back(); }
    std::uint32_t switches_at(unsigned level) const { return first_[level + 1] - first_[level]; }
    unsigned ports() const { return 2 * arity_; }

    /// Level by level, from 0 on, the switches are numbered in the order of their w.
    std::uint32_t switch_number(unsigned level, std::uint32_t w) const { return first_[level] + w; }
    unsigned level_of(std::uint32_t chip) const;

    /// What a port leads to.
    port_end neighbour(std::uint32_t chip, unsigned port) const;

    /// Output ports of the shortest paths from a switch to a leaf, bit: port. One down port if the leaf is below, else
    /// all up ports.
    std::uint64_t route(std::uint32_t chip, std::uint32_t leaf) const;

    /// "4-ary-3-tree".
    std::string name() const;

private:
    /// Leaves below a switch of a level in the whole tree: k^(l+1).
    std::uint64_t leaves_below(unsigned level) const { return power_[level + 1]; }

    unsigned arity_;
    std::uint32_t nodes_;
    std::vector<std::uint32_t> first_;  ///< [level] number of the first switch; behind the last level that of all
    std::vector<std::uint64_t> power_;  ///< [exponent] of the arity, up to the number of levels
};

/// Switch "router5" has number 5 and 2k ports, "host5" is leaf 5.
graph make_fat_tree(const fat_tree& tree);

/// Distances are links between switches, over ordered pairs of different leaves.
struct fat_tree_description {
    std::vector<std::uint32_t> switches;  ///< [level]
    std::uint64_t links = 0;              ///< cables between switches
    /// Least number of cables that separate the lower half of the leaves, rounded down, from the others. The cables of
    /// the leaves themselves count: the tree carries any traffic between the halves that these cables admit.
    std::uint64_t bisection = 0;
    unsigned diameter = 0;
    double mean_distance = 0;
};
fat_tree_description describe(const fat_tree& tree);

/// Graphviz DOT: levels in rows, leaves at the bottom.
std::string write_dot(const fat_tree& tree, const graph& network);

}  // namespace polycast::hw::topology
