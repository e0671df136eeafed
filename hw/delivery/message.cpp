// SPDX-License-Identifier: Apache-2.0
#include "hw/delivery/message.h"

#include <limits>
#include <utility>

#include "hw/topology/graph.h"

namespace polycast::hw::traffic {

std::uint16_t hops_of(const collectives::multicast_plan& plan) {
    // A plan reaches every host once.
    static_assert(topology::max_hosts - 1 <= std::numeric_limits<std::uint16_t>::max());
    return static_cast<std::uint16_t>(collectives::longest_chain(plan));
}

message sent_as(message base, const collectives::transmission& form) {
    const bool unicast = form.kind == format::packet_kind::unicast;
    base.kind = unicast ? message_kind::unicast : message_kind::worm;
    if (!unicast) base.worm = form.kind;
    base.destinations = form.hosts;
    base.stops = form.stops;
    return base;
}

}  // namespace polycast::hw::traffic
