// SPDX-License-Identifier: Apache-2.0
/// \file What the ranks of a fabric say to each other: flits and credits after each window of time, and after a batch
/// of windows when something happens next.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/engine/ranks.h"
#include "hw/fabric/packet_pool.h"
#include "hw/fabric/partition.h"

namespace polycast::hw::fabric {

/// What partitions know together.
struct common_state {
    engine::cycle next = engine::never;  ///< something happens
    engine::cycle quiet_from = 0;        ///< nothing has happened from there on
};

/// What ended a partition.
struct partition_failure {
    engine::cycle when = engine::never;
    std::exception_ptr what;
};

/// Rank r has the nodes from r * rank_nodes on. A packet's record goes with its head; flits behind it are of the packet
/// that came last on their virtual channel.
class rank_border {
public:
    rank_border(std::shared_ptr<engine::rank_group> ranks, std::uint32_t rank_nodes);

    const engine::rank_group& ranks() const { return *ranks_; }
    /// A link from one node to another; before partitions are made all are told, from both ends.
    void join(std::uint32_t from, std::uint32_t to);
    std::size_t neighbours() const { return neighbours_.size(); }
    /// Place among the neighbours of the one that has a node.
    std::size_t place_of(std::uint32_t node) const { return place_[node / rank_nodes_]; }

    /// Windows until the next agreement: many where something happens all the time. \param first begin of the first one
    unsigned windows(engine::cycle first);
    /// Gives neighbours what partitions have put into their boxes in the window from `begin` to `end`, and takes what
    /// comes. \param partition_nodes of every partition
    void exchange(engine::cycle begin, engine::cycle end, std::vector<partition>& parts, std::uint32_t partition_nodes,
                  packet_pool& packets);
    /// What is true of all ranks. A failure ends all of them. \throws on the first rank the earliest failure, elsewhere
    /// engine::simulated_elsewhere
    common_state agree(const common_state& own, const partition_failure& failed);

    /// \param window cycles
    engine::rank_costs costs(engine::cycle window) const;

private:
    std::string letters(std::vector<partition>& parts, std::size_t place, engine::cycle begin, packet_pool& packets);
    void read(const std::string& letters, engine::cycle begin, std::vector<partition>& parts,
              std::uint32_t partition_nodes, packet_pool& packets);
    template <typename action>
    auto timed(const action& act);

    std::shared_ptr<engine::rank_group> ranks_;
    std::uint32_t rank_nodes_;
    std::vector<unsigned> neighbours_;
    std::vector<std::size_t> place_;                         ///< [rank] of a neighbour
    std::unordered_map<std::uint64_t, packet_id> incoming_;  ///< [input VC] packet whose tail has not come
    unsigned batch_ = 1;
    engine::cycle reached_ = 0;
    engine::rank_costs costs_;
};

}  // namespace polycast::hw::fabric
