// SPDX-License-Identifier: Apache-2.0
/// \file Path or SSR worms in phases that smart interfaces forward.
#include "hw/collectives/scheme.h"

namespace polycast::hw::collectives::scheme_rows {

extern const scheme_kind hybrid;
const scheme_kind hybrid{
    .name = "hybrid",
    .doc = "path or SSR worms in phases, forwarded by smart interfaces, packet by packet",
    .by = scheme_kind::forwarders::interfaces,
    .packets = format::packet_kind::path,
    .chooses_packets = true,
    .phases = true,
    .plan = worms_in_phases,
};

}  // namespace polycast::hw::collectives::scheme_rows
