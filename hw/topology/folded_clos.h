// SPDX-License-Identifier: Apache-2.0
/// \file Folded Clos networks of switches that all have p ports, as InfiniBand fabrics are built: the switches of the
/// top level have all their ports down. Leiserson, "Fat-Trees", 1985; Zahavi, "Fat-Trees Routing and Node Ordering
/// Providing Contention Free Traffic for MPI Global Collectives", IPDPSW 2011. A k-ary n-tree (fat_tree.h) leaves half
/// of the top's ports open, and so has half as many hosts.
///
/// With k = p / 2 and n levels there are 2 k^n hosts, 2 k^(n-1) switches in each level below the top, and k^(n-1) in
/// the top. Levels count from the hosts; switches are numbered level by level. Ports count from 1:
/// - Host x is at port x mod k + 1 of switch x div k of level 0 (with one level: at port x + 1 of the one switch).
/// - Switch w of a level below the top is in half w div k^(n-1), and w mod k^(n-1) is a number of n - 1 digits to the
///   base k. Its port k + 1 + j leads to the switch above, in the same half, whose number has j for digit l, and there
///   to the port that is this digit, plus 1. The halves meet in the top: the second half is at its ports from k + 1.
#pragma once

#include "hw/topology/graph.h"

namespace polycast::hw::topology {

struct folded_clos_params {
    unsigned ports = 36;  ///< of every switch, even, 4 to 64
    unsigned levels = 2;  ///< n, 1 or more
};

/// Hosts "host0", switches "switch0", in the order above. \throws input_error for parameters that are not valid or a
/// network that is too large
graph make_folded_clos(const folded_clos_params& params);

}  // namespace polycast::hw::topology
