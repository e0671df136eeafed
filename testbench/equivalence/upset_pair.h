// SPDX-License-Identifier: Apache-2.0
/// \file Comparisons of two switches or routers in whose memories bits flip.
#pragma once

#include <vector>

#include "testbench/equivalence/soak.h"

namespace polycast::testbench::equivalence {

/// As switch_pair(), with the same bits of both flipped. Both are hw::chips::upsettable_chip.
contender_pair upset_pair(contender first, contender second, std::vector<hw::chips::switch_params> sets = {});
/// As router_pair().
contender_pair upset_pair(router_contender first, router_contender second,
                          std::vector<hw::chips::router_params> sets = {});

}  // namespace polycast::testbench::equivalence
