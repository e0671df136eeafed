// SPDX-License-Identifier: Apache-2.0
/// \file Static allocation of rails: which node transmits on which of several networks, and which receives. Coll et
/// al., "Static Allocation of Multirail Networks", Los Alamos, about 2001.
///
/// A node transmits on some rails and receives on the others. A message from x to y takes a rail on which x transmits
/// and y receives. Every ordered pair has such a rail if and only if no node's set of transmitting rails is part of
/// another's, so r rails serve at most C(r, floor(r/2)) nodes (Sperner).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace polycast::hw::collectives {

inline constexpr unsigned most_rails = 64;
inline constexpr std::uint32_t most_rail_nodes = 1u << 16;

/// Rails of a set: bit i is rail i.
using rail_set = std::uint64_t;

/// The paper's matrix A, rails x nodes.
class rail_matrix {
public:
    /// \param transmits [node] rails on which it transmits; bits of rails from `rails` on are 0
    /// \throws input_error unless there are 1 to most_rails rails and 2 to most_rail_nodes nodes
    rail_matrix(unsigned rails, std::vector<rail_set> transmits);

    unsigned rails() const { return rails_; }
    std::uint32_t nodes() const { return static_cast<std::uint32_t>(transmits_.size()); }

    bool transmits(unsigned rail, std::uint32_t node) const { return ((transmits_[node] >> rail) & 1) != 0; }
    rail_set transmitting(std::uint32_t node) const { return transmits_[node]; }

    /// Rails for messages from one node to another one.
    rail_set usable(std::uint32_t source, std::uint32_t destination) const {
        return transmits_[source] & ~transmits_[destination];
    }

    bool operator==(const rail_matrix&) const = default;

private:
    unsigned rails_;
    std::vector<rail_set> transmits_;
};

enum class rail_algorithm : std::uint8_t {
    paired,     ///< the paper's algorithm 1: by the bits of node numbers, each rail with its complement
    recursive,  ///< algorithm 2, optimal: vectors with floor(r/2) ones, a one before a zero
};

/// Fewest rails with which an algorithm serves `nodes` nodes, 2 or more: 2 ceil(log2 n), or the least r with
/// C(r, floor(r/2)) >= n.
unsigned rails_needed(rail_algorithm how, std::uint32_t nodes);

/// Most nodes that an algorithm serves with `rails` rails, 1 to most_rails; 1 if no pair has a rail.
std::uint64_t most_nodes(rail_algorithm how, unsigned rails);

/// \param rails as many, of `recursive` only; 0: as few as possible
/// \throws input_error if they are too few (it says how many are needed), or if there are too many nodes
rail_matrix allocate_rails(rail_algorithm how, std::uint32_t nodes, unsigned rails = 0);

/// \returns the first ordered pair (source, destination) without a rail, by source, then destination
std::optional<std::pair<std::uint32_t, std::uint32_t>> find_unreachable(const rail_matrix& matrix);

/// \param file it comes from, if it does
/// \throws input_error that names the first pair without a rail
void require_connected(const rail_matrix& matrix, const std::string& file = {});

/// A matrix as text: a line of 0 and 1 for each rail, a digit for each node. Blanks between digits, empty lines and
/// what follows a # are ignored.
/// \throws input_error with file, line and column; an unreachable pair is no error here
rail_matrix read_rail_matrix(const std::string& file, std::string_view text);

/// The matrix of a file. \throws input_error also if it cannot be read
rail_matrix load_rail_matrix(const std::string& path);

/// The same text, without blanks.
std::string write_rail_matrix(const rail_matrix& matrix);

/// The numbers of a set, ascending.
std::vector<unsigned> rails_in(rail_set rails);

}  // namespace polycast::hw::collectives
