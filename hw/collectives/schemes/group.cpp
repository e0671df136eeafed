// SPDX-License-Identifier: Apache-2.0
/// \file One packet to a group whose members the switches know.
#include "hw/collectives/scheme.h"

namespace polycast::hw::collectives::scheme_rows {

extern const scheme_kind group;
const scheme_kind group{
    .name = "group",
    .doc = "one packet to a group of the multicast tables, copied by VL switches",
    .packets = format::packet_kind::lid,
    .plan =
        [](const routing::updown&, const scheme_options& options, std::uint32_t source,
           scheme_kind::hosts destinations) {
            multicast_plan plan;
            plan.participants.push_back(
                {source, {{format::packet_kind::lid, {destinations.begin(), destinations.end()}, {options.group}}}});
            for (const std::uint32_t host : destinations) plan.participants.push_back({host, {}});
            plan.steps = 1;
            return plan;
        },
};

}  // namespace polycast::hw::collectives::scheme_rows
