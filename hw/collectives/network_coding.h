// SPDX-License-Identifier: Apache-2.0
/// \file All-to-all broadcast with hierarchical network coding on k-ary n-meshes and tori, as data: who sends what to
/// whom in which step, and how many hops that takes. Shalaby, Fujiwara and Koibuchi, "The Case for Network Coding for
/// Collective Communication on HPC Interconnection Networks", IEICE Trans. Inf. & Syst. E98-D(3), 2015.
///
/// Nodes have numbers x + k y + k^2 z ... They form equal rectangular groups; groups are numbered row by row, and so
/// are the members of each. One member of a group is its intermediate node. Steps:
/// - B: every source broadcasts its datum in its group; now all its members can make the group's chain packets
///   d1^d2, d2^d3, ... (step C; the chain runs over the group's sources in the order of their numbers);
/// - D: every intermediate node sends its group's chain packets to all other ones;
/// - E: every intermediate node sends the chain packets that it got to the other members of its group;
/// - F: plain data cross groups, so that every node gets one datum of every other group that has any;
/// - G: every node walks the chains from there.
/// Instead of B a group can do the same internally, with groups of its own: this is recursion, and its levels are
/// numbered from 0, the whole network.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/names.h"

namespace polycast::hw::collectives {

/// How data reach several nodes.
enum class coding_base : std::uint8_t {
    all_at_once,  ///< a unicast from the source to each of them: to the next number, the next but one, ...
    tree,         ///< a binomial tree by XOR halving of numbers, far bit first: 2^t senders in round t
};

inline constexpr named<coding_base> coding_bases[] = {{coding_base::all_at_once, "all_at_once", "a unicast to each"},
                                                      {coding_base::tree, "tree", "binomial trees of unicasts"}};

/// Which member of a group is its intermediate node.
enum class node_placement : std::uint8_t {
    inner,   ///< in every dimension the end nearest the centre of the network; half way if there is only one group
    centre,  ///< half way in every dimension, rounded down
};

inline constexpr named<node_placement> node_placements[] = {
    {node_placement::inner, "inner", "the corner nearest to the centre of the network"},
    {node_placement::centre, "centre", "the centre of the group"}};

enum class coding_method : std::uint8_t {
    coded,       ///< the steps above
    every_node,  ///< D: every node sends the chain packets to its counterparts in the other groups; no E
    combining,   ///< D and E carry one message of all data of a group; no F
    uncoded,     ///< D and E carry the plain data, one by one; no F
};

/// Which of step E counts.
enum class accounting : std::uint8_t {
    delivered,     ///< every packet that nodes need to recover all data
    as_published,  ///< chain packets of one other group (the next), as in the paper's figures; of all others with 2
};

inline constexpr named<accounting> accountings[] = {
    {accounting::delivered, "delivered", "every packet that nodes need to recover all data"},
    {accounting::as_published, "as_published",
     "step E with the chain packets of one other group alone, as in the paper's figures; what nodes then cannot "
     "recover is not missed"}};

/// When what is ready may be sent.
enum class allgather_pace : std::uint8_t { steps, free_running };

inline constexpr named<allgather_pace> allgather_paces[] = {
    {allgather_pace::steps, "steps", "a step begins when all have finished the one before"},
    {allgather_pace::free_running, "free", "nodes go on as soon as they have what they need"}};

/// Who makes chain packets.
enum class allgather_coder : std::uint8_t { unit, host };

inline constexpr named<allgather_coder> allgather_coders[] = {
    {allgather_coder::unit, "unit", "the coding units of the routers"},
    {allgather_coder::host, "host", "hosts, in software"}};

struct coding_options {
    std::uint32_t radix = 16;  ///< k: nodes along a dimension
    unsigned dimensions = 2;   ///< n
    bool torus = false;
    std::uint32_t group = 32;  ///< nodes of a group; all nodes: the base algorithm alone
    coding_base base = coding_base::tree;
    node_placement placement = node_placement::inner;
    coding_method method = coding_method::coded;
    std::uint64_t sources = 0;  ///< dealt round-robin over groups, then by member; 0: all nodes
    /// Size of the groups over which sources are dealt, so that plans with other groups have the same ones; 0: `group`.
    std::uint32_t dealt_over = 0;
    std::vector<std::uint32_t> inner_groups;  ///< recursion: nodes of a group within a group, and so on
};

/// What a unicast carries.
struct parcel {
    enum class sort : std::uint8_t {
        datum,    ///< of node `first`
        chain,    ///< XOR of the data of nodes `first` and `second`
        message,  ///< all data of group `first` at level `second`, which is numbered as in coding_level
    };
    sort kind = sort::datum;
    std::uint32_t first = 0;
    std::uint32_t second = 0;

