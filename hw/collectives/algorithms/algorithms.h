// SPDX-License-Identifier: Apache-2.0
/// \file All algorithms of the library. Each is defined in the file of its collective.
#pragma once

#include <vector>

#include "hw/collectives/library.h"

namespace polycast::hw::collectives {

extern const algorithm broadcast_linear, broadcast_binomial, broadcast_chain, broadcast_scatter_allgather,
    reduce_linear, reduce_binomial, reduce_chain, reduce_scatter_gather, allreduce_ring, allreduce_doubling,
    allreduce_halving_doubling, allreduce_reduce_broadcast, allreduce_one_shot, allreduce_two_shot,
    allreduce_reduce_worm, allgather_ring, allgather_direct, allgather_doubling, allgather_bruck, allgather_worms,
    reduce_scatter_ring, reduce_scatter_direct, reduce_scatter_halving, all_to_all_direct, all_to_all_pairwise,
    all_to_all_bruck, scatter_linear, scatter_binomial, gather_linear, gather_binomial, barrier_dissemination,
    barrier_tree, barrier_central;

/// One for each scheme by which switches or interfaces copy.
std::vector<algorithm> broadcasts_by_schemes();

}  // namespace polycast::hw::collectives
