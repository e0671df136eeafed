// SPDX-License-Identifier: Apache-2.0
/// \file A k-binomial tree of unicasts that smart interfaces forward.
#include "hw/collectives/k_binomial.h"
#include "hw/collectives/scheme.h"

namespace polycast::hw::collectives::scheme_rows {

extern const scheme_kind ni;
const scheme_kind ni{
    .name = "ni",
    .doc = "a k-binomial tree of smart interfaces, whose firmware forwards each packet",
    .by = scheme_kind::forwarders::interfaces,
    // The fewest steps; of several k the largest.
    .best_fanout = [](std::uint32_t nodes, std::uint32_t packets) { return best_k(nodes, packets).back(); },
    .plan = tree_of_unicasts,
};

}  // namespace polycast::hw::collectives::scheme_rows
