// SPDX-License-Identifier: Apache-2.0
/// \file Path worms in phases.
#include "hw/collectives/scheme.h"

namespace polycast::hw::collectives::scheme_rows {

extern const scheme_kind path;
const scheme_kind path{
    .name = "path",
    .doc = "path worms along chains of switches, in phases; hosts that have the message send on",
    .by = scheme_kind::forwarders::programs,
    .packets = format::packet_kind::path,
    .phases = true,
    .plan = worms_in_phases,
};

}  // namespace polycast::hw::collectives::scheme_rows
