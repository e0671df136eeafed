// SPDX-License-Identifier: Apache-2.0
/// \file Pipelined broadcasts over two lanes per node, on one site or several, as tables of who forwards what on which
/// lane. Chiba, Endo and Matsuoka, "High-Performance MPI Broadcast Algorithm for Grid Environments Utilizing Multi-lane
/// NICs", CCGrid 2007.
///
/// Nodes have numbers, site by site; node 0, of the first site, is the root. A message is cut into the parts of the
/// plan (one, two halves, or a block for each node: part_of()), each part into pieces. Nodes have two sending and two
/// receiving lanes, 0 and 1; a node with one interface has two queues on it.
///
/// An edge carries some parts from a parent to a child. The edges of a parent that share a lane are served one after
/// the other in the order of the list. An edge that uses one lane leaves and enters by lanes of the same number, so a
/// plan also fits lanes that are separate networks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polycast::hw::collectives {

inline constexpr unsigned broadcast_lanes = 2;
inline constexpr std::uint32_t most_lane_nodes = 1u << 16;

enum class lane_algorithm : std::uint8_t {
    chain,            ///< each node has the whole message before it sends it to the next
    pipelined_chain,  ///< the same piece by piece
    binary,           ///< piece by piece to two children, one lane each; heap order
    binomial,         ///< the whole message to one child after the other
    van_de_geijn,     ///< binomial scatter of a block for each node, then allgather in rounds
    multi_lane,       ///< each half in a binary tree of half the nodes; idle lanes of one tree feed the other tree
};

inline constexpr std::array lane_algorithms{lane_algorithm::chain,        lane_algorithm::pipelined_chain,
                                            lane_algorithm::binary,       lane_algorithm::binomial,
                                            lane_algorithm::van_de_geijn, lane_algorithm::multi_lane};

/// "pipelined_chain"
std::string_view name_of(lane_algorithm how);

enum class lane_choice : std::uint8_t { first, second, both };

struct lane_edge {
    std::uint32_t parent = 0;
    std::uint32_t child = 0;
    lane_choice lanes = lane_choice::both;  ///< of the parent to send, of the child to receive; both: as one link
    std::uint32_t first_part = 0;
    std::uint32_t parts = 1;  ///< from the first on, sent in this order
    bool pipelined = true;    ///< each piece as soon as the parent has it; else nothing before it has all of `parts`
    bool wide = false;        ///< between two sites

    bool uses(unsigned lane) const {
        return lanes == lane_choice::both || lanes == (lane == 0 ? lane_choice::first : lane_choice::second);
    }
    bool operator==(const lane_edge&) const = default;
};

struct lane_plan {
    lane_algorithm algorithm = lane_algorithm::multi_lane;
    std::vector<std::uint32_t> sites;  ///< nodes of each
    std::uint32_t parts = 1;           ///< of the message
    std::vector<lane_edge> edges;      ///< each after those that bring its parts to its parent

    std::uint32_t nodes() const;
};

/// `sites` is the number of nodes of each site. Every node but the root receives every byte once, the root none.
/// \throws input_error without two nodes, with more than most_lane_nodes (van_de_geijn: 4096), or with an empty site
lane_plan make_lane_plan(lane_algorithm how, const std::vector<std::uint32_t>& sites);

/// `nodes` nodes on `sites` sites, the first ones with one more where it does not divide.
/// \throws input_error if a site would have no node
std::vector<std::uint32_t> equal_sites(std::uint32_t nodes, std::uint32_t sites);

struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;

    bool operator==(const byte_range&) const = default;
};

/// The bytes of a part, none longer than another one by more than a byte; empty ones are not sent.
byte_range part_of(std::uint64_t bytes, std::uint32_t parts, std::uint32_t part);

/// What a node does on its lanes: numbers of edges, those of `both` on both lanes.
struct lane_table {
    std::array<std::vector<std::uint32_t>, broadcast_lanes> sends;     ///< [lane] in the order of service
    std::array<std::vector<std::uint32_t>, broadcast_lanes> receives;  ///< [lane]

    bool operator==(const lane_table&) const = default;
};

/// [node]
std::vector<lane_table> lane_tables(const lane_plan& plan);

/// Length of the longest chain of edges that a part takes to a node.
unsigned depth_of(const lane_plan& plan);

/// \returns the first fault: a node gets a part twice or never, sends one that it cannot have, has a
/// number that does not exist, or, in multi_lane, serves or is served by two on one lane
std::optional<std::string> find_problem(const lane_plan& plan);

}  // namespace polycast::hw::collectives
