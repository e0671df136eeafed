// SPDX-License-Identifier: Apache-2.0
/// \file A k-binomial tree of unicasts that hosts forward over conventional interfaces.
#include "hw/collectives/k_binomial.h"
#include "hw/collectives/scheme.h"

namespace polycast::hw::collectives::scheme_rows {

extern const scheme_kind software;
const scheme_kind software{
    .name = "software",
    .doc = "a k-binomial tree of hosts: each receives the whole message and sends it on",
    .by = scheme_kind::forwarders::programs,
    .best_fanout = [](std::uint32_t nodes, std::uint32_t) { return binomial_k(nodes); },
    .plan = tree_of_unicasts,
};

}  // namespace polycast::hw::collectives::scheme_rows
