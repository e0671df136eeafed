// SPDX-License-Identifier: Apache-2.0
/// \file Multicast trees whose nodes have at most k children, and how many steps messages take along them. Kesavan and
/// Panda, "Optimal multicast with packetization and network interface support", ICPP 1997; Sivaram et al.,
/// OSU-CISRC-10/98-TR41, section 3.2.
#pragma once

#include <cstdint>
#include <vector>

namespace polycast::hw::collectives {

/// [node] its children in the order in which they are served. Node 0 is the root; nodes are places in an ordered chain
/// of participants, the root first.
using forwarding_tree = std::vector<std::vector<std::uint32_t>>;

/// N(s, k): most nodes, including the root, that one packet reaches in `steps` steps when every node that has it
/// forwards it to one more node per step, to at most `k` in all. 2^64 - 1 means that number or more. `k` is 1 or more.
std::uint64_t reach(unsigned steps, unsigned k);

/// L1: fewest steps in which one packet reaches `nodes` nodes; min s: N(s, k) >= nodes.
unsigned steps_of_one(std::uint32_t nodes, unsigned k);

/// L1 + (packets - 1) k: steps that a message of `packets` packets takes to `nodes` nodes, packet by packet.
std::uint64_t steps_of_message(std::uint32_t nodes, std::uint64_t packets, unsigned k);

/// k of a binomial tree: ceil(log2 nodes), at least 1. More children than that never help.
unsigned binomial_k(std::uint32_t nodes);

/// All k of 1..binomial_k(nodes) with the fewest steps_of_message(), ascending.
std::vector<unsigned> best_k(std::uint32_t nodes, std::uint64_t packets);

/// The k-binomial tree of a chain of `nodes` nodes: the root sends to the node N(s-1, k) places from the right end,
/// then to the one N(s-2, k) places before that, and so on; each recipient does so with the nodes between itself and
/// the recipient before it. `nodes` and `k` are 1 or more.
forwarding_tree k_binomial_tree(std::uint32_t nodes, unsigned k);

}  // namespace polycast::hw::collectives
