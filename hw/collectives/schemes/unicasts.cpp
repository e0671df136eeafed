// SPDX-License-Identifier: Apache-2.0
/// \file Unicasts of the source alone.
#include "hw/collectives/scheme.h"

namespace polycast::hw::collectives::scheme_rows {

extern const scheme_kind unicasts;
const scheme_kind unicasts{
    .name = "unicasts",
    .doc = "a unicast to each destination, one after the other",
    .plan = [](const routing::updown&, const scheme_options&, std::uint32_t source,
               scheme_kind::hosts destinations) { return unicasts_plan(source, destinations); },
};

}  // namespace polycast::hw::collectives::scheme_rows
