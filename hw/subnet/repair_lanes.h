// SPDX-License-Identifier: Apache-2.0
/// \file Lanes for unicasts whose tables have circles: layers as in LASH (Skeie, Lysne and Theiss, "Layered Shortest
/// Path (LASH) Routing in Irregular System Area Networks", IPDPS 2002) and DFSSSP (Domke, Hoefler and Nagel,
/// "Deadlock-Free Oblivious Routing for Arbitrary Topologies", IPDPS 2011).
#pragma once

#include <cstdint>
#include <string>

#include "hw/subnet/fabric.h"

namespace polycast::hw::subnet {

inline constexpr unsigned most_data_lanes = 15;

struct layers {
    unsigned lanes = 0;   ///< the highest lane of a unicast, and one
    std::string why_not;  ///< empty where all pairs have a lane
};

/// Gives all pairs of end ports a path SL, in the order of (length, source, LID) the lowest whose lane stays free of
/// circles, and all ports SL2VL rows with VL = SL. What stood there is gone. Adapters with several cabled ports have
/// one SL for all of them, as the files of path SLs do.
/// \param taken SLs that unicasts may not have, as bits
layers give_lanes(fabric& made, std::uint16_t taken);

}  // namespace polycast::hw::subnet
