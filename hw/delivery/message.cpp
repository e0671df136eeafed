// SPDX-License-Identifier: Apache-2.0
#include "hw/delivery/message.h"

#include <utility>

namespace polycast::hw::traffic {

message sent_as(message base, const collectives::transmission& form) {
    const bool unicast = form.kind == format::packet_kind::unicast;
    base.kind = unicast ? message_kind::unicast : message_kind::worm;
    if (!unicast) base.worm = form.kind;
    base.destinations = form.hosts;
    base.stops = form.stops;
    return base;
}

}  // namespace polycast::hw::traffic
