// SPDX-License-Identifier: Apache-2.0
/// \file One tree worm to all destinations.
#include "hw/collectives/scheme.h"

namespace polycast::hw::collectives::scheme_rows {

extern const scheme_kind tree;
const scheme_kind tree{
    .name = "tree",
    .doc = "one tree worm, copied by the switches",
    .packets = format::packet_kind::tree,
    .plan = [](const routing::updown&, const scheme_options&, std::uint32_t source,
               scheme_kind::hosts destinations) { return tree_plan(source, destinations); },
};

}  // namespace polycast::hw::collectives::scheme_rows
