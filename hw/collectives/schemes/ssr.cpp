// SPDX-License-Identifier: Apache-2.0
/// \file Single switch replication worms in phases.
#include "hw/collectives/scheme.h"

namespace polycast::hw::collectives::scheme_rows {

extern const scheme_kind ssr;
const scheme_kind ssr{
    .name = "ssr",
    .doc = "a worm to each switch with destinations, in phases; hosts that have the message send on",
    .by = scheme_kind::forwarders::programs,
    .packets = format::packet_kind::ssr,
    .phases = true,
    .plan = worms_in_phases,
};

}  // namespace polycast::hw::collectives::scheme_rows
