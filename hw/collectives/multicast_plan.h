// SPDX-License-Identifier: Apache-2.0
/// \file Who sends what to whom so that one message reaches several hosts; host programs, network interfaces and
/// switches execute it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/collectives/k_binomial.h"
#include "hw/format/route.h"
#include "hw/routing/updown.h"

namespace polycast::hw::collectives {

/// The message as one host gives it to the network once: a unicast, or a worm that the switches copy.
struct transmission {
    format::packet_kind kind = format::packet_kind::unicast;
    std::vector<std::uint32_t>
        hosts;                        ///< that get a copy; exactly one for a unicast; in order of the stops, then ports
    std::vector<format::stop> stops;  ///< of SSR (one) and path worms
    unsigned step = 1;  ///< in which it is sent if every transmission takes one step and all else no time, from 1

    bool operator==(const transmission&) const = default;
};

/// What one host sends once it has the message, in this order.
struct participant {
    std::uint32_t host = 0;
    std::vector<transmission> sends;

    bool operator==(const participant&) const = default;
};

struct multicast_plan {
    /// The source first, then every host that gets the message, each after its sender; including those that send
    /// nothing.
    std::vector<participant> participants;
    unsigned steps = 0;  ///< of the last transmission; the packets of a message do not count separately

    std::uint32_t source() const { return participants.front().host; }
    bool operator==(const multicast_plan&) const = default;
};

/// One tree worm to all.
multicast_plan tree_plan(std::uint32_t source, std::span<const std::uint32_t> destinations);

/// A unicast to each, in the order given.
multicast_plan unicasts_plan(std::uint32_t source, std::span<const std::uint32_t> destinations);

/// The k-binomial tree of unicasts along a chain whose first host is the source.
multicast_plan forwarding_plan(std::span<const std::uint32_t> chain, unsigned k);

/// Transmissions one after the other until the last host has it.
unsigned longest_chain(const multicast_plan& plan);

/// What is wrong with the plan: a destination that gets the message never or twice, a host that sends
/// before it has it, a worm whose switches do not lie on a legal route from its sender in this order, a port that does
/// not lead to the host; nothing if the plan is correct.
std::optional<std::string> find_problem(const multicast_plan& plan, const routing::updown& routes,
                                        std::span<const std::uint32_t> destinations);

}  // namespace polycast::hw::collectives