    auto operator<=>(const parcel&) const = default;
};

struct transfer {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    parcel what;
    unsigned round = 0;  ///< of its step, from 0; what is sent in a round was there when it began

    bool operator==(const transfer&) const = default;
};

/// One step of one level, in all places at once.
struct coding_step {
    char letter = 'B';  ///< B, D, E or F
    unsigned level = 0;
    unsigned rounds = 0;  ///< of a tree; 1 if there is none, 0 where nothing is sent

    bool operator==(const coding_step&) const = default;
};

/// Class of virtual channels of a step's packets: steps that run at the same time cannot block each other.
constexpr std::uint8_t class_of_step(char letter) {
    switch (letter) {
        case 'B': return 0;
        case 'D': return 1;
        case 'E': return 2;
        default: return 3;
    }
}

struct coding_count {
    std::uint64_t unicasts = 0;
    std::uint64_t data = 0;  ///< unicasts, where messages count with the number of their data
    std::uint64_t hops = 0;  ///< from router to router, for each datum

    coding_count& operator+=(const coding_count& other);
    bool operator==(const coding_count&) const = default;
};

/// Groups at one level. Vectors: [dimension].
struct coding_level {
    std::vector<std::uint32_t> box;     ///< nodes along a dimension of what is divided
    std::vector<std::uint32_t> extent;  ///< nodes of a group
    std::vector<std::uint32_t> groups;  ///< groups
    std::uint32_t members = 1;          ///< of a group
    std::uint32_t group_count = 1;      ///< in one box
    std::uint32_t regions = 1;          ///< boxes at this level, in the whole network

    /// [(box * group_count + group) * members + member] node. The boxes of the next level are the groups of this one.
    std::vector<std::uint32_t> nodes;
    /// [box * group_count + group] its sources by member.
    std::vector<std::vector<std::uint32_t>> sources;
    /// [group] member that is the intermediate node.
    std::vector<std::uint32_t> intermediate;
};

/// Sides of a group of `members` nodes in a box, none longer than the next, as near to a cube as possible; empty if no
/// such groups fill the box.
std::vector<std::uint32_t> group_extent(const std::vector<std::uint32_t>& box, std::uint32_t members);

/// Most nodes of a network.
inline constexpr std::uint64_t most_coding_nodes = std::uint64_t{1} << 20;

class network_coding {
public:
    using visitor = std::function<void(const transfer&)>;

    /// \throws input_error
    explicit network_coding(coding_options options);

    const coding_options& options() const { return options_; }
    std::uint32_t nodes() const { return nodes_; }
    std::uint64_t source_count() const { return source_count_; }
    const std::vector<coding_level>& levels() const { return levels_; }

    /// Node number of a group's intermediate node; `group` is numbered as in coding_level.
    std::uint32_t intermediate_node(unsigned level, std::uint32_t group) const;

    /// Hops of the shortest path.
    std::uint32_t distance(std::uint32_t from, std::uint32_t to) const;

    /// All steps in order, also those without any unicast: B of the deepest level, then D, E, F of each, level 0 last.
    std::vector<coding_step> steps() const;

    /// All unicasts of a step, round by round, and those of each sender and round in the order in which it sends them.
    void for_each_transfer(const coding_step& step, accounting what, const visitor& visit) const;
    std::vector<transfer> transfers(const coding_step& step, accounting what = accounting::delivered) const;

    /// Nodes whose data a parcel contains.
    std::vector<std::uint32_t> contents(const parcel& what) const;

    /// Totals of what for_each_transfer() would visit, without visiting it: distances add up by dimension.
    coding_count count(const coding_step& step, accounting what = accounting::delivered) const;
    /// All steps together.
    coding_count total(accounting what = accounting::delivered) const;

    /// N(N - 1), with fewer sources S(N - 1): every datum must reach every other node, over one link at least.
    std::uint64_t floor() const { return source_count_ * (nodes_ - 1); }

private:
    void add_level(const std::vector<std::uint32_t>& box, std::uint32_t members);
    void deal_sources();
    std::vector<parcel> parcels_of(unsigned level, std::uint32_t group) const;

    coding_options options_;
    std::uint32_t nodes_ = 0;
    std::uint64_t source_count_ = 0;
    std::vector<coding_level> levels_;
};

/// Sizes of groups that are possible at level 0, ascending, from 2 to half the network.
std::vector<std::uint32_t> group_sizes(const coding_options& options);

/// Executes the steps: every sender must have what it sends, and at the end every node must be able to recover
/// the data of all sources by walking chains. Takes memory and time with the square of the nodes.
/// \returns the first fault
std::optional<std::string> find_problem(const network_coding& plan, accounting what = accounting::delivered);

}  // namespace polycast::hw::collectives
