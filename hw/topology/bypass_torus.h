// SPDX-License-Identifier: Apache-2.0
/// \file Interlaced bypass tori, iBT(n^d; b1, ..., bk): tori whose nodes have two more links each, and plain tori.
/// Zhang, Powell and Deng, "Interlacing Bypass Rings to Torus Networks for More Efficient Networks", IEEE TPDS 22(2),
/// 2011.
///
/// Node x belongs to class t = (x1 + ... + xd) mod (d k): its bypass links go along dimension t mod d, to the nodes
/// that are b[t div d] up and down. Both ends of a bypass are of one class, and nodes of one class see the same
/// network.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace polycast::hw::topology {

struct bypass_torus_params {
    std::uint32_t radix = 8;            ///< n: nodes along each dimension, 2 to 65,536
    unsigned dimensions = 2;            ///< d: 1 to 4
    std::vector<std::uint32_t> bypass;  ///< b1, ..., bk: lengths, 2 to n - 2; none: a torus

    bool operator==(const bypass_torus_params&) const = default;
};

/// "iBT(64^2; <8,24>)", "Torus(100^3)".
std::string name_of(const bypass_torus_params& params);

class bypass_torus {
public:
    static constexpr unsigned most_dimensions = 4;
    static constexpr std::uint32_t most_radix = 65'536;
    static constexpr std::uint32_t most_nodes = std::uint32_t{1} << 24;
    using coordinates = std::array<std::uint32_t, most_dimensions>;  ///< 0 in dimensions that do not exist

    /// Bypass links of a class.
    struct bypass {
        unsigned dimension;
        std::uint32_t length;
    };

    /// \throws input_error for parameters that are not valid, or a network that is not symmetric or is too large
    explicit bypass_torus(bypass_torus_params params);

    const bypass_torus_params& params() const { return params_; }
    std::uint32_t radix() const { return params_.radix; }
    unsigned dimensions() const { return params_.dimensions; }
    std::uint32_t nodes() const { return nodes_; }
    bool has_bypasses() const { return !params_.bypass.empty(); }
    /// d k; 1 for a torus.
    std::uint32_t classes() const { return classes_; }
    /// Ports 2j and 2j + 1 lead up and down dimension j, 2d and 2d + 1 to the bypasses up and down.
    unsigned ports() const { return 2 * params_.dimensions + (has_bypasses() ? 2 : 0); }
    /// Most cables of a node: one less than ports where all bypass links lead half round their rings.
    unsigned degree() const;
    /// Cables; two between the same nodes are two.
    std::uint64_t links() const;

    /// Node number = sum of coordinate j x n^j.
    coordinates coordinates_of(std::uint32_t node) const;
    std::uint32_t node_at(const coordinates& place) const;
    std::uint32_t class_of(const coordinates& place) const;
    /// Only for a network with bypasses.
    bypass bypass_of(std::uint32_t class_number) const;

    /// Nothing if there is no cable: at the last port of a node whose two bypasses would be one, 2b = n.
    std::optional<std::uint32_t> neighbour(std::uint32_t node, unsigned port) const;
    /// The port at the other end of a port's cable.
    unsigned opposite(std::uint32_t node, unsigned port) const;

private:
    bool halves_ring(std::uint32_t class_number) const { return 2 * bypass_of(class_number).length == params_.radix; }
    /// The node `length` up from a place in one dimension; down if it is negative.
    std::uint32_t moved(std::uint32_t node, const coordinates& place, unsigned dimension, std::int64_t length) const;

    bypass_torus_params params_;
    std::uint32_t nodes_ = 1;
    std::uint32_t classes_ = 1;
    std::array<std::uint32_t, most_dimensions> strides_{};
};

/// Distances in links.
struct distance_summary {
    unsigned diameter = 0;
    double mean = 0;  ///< over all destinations, the source itself included, and all sources
};

/// Exact: by a breadth-first search from a node of each class, or, for a torus, by its formulas.
distance_summary distances(const bypass_torus& network);

/// For a torus, by its formulas.
distance_summary torus_distances(std::uint32_t radix, unsigned dimensions);

/// Marks nodes that cannot be reached.
inline constexpr std::uint32_t no_distance = 0xffffffff;

/// Distances from one node, by number. \param dimensions bit j: cables of dimension j may be used
std::vector<std::uint32_t> distances_from(const bypass_torus& network, std::uint32_t source, unsigned dimensions);

}  // namespace polycast::hw::topology
