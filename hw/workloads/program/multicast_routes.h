// SPDX-License-Identifier: Apache-2.0
/// \file How the multicasts of a program go through a network: who sends what to whom, decided before the run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hw/collectives/multicast_plan.h"
#include "hw/collectives/receipts.h"
#include "hw/delivery/message.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

struct planned_multicast {
    collectives::multicast_plan plan;
    traffic::forwarding how = traffic::forwarding::nobody;  ///< who sends on
};

/// Plans a multicast of so many bytes between hosts. \throws input_error where the network cannot carry it out
using multicast_planner = std::function<planned_multicast(
    std::string_view scheme, std::uint32_t source, std::span<const std::uint32_t> destinations, std::uint32_t bytes)>;

/// What equal multicasts of a program share.
struct multicast_route {
    collectives::multicast_plan plan;
    traffic::forwarding how = traffic::forwarding::nobody;
    std::uint16_t queue = 0;
    std::uint16_t group = 0;                  ///< its number at the source, where interfaces forward
    std::uint16_t hops = 0;                   ///< interfaces that may forward it, one after the other
    std::vector<std::uint32_t> call_of;       ///< [send of the program] which send call of the source leads there
    std::vector<std::uint32_t> participants;  ///< places in the plan, by their hosts
    /// Of reliable worms, by the host that sends them: [send] a group of that host, whose members acknowledge the worm.
    std::map<std::uint32_t, std::vector<std::uint16_t>> acknowledged_by{};

    bool by_interfaces() const { return traffic::by_interfaces(how); }
    /// Send calls of the source.
    std::uint32_t calls() const {
        return by_interfaces() ? 1 : static_cast<std::uint32_t>(plan.participants.front().sends.size());
    }
    /// What a host sends, or has its interface send; nullptr: it takes no part.
    const collectives::participant* at(std::uint32_t host) const;
};

/// A group that the interface of a host has to know.
struct known_group {
    std::uint32_t root = 0;
    std::uint16_t group = 0;  ///< its number there
    const multicast_route* route = nullptr;
    bool forwards = false;                  ///< the interface sends on what comes to the group
    collectives::receipt_place receipts{};  ///< of reliable messages
};

class multicast_routes {
public:
    /// \param host_of [rank] \param queues of a rank \param reliable receivers acknowledge what they get
    /// \throws input_error as the planner does, and where more than 65,535 groups have one root
    multicast_routes(const program& of, std::span<const std::uint32_t> host_of, unsigned queues,
                     const multicast_planner& plan, bool reliable = false);

    /// \param multicast a number in program::multicasts()
    const multicast_route& of(std::uint32_t multicast) const { return *routes_[multicast]; }
    /// Of multicasts that the interface of a host forwards, delivers there, or acknowledges.
    std::span<const known_group> groups_of(std::uint32_t host) const;
    /// All that differ.
    std::span<const std::unique_ptr<multicast_route>> all() const { return all_; }

private:
    void add_groups(multicast_route& of, bool reliable);
    void add_acknowledging(multicast_route& of);
    std::uint16_t new_group(std::uint32_t root);

    std::vector<std::unique_ptr<multicast_route>> all_;
    std::vector<const multicast_route*> routes_;                 ///< [multicast]
    std::map<std::uint32_t, std::uint16_t> next_group_;          ///< by root
    std::map<std::uint32_t, std::vector<known_group>> grouped_;  ///< by host
};

}  // namespace polycast::hw::programs
