// SPDX-License-Identifier: Apache-2.0
/// \file Pipelined broadcasts in steps, on networks of up to 2^24 nodes.
///
/// A step is the time that a packet takes to a neighbour. Every link carries at most one packet in each direction and
/// step, and what arrives can be passed on in the next one. Nodes know what their neighbours hold, so nothing is sent
/// twice: this is the ideal variant of the paper. Steps are synchronous: each receiver visits its links in the order of
/// their senders' numbers (then of its ports) and takes from each the first packet, in the sender's order of receipt as
/// of the start of the step, that it neither holds nor has taken in this step.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "hw/topology/bypass_torus.h"
#include "hw/workloads/broadcast/broadcast_scoreboard.h"

namespace polycast::hw::broadcast {

inline constexpr unsigned most_packets = 64;

enum class algorithm : std::uint8_t {
    colours,  ///< one for each dimension: line, rectangular and global broadcast
    trees,    ///< the 2d link-disjoint spanning trees of a torus
};

struct broadcast_params {
    algorithm how = algorithm::colours;
    /// Dimensions that it uses, ascending; the nodes that differ from the source in no other one take part.
    std::vector<unsigned> dimensions = {0};
    std::uint32_t source = 0;
    /// Packets of each colour (of dimensions[0] first) or tree, in the order of their numbers; 1 to 64 together.
    std::vector<unsigned> split = {32};
    /// Packet-sending pattern of each colour, below 16; trees have none.
    std::vector<unsigned> patterns = {0};
    unsigned bytes = 8;      ///< of a packet; 0: nothing is carried, and nothing compared
    std::uint64_t seed = 0;  ///< of the message
    unsigned threads = 1;    ///< that share the nodes; the results are the same
    std::uint64_t step_limit = std::numeric_limits<std::uint64_t>::max();
};

/// What an observer sees after each step. Nodes are those that take part, in the order of their numbers.
struct step_view {
    std::uint64_t step;      ///< from 1
    std::uint64_t receipts;  ///< packets that came, and links that were busy, each counted in one direction
    unsigned packets;        ///< of the message
    std::span<const std::uint64_t> holders;  ///< [number of packets] nodes that hold so many
    std::span<const std::uint8_t> held;      ///< [node] packets that it holds
    std::span<const std::uint8_t> order;  ///< [node * packets + i] the packet that it got as number i; of the source 0
};
using step_observer = std::function<void(const step_view&)>;

struct broadcast_result {
    std::uint64_t steps = 0;
    bool complete = false;         ///< every node has everything; false at the step limit
    std::uint64_t sends = 0;       ///< packets over links
    std::uint64_t node_steps = 0;  ///< nodes visited, summed over steps
    std::uint32_t nodes = 0;       ///< that take part, the source too
    std::uint64_t links = 0;       ///< between them that the broadcast may use, each counted in both directions
    std::size_t memory_bytes = 0;  ///< state, and memories of the nodes with the scoreboard
};

/// Runs a broadcast until all participating nodes have everything, and checks it.
/// \throws input_error for parameters that make no broadcast
/// \throws delivery_error when a node lacks a packet, got one twice, or has wrong bytes
broadcast_result run_broadcast(const topology::bypass_torus& network, const broadcast_params& params,
                               const step_observer& observe = {});

/// No algorithm takes fewer steps: a node gets at most a packet over each of its links in a step, from when the first
/// can be there, and the source sends at most one over each, the last of which still has the longest path ahead.
/// \param dimensions as in broadcast_params
std::uint64_t least_steps(const topology::bypass_torus& network, std::uint32_t source,
                          const std::vector<unsigned>& dimensions, unsigned packets);

}  // namespace polycast::hw::broadcast
